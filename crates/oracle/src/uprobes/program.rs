//! From what is asked for to the text of a program.

use isotherm_frame::Nanos;
use thiserror::Error;

use super::notes;
use super::{NumberedName, OracleVersion, Symbol};

/// What a program measures.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How long waits take, by event.
    Waits(Clock),
    /// The same, and the system calls for I/O that the waiting thread makes.
    Io,
    /// How long logical reads take.
    LogicalReads(Grouping),
}

/// Who says how long a wait took.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The kernel's clock, read where Oracle begins and ends a wait: nanoseconds.
    Kernel,
    /// Oracle's own measurement, the number that its views show: microseconds.
    Oracle,
}

/// What tells logical reads apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// The data object number (`DATA_OBJECT_ID`).
    Object,
    /// The tablespace number (`TS#`).
    Tablespace,
}

/// The program that is probed, and in which processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The path of the `oracle` binary.
    pub binary: String,
    /// The processes; all that run the binary if there are none.
    pub pids: Vec<u32>,
    /// The release, where it was told.
    pub version: Option<OracleVersion>,
    /// How many bytes behind the beginning of each function the probe is.
    pub offset: u8,
    /// What was found of the functions in the binary; nothing if it was not looked at.
    pub symbols: Vec<Symbol>,
}

/// The only numbers that are counted, and what numbers stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Numbers of events, or of objects or tablespaces; all if there are none.
    pub only: Vec<u32>,
    /// Names of any of them.
    pub names: Vec<NumberedName>,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to measure.
    pub kind: Kind,
    /// Where.
    pub target: Target,
    /// Which, and their names.
    pub filter: Filter,
    /// How long an interval is; counted in whole milliseconds.
    pub interval: Nanos,
    /// The words that led here, for the head of the program.
    pub command: String,
}

/// Why there can be no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The path would end the text it stands in.
    #[error(
        "the path '{0}' has a character that a bpftrace program cannot hold: \
         probe the binary by another path, such as a symbolic link"
    )]
    Path(String),
    /// Too short to be printed in, or not representable.
    #[error("an interval of {0} is not possible: it must be from 10ms to 1h")]
    Interval(Nanos),
}

impl Kind {
    /// The functions that are probed.
    pub fn functions(self) -> &'static [&'static str] {
        match self {
            Kind::Waits(Clock::Kernel) | Kind::Io => &["kskthbwt", "kskthewt"],
            Kind::Waits(Clock::Oracle) => &["kews_update_wait_time", "kskthewt"],
            Kind::LogicalReads(_) => &["kcbgtcr", "kcbgcur"],
        }
    }

    /// What its keys are numbers of, as `isotherm-name` calls it.
    pub fn key(self) -> &'static str {
        match self {
            Kind::Waits(_) | Kind::Io => "event",
            Kind::LogicalReads(Grouping::Object) => "object",
            Kind::LogicalReads(Grouping::Tablespace) => "tablespace",
        }
    }

    /// The maps that are printed: name, unit, and what they hold.
    fn printed(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            Kind::Waits(Clock::Kernel) => {
                &[("@wait_ns", "ns", "{event}"), ("@wait_1024ns", "1024ns", "{event}")]
            }
            Kind::Waits(Clock::Oracle) => &[("@wait_us", "us", "{event}")],
            Kind::Io => &[
                ("@wait_ns", "ns", "wait {event}"),
                ("@wait_1024ns", "1024ns", "wait {event}"),
                ("@within_ns", "ns", "{call} within {event}"),
                ("@within_1024ns", "1024ns", "{call} within {event}"),
                ("@outside_ns", "ns", "{call} outside waits"),
                ("@outside_1024ns", "1024ns", "{call} outside waits"),
            ],
            Kind::LogicalReads(Grouping::Object) => &[
                ("@consistent_ns", "ns", "consistent get {object}"),
                ("@consistent_1024ns", "1024ns", "consistent get {object}"),
                ("@current_ns", "ns", "current get {object}"),
                ("@current_1024ns", "1024ns", "current get {object}"),
            ],
            Kind::LogicalReads(Grouping::Tablespace) => &[
                ("@consistent_ns", "ns", "consistent get {tablespace}"),
                ("@consistent_1024ns", "1024ns", "consistent get {tablespace}"),
                ("@current_ns", "ns", "current get {tablespace}"),
                ("@current_1024ns", "1024ns", "current get {tablespace}"),
            ],
        }
    }

    /// The maps that only remember, cleared at the end.
    fn remembered(self) -> &'static [&'static str] {
        match self {
            Kind::Waits(Clock::Kernel) => &["@began"],
            Kind::Waits(Clock::Oracle) => &["@measured"],
            Kind::Io => &["@began", "@event", "@called"],
            Kind::LogicalReads(_) => {
                &["@consistent_began", "@consistent_key", "@current_began", "@current_key"]
            }
        }
    }
}

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
        if binary.chars().any(|c| c.is_control() || "\"\\*?[]".contains(c)) {
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

/// A text as it can stand in a string of bpftrace that is printed as it is.
fn literal(text: &str) -> String {
    let mut literal = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            // Versions differ in how they print %% in a text without arguments.
            '%' => literal.push_str("pct"),
            c if c.is_control() => literal.push(' '),
            c => literal.push(c),
        }
    }
    literal
}

/// A template with its `{{names}}` filled in; what is filled in is not looked at again.
pub(super) fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        match parts.iter().find(|(known, _)| *known == name) {
            Some((_, part)) => filled.push_str(part),
            // It is a later template's.
            None => filled.extend(["{{", name, "}}"]),
        }
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests;
