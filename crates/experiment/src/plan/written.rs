//! Plans as files that explain themselves.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::{Plan, PlanError};

/// A table of a plan file and what its keys mean.
struct Section {
    /// The table, empty for the top.
    name: &'static str,
    /// What it is about.
    about: &'static str,
    /// Its keys in the order in which they are written.
    keys: &'static [Key],
}

/// A key of a plan file.
struct Key {
    name: &'static str,
    /// What it means and what is allowed.
    about: &'static str,
    /// What could be written where it is not given.
    example: Option<&'static str>,
}

const fn key(name: &'static str, about: &'static str) -> Key {
    Key { name, about, example: None }
}

const fn optional(name: &'static str, about: &'static str, example: &'static str) -> Key {
    Key { name, about, example: Some(example) }
}

/// Every key of a plan.
const SECTIONS: [Section; 8] = [
    Section {
        name: "",
        about: "A sweep of isotherm. Run it with: isotherm sweep --plan THIS-FILE -o DIRECTORY",
        keys: &[
            key("format", "The version of this layout."),
            key(
                "vary",
                "What is varied: NAME=VALUES. Several are crossed, the last one fastest.\n\
                 Values: 1,2,4 (a list), 1..256x2 (times), 10..100+10 (plus). Names: in-flight, rate,\n\
                 slots, threads, update-pct, pattern, block, size, method, direct, dsync,\n\
                 huge-pages, chunk, schemas, scale, work-unit, redo.",
            ),
            key("repeats", "How often each point is run. Three say something about chance."),
            key(
                "order",
                "rounds (all points once, then all again: drift does not pose as an effect),\n\
                 random (rounds, each shuffled), as-written (each point with all its repeats).",
            ),
            key("seed", "What shuffles a random order: the same seed, the same order."),
            key("cool-down", "Rest before each run but the first."),
            optional(
                "most-time",
                "No run begins that could end later than this after the sweep began.",
                "\"2h\"",
            ),
            optional(
                "stop-when",
                "When the load is not raised any further: p99>20ms, mean>1ms, gain<5% (the growth of\n\
                 throughput as a share of the growth of load). Not with order random.",
                "[\"p99>20ms\", \"gain<5%\"]",
            ),
            optional(
                "device",
                "The device: hdd, ssd, nvme, san, or how long its fastest reads take as measured,\n\
                 such as 80us. Says what is too fast to be true.",
                "\"ssd\"",
            ),
        ],
    },
    Section {
        name: "job",
        about: "What every point has in common.",
        keys: &[
            key("target", "What is loaded. Passwords are not written here."),
            optional("threads", "Threads that drive the load; chosen if not given.", "2"),
        ],
    },
    Section {
        name: "job.arrival",
        about: "How operations arrive.",
        keys: &[
            key(
                "loop",
                "closed: a fixed number in flight. open: rate-hz of them begin per second, whether or\n\
                 not earlier ones have ended.",
            ),
            key("in-flight", "closed: operations in flight."),
            optional(
                "think",
                "closed: pauses after one operation in one-in, uniform from least to most.",
                "{ one-in = 1, least = \"1ms\", most = \"5ms\" }",
            ),
            key("rate-hz", "open: operations per second."),
            key("spacing", "open: poisson (independent arrivals) or fixed (equal gaps)."),
            key(
                "slots",
                "open: most operations in flight; one that finds none free waits, and that counts.",
            ),
        ],
    },
    Section {
        name: "job.limit",
        about: "When a run ends: whichever comes first.",
        keys: &[
            key("for", "Measured time."),
            optional("operations", "Measured operations.", "1000000"),
        ],
    },
    Section {
        name: "job.warmup",
        about: "What comes before measuring: time (always so long) or until-steady (at most so long).",
        keys: &[
            key("time", "So long."),
            key("until-steady", "Until throughput neither drifts nor jumps, at most so long."),
        ],
    },
    Section {
        name: "job.work",
        about: "What the operations are.",
        keys: &[
            key("update-pct", "Share of operations that change what is there, per cent."),
            key(
                "mix",
                "independent (each drawn by itself) or slob (updates in bursts, as SLOB does).",
            ),
            key("pattern", "random or sequential."),
            key("seed", "Which places are visited. Each run adds its point x 1000 and its repeat."),
            optional(
                "hot",
                "Places visited more often: one operation in one-in goes to size-pct of all places.",
                "{ size-pct = 10.0, offset-pct = 0.0, one-in = 2 }",
            ),
        ],
    },
    Section {
        name: "job.file",
        about: "Files and devices.",
        keys: &[
            key("block", "Bytes of one operation."),
            key("method", "auto, uring or sync."),
            key("direct", "Whether the page cache is bypassed (O_DIRECT)."),
            key("dsync", "Whether a write ends only when it is on stable storage (O_DSYNC)."),
            key("huge-pages", "Whether buffers lie in huge pages, each in one piece."),
            optional(
                "size",
                "Bytes of the working set; all of what is there if not given.",
                "1073741824",
            ),
            optional("chunk", "Operations submitted at once after the first ones of a batch.", "8"),
        ],
    },
    Section {
        name: "job.database",
        about: "Databases.",
        keys: &[
            key("schemas", "Schemas, each with a table of its own."),
            key("scale", "Rows of each table, one row a block."),
            key("work-unit", "Rows that one operation visits."),
            key("redo", "How much redo an update makes: lite or heavy."),
            key("server-loop", "oracle: the loop runs inside the server, as in SLOB."),
        ],
    },
];

impl Plan {
    /// The plan as a table of TOML.
    pub(super) fn table(&self) -> Result<Table, PlanError> {
        Table::try_from(self).map_err(|error| PlanError::Toml(error.to_string()))
    }

    /// The plan as a file that explains its keys; read back it is the same plan.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        let mut rest = self.table()?;
        let mut text = String::new();
        for section in &SECTIONS {
            let Some(mut table) = take(&mut rest, section.name) else { continue };
            section.write(&mut table, &mut text);
            // A key that is not explained is written all the same.
            for (name, value) in table.iter().filter(|(_, value)| !value.is_table()) {
                line(&mut text, name, value);
            }
            if section.name.is_empty() {
                rest = table;
            } else {
                put_tables_back(&mut rest, section.name, table);
            }
        }
        Ok(text)
    }
}

impl Section {
    fn write(&self, table: &mut Table, text: &mut String) {
        if !text.is_empty() {
            text.push('\n');
        }
        comment(text, self.about);
        let head = if self.name.is_empty() { String::new() } else { format!("[{}]", self.name) };
        let _ = writeln!(text, "{head}");
        for key in self.keys {
            match (table.remove(key.name), key.example) {
                (Some(value), _) => {
                    comment(text, key.about);
                    line(text, key.name, &value);
                }
                (None, Some(example)) if key.applies(table) => {
                    comment(text, key.about);
                    let _ = writeln!(text, "# {} = {example}", key.name);
                }
                (None, _) => {}
            }
        }
    }
}

impl Key {
    /// Whether it would make sense beside what a table holds: pauses do not in an open loop.
    fn applies(&self, table: &Table) -> bool {
        self.name != "think" || !table.contains_key("rate-hz")
    }
}

fn comment(text: &mut String, words: &str) {
    for words in words.lines() {
        let _ = writeln!(text, "# {words}");
    }
}

fn line(text: &mut String, name: &str, value: &Value) {
    let _ = writeln!(text, "{name} = {value}");
}

/// Takes a table out of the one that holds it.
fn take(rest: &mut Table, name: &str) -> Option<Table> {
    if name.is_empty() {
        return Some(std::mem::take(rest));
    }
    let (parent, last) = name.rsplit_once('.').unwrap_or(("", name));
    let holder = if parent.is_empty() { Some(rest) } else { rest.get_mut(parent)?.as_table_mut() };
    match holder?.remove(last)? {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// What a table holds besides its keys comes later, under the table's name.
fn put_tables_back(rest: &mut Table, name: &str, table: Table) {
    let inner: Table = table.into_iter().filter(|(_, value)| value.is_table()).collect();
    if !inner.is_empty() {
        rest.insert(name.to_owned(), Value::Table(inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key of a table that is no table of a section, under its section.
    fn keys(prefix: &str, table: &Table, found: &mut Vec<(String, String)>) {
        for (name, value) in table {
            let inner = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            let section = SECTIONS.iter().any(|section| section.name == inner);
            match value {
                Value::Table(table) if section => keys(&inner, table, found),
                _ => found.push((prefix.to_owned(), name.clone())),
            }
        }
    }

    #[test]
    fn every_key_of_a_plan_is_explained() {
        for plan in super::super::tests::full_plans() {
            let mut found = Vec::new();
            keys("", &plan.table().expect("a table"), &mut found);
            for (section, name) in found {
                let explained = SECTIONS.iter().any(|known| {
                    known.name == section && known.keys.iter().any(|key| key.name == name)
                });
                assert!(explained, "[{section}] {name} has no explanation");
            }
        }
    }

    #[test]
    fn examples_of_what_is_not_given_can_be_used() {
        let plan = Plan {
            vary: vec!["in-flight=1..8x2".parse().expect("a variable")],
            ..super::super::tests::plan()
        };
        let text = plan.to_toml().expect("a text");
        let used: Vec<&str> = text
            .lines()
            .map(|line| {
                let bare = line.strip_prefix("# ").unwrap_or(line);
                let example = SECTIONS.iter().flat_map(|section| section.keys).any(|key| {
                    key.example.is_some_and(|example| bare == format!("{} = {example}", key.name))
                });
                if example { bare } else { line }
            })
            .collect();
        let full: Plan = used.join("\n").parse().expect("a plan");
        assert_eq!(full.stop_when.len(), 2);
        assert!(full.job.file.size.is_some() && full.job.work.hot.is_some());
        assert!(full.most_time.is_some() && full.device.is_some() && full.job.threads.is_some());
    }
}
