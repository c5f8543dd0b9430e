//! Where the times of log lines are on one axis.

use isotherm_frame::{Clock, Timestamp, Unit};
use jiff::tz::TimeZone;

use super::moment::{OfYear, Order, Written};
use crate::zone::LocalClock;
use crate::{Context, Note, Sink};

const DAY: i64 = 86_400_000_000_000;

/// What times count from; those of one input all count from the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Axis {
    Epoch,
    Day,
    Year,
}

/// Places written times on one axis, in the order of the lines.
pub(super) struct Times {
    local: LocalClock,
    zone: Option<TimeZone>,
    order: Option<Order>,
    axis: Option<Axis>,
    /// The last time of day, on an axis that begins at the midnight before the first one.
    last: Option<i64>,
    year: YearlessDays,
    /// What leads from times without a date to the clock of a live input.
    offset: i64,
}

impl Times {
    const OF_DAY: &'static str = "the times are times of an unknown day";
    const OF_YEAR: &'static str =
        "the dates have no year: days are right relative to each other, but the year is unknown";
    const ZONE_OF_YEAR: &'static str =
        "the zone has no effect: the dates have no year, and the year is unknown (--zone)";

    /// `order` is that of the day and the month where both are numbers.
    pub(super) fn new(context: &Context, order: Option<Order>) -> Times {
        let local = LocalClock::new(context.zone.as_ref());
        let zone = context.zone.clone();
        Times { local, zone, order, axis: None, last: None, year: YearlessDays::default(), offset: 0 }
    }

    /// Whether all times so far have a date and a year.
    pub(super) fn are_dates(&self) -> bool {
        self.axis.is_none_or(|axis| axis == Axis::Epoch)
    }

    /// The moment of a time, or why it has none.
    pub(super) fn place(
        &mut self,
        written: Written,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<Timestamp, String> {
        const TOO_LARGE: &str = "the time is too large to be true";
        let written = self.in_order(written)?;
        self.on_one_axis(written)?;
        let ns = match written {
            Written::Instant(ns) => Some(ns),
            Written::Local(ns) => self.local.place_written(ns, sink),
            Written::Abbreviated(ns, name) => Some(self.in_zone(ns, name, sink)?),
            Written::OfDay(ns) => Some(self.of_day(ns)),
            Written::OfYear(date) => Some(self.year.place(date, sink)),
            Written::Either(_) | Written::Undated => return Err(undated()),
        };
        let ns = ns.ok_or(TOO_LARGE)?;
        if self.axis.is_none() {
            self.tell(written, ns, context, sink);
        }
        Ok(Timestamp::new(ns.checked_add(self.offset).ok_or(TOO_LARGE)?))
    }

    fn in_order(&self, written: Written) -> Result<Written, String> {
        let Written::Either(either) = written else { return Ok(written) };
        let order = self.order.ok_or("day and month of the date cannot be distinguished")?;
        either.written(order).ok_or_else(|| {
            let order = if order == Order::DayFirst { "day" } else { "month" };
            format!("there is no such date with the {order} first, as the first lines have it")
        })
    }

    fn on_one_axis(&self, written: Written) -> Result<(), String> {
        match self.axis {
            Some(axis) if axis != axis_of(written) => {
                Err("its time has a date and those before it have none, or the reverse".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The moment of a time in the user's zone, which must be the one that is written.
    fn in_zone(&mut self, ns: i64, name: &str, sink: &mut dyn Sink) -> Result<i64, String> {
        let zone = self.zone.clone().ok_or_else(|| abbreviated(name))?;
        let at = self.local.place_written(ns, sink).ok_or("the time is too large to be true")?;
        let moment = jiff::Timestamp::from_nanosecond(i128::from(at)).map_err(|error| error.to_string())?;
        let place = zone.iana_name().unwrap_or("the zone of --zone");
        let there = zone.to_offset_info(moment);
        let letters = there.abbreviation().bytes().all(|byte| byte.is_ascii_alphabetic());
        if letters && !there.abbreviation().eq_ignore_ascii_case(name) {
            let there = there.abbreviation();
            return Err(format!("its zone is '{name}', but it was '{there}' in {place} (--zone)"));
        }
        sink.note(Note::Said(format!("the zone '{name}' of the times is read as {place} (--zone)").into()));
        Ok(at)
    }

    fn tell(&mut self, first: Written, ns: i64, context: &Context, sink: &mut dyn Sink) {
        let axis = axis_of(first);
        self.axis = Some(axis);
        if axis == Axis::Epoch {
            return sink.note(Note::Clock(Clock::Epoch));
        }
        if let Some(now) = context.arrived() {
            self.offset = now.as_nanos().saturating_sub(ns);
            return sink.note(Note::Clock(Clock::Epoch));
        }
        sink.note(Note::Clock(Clock::TimeOfDay));
        sink.note(Note::Said(match (axis, self.zone.is_some()) {
            (Axis::Year, false) => Times::OF_YEAR.into(),
            (Axis::Year, true) => Times::ZONE_OF_YEAR.into(),
            (_, true) => LocalClock::OF_DAY.into(),
            (_, false) => Times::OF_DAY.into(),
        }));
    }

    /// The day of a time of day is the one in which it is nearest to the time before it.
    fn of_day(&mut self, ns: i64) -> i64 {
        let at = following(ns, self.last.unwrap_or(ns), DAY, DAY / 2);
        self.last = Some(at);
        at
    }
}

/// Times in a field of their own, where what they are is known beforehand.
pub(crate) struct WrittenTimes {
    times: Times,
    context: Context,
    /// Of a number, where its size is not to say it.
    unit: Option<Unit>,
    /// Whether times without a zone are in UTC.
    are_utc: bool,
}

impl WrittenTimes {
    pub(crate) fn new(context: &Context, unit: Option<Unit>, are_utc: bool) -> WrittenTimes {
        WrittenTimes { times: Times::new(context, None), context: context.clone(), unit, are_utc }
    }

    /// The moment of a number of units since 1970, where those before it were moments since then: what
    /// [`WrittenTimes::read`] gives, sooner. `None` of any other text.
    pub(crate) fn read_like_those_before(&self, text: &[u8]) -> Option<Timestamp> {
        if self.times.axis != Some(Axis::Epoch) || self.times.offset != 0 {
            return None;
        }
        Written::of_units(text, self.unit?).map(Timestamp::new)
    }

    /// The moment of a time since 1970 or of a day; `None` of any other text.
    pub(crate) fn read(&mut self, text: &str, sink: &mut dyn Sink) -> Option<Result<Timestamp, String>> {
        let number = Written::number(text, self.unit);
        let written = number.or_else(|| Written::of(text, self.unit))?;
        let written = match written {
            Written::Local(ns) if self.are_utc => Written::Instant(ns),
            other => other,
        };
        Some(self.times.place(written, &self.context, sink))
    }
}

/// Dates without a year, as syslog writes them, in other logs: `Mar  1 10:00:00 db1 postgres[90]: `.
pub(crate) struct SyslogTimes {
    times: Times,
    context: Context,
}

impl SyslogTimes {
    pub(crate) fn new(context: &Context) -> SyslogTimes {
        SyslogTimes { times: Times::new(context, None), context: context.clone() }
    }

    /// The moment that a line begins with, perhaps behind a priority in angle brackets.
    pub(crate) fn read(&mut self, line: &[u8], sink: &mut dyn Sink) -> Option<Timestamp> {
        let line = String::from_utf8_lossy(line);
        let line = match line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            Some((_, rest)) => rest,
            None => &line,
        };
        let written = Written::first(line).filter(|written| matches!(written, Written::OfYear(_)))?;
        self.times.place(written, &self.context, sink).ok()
    }
}

fn axis_of(written: Written) -> Axis {
    match written {
        Written::OfDay(_) => Axis::Day,
        Written::OfYear(_) => Axis::Year,
        _ => Axis::Epoch,
    }
}

/// What recurs every `period`, where it follows `last`, or goes back by `back` at most.
fn following(ns: i64, last: i64, period: i64, back: i64) -> i64 {
    let step = ns - last.rem_euclid(period) + back;
    last.saturating_add(step.rem_euclid(period) - back)
}

/// What to do about a date that is not read.
pub(super) fn undated() -> String {
    "the format of the date beside the time is unknown: write it as 2026-03-13 10:00:00, or name \
     another time with --columns time=FIELD"
        .to_owned()
}

/// What to do about an abbreviation of a zone.
pub(super) fn abbreviated(name: &str) -> String {
    format!(
        "its times have the zone '{name}', which has several meanings or changes over the year: \
         name the place with --zone, such as --zone America/New_York"
    )
}

/// Days of a year that is not known, from the midnight before the first time.
#[derive(Debug, Default)]
struct YearlessDays {
    /// The first midnight and the last time, in years of 365 days.
    first: Option<i64>,
    last: Option<i64>,
    /// The year that had a 29th of February, counted from the first one.
    leap: Option<i64>,
    reported: bool,
}

impl YearlessDays {
    const YEAR: i64 = 365 * DAY;
    /// Lines that go back further are those of the next year.
    const DISORDER: i64 = 30 * DAY;
    const NO_LEAP: &'static str =
        "the dates have no year, and none is the 29th of February: a year without a leap day is \
         assumed";

    fn place(&mut self, date: OfYear, sink: &mut dyn Sink) -> i64 {
        /// The days of a year before each month.
        const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        let month = usize::try_from(date.month - 1).unwrap_or(0);
        let in_year = (BEFORE.get(month).copied().unwrap_or(0) + i64::from(date.day) - 1) * DAY + date.ns;
        let first = *self.first.get_or_insert(in_year - date.ns);
        let before = self.last.unwrap_or(in_year);
        let at = following(in_year % Self::YEAR, before, Self::YEAR, Self::DISORDER);
        let year = at.div_euclid(Self::YEAR);
        if date.month == 2 && date.day == 29 {
            self.leap = Some(year);
        }
        let february = before.rem_euclid(Self::YEAR) < BEFORE[2] * DAY;
        let crossed = february && at > before && date.month >= 3;
        if crossed && self.leap != Some(year) && !std::mem::replace(&mut self.reported, true) {
            sink.note(Note::Said(Self::NO_LEAP.into()));
        }
        self.last = Some(at);
        let march = date.month >= 3;
        let leaps = self.leap.map_or(0, |leap| i64::from(year > leap || year == leap && march));
        at - first + leaps * DAY
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;

    #[test]
    fn times_of_day_run_on_over_midnight_and_back() {
        let mut times = Times::new(&Context::default(), None);
        let at = |times: &mut Times, seconds: i64| times.of_day(seconds * 1_000_000_000) / 1_000_000_000;
        assert_eq!(at(&mut times, 86_398), 86_398);
        assert_eq!(at(&mut times, 1), 86_401);
        assert_eq!(at(&mut times, 86_399), 86_399);
        assert_eq!(at(&mut times, 2), 86_402);
    }

    fn days(dates: &[(i8, i8)]) -> (Vec<i64>, Vec<String>) {
        let (mut days, mut account) = (YearlessDays::default(), Account::default());
        let place = |(month, day): &(i8, i8)| {
            days.place(OfYear { month: *month, day: *day, ns: 5 }, &mut account) / DAY
        };
        let at = dates.iter().map(place).collect();
        (at, account.notices.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn days_without_a_year_are_right_relative_to_each_other() {
        assert_eq!(days(&[(3, 14), (3, 15), (4, 1), (3, 31)]), (vec![0, 1, 18, 17], vec![]));
        assert_eq!(days(&[(12, 31), (1, 1), (12, 31), (1, 2)]), (vec![0, 1, 0, 2], vec![]));
        assert_eq!(days(&[(2, 28), (2, 29), (3, 1), (12, 31), (1, 1)]).0, [0, 1, 2, 307, 308]);
        let (at, said) = days(&[(2, 28), (3, 1)]);
        assert_eq!((at, said.len()), (vec![0, 1], 1));
    }

    fn placed(zone: Option<&str>, written: Written) -> (Result<i64, String>, Vec<String>) {
        let zone = zone.map(|name| TimeZone::get(name).unwrap());
        let context = Context { zone, ..Context::default() };
        let mut account = Account::default();
        let at = Times::new(&context, None).place(written, &context, &mut account);
        (at.map(Timestamp::as_nanos), account.notices.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn an_abbreviation_of_a_zone_needs_the_zone_and_must_be_its_own() {
        // 2026-03-01 10:00:00, in New York five hours before UTC.
        const TEN: i64 = 1_772_359_200_000_000_000;
        let written = Written::Abbreviated(TEN, "EST");
        assert!(placed(None, written).0.unwrap_err().contains("'EST'"));
        let (at, said) = placed(Some("America/New_York"), written);
        assert_eq!(at, Ok(TEN + 5 * 3_600_000_000_000));
        assert!(said.iter().any(|said| said.contains("'EST' of the times is read as America/New_York")), "{said:?}");
        let (at, _) = placed(Some("Europe/Zurich"), written);
        assert!(at.unwrap_err().contains("it was 'CET' in Europe/Zurich"));
    }

    #[test]
    fn times_with_and_without_a_date_do_not_mix() {
        let (mut times, context) = (Times::new(&Context::default(), None), Context::default());
        let mut account = Account::default();
        assert!(times.place(Written::OfDay(5), &context, &mut account).is_ok());
        assert!(times.place(Written::Local(5 * DAY), &context, &mut account).is_err());
        assert!(times.place(Written::Undated, &context, &mut account).is_err());
    }
}
