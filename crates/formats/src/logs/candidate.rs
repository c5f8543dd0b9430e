//! What in a line may be its latency.

use std::borrow::Cow;

use isotherm_frame::Unit;

use super::duration::Fault;
use super::names::Kind;
use crate::number;

/// A length of time in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate<'l> {
    /// The field or the word before it; empty where there is none.
    pub(super) name: Cow<'l, str>,
    /// The number as it is written.
    pub(super) number: Cow<'l, str>,
    pub(super) kind: Kind,
    /// What it says if the unit stands behind it.
    pub(super) ns: Option<Result<u64, Fault>>,
}

impl Candidate<'_> {
    /// The unit that its name or its format tells, where none stands behind the number.
    pub(super) fn named_unit(&self) -> Option<Unit> {
        match self.kind {
            Kind::Latency(unit) | Kind::Other(unit) => unit,
            Kind::Delay(unit) => Some(unit),
            Kind::Setting | Kind::Summary => None,
        }
    }

    pub(super) fn into_owned(self) -> Candidate<'static> {
        let Candidate { name, number, kind, ns } = self;
        Candidate { name: name.into_owned().into(), number: number.into_owned().into(), kind, ns }
    }
}

/// The lengths of time of a line. Most have one, which needs no memory of its own.
#[derive(Debug, Default)]
pub(super) struct Candidates<'l> {
    first: Option<Candidate<'l>>,
    more: Vec<Candidate<'l>>,
}

impl<'l> Candidates<'l> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Candidate<'l>> {
        self.first.iter().chain(&self.more)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn into_owned(self) -> Candidates<'static> {
        let mut owned = Candidates::default();
        owned.extend(self.into_iter().map(Candidate::into_owned));
        owned
    }
}

impl<'l> IntoIterator for Candidates<'l> {
    type Item = Candidate<'l>;
    type IntoIter =
        std::iter::Chain<std::option::IntoIter<Candidate<'l>>, std::vec::IntoIter<Candidate<'l>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.more)
    }
}

impl<'l> Extend<Candidate<'l>> for Candidates<'l> {
    fn extend<I: IntoIterator<Item = Candidate<'l>>>(&mut self, found: I) {
        for candidate in found {
            match self.first {
                None => self.first = Some(candidate),
                Some(_) => self.more.push(candidate),
            }
        }
    }
}

/// What a candidate says in nanoseconds, with the unit that holds where none stands beside it.
pub(super) fn nanos(candidate: &Candidate<'_>, unit: Option<Unit>) -> Result<u64, String> {
    let text = candidate.number.as_bytes();
    let read = match (candidate.ns, unit) {
        (Some(read), _) => read,
        (None, Some(unit)) => number::nanos(text, unit).map_err(Fault::Number),
        (None, None) => {
            return Err(format!("there is no unit for '{}' (--unit)", candidate.number));
        }
    };
    read.map_err(|fault| fault.about(text))
}

/// Whether a field is meant: by its whole path, or by the last part of it.
pub(super) fn is_named(field: &str, name: &str) -> bool {
    let last = field.rsplit('.').next().unwrap_or(field);
    field.eq_ignore_ascii_case(name) || last.eq_ignore_ascii_case(name)
}
