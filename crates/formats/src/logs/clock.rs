//! A time of day in a log line: of 24 hours or with AM and PM, and what stands behind it of its zone.

use std::borrow::Cow;

use crate::stamp::time_of_day;

/// What is written about the zone of a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// Nothing.
    Unwritten,
    /// Seconds east of UTC.
    Offset(i64),
    /// Letters such as `EST`, which several places use, or one place for a part of the year.
    Abbreviation(&'static str),
}

/// The abbreviations that are known to be zones and not words of a program, in their order.
const ABBREVIATIONS: &[&str] = &[
    "ACDT", "ACST", "ADT", "AEDT", "AEST", "AKDT", "AKST", "AST", "AWST", "BRT", "BST", "CAT", "CDT",
    "CEST", "CET", "CLT", "COT", "CST", "EAT", "EDT", "EEST", "EET", "EST", "HKT", "HST", "ICT", "IDT",
    "IST", "JST", "KST", "MDT", "MEST", "MESZ", "MET", "MEZ", "MSK", "MST", "NDT", "NST", "NZDT",
    "NZST", "PDT", "PHT", "PKT", "PST", "SAST", "SGT", "TRT", "WAT", "WEST", "WET", "WIB", "WITA",
];

/// The time of day that a text begins with, in nanoseconds since midnight, and its length. The hour
/// has two digits, or one or two behind a date.
pub(super) fn clock(text: &str, dated: bool) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let short = dated && bytes.get(1) == Some(&b':');
    let whole = if short { 7 } else { 8 };
    let fraction = match bytes.get(whole) {
        Some(b'.' | b',') => bytes[whole + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let length = if fraction == 0 { whole } else { whole + 1 + fraction };
    let goes_on = bytes.get(length).is_some_and(u8::is_ascii_digit);
    let digits = text.get(..length)?;
    let padded = if short { Cow::from(format!("0{digits}")) } else { Cow::from(digits) };
    let ns = time_of_day(&padded).filter(|_| !goes_on)?;
    let ns = i64::try_from(ns.as_nanos()).ok()?;
    match half(&text[length..]) {
        Some((afternoon, half)) => Some((in_half(ns, afternoon)?, length + half)),
        None => Some((ns, length)),
    }
}

/// Whether a text begins with PM, and not AM, and its length.
fn half(text: &str) -> Option<(bool, usize)> {
    let blank = text.chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8);
    let rest = &text.as_bytes()[blank..];
    let afternoon = match rest.first()? {
        b'a' | b'A' => false,
        b'p' | b'P' => true,
        _ => return None,
    };
    let length = match rest {
        [_, b'.', b'm' | b'M', b'.', ..] => 4,
        [_, b'm' | b'M', ..] => 2,
        _ => return None,
    };
    let ends = !rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
    ends.then_some((afternoon, blank + length))
}

/// The time of a clock of twelve hours; `None` if it cannot show it.
fn in_half(ns: i64, afternoon: bool) -> Option<i64> {
    const HOUR: i64 = 3_600_000_000_000;
    let hour = ns / HOUR;
    let within = (1..=12).contains(&hour).then_some(ns % (12 * HOUR))?;
    Some(if afternoon { within + 12 * HOUR } else { within })
}

/// The zone that a text begins with, and its length.
pub(super) fn zone(text: &str) -> (Zone, usize) {
    let blank = usize::from(text.starts_with(' '));
    let bracket = usize::from(text[blank..].starts_with('('));
    let start = blank + bracket;
    let rest = &text[start..];
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = &rest[..letters];
    let behind = &rest[letters..];
    let ends = !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '=' | '.' | '-'));
    let length = start + letters;
    if matches!(word, "Z" | "z" | "UTC" | "GMT" | "UT") {
        return match offset(behind) {
            Some((seconds, more)) => (Zone::Offset(seconds), length + more),
            None if ends => (Zone::Offset(0), length),
            None => (Zone::Unwritten, 0),
        };
    }
    if let Some(at) = ABBREVIATIONS.binary_search(&word).ok().filter(|_| ends) {
        return (Zone::Abbreviation(ABBREVIATIONS[at]), length);
    }
    match offset(&text[blank..]) {
        Some((seconds, length)) => (Zone::Offset(seconds), blank + length),
        None => (Zone::Unwritten, 0),
    }
}

/// `+01:00`, `-0330` or `+05` in seconds east of UTC, and its length.
fn offset(text: &str) -> Option<(i64, usize)> {
    let &[sign @ (b'+' | b'-'), h1 @ b'0'..=b'9', h2 @ b'0'..=b'9', ref rest @ ..] = text.as_bytes() else {
        return None;
    };
    let colon = usize::from(rest.first() == Some(&b':'));
    let (minutes, length) = match rest.get(colon..) {
        Some([m1 @ b'0'..=b'9', m2 @ b'0'..=b'9', ..]) => (two(*m1, *m2), 5 + colon),
        _ => (0, 3),
    };
    let goes_on = text.as_bytes().get(length).is_some_and(u8::is_ascii_alphanumeric);
    let fits = two(h1, h2) <= 15 && minutes < 60 && !goes_on;
    let seconds = two(h1, h2) * 3_600 + minutes * 60;
    fits.then_some((if sign == b'-' { -seconds } else { seconds }, length))
}

fn two(tens: u8, ones: u8) -> i64 {
    i64::from(tens - b'0') * 10 + i64::from(ones - b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_hours_are_read_with_their_half_of_the_day() {
        let at = |text: &str| clock(text, true).map(|(ns, length)| (ns / 1_000_000_000, length));
        assert_eq!(at("12:59:40 PM took"), Some((12 * 3_600 + 59 * 60 + 40, 11)));
        assert_eq!(at("12:59:40 AM took"), Some((59 * 60 + 40, 11)));
        assert_eq!(at("1:00:05pm"), Some((13 * 3_600 + 5, 9)));
        assert_eq!(at("11:00:00 a.m. x"), Some((11 * 3_600, 13)));
        assert_eq!(at("01:00:00\u{202f}PM"), Some((13 * 3_600, 13)));
        assert_eq!(at("10:00:00 amount=5"), Some((36_000, 8)));
        assert_eq!(at("13:00:00 PM"), None);
        assert_eq!(at("00:00:00 AM"), None);
    }

    #[test]
    fn abbreviations_are_in_their_order() {
        assert!(ABBREVIATIONS.is_sorted());
    }

    #[test]
    fn zones_are_distinguished_from_words() {
        assert_eq!(zone("Z GET"), (Zone::Offset(0), 1));
        assert_eq!(zone(" UTC took"), (Zone::Offset(0), 4));
        assert_eq!(zone(" GMT+02:00 x"), (Zone::Offset(7_200), 10));
        assert_eq!(zone(" EST took"), (Zone::Abbreviation("EST"), 4));
        assert_eq!(zone(" (CET) x"), (Zone::Abbreviation("CET"), 5));
        assert_eq!(zone(" -0330 x"), (Zone::Offset(-12_600), 6));
        for text in [" GET /", " INFO x", " Zebra", " -12345", " - x", "", " EST=5", " +99:00"] {
            assert_eq!(zone(text).0, Zone::Unwritten, "{text}");
        }
    }
}
