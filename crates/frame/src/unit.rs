//! The units latencies are written in.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Nanos;

/// A unit of time in which a source writes its latencies.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Nanoseconds.
    Nanos,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// Hundredths of a second, in which Oracle counts up to 8i.
    Centis,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// The length of one unit.
    pub const fn as_nanos(self) -> Nanos {
        Nanos::new(match self {
            Unit::Nanos => 1,
            Unit::Micros => 1_000,
            Unit::Millis => 1_000_000,
            Unit::Centis => 10_000_000,
            Unit::Seconds => 1_000_000_000,
        })
    }
}

impl Unit {
    /// The unit that a name tells of what it counts: `@usecs`, `@kusecs`, `read_ms`.
    pub fn of_name(name: &str) -> Option<Unit> {
        const ENDINGS: [(&str, Unit); 12] = [
            ("usecs", Unit::Micros),
            ("usec", Unit::Micros),
            ("micros", Unit::Micros),
            ("microseconds", Unit::Micros),
            ("msecs", Unit::Millis),
            ("msec", Unit::Millis),
            ("millis", Unit::Millis),
            ("milliseconds", Unit::Millis),
            ("nsecs", Unit::Nanos),
            ("nsec", Unit::Nanos),
            ("nanos", Unit::Nanos),
            ("nanoseconds", Unit::Nanos),
        ];
        const WORDS: [(&str, Unit); 5] = [
            ("us", Unit::Micros),
            ("ms", Unit::Millis),
            ("ns", Unit::Nanos),
            ("secs", Unit::Seconds),
            ("seconds", Unit::Seconds),
        ];
        name.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| {
            let word = word.to_ascii_lowercase();
            let ending = ENDINGS.iter().find(|(ending, _)| word.ends_with(ending));
            let whole = WORDS.iter().find(|(whole, _)| word == *whole);
            ending.or(whole).map(|(_, unit)| *unit)
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Unit::Nanos => "ns",
            Unit::Micros => "us",
            Unit::Millis => "ms",
            Unit::Centis => "cs",
            Unit::Seconds => "s",
        })
    }
}

/// Why a text is not a unit of time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is not a unit of time: use ns, us, ms, cs or s")]
pub struct ParseUnitError(String);

impl FromStr for Unit {
    type Err = ParseUnitError;

    /// Reads the short names and the long ones that tracing tools print, in any case.
    fn from_str(text: &str) -> Result<Unit, ParseUnitError> {
        match text.trim().to_lowercase().as_str() {
            "ns" | "nsec" | "nsecs" | "nanosec" | "nanoseconds" => Ok(Unit::Nanos),
            "us" | "µs" | "μs" | "usec" | "usecs" | "microsec" | "microseconds" => {
                Ok(Unit::Micros)
            }
            "ms" | "msec" | "msecs" | "millisec" | "milliseconds" => Ok(Unit::Millis),
            "cs" => Ok(Unit::Centis),
            "s" | "sec" | "secs" | "seconds" => Ok(Unit::Seconds),
            _ => Err(ParseUnitError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_units() {
        for name in ["@usecs", "@kusecs", "@read_us", "@us", "@micros", "@US"] {
            assert_eq!(Unit::of_name(name), Some(Unit::Micros), "{name}");
        }
        assert_eq!(Unit::of_name("@lat_ms"), Some(Unit::Millis));
        assert_eq!(Unit::of_name("@ns"), Some(Unit::Nanos));
        assert_eq!(Unit::of_name("@run_secs"), Some(Unit::Seconds));
        for name in ["@", "@lin", "@columns", "@status", "@items"] {
            assert_eq!(Unit::of_name(name), None, "{name}");
        }
    }
}
