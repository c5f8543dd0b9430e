//! What in a line may be its latency.

use isotherm_frame::Unit;

use super::duration::Fault;
use super::names::Kind;
use crate::number;

/// A length of time in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The field or the word before it; empty where there is none.
    pub(super) name: String,
    /// The number as it is written.
    pub(super) number: String,
    pub(super) kind: Kind,
    /// What it says if the unit stands behind it.
    pub(super) ns: Option<Result<u64, Fault>>,
}

impl Candidate {
    /// The unit that its name or its format tells, where none stands behind the number.
    pub(super) fn named_unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Latency(unit) | Kind::Other(unit) => unit,
            Kind::Setting | Kind::Summary => None,
        }
    }
}

/// What a candidate says in nanoseconds, with the unit that holds where none stands beside it.
pub(super) fn nanos(candidate: &Candidate, unit: Option<Unit>) -> Result<u64, String> {
    let text = candidate.number.as_bytes();
    let read = match (candidate.ns, unit) {
        (Some(read), _) => read,
        (None, Some(unit)) => number::nanos(text, unit).map_err(Fault::Number),
        (None, None) => return Err(format!("there is no unit for '{}' (--unit)", candidate.number)),
    };
    read.map_err(|fault| fault.about(text))
}

/// Whether a field is meant: by its whole path, or by the last part of it.
pub(super) fn is_named(field: &str, name: &str) -> bool {
    let last = field.rsplit('.').next().unwrap_or(field);
    field.eq_ignore_ascii_case(name) || last.eq_ignore_ascii_case(name)
}
