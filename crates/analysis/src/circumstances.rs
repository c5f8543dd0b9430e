//! What is known about a measurement besides its numbers.

use std::fmt;
use std::str::FromStr;

use isotherm_frame::{Nanos, Series};
use thiserror::Error;

/// What kind of device stands behind latencies, as its owner declares it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DeviceClass {
    /// Rotating disks.
    Hdd,
    /// Flash behind SATA or SAS.
    Ssd,
    /// Flash on the machine's own bus.
    Nvme,
    /// An array behind a storage network.
    San,
    /// A device whose fastest reads were measured to take so long, by reads that no cache can
    /// answer, such as those of a probe.
    Measured(Nanos),
}

/// What an operation does, as far as the series says.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Reads from storage.
    Read,
    /// Writes: a cache is expected to answer them.
    Write,
    /// Flushes of a cache to what keeps it.
    Flush,
    /// Blocks that a device need not keep any more.
    Discard,
    /// Something that is no input or output.
    Other,
    /// The series does not say.
    #[default]
    Unknown,
}

/// What is known about a measurement besides its numbers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The class of the device, if it was declared.
    pub device: Option<DeviceClass>,
    /// What the operations do.
    pub operation: Operation,
}

/// Not a class of devices.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is no device: use hdd, ssd, nvme, san or the time of its fastest reads as measured, such as 80us"
)]
pub struct UnknownDeviceClass(String);

impl DeviceClass {
    /// Every class that has a word, with it.
    const WORDS: [(DeviceClass, &'static str); 4] = [
        (DeviceClass::Hdd, "hdd"),
        (DeviceClass::Ssd, "ssd"),
        (DeviceClass::Nvme, "nvme"),
        (DeviceClass::San, "san"),
    ];
}

impl fmt::Display for DeviceClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let DeviceClass::Measured(fastest) = self {
            return f.pad(&fastest.to_string());
        }
        let word = DeviceClass::WORDS.iter().find(|(class, _)| class == self);
        f.pad(word.map_or("", |(_, word)| word))
    }
}

impl FromStr for DeviceClass {
    type Err = UnknownDeviceClass;

    fn from_str(text: &str) -> Result<DeviceClass, UnknownDeviceClass> {
        let found = DeviceClass::WORDS.iter().find(|(_, word)| text.eq_ignore_ascii_case(word));
        let measured = || text.parse().ok().filter(|&fastest| fastest > Nanos::ZERO);
        found
            .map(|(class, _)| *class)
            .or_else(|| measured().map(DeviceClass::Measured))
            .ok_or_else(|| UnknownDeviceClass(text.to_owned()))
    }
}

/// Attribute keys whose value says what an operation does.
const OPERATION_KEYS: [&str; 6] = ["op", "operation", "rw", "rwbs", "dir", "io"];
/// Wait events of databases that are reads from storage and have no `read` in their names, or
/// have it in one that is not to be mistaken.
const READ_EVENTS: [&str; 9] = [
    "db file sequential read",
    "db file scattered read",
    "db file parallel read",
    "direct path read",
    "direct path read temp",
    "cell single block physical read",
    "cell multiblock physical read",
    "cell smart table scan",
    "DataFileRead",
];

impl Operation {
    /// What a series says its operations do: by an attribute such as `op=R`, or by the name of a
    /// wait event that is known to be a read. Anything else is not guessed.
    pub fn of(series: &Series) -> Operation {
        let said = series.attributes().find(|(key, _)| OPERATION_KEYS.contains(key));
        if let Some((_, value)) = said {
            return match value.to_ascii_lowercase().as_str() {
                "r" | "rd" | "ra" | "rs" | "read" | "reads" | "pread" | "pread64" => {
                    Operation::Read
                }
                "w" | "ws" | "wr" | "fua" | "write" | "writes" | "sync" | "pwrite" | "pwrite64" => {
                    Operation::Write
                }
                "f" | "ff" | "flush" | "flushes" => Operation::Flush,
                "d" | "discard" | "discards" | "trim" => Operation::Discard,
                _ => Operation::Unknown,
            };
        }
        let name = series.name();
        if READ_EVENTS.iter().any(|event| name.eq_ignore_ascii_case(event)) {
            return Operation::Read;
        }
        match name.to_ascii_lowercase().as_str() {
            "read" | "reads" => Operation::Read,
            "write" | "writes" => Operation::Write,
            "flush" => Operation::Flush,
            "discard" => Operation::Discard,
            lower if lower.starts_with("log file ") || lower.starts_with("db file parallel w") => {
                Operation::Write
            }
            lower if lower.starts_with("enq:") || lower.starts_with("latch") => Operation::Other,
            _ => Operation::Unknown,
        }
    }
}

/// How the names of wait events of `PostgreSQL` begin: with their class.
const WAIT_CLASSES: [&str; 9] = [
    "Lock:",
    "LWLock:",
    "BufferPin:",
    "IO:",
    "IPC:",
    "Client:",
    "Timeout:",
    "Activity:",
    "Extension:",
];
/// How those of Oracle begin, as far as they are no reads.
const WAIT_EVENTS: [&str; 14] = [
    "enq:",
    "latch",
    "log file ",
    "db file ",
    "control file ",
    "library cache",
    "cursor:",
    "row cache",
    "buffer busy",
    "free buffer",
    "read by other session",
    "gc ",
    "sql*net ",
    "direct path ",
];
/// How statements begin, as logs of slow ones have them.
const STATEMENTS: [&str; 9] =
    ["select ", "insert ", "update ", "delete ", "with ", "copy ", "call ", "merge ", "vacuum "];

/// Whether a series is one of waits, or of a statement in a log of slow ones: where it has no events,
/// nobody had to wait.
pub(crate) fn is_wait(series: &Series) -> bool {
    let name = series.name();
    let lower = name.to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    ["Lock", "sampled waits", "waits"].contains(&name)
        || WAIT_CLASSES.iter().any(|class| name.starts_with(class))
        || READ_EVENTS.iter().any(|event| name.eq_ignore_ascii_case(event))
        || begins(&WAIT_EVENTS)
        || begins(&STATEMENTS)
}

impl Circumstances {
    /// What these series, taken together, say: what they all do, if they all do the same.
    pub fn of<'a>(
        series: impl IntoIterator<Item = &'a Series>,
        device: Option<DeviceClass>,
    ) -> Circumstances {
        let mut operations = series.into_iter().map(Operation::of);
        let first = operations.next().unwrap_or_default();
        let same = operations.all(|operation| operation == first);
        Circumstances { device, operation: if same { first } else { Operation::Unknown } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_known_only_where_the_series_says_so() {
        let attributed = |value| Series::with_attributes("disk", [("op", value)]);
        assert_eq!(Operation::of(&attributed("R")), Operation::Read);
        assert_eq!(Operation::of(&attributed("WS")), Operation::Write);
        assert_eq!(Operation::of(&attributed("pread64")), Operation::Read);
        assert_eq!(Operation::of(&attributed("discard")), Operation::Discard);
        assert_eq!(Operation::of(&attributed("F")), Operation::Flush);
        assert_eq!(Operation::of(&Series::named("db file sequential read")), Operation::Read);
        assert_eq!(Operation::of(&Series::named("log file sync")), Operation::Write);
        assert_eq!(Operation::of(&Series::named("enq: TX - row lock")), Operation::Other);
        // A spreadsheet's column may be called anything.
        assert_eq!(Operation::of(&Series::named("thread wait")), Operation::Unknown);
    }

    #[test]
    fn waits_and_slow_statements_are_known_by_their_names() {
        let waits = [
            "Lock:relation",
            "Lock",
            "IO:DataFileRead",
            "enq: TX - row lock contention",
            "log file sync",
            "db file sequential read",
            "select * from t where id = ?",
            "UPDATE t SET x = ?",
        ];
        let work =
            ["block I/O", "probe", "latency", "update", "http_request_duration_seconds", "GET"];
        let is_one = |name: &&str| is_wait(&Series::named(*name));
        assert!(waits.iter().all(is_one) && !work.iter().any(is_one));
    }

    #[test]
    fn series_taken_together_say_what_they_agree_on() {
        let (read, write) = (Series::named("read"), Series::named("write"));
        let of = |series: &[&Series]| Circumstances::of(series.iter().copied(), None).operation;
        assert_eq!(of(&[&read, &read]), Operation::Read);
        assert_eq!(of(&[&read, &write]), Operation::Unknown);
        assert_eq!(of(&[]), Operation::Unknown);
    }

    #[test]
    fn classes_read_back_what_they_write() {
        for (class, word) in DeviceClass::WORDS {
            assert_eq!(word.parse(), Ok(class));
            assert_eq!(class.to_string(), word);
        }
        let measured = DeviceClass::Measured(Nanos::from_micros(80));
        assert_eq!("80us".parse(), Ok(measured));
        assert_eq!(measured.to_string().parse(), Ok(measured));
        for nothing in ["floppy", "0us", "80"] {
            assert!(nothing.parse::<DeviceClass>().is_err(), "{nothing}");
        }
    }
}
