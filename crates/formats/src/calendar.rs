//! Dates as tools print them for people: C's `ctime()`, DTrace's `%Y`, SystemTap's `tz_ctime()`,
//! `date`, Oracle's time stamps and ISO 8601.

use jiff::civil::{Date, DateTime, Time};

/// A date and a time of day, and what is written about their zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// What a clock and a calendar showed.
    pub(crate) local: DateTime,
    /// Where they hung.
    pub(crate) zone: WrittenZone,
}

/// What is written about the zone of a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WrittenZone {
    /// Nothing.
    None,
    /// So many seconds east of UTC.
    Offset(i32),
    /// A name that most often means so many seconds east of UTC, and something else elsewhere, such
    /// as `EST`.
    Likely(String, i32),
    /// A name that has several meanings, such as `CST`, or none that is known here.
    Unclear(String),
}

/// The date and time that a text consists of, such as `2026 Nov 21 05:30:20`, `Sat Nov 21 05:30:20
/// 2026`, either of them with a zone or after `Date:`, `21-NOV-26 05.30.20.5 AM +01:00` or
/// `2026-11-21 05:30:20`.
pub(crate) fn date(text: &str) -> Option<Written> {
    let text = text.trim();
    if text.len() > 64 || !text.is_ascii() {
        return None;
    }
    let text = text.split_once(": ").map_or(text, |(_, date)| date);
    let words: Vec<&str> = text.split_whitespace().collect();
    of_c(&words).or_else(|| of_oracle(&words)).or_else(|| of_iso(&words))
}

/// C's order of words, and DTrace's.
fn of_c(words: &[&str]) -> Option<Written> {
    let (year, month, day, clock, zone) = match *words {
        [year, month, day, clock] if is_year(year) => (year, month, day, clock, None),
        [_, month, day, clock, year] if is_year(year) => (year, month, day, clock, None),
        [_, month, day, clock, zone, year] if is_year(year) => {
            (year, month, day, clock, Some(zone))
        }
        [_, month, day, clock, year, zone] if is_year(year) => {
            (year, month, day, clock, Some(zone))
        }
        _ => return None,
    };
    let date = Date::new(year.parse().ok()?, month_of(month)?, day.parse().ok()?).ok()?;
    let time: Time = clock.contains(':').then(|| clock.parse().ok())??;
    Some(Written { local: date.to_datetime(time), zone: zone_of(zone) })
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `26-AUG-13 04.26.51.653754 PM +02:00`, with a point or a comma before the fraction.
fn of_oracle(words: &[&str]) -> Option<Written> {
    let (date, clock, rest) = match *words {
        [date, clock, ref rest @ ..] if rest.len() <= 2 => (date, clock, rest),
        _ => return None,
    };
    let [day, month, year] = date.split('-').collect::<Vec<_>>()[..] else { return None };
    let year: i16 = year.parse().ok().filter(|_| year.len() == 2 || year.len() == 4)?;
    let year = if year < 100 { 2_000 + year } else { year };
    let date = Date::new(year, month_of(month)?, day.parse().ok()?).ok()?;
    let (half, zone) = match *rest {
        [half @ ("AM" | "PM"), ref zone @ ..] => (Some(half), zone.first().copied()),
        [zone] => (None, Some(zone)),
        [] => (None, None),
        _ => return None,
    };
    Some(Written { local: date.to_datetime(time_of_oracle(clock, half)?), zone: zone_of(zone) })
}

/// `04.26.51.653754` before or after noon, or of 24 hours if `half` is none.
fn time_of_oracle(clock: &str, half: Option<&str>) -> Option<Time> {
    let parts: Vec<&str> = clock.split(['.', ':', ',']).collect();
    let (hours, minutes, seconds, fraction) = match parts[..] {
        [hours, minutes, seconds] => (hours, minutes, seconds, "0"),
        [hours, minutes, seconds, fraction] if fraction.len() <= 9 => {
            (hours, minutes, seconds, fraction)
        }
        _ => return None,
    };
    let hours: i8 = hours.parse().ok()?;
    let hours = match half {
        Some("AM") if hours == 12 => 0,
        Some("PM") if hours < 12 => hours + 12,
        _ => hours,
    };
    let nanos = format!("{fraction:0<9}").parse().ok()?;
    Time::new(hours, minutes.parse().ok()?, seconds.parse().ok()?, nanos).ok()
}

/// `2026-11-21 05:30:20`, `2026-11-21T05:30:20` or `20261121T053020`, with or without a fraction and an offset.
fn of_iso(words: &[&str]) -> Option<Written> {
    let (stamp, zone) = match *words {
        [date, clock] if !date.contains('T') => (format!("{date}T{clock}"), None),
        [date, clock, zone] => (format!("{date}T{clock}"), Some(zone)),
        [stamp, zone] => (stamp.to_owned(), Some(zone)),
        [stamp] => (stamp.to_owned(), None),
        _ => return None,
    };
    let (date, clock) = stamp.split_once('T')?;
    let end = clock.find(['Z', '+', '-']).unwrap_or(clock.len());
    let (clock, offset) = clock.split_at(end);
    let zone = if offset.is_empty() { zone } else { Some(offset) };
    let is_compact = date.len() == 8 && clock.len() >= 6 && !clock.contains(':');
    let date: Date = date.parse().ok().filter(|_| date.len() == 10 || is_compact)?;
    // Without its T, 100001 may also be a year and a month.
    let clock = if is_compact { format!("T{clock}") } else { clock.to_owned() };
    let time: Time = clock.parse().ok().filter(|_| is_compact || clock.contains(':'))?;
    Some(Written { local: date.to_datetime(time), zone: zone_of(zone) })
}

/// Offsets of names that mean only one thing in the time zone database. `CST`, `IST` and `PST`
/// mean several, hours apart; of others one meaning is much more common than the rest.
fn zone_of(name: Option<&str>) -> WrittenZone {
    /// Also of eastern Australia, Bangladesh, Bougainville, Arabia and Malaysia.
    const OFTEN: [&str; 6] = ["EST", "EDT", "BST", "AST", "ADT", "MST"];
    const HOURS: [(&str, i32); 37] = [
        ("UTC", 0),
        ("GMT", 0),
        ("UT", 0),
        ("Z", 0),
        ("WET", 0),
        ("WEST", 1),
        ("BST", 1),
        ("CET", 1),
        ("CEST", 2),
        ("EET", 2),
        ("EEST", 3),
        ("MSK", 3),
        ("WAT", 1),
        ("CAT", 2),
        ("SAST", 2),
        ("EAT", 3),
        ("PKT", 5),
        ("WIB", 7),
        ("WITA", 8),
        ("AWST", 8),
        ("HKT", 8),
        ("JST", 9),
        ("KST", 9),
        ("AEST", 10),
        ("AEDT", 11),
        ("NZST", 12),
        ("NZDT", 13),
        ("AST", -4),
        ("ADT", -3),
        ("EST", -5),
        ("EDT", -4),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PDT", -7),
        ("AKDT", -8),
        ("HST", -10),
    ];
    let Some(name) = name else { return WrittenZone::None };
    let known = HOURS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    match known.map(|(_, hours)| hours * 3_600).or_else(|| offset(name)) {
        Some(seconds) if OFTEN.iter().any(|often| often.eq_ignore_ascii_case(name)) => {
            WrittenZone::Likely(name.to_owned(), seconds)
        }
        Some(seconds) => WrittenZone::Offset(seconds),
        None => WrittenZone::Unclear(name.to_owned()),
    }
}

/// `+02:00`, `-0330` or `+05` in seconds.
fn offset(text: &str) -> Option<i32> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits: String = digits.split(':').collect();
    let number: i32 = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
    let (hours, minutes) = match digits.len() {
        1 | 2 => (number, 0),
        3 | 4 => (number / 100, number % 100),
        _ => return None,
    };
    (hours <= 15 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

pub(crate) fn month_of(name: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let index = MONTHS.iter().position(|month| name.eq_ignore_ascii_case(month))?;
    i8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str) -> DateTime {
        text.parse().unwrap()
    }

    #[test]
    fn dates_of_every_tool_are_read() {
        let local = local("2026-11-21 05:30:20");
        let is = |line: &str, zone: WrittenZone| {
            assert_eq!(date(line), Some(Written { local, zone }), "{line}");
        };
        let offset = |hours: i32| WrittenZone::Offset(hours * 3_600);
        is("2026 Nov 21 05:30:20", WrittenZone::None);
        is("Sat Nov 21 05:30:20 2026", WrittenZone::None);
        is("Date: Sat Nov 21 05:30:20 2026", WrittenZone::None);
        is("2026-11-21 05:30:20", WrittenZone::None);
        is("Sat Nov 21 05:30:20 UTC 2026", offset(0));
        is("Sat Nov 21 05:30:20 2026 CEST", offset(2));
        is("Sat Nov 21 05:30:20 2026 EST", WrittenZone::Likely("EST".into(), -5 * 3_600));
        is("Sat Nov 21 05:30:20 2026 EET", offset(2));
        is("Sat Nov 21 05:30:20 2026 +03", offset(3));
        is("Date: Sat Nov 21 05:30:20 2026 CST", WrittenZone::Unclear("CST".into()));
        is("2026-11-21T05:30:20+01:00", offset(1));
        is("20261121T053020Z", offset(0));
        is("20261121T053020", WrittenZone::None);
        is("2026-11-21 05:30:20 -05:00", offset(-5));
        is("21-NOV-26 05.30.20 AM", WrittenZone::None);
        is("21-NOV-26 05.30.20.000000 AM +02:00", offset(2));
        is("21-Nov-2026 05:30:20", WrittenZone::None);
    }

    #[test]
    fn oracle_has_two_halves_of_a_day() {
        let at = |text: &str| date(text).map(|written| written.local);
        let is = |text: &str, expected: &str| assert_eq!(at(text), Some(local(expected)), "{text}");
        is("26-AUG-13 04.26.51.653754 PM +02:00", "2013-08-26 16:26:51.653754");
        is("22-NOV-26 12.00.00,510000 AM +00:00", "2026-11-22 00:00:00.51");
        is("22-NOV-26 12.00.00 PM", "2026-11-22 12:00:00");
        let half = date("26-AUG-13 04.26.51 PM -03:30").map(|written| written.zone);
        assert_eq!(half, Some(WrittenZone::Offset(-12_600)));
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for line in [
            "",
            "2026 Nov 31 05:30:20",
            "read vda 4 KiB",
            "a Nov b 05:30 c",
            "x: y",
            "t",
            "text",
            "2026-13-21 05:30:20",
            "31-NOV-26 05.30.20 AM",
            "21-NOV-26 05.30.20 AM x y",
        ] {
            assert_eq!(date(line), None, "{line}");
        }
    }
}
