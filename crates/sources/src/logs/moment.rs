//! The times of log lines, in the many ways in which they are written.

use isotherm_frame::{Clock, Nanos, Timestamp, Unit};

use crate::calendar;
use crate::number;
use crate::stamp::time_of_day;
use crate::zone::LocalClock;
use crate::{Context, Note, Sink};

/// A time as it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Since 1970.
    Instant(i64),
    /// A date without a zone, as if it were UTC.
    Local(i64),
    /// Within a day that is not known, since midnight.
    OfDay(i64),
}

/// 2000-01-01 in nanoseconds: a number from here on counts from 1970.
const YEAR_2000: i64 = 946_684_800_000_000_000;
/// 2100-01-01.
const YEAR_2100: i64 = 4_102_444_800_000_000_000;
const DAY: i64 = 86_400_000_000_000;

impl Written {
    /// The time that a whole text says.
    pub(super) fn of(text: &str, unit: Option<Unit>) -> Option<Written> {
        let text = text.trim().trim_matches(['[', ']']);
        if let Some((written, length)) = Written::at_start(text)
            && length == text.len()
        {
            return Some(written);
        }
        Written::number(text, unit)
    }

    /// A number of seconds, ms, us or ns since 1970.
    fn number(text: &str, unit: Option<Unit>) -> Option<Written> {
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
        let bytes = text.as_bytes();
        let of = |from: usize, to: usize| text.get(from..to);
        let (date, clock_at) = match bytes {
            [b'0'..=b'9', _, _, _, b'-' | b'/', _, _, b'-' | b'/', _, _, b'T' | b't' | b' ', ..] => {
                (format!("{}-{}-{}", of(0, 4)?, of(5, 7)?, of(8, 10)?), 11)
            }
            [_, _, b'/', _, _, _, b'/', _, _, _, _, b':', ..] => {
                let month = calendar::month_of(of(3, 6)?)?;
                (format!("{}-{month:02}-{}", of(7, 11)?, of(0, 2)?), 12)
            }
            [_, _, b':', _, _, b':', ..] => {
                let (ns, length) = clock(text)?;
                return Some((Written::OfDay(ns), length));
            }
            _ => return None,
        };
        let dash = if of(clock_at, clock_at + 2) == Some("- ") { 2 } else { 0 };
        let clock_at = clock_at + dash;
        let (since_midnight, length) = clock(text.get(clock_at..)?)?;
        let day: jiff::civil::Date = date.parse().ok()?;
        let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_nanosecond();
        let local = i64::try_from(midnight).ok()?.checked_add(since_midnight)?;
        let end = clock_at + length;
        let (written, zone) = match zone(text.get(end..)?) {
            Some((seconds, zone)) => (Written::Instant(local.checked_sub(seconds * 1_000_000_000)?), zone),
            None => (Written::Local(local), 0),
        };
        Some((written, end + zone))
    }

    /// The first time of a log line, looked for near its beginning.
    pub(super) fn first(line: &str) -> Option<Written> {
        const NEAR: usize = 100;
        const VERY_NEAR: usize = 40;
        let starts = || line.char_indices().take(NEAR).filter(|(at, _)| is_boundary(line, *at));
        let date = |(at, _): (usize, char)| Written::at_start(line.get(at..)?).map(|(written, _)| written);
        let dated = starts().filter_map(date).find(|written| !matches!(written, Written::OfDay(_)));
        let number = || {
            let word = line.trim_start_matches('[').split([' ', '\t', ']', ',']).next()?;
            Written::number(word, None)
        };
        let of_day = || starts().filter(|(at, _)| *at < VERY_NEAR).find_map(date);
        dated.or_else(number).or_else(of_day)
    }
}

/// Whether a time may begin at a byte of a line.
fn is_boundary(line: &str, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| line.as_bytes().get(before));
    let digit = line.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    digit && before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b':' | b'-'))
}

/// The time of day that a text begins with, in nanoseconds since midnight, and its length.
fn clock(text: &str) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let fraction = match bytes.get(8) {
        Some(b'.' | b',') => bytes[9..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let length = if fraction == 0 { 8 } else { 9 + fraction };
    let goes_on = bytes.get(length).is_some_and(u8::is_ascii_digit);
    let ns = time_of_day(text.get(..length)?).filter(|_| !goes_on)?;
    Some((i64::try_from(ns.as_nanos()).ok()?, length))
}

/// The offset from UTC in seconds that a text begins with, and its length.
fn zone(text: &str) -> Option<(i64, usize)> {
    let blank = usize::from(text.starts_with(' '));
    let bytes = &text.as_bytes()[blank..];
    if let [b'Z' | b'z', ..] = bytes {
        return Some((0, blank + 1));
    }
    if text[blank..].starts_with("UTC") {
        return Some((0, blank + 3));
    }
    let &[sign @ (b'+' | b'-'), h1 @ b'0'..=b'9', h2 @ b'0'..=b'9', ref rest @ ..] = bytes else {
        return None;
    };
    let colon = usize::from(rest.first() == Some(&b':'));
    let (minutes, length) = match rest.get(colon..) {
        Some([m1 @ b'0'..=b'9', m2 @ b'0'..=b'9', ..]) => (two(*m1, *m2), 5 + colon),
        _ => (0, 3),
    };
    let seconds = two(h1, h2) * 3_600 + minutes * 60;
    Some((if sign == b'-' { -seconds } else { seconds }, blank + length))
}

fn two(tens: u8, ones: u8) -> i64 {
    i64::from(tens - b'0') * 10 + i64::from(ones - b'0')
}

/// Places written times on one axis, in the order of the lines.
pub(super) struct Times {
    zone: LocalClock,
    has_zone: bool,
    /// The last time of day, on an axis that begins at the midnight before the first one.
    last: Option<i64>,
    /// What leads from times of day to the clock of a live input.
    offset: i64,
    told: bool,
}

impl Times {
    const OF_DAY: &'static str = "the times are times of day: which day is not known";

    pub(super) fn new(context: &Context) -> Times {
        let zone = LocalClock::new(context.zone.as_ref());
        Times { zone, has_zone: context.zone.is_some(), last: None, offset: 0, told: false }
    }

    /// The moment of a time; `None` at the ends of time.
    pub(super) fn place(
        &mut self,
        written: Written,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Option<Timestamp> {
        if !std::mem::replace(&mut self.told, true) {
            self.tell(written, context, sink);
        }
        let ns = match written {
            Written::Instant(ns) => ns,
            Written::Local(ns) => self.zone.place_written(ns, sink)?,
            Written::OfDay(ns) => self.of_day(ns).checked_add(self.offset)?,
        };
        Some(Timestamp::new(ns))
    }

    fn tell(&mut self, first: Written, context: &Context, sink: &mut dyn Sink) {
        let Written::OfDay(ns) = first else { return sink.note(Note::Clock(Clock::Epoch)) };
        if let Some(now) = &context.arrival {
            self.offset = now().as_nanos().saturating_sub(ns);
            return sink.note(Note::Clock(Clock::Epoch));
        }
        sink.note(Note::Clock(Clock::TimeOfDay));
        let said = if self.has_zone { LocalClock::OF_DAY } else { Times::OF_DAY };
        sink.note(Note::Said(said.into()));
    }

    /// The day of a time of day is the one in which it is nearest to the time before it.
    fn of_day(&mut self, ns: i64) -> i64 {
        let last = self.last.unwrap_or(ns);
        let step = match ns - last.rem_euclid(DAY) {
            step if step > DAY / 2 => step - DAY,
            step if step < -DAY / 2 => step + DAY,
            step => step,
        };
        let at = last.saturating_add(step);
        self.last = Some(at);
        at
    }
}

/// A time for comparing lines of a sample.
pub(super) fn comparable(written: Written) -> Nanos {
    let (Written::Instant(ns) | Written::Local(ns) | Written::OfDay(ns)) = written;
    Nanos::new(u64::try_from(ns).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 is day 20,778 after 1970-01-01.
    const FIVE: i64 = (20_778 * 86_400 + 5 * 3_600 + 15 * 60 + 14) * 1_000_000_000;

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
            ("Nov 21 05:15:14 host app[5]: x", Written::OfDay(FIVE.rem_euclid(DAY))),
            ("I1121 05:15:14.500000    1 x.go:7] y", Written::OfDay(half.rem_euclid(DAY))),
        ] {
            assert_eq!(Written::first(line), Some(expected), "{line}");
        }
        for line in ["hello", "took 45us", "10.0.0.1:8080 up", "v1.2.3 05", "123.456 x"] {
            assert_eq!(Written::first(line), None, "{line}");
        }
    }

    #[test]
    fn a_whole_text_is_a_time_or_none() {
        assert_eq!(Written::of("2026-11-21T05:15:14Z", None), Some(Written::Instant(FIVE)));
        assert_eq!(Written::of("1795238114", None), Some(Written::Instant(FIVE)));
        assert_eq!(Written::of("1795238114", Some(Unit::Millis)), None);
        assert_eq!(Written::of("2026-11-21 and more", None), None);
        assert_eq!(Written::of("12.5", None), None);
    }

    #[test]
    fn times_of_day_run_on_over_midnight_and_back() {
        let mut times = Times::new(&Context::default());
        let at = |times: &mut Times, seconds: i64| times.of_day(seconds * 1_000_000_000) / 1_000_000_000;
        assert_eq!(at(&mut times, 86_398), 86_398);
        assert_eq!(at(&mut times, 1), 86_401);
        assert_eq!(at(&mut times, 86_399), 86_399);
        assert_eq!(at(&mut times, 2), 86_402);
    }
}
