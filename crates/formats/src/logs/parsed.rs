//! What a log line says.

use std::borrow::Cow;

use super::candidate::Candidates;
use super::moment::Written;
use super::names::{Moment, time_rank};
use super::request::FieldChoice;

/// A line taken apart.
#[derive(Debug, Default)]
pub(super) struct Parsed<'l> {
    pub(super) candidates: Candidates<'l>,
    pub(super) time: Option<(Written, Moment)>,
    /// What the time was read from; empty where it is the first one in the line.
    pub(super) time_field: Cow<'l, str>,
    /// The values of the attributes that were asked for, in their order.
    pub(super) attributes: Vec<Cow<'l, str>>,
}

impl<'l> Parsed<'l> {
    /// Reads the time from the text of a field, whose name says which moment it is.
    pub(super) fn set_time(&mut self, field: (&'l str, Moment), text: Option<&str>, wanted: &FieldChoice) {
        let Some(written) = text.and_then(|text| Written::of(text, wanted.time_unit)) else { return };
        self.time = Some((written, wanted.moment.unwrap_or(field.1)));
        self.time_field = field.0.into();
    }

    pub(super) fn into_owned(self) -> Parsed<'static> {
        Parsed {
            candidates: self.candidates.into_owned(),
            time: self.time,
            time_field: self.time_field.into_owned().into(),
            attributes: self.attributes.into_iter().map(|value| value.into_owned().into()).collect(),
        }
    }
}

/// The moment that a name of a time says.
pub(super) fn moment_of(name: &str) -> Moment {
    time_rank(name).map_or(Moment::Written, |(_, moment)| moment)
}
