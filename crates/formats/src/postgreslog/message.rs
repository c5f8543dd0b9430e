//! The message of an entry that has a duration.

use isotherm_frame::{Nanos, Unit};

use crate::number;

/// `duration: 0.322 ms  statement: select 1`, taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Duration<'m> {
    pub(super) latency: Nanos,
    pub(super) kind: Kind,
    /// The beginning of the statement; what is on further lines follows.
    pub(super) statement: &'m [u8],
}

/// What took that long.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A statement, or the execution of a prepared one.
    Statement,
    /// A step before the execution of a prepared statement, or a fetch after it.
    Step(&'static str),
    /// An execution as `auto_explain` tells it.
    Plan,
    /// `log_duration`: without the statement.
    DurationOnly,
}

/// How every message with a duration begins.
pub(super) const MARK: &[u8] = b"duration: ";

/// Takes a message apart; `None` if it tells no duration, an error if the duration is no number.
pub(super) fn duration(message: &[u8]) -> Option<Result<Duration<'_>, String>> {
    let rest = message.strip_prefix(MARK)?;
    let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    let latency = match number::latency(number, Unit::Millis) {
        Ok(ns) => Nanos::new(ns),
        Err(wrong) => return Some(Err(wrong.about("duration", number))),
    };
    let Some(rest) = rest.strip_prefix(b" ms") else {
        return Some(Err("a duration without its unit, ms: the entry is cut short".to_owned()));
    };
    let (kind, statement) = kind(rest.trim_ascii_start());
    Some(Ok(Duration { latency, kind, statement }))
}

fn kind(text: &[u8]) -> (Kind, &[u8]) {
    let Some(colon) = memchr::memchr(b':', text) else { return (Kind::DurationOnly, b"") };
    let (head, statement) = (&text[..colon], text[colon + 1..].trim_ascii_start());
    let kind = match head {
        b"plan" => Kind::Plan,
        b"statement" => Kind::Statement,
        _ if head.starts_with(b"execute fetch from ") => Kind::Step("fetch"),
        _ if head.starts_with(b"execute ") => Kind::Statement,
        _ if head.starts_with(b"parse ") => Kind::Step("parse"),
        _ if head.starts_with(b"bind ") => Kind::Step("bind"),
        _ if head.starts_with(b"fastpath") => Kind::Step("fastpath"),
        _ => Kind::DurationOnly,
    };
    (kind, statement)
}

/// The first line of the statement of a plan, which a plan as text begins with and one in JSON names.
pub(super) fn statement_of_plan(text: &[u8]) -> &[u8] {
    const KEY: &[u8] = b"\"Query Text\": \"";
    let text = text.trim_ascii();
    let line = memchr::memchr(b'\n', text).map_or(text, |end| &text[..end]);
    if let Some(statement) = line.strip_prefix(b"Query Text: ") {
        return statement;
    }
    let quoted = memchr::memmem::find(text, KEY).map(|at| &text[at + KEY.len()..]);
    let quoted = quoted.filter(|_| text.starts_with(b"{")).unwrap_or_default();
    // What has escapes in it would have to be read as JSON: such a statement stays unknown.
    let end = memchr::memchr2(b'"', b'\\', quoted).filter(|end| quoted[*end] == b'"');
    end.map_or(b"", |end| &quoted[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_duration_is_known() {
        for (message, kind, statement) in [
            ("duration: 0.322 ms  statement: select 1", Kind::Statement, "select 1"),
            ("duration: 0.322 ms  execute <unnamed>: select 1", Kind::Statement, "select 1"),
            ("duration: 0.322 ms  parse s1: select 1", Kind::Step("parse"), "select 1"),
            ("duration: 0.322 ms  bind s1/c: select 1", Kind::Step("bind"), "select 1"),
            ("duration: 0.322 ms  execute fetch from s/c: x", Kind::Step("fetch"), "x"),
            ("duration: 0.322 ms  plan:", Kind::Plan, ""),
            ("duration: 0.322 ms", Kind::DurationOnly, ""),
        ] {
            let expected = Duration { latency: Nanos::new(322_000), kind, statement: statement.as_bytes() };
            assert_eq!(duration(message.as_bytes()), Some(Ok(expected)), "{message}");
        }
        assert_eq!(duration(b"connection received"), None);
        assert!(duration(b"duration: 0,3 ms  plan:").unwrap().is_err());
        assert!(duration(b"duration: 0.3").unwrap().is_err());
        assert_eq!(statement_of_plan(b"\n\tQuery Text: select 1\n\tSort"), b"select 1");
        let json = b"{\n\t  \"Query Text\": \"select 1;\",\n\t  \"Plan\": {}}";
        assert_eq!(statement_of_plan(json), b"select 1;");
        assert_eq!(statement_of_plan(br#"{"Query Text": "select \"a\" from t"}"#), b"");
    }
}
