//! Durations as programs print them: a number and its unit, `1.5ms`, `45 us`, Go's `1m2.5s`.

use isotherm_frame::Unit;

use crate::number::{self, Wrong, shown};

/// Why a length of time in a line is not one that can be used.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Number(Wrong),
    /// More of a number or a further duration follows.
    GoesOn,
    /// It is less, more or about what is written.
    Limit,
}

impl Fault {
    /// What is wrong with `text`: words for a rejection.
    pub(super) fn about(self, text: &[u8]) -> String {
        match self {
            Fault::Number(wrong) => wrong.about("latency", text),
            Fault::GoesOn => format!(
                "the latency '{}' has several parts: write it as one number with one unit",
                shown(text)
            ),
            Fault::Limit => {
                format!("the latency '{}' has a sign such as <, > or ~ before it: it is not exact", shown(text))
            }
        }
    }
}

/// A number at the beginning of a text, with its unit if there is one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed<'t> {
    /// The number, as it is written.
    pub(super) number: &'t [u8],
    /// What it says in nanoseconds if its unit is beside it.
    pub(super) ns: Option<Result<u64, Fault>>,
    /// Whether it is in minutes, hours or days, of which the letters may mean something else.
    pub(super) coarse: bool,
    /// The bytes it takes.
    pub(super) length: usize,
}

/// The duration or bare number that a text begins with; `None` where it goes on as something else,
/// such as a size, a date, an address or a rate.
pub(super) fn printed(text: &[u8]) -> Option<Printed<'_>> {
    let mut found = one(text)?;
    while let Some(more) = continuation(&found, &text[found.length..]) {
        found.length += more;
        found.number = &text[..found.length];
        found.ns = Some(Err(Fault::GoesOn));
    }
    Some(found)
}

/// The length of a further duration that belongs to one.
fn continuation(found: &Printed<'_>, behind: &[u8]) -> Option<usize> {
    found.ns.as_ref()?;
    let comma = usize::from(behind.first() == Some(&b','));
    let blanks = |text: &[u8]| text.iter().take_while(|byte| **byte == b' ').count();
    let mut at = comma + blanks(&behind[comma..]);
    if behind[at..].starts_with(b"and ") {
        at += 4;
    }
    let further = (at > 0).then(|| one(&behind[at..])).flatten().filter(|more| more.ns.is_some())?;
    Some(at + further.length)
}

/// The same where a name says that the text begins with a duration: thousands may be set apart by a
/// blank or an apostrophe, `1 200 ms`.
pub(super) fn with_thousands<'t>(found: Printed<'t>, text: &'t [u8]) -> Printed<'t> {
    let mut found = found;
    while let Some(more) = thousands(&found, &text[found.length..]) {
        found.length += more;
        found.number = &text[..found.length];
        found.ns = Some(Err(Fault::GoesOn));
    }
    found
}

/// The length of three more digits of a number, with what follows them.
fn thousands(found: &Printed<'_>, behind: &[u8]) -> Option<usize> {
    let group = behind.get(1..4)?;
    let grouped = matches!(behind[0], b' ' | b'\'') && group.iter().all(u8::is_ascii_digit);
    let last = found.number.rsplit(|byte| matches!(byte, b' ' | b'\'')).next()?;
    let short = (1..=3).contains(&last.len()) && last.iter().all(u8::is_ascii_digit);
    let ends = !behind.get(4).is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'-' | b'/'));
    let more = one(&behind[1..]).map_or(3, |more| more.length);
    (grouped && short && ends).then_some(1 + more)
}

/// One number with its unit if there is one, or Go's duration.
fn one(text: &[u8]) -> Option<Printed<'_>> {
    if let Some((ns, length)) = compound(text) {
        let ns = Some(ns.map_err(Fault::Number));
        return Some(Printed { number: &text[..length], ns, coarse: false, length });
    }
    let length = number_length(text);
    let (number, after) = text.split_at(length);
    if length == 0 || memchr::memchr_iter(b'.', number).nth(1).is_some() {
        return None;
    }
    let blank = matches!(after.first(), Some(b' ' | b'\t'));
    for (unit, skipped) in [(after, 0), (after.get(1..).unwrap_or_default(), 1)] {
        if skipped == 1 && !blank {
            break;
        }
        if let Some((unit, word)) = unit_word(unit) {
            let ns = Some(unit.nanos(number).map_err(Fault::Number));
            let coarse = matches!(unit, Length::Seconds(_));
            return Some(Printed { number, ns, coarse, length: length + skipped + word });
        }
    }
    let ends = after.first().is_none_or(|byte| is_end(*byte));
    ends.then_some(Printed { number, ns: None, coarse: false, length })
}

/// What a unit behind a number means.
enum Length {
    Of(Unit),
    /// So many seconds.
    Seconds(u64),
}

impl Length {
    fn nanos(&self, number: &[u8]) -> Result<u64, Wrong> {
        match self {
            Length::Of(unit) => number::nanos(number, *unit),
            Length::Seconds(seconds) => {
                number::nanos(number, Unit::Seconds)?.checked_mul(*seconds).ok_or(Wrong::TooLarge)
            }
        }
    }
}

/// Digits with points or commas among them, and an exponent; a point or comma at the end belongs to
/// the sentence.
fn number_length(text: &[u8]) -> usize {
    let of = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    let mut length = text.iter().take_while(of).count();
    while length > 0 && !text[length - 1].is_ascii_digit() {
        length -= 1;
    }
    if let Some([b'e' | b'E', rest @ ..]) = text.get(length..) {
        let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
        let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        length += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    length
}

/// Whether a number may end before this byte.
fn is_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b',' | b';' | b')' | b']' | b'}' | b'|' | b'.')
}

/// The unit a text begins with and its length, if no word, number or rate goes on behind it.
fn unit_word(text: &[u8]) -> Option<(Length, usize)> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, 0xc2 | 0xb5 | 0xce | 0xbc);
    let length = text.iter().take_while(|byte| is_letter(byte)).count();
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'%' | b'=' | b':');
    if text.get(length).is_some_and(goes_on) {
        return None;
    }
    if length == 0 {
        return None;
    }
    let word = std::str::from_utf8(&text[..length]).ok()?;
    let known = unit_named(word).map(Length::Of).or_else(|| coarse(word).map(Length::Seconds));
    Some((known?, length))
}

/// The seconds of a unit of more than one.
fn coarse(word: &str) -> Option<u64> {
    match word {
        "m" => Some(60),
        "h" => Some(3_600),
        "d" => Some(86_400),
        _ if !matches!(word.as_bytes().first()? | 0x20, b'm' | b'h' | b'd') => None,
        _ => {
            let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
            let long = [
                (is(&["min", "mins", "minute", "minutes"]), 60),
                (is(&["hr", "hrs", "hour", "hours"]), 3_600),
                (is(&["day", "days"]), 86_400),
            ];
            long.into_iter().find_map(|(is, seconds)| is.then_some(seconds))
        }
    }
}

/// Whether a word begins and ends as a unit does; most words do not.
fn may_be_unit(word: &str) -> bool {
    let (Some(first), Some(last)) = (word.bytes().next(), word.bytes().last()) else { return false };
    let begins = matches!(first | 0x20, b'n' | b'u' | b'm' | b's') || !first.is_ascii();
    begins && matches!(last | 0x20, b's' | b'c' | b'd' | b'o' | b'i') && word.len() <= 12
}

/// Whether a word is a unit of minutes, hours or days.
pub(super) fn is_coarse(word: &str) -> bool {
    coarse(word).is_some()
}

/// The unit of a word, in any of the ways in which programs write it.
pub(super) fn unit_named(word: &str) -> Option<Unit> {
    match word.as_bytes() {
        [b'm', b's'] => return Some(Unit::Millis),
        [b'u', b's'] => return Some(Unit::Micros),
        [b's'] => return Some(Unit::Seconds),
        [b'n', b's'] => return Some(Unit::Nanos),
        _ if !may_be_unit(word) => return None,
        _ => {}
    }
    match word.to_ascii_lowercase().as_str() {
        "nanos" | "nano" | "nanosecond" => Some(Unit::Nanos),
        "micros" | "micro" | "microsecond" => Some(Unit::Micros),
        "millis" | "milli" | "millisecond" => Some(Unit::Millis),
        "second" => Some(Unit::Seconds),
        "cs" => None,
        other => other.parse().ok(),
    }
}

/// Go's durations of more than a minute: hours and minutes before the seconds.
fn compound(text: &[u8]) -> Option<(Result<u64, Wrong>, usize)> {
    let (mut at, mut total, mut parts) = (0, 0_u64, 0);
    loop {
        let rest = text.get(at..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let seconds = match rest.get(digits)? {
            _ if digits == 0 => return None,
            b'h' => 3_600,
            b'm' if rest.get(digits + 1).is_some_and(u8::is_ascii_digit) => 60,
            b's' if parts > 0 => 1,
            _ => return None,
        };
        let part = number::nanos(&rest[..digits], Unit::Seconds).ok()?.checked_mul(seconds);
        let Some(sum) = part.and_then(|part| total.checked_add(part)) else {
            return Some((Err(Wrong::TooLarge), at + digits + 1));
        };
        (total, at, parts) = (sum, at + digits + 1, parts + 1);
        if seconds == 1 {
            let goes_on = text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'/');
            return (!goes_on).then_some((Ok(total), at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(text: &str) -> Option<u64> {
        printed(text.as_bytes())?.ns?.ok()
    }

    #[test]
    fn a_number_and_its_unit_are_a_duration() {
        for (text, expected) in [
            ("12.3ms", 12_300_000),
            ("45us to go", 45_000),
            ("45µs", 45_000),
            ("45 μs.", 45_000),
            ("0.123 s", 123_000_000),
            ("7 milliseconds", 7_000_000),
            ("1.5s)", 1_500_000_000),
            ("1.2e-3s", 1_200_000),
            ("1m2.5s", 62_500_000_000),
            ("2h0m1s,", 7_201_000_000_000),
            ("5ms, then", 5_000_000),
        ] {
            assert_eq!(ns(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_goes_on_as_something_else_is_none() {
        for text in ["12MB", "12ms/op", "10 MB/s", "5 steps", "7M", "3H", "12msg", "5 s/op", "1.2.3.4:80"] {
            assert_eq!(ns(text), None, "{text}");
        }
        assert_eq!(printed(b"12MB"), None);
        assert_eq!(printed(b"12ms=3"), None);
        assert_eq!(printed(b"12 apples").unwrap().number, b"12");
        assert_eq!(printed(b"12,5ms").unwrap().ns, Some(Err(Fault::Number(Wrong::DecimalComma))));
    }

    #[test]
    fn minutes_hours_and_days_are_read_and_marked() {
        for (text, seconds) in [
            ("1.5h", 5_400),
            ("3m", 180),
            ("1d", 86_400),
            ("2min", 120),
            ("2 minutes", 120),
            ("1 hour", 3_600),
        ] {
            let found = printed(text.as_bytes()).unwrap();
            assert_eq!((found.ns, found.coarse), (Some(Ok(seconds * 1_000_000_000)), true), "{text}");
        }
        assert!(!printed(b"1m2.5s").unwrap().coarse);
    }

    #[test]
    fn several_parts_are_none_of_them() {
        for text in [
            "2 minutes and 10 seconds",
            "2 s 100 ms",
            "2s, 100ms",
            "1 200 ms",
            "1'200 ms",
            "1 200",
            "1 200 300 ms",
            "1 m 10 s",
            "2 hours 5 minutes 10 seconds",
        ] {
            let text_bytes = text.as_bytes();
            let found = with_thousands(printed(text_bytes).unwrap(), text_bytes);
            assert_eq!((found.ns, found.length), (Some(Err(Fault::GoesOn)), text.len()), "{text}");
        }
        for (text, length) in [("12ms 200 OK", 4), ("5 ms, 3 rows", 4), ("5 ms and more", 4), ("0.5 200", 3)] {
            assert_eq!(printed(text.as_bytes()).unwrap().length, length, "{text}");
        }
    }
}
