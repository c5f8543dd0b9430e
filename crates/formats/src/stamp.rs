//! The times tools print on lines of their own.

use isotherm_frame::{Clock, Nanos, Timestamp, Unit};
use jiff::civil::DateTime;

use crate::calendar::{self, Written};
use crate::zone::LocalClock;
use crate::{Context, Sink};

/// When a print says it happened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// On a clock that runs on: the epoch or an arbitrary zero.
    Running(Timestamp, Clock),
    /// Within a day, which it does not say.
    TimeOfDay(Nanos),
}

impl Stamp {
    /// The more a stamp says about the moment, the higher.
    pub(crate) fn precision(self) -> u8 {
        match self {
            Stamp::Running(_, Clock::Epoch) => 2,
            Stamp::Running(..) => 1,
            Stamp::TimeOfDay(_) => 0,
        }
    }

    /// The time from `earlier` to here; none if the two cannot be compared or went back.
    pub(crate) fn since(self, earlier: Stamp) -> Nanos {
        match (self, earlier) {
            (Stamp::Running(now, _), Stamp::Running(earlier, _)) => now.since(earlier),
            (Stamp::TimeOfDay(now), Stamp::TimeOfDay(earlier)) => {
                now.checked_sub(earlier).unwrap_or(Nanos::ZERO)
            }
            _ => Nanos::ZERO,
        }
    }
}

/// Reads lines that are nothing but a time.
#[derive(Debug, Default)]
pub struct StampReader {
    /// The unit of integer times, where the user gave it.
    given: Option<Unit>,
    /// The unit of integers behind a word, decided by the first one.
    tagged: Option<Unit>,
    /// Where dates without a zone are.
    local: LocalClock,
}

impl StampReader {
    /// Words that say that the integer behind them is a time.
    const TAGS: [&'static str; 9] =
        ["t", "ts", "tick", "time", "timestamp", "now", "nsecs", "elapsed", "clock"];

    /// The first nanosecond value taken as a time since 1970 (it is in 2001).
    const EPOCH_FROM: i64 = 1_000_000_000_000_000_000;

    /// The unit of integer times and the zone of dates are the user's, if there are any.
    pub fn new(context: &Context) -> StampReader {
        let local = LocalClock::new(context.zone.as_ref());
        StampReader { given: context.time_unit, tagged: None, local }
    }

    /// The time a line consists of: `HH:MM:SS`, `YYYY-MM-DD HH:MM:SS`, an integer that can only be
    /// a time since 1970, or a word for time and an integer.
    pub fn read(&mut self, line: &str, sink: &mut dyn Sink) -> Option<Stamp> {
        let line = line.trim();
        if line.len() > 64 || !line.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        time_of_day(line)
            .map(Stamp::TimeOfDay)
            .or_else(|| self.local(civil(line)?, sink))
            .or_else(|| self.bare(line))
            .or_else(|| self.tagged(line))
    }

    /// The moment of a date and time that names no zone.
    pub(crate) fn local(&mut self, local: DateTime, sink: &mut dyn Sink) -> Option<Stamp> {
        let ns = self.local.place(local, sink)?;
        Some(Stamp::Running(Timestamp::new(ns), Clock::Epoch))
    }

    /// A line that is a time in any way: as `read` takes it, or a date as `date` and `iostat` print it.
    pub(crate) fn stamp_or_date(&mut self, text: &str, sink: &mut dyn Sink) -> Option<Stamp> {
        let known = self.read(text, sink);
        known.or_else(|| self.date(&calendar::date(text)?, sink))
    }

    /// The moment of a date as tools print it for people.
    pub(crate) fn date(&mut self, date: &Written, sink: &mut dyn Sink) -> Option<Stamp> {
        let ns = self.local.place_date(date, sink)?;
        Some(Stamp::Running(Timestamp::new(ns), Clock::Epoch))
    }

    fn bare(&self, line: &str) -> Option<Stamp> {
        let whole = line.split_once('.').map_or(line, |(whole, _)| whole);
        let unit = self.given.or(match whole.len() {
            10 => Some(Unit::Seconds),
            13 => Some(Unit::Millis),
            16 => Some(Unit::Micros),
            19 => Some(Unit::Nanos),
            _ => None,
        })?;
        running(line, unit)
    }

    /// A word and an integer: nanoseconds, as tracing tools count, unless the first one has ten
    /// digits that are a second between 2014 and 2033.
    fn tagged(&mut self, line: &str) -> Option<Stamp> {
        let (word, number) = line.split_once([' ', '\t', '='])?;
        let word = word.trim_start_matches('#').trim_end_matches(':').to_ascii_lowercase();
        let number = number.trim();
        let value: u64 = number.parse().ok()?;
        let is_time = StampReader::TAGS.contains(&word.as_str());
        if !is_time || (self.given.is_none() && number.len() < 10) {
            return None;
        }
        let second = (1_400_000_000..2_000_000_000).contains(&value);
        let guess = if second { Unit::Seconds } else { Unit::Nanos };
        let unit = *self.tagged.get_or_insert(self.given.unwrap_or(guess));
        running(number, unit)
    }
}

/// A number of `unit`s as a point on a running clock.
fn running(number: &str, unit: Unit) -> Option<Stamp> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let unit = i64::try_from(unit.as_nanos().as_nanos()).ok()?;
    let part = format!("{fraction:0<9}").parse::<i64>().ok()? / (1_000_000_000 / unit);
    let ns = whole.parse::<i64>().ok()?.checked_mul(unit)?.checked_add(part)?;
    let clock = if ns >= StampReader::EPOCH_FROM { Clock::Epoch } else { Clock::Arbitrary };
    Some(Stamp::Running(Timestamp::new(ns), clock))
}

/// `HH:MM:SS` with or without a fraction, since midnight.
pub(crate) fn time_of_day(text: &str) -> Option<Nanos> {
    let (clock, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    let bytes = clock.as_bytes();
    let &[h1, h2, b':', m1, m2, b':', s1, s2] = bytes else { return None };
    let two = |tens: u8, ones: u8| {
        let both = tens.is_ascii_digit() && ones.is_ascii_digit();
        both.then(|| u64::from(tens - b'0') * 10 + u64::from(ones - b'0'))
    };
    let (hours, minutes, seconds) = (two(h1, h2)?, two(m1, m2)?, two(s1, s2)?);
    let plain = fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hours > 23 || minutes > 59 || seconds > 60 || !plain || !(1..=9).contains(&fraction.len()) {
        return None;
    }
    let part = fraction.bytes().fold(0, |part, digit| part * 10 + u64::from(digit - b'0'));
    let places = u32::try_from(9 - fraction.len()).ok()?;
    let part = part * 10_u64.pow(places);
    Some(Nanos::new((hours * 3_600 + minutes * 60 + seconds) * 1_000_000_000 + part))
}

/// `YYYY-MM-DD HH:MM:SS` in a zone that is not named.
pub(crate) fn civil(text: &str) -> Option<DateTime> {
    let date = text.as_bytes();
    if date.len() < 19 || date.get(4) != Some(&b'-') || date.get(7) != Some(&b'-') {
        return None;
    }
    text.parse().ok()
}

/// A time of day as a running time: a day later whenever it jumps back by more than half a day.
pub(crate) fn unwrap_day(since_midnight: Nanos, last: Option<Timestamp>) -> Timestamp {
    const DAY: i64 = 86_400_000_000_000;
    let at = Timestamp::new(0).plus(since_midnight).as_nanos();
    let Some(last) = last else { return Timestamp::new(at) };
    let day = last.as_nanos().saturating_sub(last.as_nanos().rem_euclid(DAY));
    let same_day = at.saturating_add(day);
    let passed = last.as_nanos().saturating_sub(same_day) > DAY / 2;
    Timestamp::new(if passed { same_day.saturating_add(DAY) } else { same_day })
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;

    fn read(line: &str) -> Option<Stamp> {
        StampReader::default().read(line, &mut Account::default())
    }

    fn at(ns: i64, clock: Clock) -> Stamp {
        Stamp::Running(Timestamp::new(ns), clock)
    }

    #[test]
    fn times_of_day_are_read_and_nonsense_is_not() {
        assert_eq!(read("04:48:57"), Some(Stamp::TimeOfDay(Nanos::new(17_337_000_000_000))));
        assert_eq!(read("00:00:01.5"), Some(Stamp::TimeOfDay(Nanos::new(1_500_000_000))));
        for line in ["24:00:00", "12:60:00", "12:00:61", "12:00", "ab:cd:ef", "1:2:3", "00:00:01."]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn integers_are_times_by_their_length() {
        let second = 1_795_236_885_000_000_000;
        assert_eq!(read("1795236885"), Some(at(second, Clock::Epoch)));
        assert_eq!(read("1795236885.25"), Some(at(second + 250_000_000, Clock::Epoch)));
        assert_eq!(read("1795236885123"), Some(at(second + 123_000_000, Clock::Epoch)));
        assert_eq!(read("1795236885123456"), Some(at(second + 123_456_000, Clock::Epoch)));
        assert_eq!(read("1795236885123456789"), Some(at(second + 123_456_789, Clock::Epoch)));
        assert_eq!(read("42"), None);
        assert_eq!(read("99999999999999999999"), None);
        let seconds = Context { time_unit: Some(Unit::Seconds), ..Context::default() };
        let given = StampReader::new(&seconds).read("42", &mut Account::default());
        assert_eq!(given, Some(at(42_000_000_000, Clock::Arbitrary)));
    }

    #[test]
    fn a_word_for_time_and_an_integer_run_on_a_clock_of_their_own() {
        assert_eq!(read("#t 1523457272680"), Some(at(1_523_457_272_680, Clock::Arbitrary)));
        assert_eq!(read("nsecs=1523457272680"), Some(at(1_523_457_272_680, Clock::Arbitrary)));
        assert_eq!(read("ts 1795236885"), Some(at(1_795_236_885_000_000_000, Clock::Epoch)));
        let mut elapsed = StampReader::default();
        let mut later = |line| elapsed.read(line, &mut Account::default());
        assert_eq!(later("T 1000012345"), Some(at(1_000_012_345, Clock::Arbitrary)));
        assert_eq!(later("T 1500012345"), Some(at(1_500_012_345, Clock::Arbitrary)));
        assert_eq!(read("reads 1523457272680"), None);
        assert_eq!(read("tick 5"), None);
        assert_eq!(read("E 1522459215778 254:0 RS 49329200 8 60615"), None);
    }

    #[test]
    fn dates_without_a_zone_are_utc_or_of_the_zone_that_is_given() {
        // 2026-11-21 is day 20,778 after 1970-01-01.
        let day = 20_778_i64 * 86_400;
        let seconds = day + 5 * 3_600 + 2 * 60 + 37;
        assert_eq!(read("2026-11-21 05:02:37"), Some(at(seconds * 1_000_000_000, Clock::Epoch)));
        assert_eq!(read("2026-13-21 05:02:37"), None);
        let mut said = Account::default();
        let zone = jiff::tz::TimeZone::get("Asia/Kolkata").ok();
        let context = Context { zone, ..Context::default() };
        let stamp = StampReader::new(&context).read("2026-11-21 05:02:37", &mut said);
        let there = seconds - 5 * 3_600 - 30 * 60;
        assert_eq!(stamp, Some(at(there * 1_000_000_000, Clock::Epoch)));
        assert!(said.notices.is_empty(), "{:?}", said.notices);
    }
}
