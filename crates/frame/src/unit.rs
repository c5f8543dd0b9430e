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
