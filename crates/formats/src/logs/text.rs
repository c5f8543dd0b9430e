//! Lengths of time among the words of a text.

use std::borrow::Cow;

use super::candidate::{Candidate, Candidates, is_named};
use super::duration::{Fault, Printed, printed, with_thousands};
use super::kinds::Kinds;
use super::names::Kind;
use super::preceding::kind_after;
use super::request::FieldChoice;
use crate::number::{self, Wrong};

/// Every length of time in a text: numbers with a unit, and bare ones behind a name that says what
/// they are.
pub(super) fn in_text<'l>(line: &'l str, wanted: &FieldChoice, kinds: &Kinds) -> Candidates<'l> {
    in_text_from(0, line, wanted, kinds)
}

/// The same of those that stand at a byte of it or behind.
pub(super) fn in_text_from<'l>(
    from: usize,
    line: &'l str,
    wanted: &FieldChoice,
    kinds: &Kinds,
) -> Candidates<'l> {
    let bytes = line.as_bytes();
    let (mut at, mut found) = (from, Candidates::default());
    while let Some(step) = first_digit(&bytes[at..]) {
        at += step;
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b',' | b':' | b'-' | b'/' | b'_');
        let inside = at.checked_sub(1).is_some_and(|before| is_inside(bytes, before));
        let number = if inside { None } else { printed(&bytes[at..]) };
        let Some(number) = number else {
            if let Some((candidate, length)) = assigned_clock_or_iso(line, at, kinds) {
                found.extend(Some(candidate));
                at += length;
                continue;
            }
            at += bytes[at..].iter().take_while(|byte| word(byte)).count().max(1);
            continue;
        };
        let (candidate, length) = candidate(&Number { line, at, printed: number }, wanted, kinds);
        found.extend(candidate);
        at += length.max(1);
    }
    found
}

/// Where the first digit is. Bytes are looked at many at once.
fn first_digit(bytes: &[u8]) -> Option<usize> {
    const AT_ONCE: usize = 16;
    let (chunks, _) = bytes.as_chunks::<AT_ONCE>();
    let has_one = |chunk: &[u8; AT_ONCE]| {
        chunk.iter().fold(false, |found, byte| found | byte.is_ascii_digit())
    };
    let passed = chunks.iter().position(has_one).unwrap_or(chunks.len()) * AT_ONCE;
    bytes[passed..].iter().position(u8::is_ascii_digit).map(|at| passed + at)
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

/// What stands before a place of a line. Further back nothing says what a number is: all of a long line would be looked
/// through for each of its numbers.
fn near_before(line: &str, at: usize) -> &str {
    const NEAR: usize = 1 << 10;
    let start = line.floor_char_boundary(at.saturating_sub(NEAR));
    line.get(start..at).unwrap_or_default()
}

/// A number at a place of a line.
struct Number<'l> {
    line: &'l str,
    at: usize,
    printed: Printed<'l>,
}

/// What a number may be, and the bytes it takes.
fn candidate<'l>(found: &Number<'l>, wanted: &FieldChoice, kinds: &Kinds) -> (Option<Candidate<'l>>, usize) {
    let &Number { line, at, printed: number } = found;
    let before = near_before(line, at);
    let limit = before_limit(before, &line[at + number.length..]);
    let before = limit.unwrap_or(before);
    let negative = before.ends_with('-');
    let before = before.trim_end_matches(['-', '+']);
    let (name, assigned) = name_before(before);
    let bare = number.ns.is_none();
    let asked = wanted.latency.as_ref().is_some_and(|wanted| is_named(&name, wanted));
    // Most numbers are neither assigned nor behind a word that makes a latency of them.
    if bare && !asked && !assigned && !says_so(&name) {
        return (None, number.length);
    }
    let kind = if bare { kinds.kind(&name, true) } else { kind_after(before, &name, kinds) };
    let is_latency = matches!(kind, Kind::Latency(_));
    let is_one = if bare { is_value(&name, kind, assigned) } else { !number.coarse || is_latency };
    if !asked && !is_one {
        return (None, number.length);
    }
    let number = if bare { with_thousands(number, &line.as_bytes()[at..]) } else { number };
    let kind = if of_many(before, kinds) { Kind::Summary } else { kind };
    let ns = match number.ns {
        _ if limit.is_some() => Some(Err(Fault::Limit)),
        Some(_) if negative => Some(Err(Fault::Number(Wrong::Negative))),
        ns => ns,
    };
    let text = String::from_utf8_lossy(number.number);
    let written = if negative { format!("-{text}").into() } else { text };
    (Some(Candidate { name, number: written, kind, ns }), number.length)
}

/// `latency=00:00:01.234` or `duration="PT0.5S"`, of which the first digit stands at a byte, and the length from
/// there on.
fn assigned_clock_or_iso<'l>(line: &'l str, at: usize, kinds: &Kinds) -> Option<(Candidate<'l>, usize)> {
    let (before, rest) = line.as_bytes().split_at_checked(at)?;
    let is_iso = before.ends_with(b"PT");
    let is_clock = matches!(rest, [_, b':', ..] | [_, b'0'..=b'9', b':', ..]);
    if !rest.first().is_some_and(u8::is_ascii_digit) || !is_iso && !is_clock {
        return None;
    }
    let start = if is_iso { at - 2 } else { at };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.');
    let text = line[start..].split(|c| !is_part(c)).next()?.trim_end_matches('.');
    let (name, assigned) = name_before(near_before(line, start));
    let candidate = on_clock_or_iso(name, text, kinds).filter(|_| assigned)?;
    Some((candidate, start + text.len() - at))
}

/// A length of time as hours, minutes and seconds (`00:00:01.234`) or as in ISO 8601 (`PT0.5S`), where its name says
/// that it is one: others are times of day.
pub(super) fn on_clock_or_iso<'l>(name: Cow<'l, str>, text: &'l str, kinds: &Kinds) -> Option<Candidate<'l>> {
    if !text.starts_with("PT") && !text.contains(':') {
        return None;
    }
    let kind = kinds.kind(&name, true);
    let ns = number::written_length(text.as_bytes()).filter(|_| matches!(kind, Kind::Latency(_)))?;
    Some(Candidate { name, number: text.into(), kind, ns: Some(ns.map_err(Fault::Number)) })
}

/// Whether a word says that the bare number behind it is a latency.
fn says_so(name: &str) -> bool {
    matches!(name, "took" | "elapsed" | "duration")
}

/// Whether a number without a unit is the value of a name.
fn is_value(name: &str, kind: Kind, assigned: bool) -> bool {
    match kind {
        Kind::Latency(Some(_)) | Kind::Delay(_) | Kind::Other(Some(_)) => assigned,
        Kind::Latency(None) => assigned || says_so(name),
        _ => false,
    }
}

/// Whether one of the two words before a number says that it is of many events.
fn of_many(before: &str, kinds: &Kinds) -> bool {
    let words = before.split(|c: char| !c.is_alphanumeric()).rev().filter(|word| !word.is_empty());
    words.take(2).any(|word| kinds.kind(word, true) == Kind::Summary)
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
fn name_before(before: &str) -> (Cow<'_, str>, bool) {
    let quoted = before.trim_end().trim_end_matches(['"', '\'', '(', '[', '<', '~']).trim_end();
    let assigned = quoted.ends_with(['=', ':']);
    let name = quoted.trim_end_matches(['=', ':']).trim_end().trim_end_matches(['"', '\'']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '@');
    let has_unit = assigned && name.ends_with([')', ']']);
    let unit_at = if has_unit { name.rfind(['(', '[']) } else { None };
    let word_end = unit_at.map_or(name, |at| name[..at].trim_end());
    let start = word_end.rfind(|c: char| !is_part(c)).map_or(0, |at| {
        at + word_end[at..].chars().next().map_or(1, char::len_utf8)
    });
    let word = &word_end[start..];
    if !word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@')) {
        return ("".into(), false);
    }
    match unit_at {
        Some(at) => (format!("{word} {}", &name[at..]).into(), assigned),
        None => (word.into(), assigned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice as long a line has twice as many numbers: before each of them only so much is looked through.
    #[test]
    fn before_a_number_of_a_long_line_only_what_is_near_is_looked_through() {
        let line = "\u{e9}a ".repeat(100_000);
        for at in (0..line.len()).filter(|at| line.is_char_boundary(*at)).step_by(997) {
            let near = near_before(&line, at);
            assert!(near.len() <= 1_025 && line[..at].ends_with(near), "{at}");
            assert!(near.len() >= at.min(1_024), "{at}");
        }
        let line = format!("{}took 22ms", "K in 1ms (".repeat(5_000));
        let found = in_text(&line, &FieldChoice::default(), &Kinds::default());
        let took = found.iter().filter(|found| found.name == "took");
        assert_eq!(took.map(|found| found.ns).collect::<Vec<_>>(), [Some(Ok(22_000_000))]);
        assert_eq!(found.iter().count(), 5_001);
    }
}
