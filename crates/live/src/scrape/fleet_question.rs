//! What is asked about a fleet, and what is no such question.

use isotherm_formats::prometheus::{NamedUnit, unit_of};
use isotherm_frame::{Nanos, Unit};
use thiserror::Error;

use super::address::selector_of;
use crate::AddressError;

/// What is asked of which server.
#[derive(Clone, Debug)]
pub struct FleetQuestion<'a> {
    /// `prom+http://HOST:PORT`, with the path in front of `/api/v1`.
    pub address: &'a str,
    /// The name of the histogram, with or without `_bucket` and labels in curly brackets.
    pub metric: &'a str,
    /// The label whose values are the hosts.
    pub by: &'a str,
    /// How far back.
    pub since: Nanos,
    /// The length of an interval; chosen from the distance between samples if not given.
    pub step: Option<Nanos>,
    /// The unit of latencies where the name does not say.
    pub unit: Option<Unit>,
}

/// Why there is nothing to show.
#[derive(Debug, Error)]
pub enum FleetError {
    /// The server's address is wrong.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The question is wrong.
    #[error("{0}")]
    Question(String),
    /// The server does not answer it.
    #[error("{0}")]
    Server(String),
    /// The server has no such histogram.
    #[error("{0}")]
    Nothing(String),
}

/// A histogram of latencies that many hosts have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetHistogram {
    /// Its name, without `_bucket`.
    pub name: String,
    /// What stands between the curly brackets of its selector.
    pub matchers: String,
    /// The unit of its bounds and sums.
    pub unit: Unit,
}

impl FleetHistogram {
    /// Reads `NAME{label="value"}`, with hosts told apart by a label. Fails where that cannot be asked, or the
    /// unit is not known: from the name, or else as given.
    pub fn read(metric: &str, by: &str, unit: Option<Unit>) -> Result<FleetHistogram, FleetError> {
        let (name, _, matchers) = selector_of(metric).map_err(FleetError::Question)?;
        let unit = unit_in(&name, unit)?;
        check_label(by)?;
        Ok(FleetHistogram { name, matchers, unit })
    }
}

fn unit_in(name: &str, given: Option<Unit>) -> Result<Unit, FleetError> {
    match unit_of(name.as_bytes()) {
        NamedUnit::Time(unit) => Ok(unit),
        NamedUnit::Other => {
            Err(FleetError::Question(format!("{name}: its name says that it counts no latencies")))
        }
        NamedUnit::None => given.ok_or_else(|| {
            FleetError::Question(format!(
                "{name}: its name has no unit of time: add --unit s, ms or us"
            ))
        }),
    }
}

fn check_label(label: &str) -> Result<(), FleetError> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = label.as_bytes().first().is_some_and(|byte| !byte.is_ascii_digit());
    if starts && label.bytes().all(is_part) && !["le", "vmrange", "__name__"].contains(&label) {
        return Ok(());
    }
    Err(FleetError::Question(format!(
        "--by {label}: not the name of a label that tells hosts apart, such as instance or host"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_units_are_checked() {
        assert!(check_label("host").is_ok() && check_label("_x1").is_ok());
        for wrong in ["", "1a", "a-b", "le", "__name__", "a b"] {
            assert!(check_label(wrong).is_err(), "{wrong}");
        }
        assert_eq!(unit_in("a_seconds", None).unwrap(), Unit::Seconds);
        assert_eq!(unit_in("a", Some(Unit::Millis)).unwrap(), Unit::Millis);
        assert!(unit_in("a", None).is_err() && unit_in("a_bytes", None).is_err());
    }
}
