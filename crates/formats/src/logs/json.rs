//! Lines of JSON: fields with their paths, whatever their order.

use serde_json::Value;

use super::candidate::{Candidate, Candidates, is_named};
use super::duration::printed;
use super::kinds::Kinds;
use super::names::{Kind, Moment, time_rank};
use super::parsed::{Parsed, moment_of};
use super::request::FieldChoice;
use super::text::{in_text, on_clock_or_iso};

/// A field of a line of JSON.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Field<'l> {
    /// Its path, with points.
    pub(super) name: &'l str,
    pub(super) text: &'l str,
    pub(super) is_number: bool,
}

/// The same, of a line that was taken apart into values.
#[derive(Debug)]
pub(super) struct OwnedField {
    pub(super) name: String,
    text: String,
    is_number: bool,
}

impl OwnedField {
    pub(super) fn borrowed(&self) -> Field<'_> {
        Field { name: &self.name, text: &self.text, is_number: self.is_number }
    }
}

/// The fields of a line; `None` if it is no object.
pub(super) fn fields(line: &str) -> Option<Vec<OwnedField>> {
    let Ok(Value::Object(object)) = serde_json::from_str(line) else { return None };
    Some(fields_of(Value::Object(object)))
}

/// The fields of an object.
pub(super) fn fields_of(object: Value) -> Vec<OwnedField> {
    let mut fields = Vec::new();
    flatten("", object, &mut fields);
    fields
}

/// Whether what is inside an object at a path is looked at.
pub(super) fn is_near(path: &str) -> bool {
    /// Levels of JSON that are looked into.
    const DEEPEST: usize = 4;
    path.split('.').count() <= DEEPEST
}

/// The path of a field inside an object.
pub(super) fn path_of(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn flatten(path: &str, value: Value, fields: &mut Vec<OwnedField>) {
    let (text, is_number) = match value {
        Value::Object(object) => {
            if is_near(path) {
                for (name, value) in object {
                    flatten(&path_of(path, &name), value, fields);
                }
            }
            return;
        }
        Value::String(text) => (text, false),
        Value::Number(number) => (number.to_string(), true),
        Value::Bool(flag) => (flag.to_string(), false),
        Value::Null | Value::Array(_) => return,
    };
    fields.push(OwnedField { name: path.to_owned(), text, is_number });
}

/// Which fields may be the time, the surest first, and which moment each is.
pub(super) fn times_of(fields: &[OwnedField], wanted: &FieldChoice) -> Vec<(usize, Moment)> {
    if let Some(name) = &wanted.time {
        let at = fields.iter().position(|field| is_named(&field.name, name));
        return at.map(|at| (at, moment_of(&fields[at].name))).into_iter().collect();
    }
    let ranked =
        fields.iter().enumerate().filter_map(|(at, field)| Some((time_rank(&field.name)?, at)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|((_, moment), at)| (at, moment)).collect()
}

/// Whether a field holds a text for people, in which lengths of time may stand.
fn is_message(name: &str) -> bool {
    const MESSAGES: [&str; 3] = ["msg", "message", "log"];
    MESSAGES.iter().any(|message| is_named(name, message))
}

/// The fields of which something may be a latency: of this name, if one is looked for.
pub(super) fn likely(fields: &[OwnedField], name: Option<&str>) -> Vec<usize> {
    let is_likely =
        |field: &OwnedField| name.is_none_or(|name| field.name == name) || is_message(&field.name);
    (0..fields.len()).filter(|&at| is_likely(&fields[at])).collect()
}

/// Fields, and what is known of them before their values.
pub(super) struct Fields<'k, F> {
    pub(super) count: usize,
    /// The field of a number below the count.
    pub(super) field: F,
    /// Those of which something may be a latency.
    pub(super) likely: &'k [usize],
    pub(super) times: &'k [(usize, Moment)],
}

/// What a line with these fields says.
pub(super) fn of_fields<'f, F: Fn(usize) -> Field<'f>>(
    fields: &Fields<'_, F>,
    wanted: &FieldChoice,
    kinds: &Kinds,
) -> Parsed<'f> {
    let mut parsed = Parsed::default();
    for &(at, moment) in fields.times {
        if parsed.time.is_none() {
            let Field { name, text, .. } = (fields.field)(at);
            parsed.set_time((name, moment), Some(text), wanted);
        }
    }
    let all = || (0..fields.count).map(&fields.field);
    let likely = fields.likely.iter().map(|&at| (fields.field)(at));
    for field in likely.filter(|field| field.name != parsed.time_field) {
        field.add_candidates(wanted, kinds, &mut parsed.candidates);
    }
    if wanted.attributes.is_empty() {
        return parsed;
    }
    let value = |name: &String| {
        let field = all().find(|field| is_named(field.name, name));
        field.map_or("", |field| field.text).into()
    };
    parsed.attributes = wanted.attributes.iter().map(value).collect();
    parsed
}

/// What a line says that was taken apart into values.
pub(super) fn of_values(fields: &[OwnedField], wanted: &FieldChoice, kinds: &Kinds) -> Parsed<'static> {
    let times = times_of(fields, wanted);
    let field = |at: usize| fields[at].borrowed();
    let likely = likely(fields, None);
    let fields = Fields { count: fields.len(), field, likely: &likely, times: &times };
    of_fields(&fields, wanted, kinds).into_owned()
}

impl<'f> Field<'f> {
    /// Adds what of it may be a latency: a number whose name says so, a text that is nothing but a
    /// duration, or the words of a message.
    fn add_candidates(self, wanted: &FieldChoice, kinds: &Kinds, found: &mut Candidates<'f>) {
        let text = self.text.trim();
        let whole = printed(text.as_bytes()).filter(|found| found.length == text.len());
        if whole.is_none()
            && let Some(candidate) = on_clock_or_iso(self.name.into(), text, kinds)
        {
            return found.extend(Some(candidate));
        }
        let plain = self.is_number || whole.is_some();
        if !plain && is_message(self.name) {
            return found.extend(in_text(text, wanted, kinds));
        }
        if !plain {
            return;
        }
        let ns = whole.and_then(|found| found.ns);
        let kind = kinds.kind(self.name, ns.is_none());
        let asked = wanted.latency.as_ref().is_some_and(|name| is_named(self.name, name));
        let likely = matches!(
            kind,
            Kind::Latency(_) | Kind::Summary | Kind::Delay(_) | Kind::Other(Some(_))
        );
        let coarse = whole.is_some_and(|found| found.coarse) && !matches!(kind, Kind::Latency(_));
        if !asked && (coarse || ns.is_none() && !likely) {
            return;
        }
        found.extend(Some(Candidate { name: self.name.into(), number: text.into(), kind, ns }));
    }
}
