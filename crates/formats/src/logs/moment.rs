//! The times of log lines, in the many ways in which they are written.

use isotherm_frame::{Nanos, Unit};
use jiff::civil;

use super::clock::{Zone, clock, zone};
use super::date::{self, Date};
use crate::number;

/// A time as it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Since 1970.
    Instant(i64),
    /// A date without a zone, as if it were UTC.
    Local(i64),
    /// The same with an abbreviation of its zone.
    Abbreviated(i64, &'static str),
    /// Within a day that is not known, since midnight.
    OfDay(i64),
    /// Within a year that is not known.
    OfYear(OfYear),
    /// A date of which the order of day and month is not known.
    Either(Either),
    /// A time of day beside a date in a form that is not known.
    Undated,
}

/// A date without its year and a time of day.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct OfYear {
    pub(super) month: i8,
    pub(super) day: i8,
    /// Since midnight.
    pub(super) ns: i64,
}

/// Two numbers of which one is the day and the other the month, with the rest of a time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Either {
    first: i8,
    second: i8,
    year: i16,
    ns: i64,
    zone: Zone,
}

/// Which of the two numbers of a date comes first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

impl Either {
    /// The order that its numbers leave no choice about.
    pub(super) fn order(self) -> Option<Order> {
        match (self.first > 12, self.second > 12) {
            (true, false) => Some(Order::DayFirst),
            (false, true) => Some(Order::MonthFirst),
            _ => None,
        }
    }

    /// The abbreviation of its zone.
    pub(super) fn abbreviation(self) -> Option<&'static str> {
        match self.zone {
            Zone::Abbreviation(name) => Some(name),
            Zone::Unwritten | Zone::Offset(_) => None,
        }
    }

    /// The time in that order, if there is such a date.
    pub(super) fn written(self, order: Order) -> Option<Written> {
        let (day, month) = match order {
            Order::DayFirst => (self.first, self.second),
            Order::MonthFirst => (self.second, self.first),
        };
        on_day(civil::Date::new(self.year, month, day).ok()?, self.ns, self.zone)
    }
}

/// 2000-01-01 in nanoseconds: a number from here on counts from 1970.
const YEAR_2000: i64 = 946_684_800_000_000_000;
/// 2100-01-01.
const YEAR_2100: i64 = 4_102_444_800_000_000_000;

/// A time of day on a date.
fn on_day(day: civil::Date, ns: i64, zone: Zone) -> Option<Written> {
    on_axis(midnight(day).checked_add(ns)?, zone)
}

/// A date and time of day, as if it were UTC, in its zone.
fn on_axis(local: i64, zone: Zone) -> Option<Written> {
    Some(match zone {
        Zone::Offset(seconds) => Written::Instant(local.checked_sub(seconds * 1_000_000_000)?),
        Zone::Abbreviation(name) => Written::Abbreviated(local, name),
        Zone::Unwritten => Written::Local(local),
    })
}

/// The date and time of day that a text begins with in the form of most logs, `2026-11-21T05:15:14.312`
/// with or without the fraction, and its length; `None` of every other form, and where anything stands
/// behind it that may be a part of it.
fn iso(text: &[u8]) -> Option<(i64, usize)> {
    let &[
        y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T' | b't' | b' ', h1, h2, b':', n1, n2, b':', s1, s2,
        ref behind @ ..,
    ] = text
    else {
        return None;
    };
    let two = |tens: u8, ones: u8| {
        let both = tens.is_ascii_digit() && ones.is_ascii_digit();
        both.then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    };
    let (century, year, month, day) = (two(y1, y2)?, two(y3, y4)?, two(m1, m2)?, two(d1, d2)?);
    let (hour, minute, second) = (two(h1, h2)?, two(n1, n2)?, two(s1, s2)?);
    let year = century * 100 + year;
    if !(1970..2100).contains(&year) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (part, length) = fraction(behind)?;
    // The half of a day, AM or PM.
    let mut next = behind[length..].iter().skip_while(|byte| byte.is_ascii_whitespace());
    if next.next().is_some_and(|byte| matches!(byte, b'a' | b'A' | b'p' | b'P') || !byte.is_ascii()) {
        return None;
    }
    let date = civil::Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let seconds = hour * 3_600 + minute * 60 + second;
    Some((midnight(date.ok()?) + seconds * 1_000_000_000 + part, 19 + length))
}

/// The nanoseconds of the decimals that a text begins with, and their length.
fn fraction(text: &[u8]) -> Option<(i64, usize)> {
    let digits = match text {
        [b'.' | b',', digits @ ..] => digits,
        [b'0'..=b'9', ..] => return None,
        _ => return Some((0, 0)),
    };
    let (mut part, mut places) = (0, 0);
    for digit in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        part = part * 10 + i64::from(digit - b'0');
        places += 1;
        if places > 9 {
            return None;
        }
    }
    let scale = 10_i64.pow(9 - places);
    Some(if places == 0 { (0, 0) } else { (part * scale, 1 + usize::try_from(places).ok()?) })
}

/// The beginning of a day in nanoseconds since 1970, in the calendar of today. What a library makes
/// of it by way of zones takes longer than all of the rest of a line.
fn midnight(day: civil::Date) -> i64 {
    const NS: i64 = 86_400_000_000_000;
    /// Days of 400 years, after which the calendar repeats.
    const AGE: i64 = 146_097;
    /// From the first of March of the year 0.
    const UP_TO_1970: i64 = 719_468;
    let (month, january) = (i64::from(day.month()), i64::from(day.month() <= 2));
    // Years begin in March, so that the leap day is the last one.
    let year = i64::from(day.year()) - january;
    let (age, of_age) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month - 3 + 12 * january) + 2) / 5 + i64::from(day.day()) - 1;
    let days = age * AGE + of_age * 365 + of_age / 4 - of_age / 100 + of_year;
    (days - UP_TO_1970) * NS
}

impl Written {
    /// The time that a whole text says.
    pub(super) fn of(text: &str, unit: Option<Unit>) -> Option<Written> {
        let text = text.trim().trim_matches(['[', ']']);
        let behind = |text: &str| {
            let (written, length) = Written::at_start(text)?;
            (length == text.len()).then_some(written)
        };
        // The day of the week says nothing that the date does not.
        let without_weekday = || behind(text.split_once(' ')?.1.trim_start()).filter(|_| text.starts_with(char::is_alphabetic));
        behind(text).or_else(without_weekday).or_else(|| Written::number(text, unit))
    }

    /// So many units since 1970, in nanoseconds, if that is in this century.
    pub(super) fn of_units(text: &[u8], unit: Unit) -> Option<i64> {
        let mut number = 0_i64;
        for byte in text {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            number = number.checked_mul(10)?.checked_add(digit)?;
        }
        let unit = i64::try_from(unit.as_nanos().as_nanos()).ok()?;
        number.checked_mul(unit).filter(|ns| (YEAR_2000..YEAR_2100).contains(ns))
    }

    /// A number of seconds, ms, us or ns since 1970.
    pub(super) fn number(text: &str, unit: Option<Unit>) -> Option<Written> {
        let text = text.as_bytes();
        let plain = !text.is_empty() && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let guessed = match whole {
            9..=10 => Unit::Seconds,
            12..=13 => Unit::Millis,
            15..=16 => Unit::Micros,
            18..=19 => Unit::Nanos,
            _ => unit?,
        };
        let ns = number::nanos(text, unit.unwrap_or(guessed)).ok().filter(|_| plain)?;
        let ns = i64::try_from(ns).ok().filter(|ns| (YEAR_2000..YEAR_2100).contains(ns))?;
        Some(Written::Instant(ns))
    }

    /// The date and time that a text begins with, and its length.
    fn at_start(text: &str) -> Option<(Written, usize)> {
        if let Some((local, length)) = iso(text.as_bytes()) {
            let (zone, more) = zone(&text[length..]);
            return Some((on_axis(local, zone)?, length + more));
        }
        let Some((date, clock_at)) = date::at_start(text) else {
            let (ns, length) = clock(text, false)?;
            return Some((Written::OfDay(ns), length));
        };
        let (ns, length) = clock(text.get(clock_at..)?, true)?;
        let mut end = clock_at + length;
        let (mut zone_of, length) = zone(&text[end..]);
        end += length;
        let mut date = date;
        if let Date::OfYear { month, day } = date
            && let Some((year, length)) = date::year_behind(&text[end..])
        {
            end += length;
            date = Date::Whole(civil::Date::new(year, month, day).ok()?);
            if zone_of == Zone::Unwritten {
                let (behind, length) = zone(&text[end..]);
                (zone_of, end) = (behind, end + length);
            }
        }
        let written = match date {
            Date::Whole(day) => on_day(day, ns, zone_of)?,
            Date::OfYear { month, day } => Written::OfYear(OfYear { month, day, ns }),
            Date::Either { first, second, year } => {
                Written::Either(Either { first, second, year, ns, zone: zone_of })
            }
        };
        Some((written, end))
    }

    /// The first time of a log line, looked for near its beginning.
    pub(super) fn first(line: &str) -> Option<Written> {
        const NEAR: usize = 100;
        const VERY_NEAR: usize = 40;
        let starts = || line.char_indices().take(NEAR).filter(|(at, _)| is_boundary(line, *at));
        let (mut of_year, mut of_day) = (None, None);
        for (at, _) in starts() {
            match Written::at_start(&line[at..]) {
                Some((Written::OfDay(ns), length)) if at < VERY_NEAR => {
                    of_day = of_day.or(Some((ns, at, length)));
                }
                Some((Written::OfDay(_), _)) | None => {}
                Some((written @ Written::OfYear(_), _)) => of_year = of_year.or(Some(written)),
                Some((dated, _)) => return Some(dated),
            }
        }
        let number = || {
            let word = line.trim_start_matches('[').split([' ', '\t', ']', ',']).next()?;
            Written::number(word, None)
        };
        let of_day = || {
            let (ns, at, length) = of_day?;
            let dated = date::looks_dated(&line[..at], &line[at + length..]);
            Some(if dated { Written::Undated } else { Written::OfDay(ns) })
        };
        of_year.or_else(number).or_else(of_day)
    }
}

/// Whether a time may begin at a byte of a line.
fn is_boundary(line: &str, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| line.as_bytes().get(before));
    let digit = line.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
    digit && before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b':' | b'-'))
}

/// A time for comparing lines of a sample.
pub(super) fn comparable(written: Written) -> Nanos {
    const DAY: i64 = 86_400_000_000_000;
    let ns = match written {
        Written::Instant(ns) | Written::Local(ns) | Written::Abbreviated(ns, _) | Written::OfDay(ns) => ns,
        Written::OfYear(OfYear { month, day, ns }) => (i64::from(month) * 31 + i64::from(day)) * DAY + ns,
        Written::Either(either) => either.ns,
        Written::Undated => 0,
    };
    Nanos::new(u64::try_from(ns).unwrap_or(0))
}

/// The date and time that a text consists of, in nanoseconds since 1970 as if it were UTC, and whether its zone is
/// written; `None` of a number, and where day and month or the zone are not clear.
pub(crate) fn date_and_time(text: &str) -> Option<(i64, bool)> {
    let has_words = text.contains(|c: char| !c.is_ascii_digit() && c != '.');
    match Written::of(text, None).filter(|_| has_words)? {
        Written::Instant(ns) => Some((ns, true)),
        Written::Local(ns) => Some((ns, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 is day 20,778 after 1970-01-01.
    const FIVE: i64 = (20_778 * 86_400 + 5 * 3_600 + 15 * 60 + 14) * 1_000_000_000;
    const DAY: i64 = 86_400_000_000_000;

    fn of_november(ns: i64) -> Written {
        Written::OfYear(OfYear { month: 11, day: 21, ns: ns.rem_euclid(DAY) })
    }

    #[test]
    fn every_day_begins_when_the_calendar_of_the_library_says() {
        let (mut day, end) = (civil::date(1899, 12, 30), civil::date(2101, 3, 2));
        while day < end {
            let moment = day.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp();
            assert_eq!(i128::from(midnight(day)), moment.as_nanosecond(), "{day}");
            day = day.tomorrow().unwrap();
        }
    }

    #[test]
    fn times_of_many_programs_are_read() {
        let half = FIVE + 500_000_000;
        for (line, expected) in [
            ("2026-11-21T05:15:14.5Z GET /", Written::Instant(half)),
            ("2026-11-21T06:15:14.5+01:00 GET /", Written::Instant(half)),
            ("2026-11-21 05:15:14,500 INFO", Written::Local(half)),
            ("2026/11/21 05:15:14.500000 main.go:5: took", Written::Local(half)),
            ("[GIN] 2026/11/21 - 05:15:14 | 200 |", Written::Local(FIVE)),
            ("10.0.0.1 - - [21/Nov/2026:06:15:14 +0100] \"GET / HTTP/1.1\"", Written::Instant(FIVE)),
            ("INFO [2026-11-21 05:15:14.5] x", Written::Local(half)),
            ("1795238114.5 x", Written::Instant(half)),
            ("[1795238114.5] 64 bytes", Written::Instant(half)),
            ("1795238114500 x", Written::Instant(half)),
            ("05:15:14.5 [main] INFO", Written::OfDay(half.rem_euclid(DAY))),
        ] {
            assert_eq!(Written::first(line), Some(expected), "{line}");
        }
        for line in ["hello", "took 45us", "10.0.0.1:8080 up", "v1.2.3 05", "123.456 x", "Mar 14 took"] {
            assert_eq!(Written::first(line), None, "{line}");
        }
    }

    #[test]
    fn dates_in_words_are_read() {
        let half = FIVE + 500_000_000;
        for (line, expected) in [
            ("Sat Nov 21 05:15:14 2026 took", Written::Local(FIVE)),
            ("[Sat Nov 21 05:15:14.500000 2026] x", Written::Local(half)),
            ("Sat Nov 21 05:15:14 UTC 2026 took", Written::Instant(FIVE)),
            ("Sat Nov 21 05:15:14 EST 2026 took", Written::Abbreviated(FIVE, "EST")),
            ("Sat Nov 21 05:15:14 2026 EST took", Written::Abbreviated(FIVE, "EST")),
            ("Sat, 21 Nov 2026 05:15:14 GMT took", Written::Instant(FIVE)),
            ("Nov 21, 2026 5:15:14 AM com.example", Written::Local(FIVE)),
            ("21-NOV-2026 05:15:14 x", Written::Local(FIVE)),
            ("20261121 05:15:14 x", Written::Local(FIVE)),
            ("2026-11-21 05:15:14 CET took", Written::Abbreviated(FIVE, "CET")),
            ("2026-11-21 05:15:14 GET /", Written::Local(FIVE)),
            ("Nov 21 05:15:14 host app[5]: x", of_november(FIVE)),
            ("I1121 05:15:14.500000    1 x.go:7] y", of_november(half)),
            ("Nov 21 05:15:14 host app: 2026-11-21T05:15:14Z x", Written::Instant(FIVE)),
        ] {
            assert_eq!(Written::first(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_date_whose_form_is_not_known_is_not_passed_over() {
        for line in [
            "26-11-21 05:15:14 x",
            "21.11.26 05:15:14 x",
            "21 Mär 2026 05:15:14 x",
            "261121 05:15:14 x",
            "date=2026-11-21 time=05:15:14 x",
            "05:15:14 21/11/2026 x",
            "2026-02-30 05:15:14 x",
            "Sat 05:15:14 x",
        ] {
            assert_eq!(Written::first(line), Some(Written::Undated), "{line}");
        }
    }

    #[test]
    fn the_order_of_day_and_month_is_that_of_their_numbers() {
        let of = |line: &str| match Written::first(line) {
            Some(Written::Either(either)) => either,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(of("21/11/2026 05:15:14 x").order(), Some(Order::DayFirst));
        assert_eq!(of("21.11.2026 05:15:14 x").written(Order::DayFirst), Some(Written::Local(FIVE)));
        assert_eq!(of("11/21/2026 05:15:14 AM x").order(), Some(Order::MonthFirst));
        assert_eq!(of("11/21/2026 5:15:14 AM x").written(Order::MonthFirst), Some(Written::Local(FIVE)));
        assert_eq!(of("11/21/2026 05:15:14 x").written(Order::DayFirst), None);
        assert_eq!(of("3/4/2026 05:15:14 x").order(), None);
    }

    #[test]
    fn a_whole_text_is_a_time_or_none() {
        assert_eq!(Written::of("2026-11-21T05:15:14Z", None), Some(Written::Instant(FIVE)));
        assert_eq!(Written::of("2026-11-21 05:15:14 AM", None), Some(Written::Local(FIVE)));
        assert_eq!(Written::of("Sat, 21 Nov 2026 05:15:14 GMT", None), Some(Written::Instant(FIVE)));
        assert_eq!(Written::of("1795238114", None), Some(Written::Instant(FIVE)));
        assert_eq!(Written::of("1795238114", Some(Unit::Millis)), None);
        assert_eq!(Written::of("2026-11-21 and more", None), None);
        assert_eq!(Written::of("12.5", None), None);
    }
}
