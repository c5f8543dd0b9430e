//! Durations as programs print them: a number and its unit, `1.5ms`, `45 us`, Go's `1m2.5s`.

use isotherm_frame::Unit;

use crate::number::{self, Wrong};

/// A number at the beginning of a text, with its unit if there is one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed<'t> {
    /// The number, as it is written.
    pub(super) number: &'t [u8],
    /// What it says in nanoseconds if its unit is beside it.
    pub(super) ns: Option<Result<u64, Wrong>>,
    /// The bytes it takes.
    pub(super) length: usize,
}

/// The duration or bare number that a text begins with; `None` where it goes on as something else,
/// such as a size, a date, an address or a rate.
pub(super) fn printed(text: &[u8]) -> Option<Printed<'_>> {
    if let Some((ns, length)) = compound(text) {
        return Some(Printed { number: &text[..length], ns: Some(ns), length });
    }
    let length = number_length(text);
    let (number, after) = text.split_at(length);
    if memchr::memchr_iter(b'.', number).count() > 1 {
        return None;
    }
    let blank = after.first() == Some(&b' ') || after.first() == Some(&b'\t');
    for (unit, skipped) in [(after, 0), (after.get(1..).unwrap_or_default(), 1)] {
        if skipped == 1 && !blank {
            break;
        }
        if let Some((unit, word)) = unit_word(unit) {
            let ns = number::nanos(number, unit);
            return Some(Printed { number, ns: Some(ns), length: length + skipped + word });
        }
    }
    let ends = after.first().is_none_or(|byte| is_end(*byte));
    ends.then_some(Printed { number, ns: None, length })
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
fn unit_word(text: &[u8]) -> Option<(Unit, usize)> {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, 0xc2 | 0xb5 | 0xce | 0xbc);
    let length = text.iter().take_while(|byte| is_letter(byte)).count();
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'%' | b'=' | b':');
    if text.get(length).is_some_and(goes_on) {
        return None;
    }
    Some((unit_named(std::str::from_utf8(&text[..length]).ok()?)?, length))
}

/// The unit of a word, in any of the ways in which programs write it.
pub(super) fn unit_named(word: &str) -> Option<Unit> {
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
        for text in ["12MB", "12ms/op", "10 MB/s", "5 steps", "7m", "3h", "12msg", "5 s/op", "1.2.3.4:80"] {
            assert_eq!(ns(text), None, "{text}");
        }
        assert_eq!(printed(b"12MB"), None);
        assert_eq!(printed(b"12ms=3"), None);
        assert_eq!(printed(b"12 apples").unwrap().number, b"12");
        assert_eq!(printed(b"12,5ms").unwrap().ns, Some(Err(Wrong::DecimalComma)));
    }
}
