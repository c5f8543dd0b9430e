//! A log line taken apart: its time, what may be its latency, and its attributes.

use serde_json::Value;

use super::access;
use super::candidate::{Candidate, is_named};
use super::duration::{Fault, Printed, printed, with_thousands};
use super::moment::Written;
use super::names::{Kind, Moment, kind, time_rank};
use super::preceding::kind_after;
use super::request::Wanted;
use crate::number::Wrong;

/// A line taken apart.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) candidates: Vec<Candidate>,
    pub(super) time: Option<(Written, Moment)>,
    /// What the time was read from; empty where it is the first one in the line.
    pub(super) time_field: String,
    /// The values of the attributes that were asked for, in their order.
    pub(super) attributes: Vec<String>,
}

impl Parsed {
    /// Takes a line apart, with what the user asks for.
    pub(super) fn of(line: &str, wanted: &Wanted) -> Parsed {
        let line = line.trim();
        if line.starts_with('{')
            && let Ok(Value::Object(object)) = serde_json::from_str(line)
        {
            return Parsed::of_json(object, wanted);
        }
        Parsed::of_text(line, wanted)
    }

    fn of_text(line: &str, wanted: &Wanted) -> Parsed {
        let mut parsed = Parsed { candidates: in_text(line, wanted), ..Parsed::default() };
        if let Some(tail) = access::tail(line) {
            parsed.candidates.extend(access::numbers(tail));
        }
        // The rest is of use beside a latency only.
        if parsed.candidates.is_empty() {
            return parsed;
        }
        match wanted.time.as_deref() {
            Some(name) => parsed.set_time(name, value_of(line, name), wanted),
            None => match Written::first(line) {
                Some(written) => parsed.time = Some((written, Moment::Written)),
                None => parsed.find_time(line, wanted),
            },
        }
        let value = |name: &String| {
            value_of(line, name).or_else(|| access::attribute(line, name)).unwrap_or_default().to_owned()
        };
        parsed.attributes = wanted.attributes.iter().map(value).collect();
        parsed
    }

    /// The time of a line of `key=value` that does not begin with one.
    fn find_time(&mut self, line: &str, wanted: &Wanted) {
        let pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
        let ranked = pairs.filter_map(|(name, _)| Some((time_rank(name)?, name)));
        let mut ranked: Vec<_> = ranked.collect();
        ranked.sort_unstable();
        for (_, name) in ranked {
            self.set_time(name, value_of(line, name), wanted);
            if self.time.is_some() {
                return;
            }
        }
    }

    fn set_time(&mut self, name: &str, text: Option<&str>, wanted: &Wanted) {
        let named = time_rank(name).map_or(Moment::Written, |(_, moment)| moment);
        let Some(written) = text.and_then(|text| Written::of(text, wanted.time_unit)) else { return };
        self.time = Some((written, wanted.moment.unwrap_or(named)));
        name.clone_into(&mut self.time_field);
    }

    fn of_json(object: serde_json::Map<String, Value>, wanted: &Wanted) -> Parsed {
        let mut fields = Vec::new();
        flatten("", Value::Object(object), &mut fields);
        let mut parsed = Parsed::default();
        let mut times: Vec<_> = fields
            .iter()
            .filter(|field| wanted.time.is_none() && time_rank(&field.name).is_some())
            .collect();
        times.sort_by_key(|field| time_rank(&field.name));
        if let Some(name) = &wanted.time {
            times.extend(fields.iter().find(|field| is_named(&field.name, name)));
        }
        for field in times {
            if parsed.time.is_none() {
                parsed.set_time(&field.name, Some(&field.text), wanted);
            }
        }
        for field in fields.iter().filter(|field| field.name != parsed.time_field) {
            parsed.candidates.extend(field.candidates(wanted));
        }
        let value = |name: &String| {
            let field = fields.iter().find(|field| is_named(&field.name, name));
            field.map(|field| field.text.clone()).unwrap_or_default()
        };
        parsed.attributes = wanted.attributes.iter().map(value).collect();
        parsed
    }
}

/// A field of a line of JSON.
struct Field {
    /// Its path, with points.
    name: String,
    text: String,
    is_number: bool,
}

/// Levels of JSON that are looked into.
const DEEPEST: usize = 4;

fn flatten(path: &str, value: Value, fields: &mut Vec<Field>) {
    let (text, is_number) = match value {
        Value::Object(object) => {
            if path.split('.').count() <= DEEPEST {
                for (name, value) in object {
                    let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                    flatten(&path, value, fields);
                }
            }
            return;
        }
        Value::String(text) => (text, false),
        Value::Number(number) => (number.to_string(), true),
        Value::Bool(flag) => (flag.to_string(), false),
        Value::Null | Value::Array(_) => return,
    };
    fields.push(Field { name: path.to_owned(), text, is_number });
}

impl Field {
    /// What of it may be a latency: a number whose name says so, a text that is nothing but a
    /// duration, or the words of a message.
    fn candidates(&self, wanted: &Wanted) -> Vec<Candidate> {
        const MESSAGES: [&str; 3] = ["msg", "message", "log"];
        let text = self.text.trim();
        let whole = printed(text.as_bytes()).filter(|found| found.length == text.len());
        let plain = self.is_number || whole.is_some();
        if !plain && MESSAGES.iter().any(|name| is_named(&self.name, name)) {
            return in_text(text, wanted);
        }
        if !plain {
            return Vec::new();
        }
        let ns = whole.and_then(|found| found.ns);
        let kind = kind(&self.name, ns.is_none());
        let asked = wanted.latency.as_ref().is_some_and(|name| is_named(&self.name, name));
        let likely = matches!(kind, Kind::Latency(_) | Kind::Summary | Kind::Other(Some(_)));
        let coarse = whole.is_some_and(|found| found.coarse) && !matches!(kind, Kind::Latency(_));
        if !asked && (coarse || ns.is_none() && !likely) {
            return Vec::new();
        }
        vec![Candidate { name: self.name.clone(), number: text.to_owned(), kind, ns }]
    }
}

/// Every length of time in a text: numbers with a unit, and bare ones behind a name that says what
/// they are.
fn in_text(line: &str, wanted: &Wanted) -> Vec<Candidate> {
    let bytes = line.as_bytes();
    let (mut at, mut found) = (0, Vec::new());
    while let Some(step) = bytes[at..].iter().position(u8::is_ascii_digit) {
        at += step;
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b',' | b':' | b'-' | b'/' | b'_');
        let inside = at.checked_sub(1).is_some_and(|before| is_inside(bytes, before));
        let number = if inside { None } else { printed(&bytes[at..]) };
        let Some(number) = number else {
            at += bytes[at..].iter().take_while(|byte| word(byte)).count().max(1);
            continue;
        };
        let (candidate, length) = candidate(line, at, number, wanted);
        found.extend(candidate);
        at += length.max(1);
    }
    found
}

/// Whether a number behind this byte is a part of something longer: a name, a date, an address, a
/// decimal with a comma. A minus sign behind a blank or an equals sign is one.
fn is_inside(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    match bytes[at] {
        b'-' | b'+' => before.is_some_and(u8::is_ascii_alphanumeric),
        b':' | b',' => before.is_some_and(u8::is_ascii_digit),
        b'.' | b'_' | b'/' | b'#' => true,
        byte => byte.is_ascii_alphabetic() || !byte.is_ascii(),
    }
}

/// What a number at a place of a line may be, and the bytes it takes.
fn candidate(
    line: &str,
    at: usize,
    number: Printed<'_>,
    wanted: &Wanted,
) -> (Option<Candidate>, usize) {
    let limit = before_limit(&line[..at], &line[at + number.length..]);
    let before = limit.unwrap_or(&line[..at]);
    let negative = before.ends_with('-');
    let before = before.trim_end_matches(['-', '+']);
    let (name, assigned) = name_before(before);
    let bare = number.ns.is_none();
    let kind = if bare { kind(&name, true) } else { kind_after(before, &name) };
    let asked = wanted.latency.as_ref().is_some_and(|wanted| is_named(&name, wanted));
    let is_latency = matches!(kind, Kind::Latency(_));
    let is_one = if bare { is_value(&name, kind, assigned) } else { !number.coarse || is_latency };
    if !asked && !is_one {
        return (None, number.length);
    }
    let number = if bare { with_thousands(number, &line.as_bytes()[at..]) } else { number };
    let kind = if of_many(before) { Kind::Summary } else { kind };
    let ns = match number.ns {
        _ if limit.is_some() => Some(Err(Fault::Limit)),
        Some(_) if negative => Some(Err(Fault::Number(Wrong::Negative))),
        ns => ns,
    };
    let text = String::from_utf8_lossy(number.number).into_owned();
    let written = if negative { format!("-{text}") } else { text };
    (Some(Candidate { name, number: written, kind, ns }), number.length)
}

/// Whether a number without a unit is the value of a name.
fn is_value(name: &str, kind: Kind, assigned: bool) -> bool {
    match kind {
        Kind::Latency(Some(_)) | Kind::Other(Some(_)) => assigned,
        Kind::Latency(None) => assigned || matches!(name, "took" | "elapsed" | "duration"),
        _ => false,
    }
}

/// Whether one of the two words before a number says that it is of many events.
fn of_many(before: &str) -> bool {
    let words = before.split(|c: char| !c.is_alphanumeric()).rev().filter(|word| !word.is_empty());
    words.take(2).any(|word| super::names::kind(word, true) == Kind::Summary)
}

/// What stands before a sign that makes a limit of a number, such as `<`, `>=` or `~`, if there is
/// one; an arrow or a bracket is none.
fn before_limit<'l>(before: &'l str, behind: &str) -> Option<&'l str> {
    const SIGNS: [char; 7] = ['<', '>', '~', '\u{2248}', '\u{2264}', '\u{2265}', '\u{b1}'];
    let text = before.trim_end();
    let arrow = text.ends_with("->") || text.ends_with("=>") && text.len() < before.len();
    let bracket = text.ends_with('<') && behind.starts_with('>');
    let sign = text.strip_suffix('=').filter(|text| text.ends_with(['<', '>'])).unwrap_or(text);
    sign.strip_suffix(SIGNS).filter(|_| !arrow && !bracket)
}

/// The name that stands before a number, such as `took`, `dur` of `dur=` or `latency (ms)` of
/// `latency (ms): `, and whether a sign says that the number is its value.
fn name_before(before: &str) -> (String, bool) {
    let quoted = before.trim_end().trim_end_matches(['"', '\'', '(', '[', '<', '~']).trim_end();
    let assigned = quoted.ends_with(['=', ':']);
    let name = quoted.trim_end_matches(['=', ':']).trim_end().trim_end_matches(['"', '\'']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '@');
    let unit_at = name.rfind(['(', '[']).filter(|_| name.ends_with([')', ']']) && assigned);
    let word_end = unit_at.map_or(name, |at| name[..at].trim_end());
    let start = word_end.rfind(|c: char| !is_part(c)).map_or(0, |at| {
        at + word_end[at..].chars().next().map_or(1, char::len_utf8)
    });
    let word = &word_end[start..];
    if !word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@')) {
        return (String::new(), false);
    }
    match unit_at {
        Some(at) => (format!("{word} {}", &name[at..]), assigned),
        None => (word.to_owned(), assigned),
    }
}

/// The value of `key=value` or `key="value"` in a text.
fn value_of<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    if name.is_empty() {
        return None;
    }
    let is_start = |at: usize| at.checked_sub(1).is_none_or(|before| {
        !line.as_bytes()[before].is_ascii_alphanumeric() && !matches!(line.as_bytes()[before], b'_' | b'.' | b'-')
    });
    let (at, _) = line.match_indices(name).find(|(at, _)| {
        is_start(*at) && line[at + name.len()..].starts_with('=')
    })?;
    let value = &line[at + name.len() + 1..];
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([' ', '\t', ',', ';']).next(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidate::nanos;
    use super::*;

    fn found(line: &str) -> Vec<(String, Option<u64>)> {
        let parsed = Parsed::of(line, &Wanted::default());
        let ns = |found: &Candidate| nanos(found, found.named_unit()).ok();
        parsed.candidates.iter().map(|found| (found.name.clone(), ns(found))).collect()
    }

    fn one(line: &str, name: &str, expected: Option<u64>) {
        assert_eq!(found(line), [(name.to_owned(), expected)], "{line}");
    }

    #[test]
    fn latencies_are_found_in_lines_of_many_programs() {
        one("2026-11-21 05:15:14.312 INFO request took 45us", "took", Some(45_000));
        one("2026-11-21 05:15:14 request 7 took 5 ms", "took", Some(5_000_000));
        one("ts=2026-11-21T05:15:14Z dur=12ms path=/a", "dur", Some(12_000_000));
        one("ts=2026-11-21T05:15:14Z dur_ms=12.5", "dur_ms", Some(12_500_000));
        one("LOG:  duration: 0.123 s", "duration", Some(123_000_000));
        one("x latency (ms): 12", "latency (ms)", Some(12_000_000));
        one("[GIN] 2026/11/21 - 05:15:14 | 200 |     1.25ms | 127.0.0.1 | GET", "", Some(1_250_000));
        one(r#"{"ts":"2026-11-21T05:15:14Z","http":{"duration_ms":3,"status":200}}"#, "http.duration_ms", Some(3_000_000));
        one(r#"{"time":"2026-11-21T05:15:14Z","took":"1m2s"}"#, "took", Some(62_000_000_000));
        one(r#"{"time":"2026-11-21T05:15:14Z","msg":"done in 3 ms"}"#, "in", Some(3_000_000));
        one("h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"curl/8\" 0.123", "number1", Some(123_000_000));
    }

    #[test]
    fn a_number_without_a_unit_stays_without_one() {
        one("05:15:14 dur=12", "dur", None);
        one("05:15:14 took 12", "took", None);
        one(r#"{"time":"2026-11-21T05:15:14Z","duration":0.25}"#, "duration", None);
        one("h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 1234", "number1", None);
    }

    #[test]
    fn other_numbers_are_no_latencies() {
        for line in [
            "2026-11-21 05:15:14.312 listening on 10.0.0.1:8080, pid 45",
            "2026-11-21 05:15:14 read 12MB at 5 MB/s, 3 files, 99% idle",
            "2026-11-21 05:15:14 version 1.2.3s of abc12ms",
            r#"{"ts":1795238114.5,"status":200,"bytes":512}"#,
            "h - - [21/Nov/2026:05:15:14 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"Mozilla/5.0 (X11)\"",
        ] {
            assert_eq!(found(line), [], "{line}");
        }
    }

    #[test]
    fn a_limit_is_not_exact() {
        for line in ["took <1ms", "took >=10ms", "took ~10ms", "took > 10 ms", "took=<10ms"] {
            one(line, "took", None);
        }
        one("05:15:14 latency<10ms", "latency", None);
        one("05:15:14 took <10ms>", "took", Some(10_000_000));
        one("05:15:14 GET /a -> 10ms", "", Some(10_000_000));
    }

    #[test]
    fn minutes_are_latencies_only_behind_a_name_that_says_so() {
        one("05:15:14 took 2 min", "took", Some(120_000_000_000));
        one("05:15:14 elapsed=1.5h size=12m", "elapsed", Some(5_400_000_000_000));
        one(r#"{"time":"05:15:14","elapsed":"3m","age":"5d"}"#, "elapsed", Some(180_000_000_000));
        one("05:15:14 took 2 minutes and 10 seconds", "took", None);
    }

    #[test]
    fn a_comma_or_a_minus_is_never_passed_over() {
        one("05:15:14 took 12,5ms", "took", None);
        one("05:15:14 took -5ms", "took", None);
    }

    #[test]
    fn attributes_are_values_of_names() {
        let of = |line: &str| {
            let attributes = vec!["path".to_owned(), "status".to_owned()];
            Parsed::of(line, &Wanted { attributes, ..Wanted::default() }).attributes
        };
        assert_eq!(of("05:15:14 path=\"/a b\" status=200 took 5ms"), ["/a b", "200"]);
        assert_eq!(of(r#"{"http":{"path":"/a"},"status":200}"#), ["/a", "200"]);
        assert_eq!(of("h - - [21/Nov/2026:05:15:14 +0000] \"GET /x HTTP/1.1\" 404 6 0.1"), ["/x", "404"]);
    }
}
