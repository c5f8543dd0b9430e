//! From what is asked for to the text of a program.

use super::notes;
use super::request::{Clock, Grouping, Kind, Request, RequestError};
use super::template::fill;
use super::{is_path, literal};

/// The system calls that are timed, with their numbers on x86-64.
const CALLS: [(u32, &str); 6] = [
    (17, "pread64"),
    (18, "pwrite64"),
    (295, "preadv"),
    (296, "pwritev"),
    (209, "io_submit"),
    (208, "io_getevents"),
];

/// Why `$ns` is counted in one of two maps.
const TWO_MAPS: &str = "\
/* Before bpftrace 0.20, hist() keeps 32 bits of a number. What takes 2^31 ns (2.1 s) or longer is\n \
* therefore counted in a map of its own, in units of 1024 ns; isotherm puts the two together. */\n\n";

/// Names in one line of the program: each printing costs instructions, of which old kernels allow
/// 4096 to a program, and each character costs nothing.
const NAMES_IN_A_LINE: usize = 20;

impl Request {
    /// The program, the same for the same request. Its lines are explained to whoever has to
    /// approve it.
    pub fn program(&self) -> Result<String, RequestError> {
        let binary = &self.target.binary;
        if !is_path(binary) {
            return Err(RequestError::Path(binary.clone()));
        }
        let interval_ms = self.interval.as_nanos() / 1_000_000;
        if !(10..=3_600_000).contains(&interval_ms) {
            return Err(RequestError::Interval(self.interval));
        }
        let mut text = notes::header(self);
        text.push_str(&self.begin());
        if self.kind != Kind::Waits(Clock::Oracle) {
            text.push_str(TWO_MAPS);
        }
        text.push_str(&self.probes());
        text.push_str(&self.end(interval_ms));
        Ok(text)
    }

    /// Whether only some processes are counted. For I/O they always are: the processes that wait
    /// in this binary are found out while the program runs.
    fn filters_processes(&self) -> bool {
        !self.target.pids.is_empty()
    }

    fn begin(&self) -> String {
        let set = |map: &str, numbers: &[u32]| -> String {
            joined(numbers, |number| format!("\t@{map}[{number}] = 1;\n"))
        };
        let titled = |title: &str, lines: String| {
            if lines.is_empty() { lines } else { format!("\t/* {title} */\n{lines}\n") }
        };
        let series = joined(self.kind.printed(), |(map, unit, name)| {
            format!("\tprintf(\"isotherm-series {map} {unit} {name}\\n\");\n")
        });
        fill(
            include_str!("templates/begin.bt"),
            &[
                ("traced", titled("The processes to look at.", set("traced", &self.target.pids))),
                ("wanted", titled("The numbers to count.", set("wanted", &self.filter.only))),
                ("series", series),
                ("names", self.names()),
            ],
        )
    }

    /// The names of what may be counted, as lines that print them.
    fn names(&self) -> String {
        let calls = CALLS.iter().filter(|_| self.kind == Kind::Io);
        let mut said: Vec<String> =
            calls.map(|(number, name)| format!("isotherm-name call {number} {name}\\n")).collect();
        let only = &self.filter.only;
        let kind = self.kind.key();
        let mut names: Vec<_> =
            self.filter.names.iter().filter(|(n, _)| only.is_empty() || only.contains(n)).collect();
        names.sort();
        said.extend(
            names.iter().map(|(n, name)| format!("isotherm-name {kind} {n} {}\\n", literal(name))),
        );
        joined(said.chunks(NAMES_IN_A_LINE), |line| format!("\tprintf(\"{}\");\n", line.concat()))
    }

    fn probes(&self) -> String {
        match self.kind {
            Kind::Waits(Clock::Kernel) => {
                self.probe(include_str!("templates/waits_kernel.bt"), &split("@wait", "$event"))
            }
            Kind::Waits(Clock::Oracle) => {
                let count = "\t@wait_us[$event] = hist($us);\n";
                self.probe(include_str!("templates/waits_oracle.bt"), count)
            }
            Kind::Io => {
                let waits =
                    self.probe(include_str!("templates/io_waits.bt"), &split("@wait", "$event"));
                CALLS.iter().fold(waits, |text, (number, name)| text + &call(*number, name))
            }
            Kind::LogicalReads(grouping) => {
                let gets = [
                    ("kcbgtcr", "consistent", "A consistent get"),
                    ("kcbgcur", "current", "A current get"),
                ];
                gets.iter().map(|get| self.logical_read(*get, grouping)).collect()
            }
        }
    }

    /// Fills in what all probes have.
    fn probe(&self, template: &str, count: &str) -> String {
        let filters = self.filters_processes();
        let if_traced = if filters { "/ @traced[pid] /\n" } else { "" };
        let (if_wanted, end_wanted) = match self.filter.only.as_slice() {
            [] => ("", ""),
            _ if matches!(self.kind, Kind::LogicalReads(_)) => {
                ("\tif (@wanted[$key]) {\n", "\t}\n")
            }
            _ => ("\tif (@wanted[$event]) {\n", "\t}\n"),
        };
        let mut begun = Vec::new();
        begun.extend(filters.then_some("@traced[pid]"));
        begun.extend((!self.filter.only.is_empty()).then_some("@wanted[arg2 & 0xffffffff]"));
        let if_begun =
            if begun.is_empty() { String::new() } else { format!("/ {} /\n", begun.join(" && ")) };
        let learn = if filters { "" } else { "\t@traced[pid] = 1;\n" };
        let count = if if_wanted.is_empty() { count.to_owned() } else { indented(count) };
        fill(
            template,
            &[
                ("binary", self.target.binary.clone()),
                ("offset", self.offset()),
                ("if_traced", if_traced.to_owned()),
                ("and_traced", if filters { "@traced[pid] && ".to_owned() } else { String::new() }),
                ("if_begun", if_begun),
                ("learn", learn.to_owned()),
                ("if_wanted", if_wanted.to_owned()),
                ("count", count),
                ("end_wanted", end_wanted.to_owned()),
            ],
        )
    }

    fn logical_read(&self, get: (&str, &str, &str), grouping: Grouping) -> String {
        let (function, short, kind_words) = get;
        let (field, field_words) = match grouping {
            Grouping::Object => ("8", "object number\n * is 8 bytes behind"),
            Grouping::Tablespace => ("0", "tablespace\n * number comes first"),
        };
        let part = |text: &str| text.to_owned();
        let template = fill(
            include_str!("templates/lio.bt"),
            &[
                ("function", part(function)),
                ("short", part(short)),
                ("kind_words", part(kind_words)),
                ("field", part(field)),
                ("field_words", part(field_words)),
            ],
        );
        self.probe(&template, &split(&format!("@{short}"), "$key"))
    }

    fn end(&self, interval_ms: u64) -> String {
        let printed = self.kind.printed();
        let prints = joined(printed, |(map, ..)| format!("\tprint({map});\n"));
        let learns = self.kind == Kind::Io || self.filters_processes();
        let maps = printed
            .iter()
            .map(|(map, ..)| *map)
            .chain(self.kind.remembered().iter().copied())
            .chain(learns.then_some("@traced"))
            .chain((!self.filter.only.is_empty()).then_some("@wanted"));
        let clears = joined(maps, |map| format!("\tclear({map});\n"));
        fill(
            include_str!("templates/end.bt"),
            &[("interval_ms", interval_ms.to_string()), ("prints", prints), ("clears", clears)],
        )
    }

    /// `+2`, or nothing.
    pub(super) fn offset(&self) -> String {
        match self.target.offset {
            0 => String::new(),
            offset => format!("+{offset}"),
        }
    }
}

/// Counts `$ns` under a key in one of two maps, which isotherm adds up again.
fn split(map: &str, key: &str) -> String {
    format!(
        "\tif ($ns < 2147483648) {{\n\t\t{map}_ns[{key}] = hist($ns);\n\
         \t}} else {{\n\t\t{map}_1024ns[{key}] = hist($ns / 1024);\n\t}}\n"
    )
}

/// The probes of a system call.
fn call(number: u32, name: &str) -> String {
    let within = indented(&split("@within", &format!("{number}, $event")));
    let outside = indented(&split("@outside", &number.to_string()));
    let probes = fill(
        include_str!("templates/io_call.bt"),
        &[("call", name.to_owned()), ("count_within", within), ("count_outside", outside)],
    );
    format!("/* {name}, made by a thread that waits or by one that does not. */\n{probes}")
}

/// What each item becomes, one after the other.
fn joined<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    items.into_iter().map(text).collect::<Vec<_>>().concat()
}

/// One level deeper.
fn indented(lines: &str) -> String {
    joined(lines.lines(), |line| format!("\t{line}\n"))
}

#[cfg(test)]
mod tests;
