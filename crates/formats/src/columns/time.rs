//! The time column: numbers, dates or times of day on one running axis.

use isotherm_frame::{Clock, Nanos, Timestamp, Unit};
use jiff::civil::Time;

use crate::calendar::{self, WrittenZone};
use crate::logs::moment::date_and_time;
use crate::number::{self, Wrong, shown};
use crate::stamp::time_of_day;
use crate::zone::LocalClock;
use crate::{Context, Note, Sink};

/// How times are written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A number of units.
    Number(Unit),
    /// `2026-11-21 05:02:37.123`, with or without a `T`, a fraction and a zone.
    Date,
    /// `11/21/2026 05:02:37`, or with the day first.
    Slashed(DateOrder),
    /// `05:02:37.123`.
    OfDay,
}

/// Which of the two numbers of a date with slashes comes first.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum DateOrder {
    DayFirst,
    MonthFirst,
}

/// 2000-01-01: a number of nanoseconds from here on is taken to count from 1970.
const YEAR_2000: i64 = 946_684_800_000_000_000;
const HOUR: i64 = 3_600_000_000_000;
const DAY: i64 = 24 * HOUR;

/// How a time is written; `None` when it is none. `Err` when it is a number whose unit can be
/// known neither from its size nor from `given`, or a date of which day and month cannot be told apart.
pub(super) fn form_of(text: &[u8], given: Option<Unit>) -> Option<Result<Form, ()>> {
    if date(text).is_some() {
        return Some(Ok(Form::Date));
    }
    if let Some((first, second, ..)) = slashed(text) {
        return Some(order_of(first, second).map(Form::Slashed).ok_or(()));
    }
    if of_day(text).is_some() {
        return Some(Ok(Form::OfDay));
    }
    let value = number::nanos(text, Unit::Nanos).ok()?;
    if let Some(unit) = given {
        return Some(Ok(Form::Number(unit)));
    }
    // Between 2001 and 2286 the number of digits tells the unit.
    Some(match value {
        ..10_000_000_000 => Ok(Form::Number(Unit::Seconds)),
        1_000_000_000_000..10_000_000_000_000 => Ok(Form::Number(Unit::Millis)),
        1_000_000_000_000_000..10_000_000_000_000_000 => Ok(Form::Number(Unit::Micros)),
        1_000_000_000_000_000_000.. => Ok(Form::Number(Unit::Nanos)),
        _ => Err(()),
    })
}

/// A time as it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// Nanoseconds on the clock the text is written in; of a date without a zone since 1970 as if
    /// it were UTC.
    pub(super) ns: i64,
    /// Whether it is a date without a zone.
    local: bool,
}

/// Nanoseconds since 1970 and whether the zone was given.
fn date(text: &[u8]) -> Option<(i64, bool)> {
    // Most inputs have another form of time: this is asked for each of their lines.
    if !matches!(text, [b'0'..=b'9', _, _, _, b'-', _, _, b'-', _, _, b'T' | b't' | b' ', ..])
        || text.ends_with(b"M")
        || text.ends_with(b"m")
    {
        return date_of_people(text).map(|ns| (ns, false)).or_else(|| other_date(text));
    }
    let text = std::str::from_utf8(text).ok()?;
    let clock = text.get(11..)?;
    let zoned = clock.contains(['Z', 'z', '+', '-']);
    let at = if zoned {
        text.parse::<jiff::Timestamp>().ok()?
    } else {
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()
    };
    Some((i64::try_from(at.as_nanosecond()).ok()?, zoned))
}

/// The order of a date with slashes that leaves no choice.
pub(super) fn order_of_date(text: &[u8]) -> Option<DateOrder> {
    let (first, second, ..) = slashed(text)?;
    order_of(first, second)
}

fn order_of(first: i8, second: i8) -> Option<DateOrder> {
    match (first > 12, second > 12) {
        (true, false) => Some(DateOrder::DayFirst),
        (false, true) => Some(DateOrder::MonthFirst),
        _ => None,
    }
}

/// The parts of `03/13/2026 10:00:00` or `13-03-2026 10:00:00`, with or without AM or PM.
fn slashed(text: &[u8]) -> Option<(i8, i8, i16, Time)> {
    let text = std::str::from_utf8(text).ok()?;
    parts_of(text, '/').or_else(|| parts_of(text, '-'))
}

/// Two numbers, a year of four digits and a time of day.
fn parts_of(text: &str, sign: char) -> Option<(i8, i8, i16, Time)> {
    let (day, clock) = text.split_once([' ', 'T'])?;
    let mut parts = day.split(sign);
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let fits = is_number(first, 2) && is_number(second, 2) && is_number(year, 4) && year.len() == 4;
    if !fits || parts.next().is_some() {
        return None;
    }
    Some((first.parse().ok()?, second.parse().ok()?, year.parse().ok()?, clock_of(clock)?))
}

/// `9:05:02`, `09:05:02.5 PM`.
fn clock_of(text: &str) -> Option<Time> {
    let upper = text.trim().to_ascii_uppercase();
    let (clock, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(clock), _) => (clock.trim_end(), Some(0)),
        (_, Some(clock)) => (clock.trim_end(), Some(12)),
        (None, None) => (upper.as_str(), None),
    };
    let (hour, rest) = clock.split_once(':')?;
    let hour: i8 = hour.parse().ok().filter(|hour| (0..24).contains(hour))?;
    let hour = match half {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(half) => hour % 12 + half,
        None => hour,
    };
    format!("{hour:02}:{rest}").parse().ok()
}

fn on_clock(year: i16, month: i8, day: i8, clock: Time) -> Option<i64> {
    let civil = jiff::civil::Date::new(year, month, day).ok()?.to_datetime(clock);
    let at = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    i64::try_from(at.as_nanosecond()).ok()
}

/// A date without a zone as people write it, which can mean one thing only: `13.03.2026 10:00:00`,
/// `2026-03-13 10:00:00 PM`.
fn date_of_people(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some((day, month, year, clock)) = parts_of(text, '.') {
        return on_clock(year, month, day, clock);
    }
    let (date, clock) = text.split_once(' ')?;
    let date: jiff::civil::Date = date.parse().ok().filter(|_| date.len() == 10)?;
    let is_halved = clock.trim_end().to_ascii_uppercase().ends_with('M');
    on_clock(date.year(), date.month(), date.day(), clock_of(clock).filter(|_| is_halved)?)
}

/// A date and time in another form of logs and tools, and whether its zone is written: `13-Mar-2026 10:00:00`,
/// `2026/03/13 10:00:00`, `13/Mar/2026:10:00:00 +0000`, `Fri Mar 13 10:00:00 2026`, `20260313T100000Z`.
fn other_date(text: &[u8]) -> Option<(i64, bool)> {
    const LONGEST: usize = 64;
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if !(15..=LONGEST).contains(&text.len()) || text.iter().all(is_number) {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    // Which of two numbers is the day is asked below.
    if slashed(text.as_bytes()).is_some() {
        return None;
    }
    if let Some(found) = date_and_time(text) {
        return Some(found);
    }
    let written = calendar::date(text)?;
    let east = match written.zone {
        WrittenZone::None => None,
        WrittenZone::Offset(seconds) => Some(seconds),
        WrittenZone::Likely(..) | WrittenZone::Unclear(_) => return None,
    };
    let local = on_clock(
        written.local.year(),
        written.local.month(),
        written.local.day(),
        written.local.time(),
    )?;
    Some((local.checked_sub(i64::from(east.unwrap_or(0)) * 1_000_000_000)?, east.is_some()))
}

fn of_day(text: &[u8]) -> Option<i64> {
    let since_midnight = time_of_day(std::str::from_utf8(text).ok()?)?;
    i64::try_from(since_midnight.as_nanos()).ok()
}

/// Turns written times into points of one axis.
#[derive(Debug)]
pub(super) struct Times {
    form: Form,
    /// Added to every time: whole days after midnights, and for a live input whose clock is not
    /// ours the distance to our clock.
    offset: i64,
    /// The last time of day.
    last: Option<i64>,
    /// Midnights passed.
    midnights: u32,
    /// The zone of dates without one.
    zone: LocalClock,
    /// Whether all numbers so far were too small to count from 1970.
    small: bool,
}

impl Times {
    const ARBITRARY: &'static str =
        "the times do not count from 1970: they are relative to an unknown start (--time-unit)";
    const OF_DAY: &'static str = "the times are times of an unknown day";
    /// `first` is the first time; its event ended `since` after it.
    pub(super) fn new(
        (form, first, since): (Form, Written, Nanos),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Times {
        let zone = LocalClock::new(context.zone.as_ref());
        let mut times = Times { form, offset: 0, last: None, midnights: 0, zone, small: false };
        let (clock, said) = match form {
            Form::Number(_) if first.ns >= YEAR_2000 => (Clock::Epoch, None),
            Form::Number(_) => {
                times.small = !context.is_live();
                (Clock::Arbitrary, Some(Times::ARBITRARY))
            }
            Form::Date | Form::Slashed(_) if !first.local || context.zone.is_some() => {
                (Clock::Epoch, None)
            }
            Form::Date | Form::Slashed(_) => (Clock::Epoch, Some(LocalClock::NO_ZONE)),
            Form::OfDay if context.zone.is_some() => (Clock::TimeOfDay, Some(LocalClock::OF_DAY)),
            Form::OfDay => (Clock::TimeOfDay, Some(Times::OF_DAY)),
        };
        let live = context.arrived().filter(|_| said.is_some());
        if let Some(now) = live {
            let end = Timestamp::new(first.ns).plus(since);
            times.offset = now.as_nanos().saturating_sub(end.as_nanos());
            sink.note(Note::Clock(Clock::Epoch));
        } else {
            sink.note(Note::Clock(clock));
            if let Some(said) = said.filter(|_| !times.small) {
                sink.note(Note::Said(said.into()));
            }
        }
        times
    }

    /// What to say of the clock once all is read: a single number of today shows what it is.
    pub(super) fn unplaced(&self) -> Option<&'static str> {
        self.small.then_some(Times::ARBITRARY)
    }

    /// The first time that says something new about the clock, in nanoseconds.
    pub(super) fn before(&self) -> i64 {
        if self.small { YEAR_2000 } else { i64::MAX }
    }

    /// What to add to a time written as a number; `None` where times are written otherwise.
    pub(super) fn offset(&self) -> Option<i64> {
        matches!(self.form, Form::Number(_)).then_some(self.offset)
    }

    /// The time that a text says; an error in words for a rejection.
    pub(super) fn read(text: &[u8], form: Form) -> Result<Written, String> {
        let whole = |ns: i64| Written { ns, local: false };
        let wrong = |expected| format!("the time '{}' is not {expected}", shown(text));
        match form {
            Form::Number(unit) => number::nanos(text, unit)
                .and_then(|ns| i64::try_from(ns).map_err(|_| Wrong::TooLarge))
                .map(whole)
                .map_err(|wrong| wrong.about("time", text)),
            Form::Date => date(text)
                .map(|(ns, zoned)| Written { ns, local: !zoned })
                .ok_or_else(|| wrong("a date and time")),
            Form::Slashed(order) => slashed(text)
                .and_then(|(first, second, year, clock)| {
                    let (month, day) = match order {
                        DateOrder::DayFirst => (second, first),
                        DateOrder::MonthFirst => (first, second),
                    };
                    on_clock(year, month, day, clock)
                })
                .map(|ns| Written { ns, local: true })
                .ok_or_else(|| wrong("a date and time in the order of those before it")),
            Form::OfDay => {
                of_day(text).map(whole).ok_or_else(|| wrong("a time of day such as 05:02:37.1"))
            }
        }
    }

    /// The moment of a time that was read; `None` at the ends of time.
    pub(super) fn place(&mut self, written: Written, sink: &mut dyn Sink) -> Option<Timestamp> {
        if self.form == Form::OfDay {
            return Some(self.place_of_day(written.ns));
        }
        if self.small && written.ns >= YEAR_2000 {
            self.small = false;
            sink.note(Note::Clock(Clock::Epoch));
        }
        let moved = self.offset != 0;
        let at = if written.local && !moved {
            self.zone.place_written(written.ns, sink)?
        } else {
            written.ns
        };
        Some(Timestamp::new(at.saturating_add(self.offset)))
    }

    /// The moment of a time of day.
    fn place_of_day(&mut self, written: i64) -> Timestamp {
        let last = self.last.replace(written).unwrap_or(written);
        if last - written > DAY / 2 {
            self.midnights = self.midnights.saturating_add(1);
            self.offset = self.offset.saturating_add(DAY);
        } else if self.midnights > 0 && last < HOUR && written > DAY - HOUR {
            // A line of before midnight that was written after one of after midnight.
            self.last = Some(last);
            return Timestamp::new(written.saturating_add(self.offset).saturating_sub(DAY));
        }
        Timestamp::new(written.saturating_add(self.offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_number_tells_its_unit() {
        let form = |text: &str| form_of(text.as_bytes(), None);
        let number = |unit| Some(Ok(Form::Number(unit)));
        assert_eq!(form("1700000000.123456"), number(Unit::Seconds));
        assert_eq!(form("1700000000123"), number(Unit::Millis));
        assert_eq!(form("1700000000123456"), number(Unit::Micros));
        assert_eq!(form("1700000000123456789"), number(Unit::Nanos));
        assert_eq!(form("0.000125"), number(Unit::Seconds));
        assert_eq!(form("81234567890123"), Some(Err(())));
        assert_eq!(form_of(b"81234567890123", Some(Unit::Nanos)), number(Unit::Nanos));
        assert_eq!(form("2026-11-21T05:02:37Z"), Some(Ok(Form::Date)));
        assert_eq!(form("05:02:37,123"), Some(Ok(Form::OfDay)));
        assert_eq!(form("yesterday"), None);
        assert_eq!(form("-5"), None);
    }

    #[test]
    fn dates_are_read_with_and_without_a_zone() {
        // 2026-11-21 is day 20,778 after 1970-01-01.
        let noon = (20_778_i64 * 86_400 + 12 * 3_600) * 1_000_000_000;
        assert_eq!(date(b"2026-11-21T12:00:00Z"), Some((noon, true)));
        assert_eq!(date(b"2026-11-21 14:00:00.25+02:00"), Some((noon + 250_000_000, true)));
        assert_eq!(date(b"2026-11-21 12:00:00,000001"), Some((noon + 1_000, false)));
        assert_eq!(date(b"2026-13-21 12:00:00"), None);
        assert_eq!(date(b"2026-11-21"), None);
    }

    #[test]
    fn times_of_day_run_on_over_midnight_even_when_a_line_comes_late() {
        let (last, zone) = (None, LocalClock::default());
        let form = Form::OfDay;
        let mut times = Times { form, offset: 0, last, midnights: 0, zone, small: false };
        let mut at = |text: &str| {
            let written = Times::read(text.as_bytes(), Form::OfDay).unwrap();
            let at = times.place(written, &mut isotherm_frame::Account::default());
            at.unwrap().as_nanos() / 1_000_000_000
        };
        assert_eq!(at("23:59:58"), 86_398);
        assert_eq!(at("00:00:01"), 86_401);
        assert_eq!(at("23:59:59"), 86_399);
        assert_eq!(at("00:00:02"), 86_402);
        assert_eq!(at("13:00:00"), 86_400 + 13 * 3_600);
    }
}
