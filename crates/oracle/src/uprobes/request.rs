//! What is asked for.

use isotherm_frame::Nanos;
use thiserror::Error;

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
    /// The release, where it is known.
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
#[non_exhaustive]
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
    pub(super) fn printed(self) -> &'static [(&'static str, &'static str, &'static str)] {
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
    pub(super) fn remembered(self) -> &'static [&'static str] {
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
