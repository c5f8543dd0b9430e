//! Which of several sorts of events is read.

use std::borrow::Cow;

use isotherm_frame::Series;

use super::definition::Kind;
use super::envelope::Envelope;
use super::format::{Choice, Format};
use super::row::{Splitter, Taken};
use super::values::Test;
use crate::Context;
use crate::columns::is_nothing;
use crate::lines::first_lines;
use crate::nearest::nearest;

/// The sort of events that is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    /// Its place among those of the format.
    pub(super) at: usize,
    /// Whether the user names it.
    pub(super) is_asked: bool,
    /// What else there is near the beginning.
    pub(super) others: Vec<String>,
    /// Sorts of which nothing says that they are of times.
    pub(super) unsure: Vec<String>,
    /// One that the format does not name, and the user does.
    pub(super) custom: Option<Choice>,
}

impl Chosen {
    /// Where none of the series has the name that is asked for: which durations there are besides the one that
    /// is read, the nearest first.
    pub(super) fn could_be_named<'s>(
        &self,
        wanted: &str,
        read: &str,
        mut series: impl Iterator<Item = &'s Series>,
    ) -> Option<String> {
        let low = wanted.to_lowercase();
        let is_none = self.others.is_empty() && self.unsure.is_empty();
        if self.is_asked || is_none || series.any(|series| names(&series.full().to_lowercase(), &low)) {
            return None;
        }
        let others = self.others.iter().map(String::as_str);
        let all: Vec<&str> = std::iter::once(read).chain(others).collect();
        let unsure: Vec<&str> = self.unsure.iter().map(String::as_str).collect();
        let known = [&all[..], &unsure].concat();
        let parts = known.iter().copied().filter(|name| names(&name.to_lowercase(), &low));
        let near = parts.chain(nearest(&low, &known)).next();
        let near = near.map(|near| format!(" (near: {near})")).unwrap_or_default();
        let unsure = if unsure.is_empty() { String::new() } else { format!("; with --unit {}", unsure.join(", ")) };
        Some(format!("--series {wanted}{near} chooses none of the durations: {}{unsure}", all.join(", ")))
    }

    pub(super) fn choice<'c>(&'c self, format: &'c Format) -> Option<&'c Choice> {
        self.custom.as_ref().or_else(|| format.choices.get(self.at))
    }
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
    let Found { present, declared, unsure } = found(format, head, envelope);
    let is_present = |at: &usize| present.get(*at).copied().unwrap_or_default();
    let wanted = context.series.as_deref().map(str::to_lowercase);
    let is_wanted = |at: &usize| {
        let (name, wanted) = (choices.get(*at).map(|choice| choice.name.to_lowercase()), wanted.as_deref());
        name.zip(wanted).is_some_and(|(name, wanted)| names(&name, wanted))
    };
    let all = || 0..choices.len();
    let asked = all().find(|at| is_wanted(at) && is_present(at)).or_else(|| all().find(is_wanted));
    let wanted = wanted.as_deref().filter(|_| asked.is_none());
    let custom = wanted.and_then(|wanted| custom(format, wanted, &declared, &unsure));
    let no_listed = if custom.is_some() { choices.len() } else { 0 };
    let at = asked.or_else(|| all().find(is_present).filter(|_| custom.is_none())).unwrap_or(no_listed);
    let others = all().filter(|other| *other != at && is_present(other));
    let others = others.filter_map(|other| Some(choices.get(other)?.name.clone()));
    let is_other = |name: &String| custom.as_ref().is_none_or(|custom| custom.name != *name);
    let others = others.chain(declared.into_iter().filter(is_other)).collect();
    Chosen { at, is_asked: asked.is_some() || custom.is_some(), others, unsure, custom }
}

/// The sort of a name that the format does not know. Unless a line declares it, it has no unit.
fn custom(format: &Format, wanted: &str, declared: &[String], unsure: &[String]) -> Option<Choice> {
    // A part of a name may be meant for an attribute of the sort that is usually read.
    let is_whole = |name: &&String| {
        let name = name.to_lowercase();
        name == wanted || wanted.contains(['*', '%', '{']) && names(&name, wanted)
    };
    let certain = declared.iter().find(is_whole);
    let name = certain.or_else(|| unsure.iter().find(is_whole))?;
    let mut latency = format.definition.latency.clone()?;
    if certain.is_none() {
        let ask = format.definition.series_unsure.as_ref()?.replace("{}", name);
        (latency.unit, latency.ask) = (None, Some(ask));
    }
    let only = vec![(format.sort?, vec![Test::Is(name.as_bytes().to_vec())])];
    let fields = format.choices.first()?.fields.clone();
    let (except, failed, whole_seconds) = (Vec::new(), None, None);
    Some(Choice { name: name.clone(), only, except, failed, latency, fields, whole_seconds, is_apart: false })
}

/// Whether a text of `--series` is (a part of) a name, or a series of that name.
pub(super) fn names(name: &str, wanted: &str) -> bool {
    let mut rest = name;
    let is_part = wanted.split(['*', '%']).all(|part| {
        let found = rest.find(part).and_then(|at| rest.get(at + part.len()..));
        rest = found.unwrap_or_default();
        found.is_some()
    });
    let is_series = wanted.strip_prefix(name).is_some_and(|rest| rest.starts_with('{'));
    !wanted.is_empty() && (is_part || is_series)
}

/// The sorts that the beginning of an input has.
struct Found {
    /// Whether it has events of each that the format names.
    present: Vec<bool>,
    /// Others that are declared as times.
    declared: Vec<String>,
    /// Others of which nothing says so.
    unsure: Vec<String>,
}

fn found(format: &Format, head: &[u8], envelope: Option<Envelope>) -> Found {
    let mut present = vec![false; format.choices.len()];
    let (mut declared, mut unsure) = (Vec::new(), Vec::new());
    let not: Vec<Test> = format.definition.series_not.iter().map(|text| Test::of(text)).collect();
    let mut splitter = Splitter::new(format, format.fields.clone());
    for line in first_lines(head) {
        let opened = envelope.and_then(|envelope| envelope.open(line));
        let line: Cow<'_, [u8]> = opened.map_or(Cow::Borrowed(line), |opened| opened.text);
        if !matches!(splitter.take(&line, true), Taken::Row) {
            continue;
        }
        let value = |field: usize| splitter.get(&line, field).unwrap_or_default();
        let sort = format.sort.map(value).unwrap_or_default();
        let name = String::from_utf8_lossy(&sort);
        let is_custom = !sort.is_empty() && !not.iter().any(|test| test.holds(&sort));
        let is_custom = is_custom && !format.choices.iter().any(|choice| *choice.name == *name);
        if is_custom && !format.declared.is_empty() && holds(&format.declared, &value) && is_new(&declared, &name) {
            declared.push(name.to_string());
        }
        if !holds(&format.only, &value) {
            continue;
        }
        for (present, choice) in present.iter_mut().zip(&format.choices) {
            *present = *present || choice.holds(&value) && choice.has_latency(&value);
        }
        if is_custom && is_new(&unsure, &name) {
            unsure.push(name.to_string());
        }
    }
    unsure.retain(|name| !declared.contains(name));
    Found { present, declared, unsure }
}

fn is_new(known: &[String], name: &str) -> bool {
    /// More are not told apart.
    const MOST: usize = 1_000;
    known.len() < MOST && !known.iter().any(|known| known == name)
}

/// Whether all fields have one of the values that are asked for.
fn holds<'r>(all: &[(usize, Vec<Test>)], value: &dyn Fn(usize) -> Cow<'r, [u8]>) -> bool {
    let holds = |(field, tests): &(usize, Vec<Test>)| {
        let value = value(*field);
        tests.iter().any(|test| test.holds(&value))
    };
    all.iter().all(holds)
}

impl Choice {
    /// Whether a row is an event of this sort.
    pub(super) fn holds<'r>(&self, value: &dyn Fn(usize) -> Cow<'r, [u8]>) -> bool {
        holds(&self.only, value) && (self.except.is_empty() || !holds(&self.except, value))
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
