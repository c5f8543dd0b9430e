//! Which of several sorts of events is read.

use std::borrow::Cow;

use super::definition::Kind;
use super::envelope::Envelope;
use super::format::{Choice, Format};
use super::row::{Splitter, Taken};
use crate::Context;
use crate::columns::is_nothing;
use crate::lines::first_lines;

/// The sort of events that is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    /// Its place among those of the format.
    pub(super) at: usize,
    /// Whether the user names it.
    pub(super) is_asked: bool,
    /// What else there is near the beginning.
    pub(super) others: Vec<String>,
}

/// The one that `--series` names; else the first that is there.
pub(super) fn choose(
    format: &Format,
    context: &Context,
    head: &[u8],
    envelope: Option<Envelope>,
) -> Chosen {
    let choices = &format.choices;
    if choices.len() < 2 || format.definition.kind == Kind::Document {
        return Chosen::default();
    }
    let present = present(format, head, envelope);
    let is_present = |at: &usize| present.get(*at).copied().unwrap_or_default();
    let wanted = context.series.as_deref().map(str::to_lowercase);
    let is_wanted = |at: &usize| {
        let (name, wanted) = (choices.get(*at).map(|choice| choice.name.to_lowercase()), wanted.as_deref());
        name.zip(wanted).is_some_and(|(name, wanted)| names(&name, wanted))
    };
    let all = || 0..choices.len();
    let asked = all().find(|at| is_wanted(at) && is_present(at)).or_else(|| all().find(is_wanted));
    let at = asked.or_else(|| all().find(is_present)).unwrap_or(0);
    let others = all().filter(|other| *other != at && is_present(other));
    let others = others.filter_map(|other| Some(choices.get(other)?.name.clone())).collect();
    Chosen { at, is_asked: asked.is_some(), others }
}

/// Whether a text of `--series` is (a part of) a name, or a series of that name.
fn names(name: &str, wanted: &str) -> bool {
    let mut rest = name;
    let is_part = wanted.split(['*', '%']).all(|part| {
        let found = rest.find(part).and_then(|at| rest.get(at + part.len()..));
        rest = found.unwrap_or_default();
        found.is_some()
    });
    let is_series = wanted.strip_prefix(name).is_some_and(|rest| rest.starts_with('{'));
    !wanted.is_empty() && (is_part || is_series)
}

/// Whether the beginning of an input has events of each sort.
fn present(format: &Format, head: &[u8], envelope: Option<Envelope>) -> Vec<bool> {
    let mut present = vec![false; format.choices.len()];
    let mut splitter = Splitter::new(format, format.fields.clone());
    for line in first_lines(head) {
        let opened = envelope.and_then(|envelope| envelope.open(line));
        let line: Cow<'_, [u8]> = opened.map_or(Cow::Borrowed(line), |opened| opened.text);
        if !matches!(splitter.take(&line, true), Taken::Row) {
            continue;
        }
        let value = |field: usize| splitter.get(&line, field).unwrap_or_default();
        if !format.only.iter().all(|(field, tests)| tests.iter().any(|test| test.holds(&value(*field)))) {
            continue;
        }
        for (present, choice) in present.iter_mut().zip(&format.choices) {
            *present = *present || choice.holds(&value) && choice.has_latency(&value);
        }
    }
    present
}

impl Choice {
    /// Whether a row is an event of this sort.
    pub(super) fn holds<'r>(&self, value: &dyn Fn(usize) -> Cow<'r, [u8]>) -> bool {
        let holds = |(field, tests): &(usize, Vec<super::values::Test>)| {
            let value = value(*field);
            tests.iter().any(|test| test.holds(&value))
        };
        self.only.iter().all(holds)
    }

    /// Whether there is something where its latency is; that of most is in each row.
    fn has_latency<'r>(&self, value: &dyn Fn(usize) -> Cow<'r, [u8]>) -> bool {
        !self.is_apart || self.fields.iter().all(|field| !is_nothing(&value(*field)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_is_named_by_a_part_of_its_name_or_by_its_series() {
        for (wanted, expected) in [
            ("http_req_waiting", true),
            ("waiting", true),
            ("http*waiting", true),
            ("http_req_waiting{method=get", true),
            ("http_req_duration", false),
            ("get", false),
            ("", false),
        ] {
            assert_eq!(names("http_req_waiting", wanted), expected, "{wanted}");
        }
    }
}
