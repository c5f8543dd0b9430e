//! The times of reports: dates as the locale writes them, and times of a day that the header names.

use isotherm_frame::Timestamp;
use jiff::ToSpan;
use jiff::civil::{Date, Time};

use crate::stamp::{Stamp, StampReader};
use crate::{Context, Sink, calendar};

/// Reads the times of an input.
pub(super) struct Dates {
    stamps: StampReader,
    /// The day that sar's header names, moved on where times of day begin anew.
    day: Option<Date>,
    last: Option<Time>,
}

impl Dates {
    pub(super) fn new(context: &Context) -> Dates {
        Dates { stamps: StampReader::new(context), day: None, last: None }
    }

    /// Takes the day out of `Linux 6.1.0 (host)  11/23/26  _x86_64_  (2 CPU)`.
    pub(super) fn day_of_header(&mut self, text: &str) {
        if let Some(day) = text.split_whitespace().find_map(date) {
            // Times of day begin anew: what follows is not after the midnight of the day before.
            (self.day, self.last) = (Some(day), None);
        }
    }

    /// The moment that a line consists of, as iostat -t prints it.
    pub(super) fn whole_line(&mut self, text: &str, sink: &mut dyn Sink) -> Option<Timestamp> {
        let text = text.trim();
        if let Some(written) = calendar::date(text) {
            return running(self.stamps.date(&written, sink)?);
        }
        let (day, clock) = text.split_once(char::is_whitespace)?;
        running(self.stamps.local(date(day)?.to_datetime(time(clock)?), sink)?)
    }

    /// The moment of a time of day, on the header's day or the one after.
    pub(super) fn clock(&mut self, text: &str, sink: &mut dyn Sink) -> Option<Timestamp> {
        let (day, time) = (self.day?, time(text)?);
        let is_next = self.last.is_some_and(|last| time < last && last.hour() == 23 && time.hour() == 0);
        let day = if is_next { day.checked_add(1.day()).ok()? } else { day };
        (self.day, self.last) = (Some(day), Some(time));
        running(self.stamps.local(day.to_datetime(time), sink)?)
    }
}

fn running(stamp: Stamp) -> Option<Timestamp> {
    match stamp {
        Stamp::Running(at, _) => Some(at),
        Stamp::TimeOfDay(_) => None,
    }
}

/// `2026-11-23`, `11/23/26`, `11/23/2026` or `23.11.2026`; a number above twelve can only be the day.
fn date(word: &str) -> Option<Date> {
    if let Some(date) = word.parse::<Date>().ok().filter(|_| word.len() == 10 && word.contains('-')) {
        return Some(date);
    }
    // `01.03.2026`, as in German and many other languages: the day is first.
    let dotted: Vec<&str> = word.split('.').collect();
    if let [day, month, year] = dotted[..]
        && day.len() == 2
        && month.len() == 2
        && year.len() == 4
    {
        return Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok();
    }
    let parts: Vec<i16> = word.split('/').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [one, two, year] = parts[..] else { return None };
    let (month, day) = if one > 12 { (two, one) } else { (one, two) };
    let year = if year < 100 { 2_000 + year } else { year };
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// `05:30:01`, `05:30:01 AM`.
pub(super) fn time(text: &str) -> Option<Time> {
    let mut words = text.split_whitespace();
    let time: Time = words.next().filter(|word| word.len() == 8)?.parse().ok()?;
    let hour = match (words.next(), time.hour()) {
        (Some("AM"), 12) => 0,
        (None | Some("AM"), hour) => hour,
        (Some("PM"), 12) => 12,
        (Some("PM"), hour @ 0..12) => hour + 12,
        _ => return None,
    };
    Time::new(hour, time.minute(), time.second(), 0).ok()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;

    #[test]
    fn times_are_read_as_locales_write_them() {
        let mut dates = Dates::new(&Context::default());
        let mut at = |text: &str| dates.whole_line(text, &mut Account::default()).map(Timestamp::as_nanos);
        let expected = Some(1_795_412_968_000_000_000);
        assert_eq!(at("2026-11-23T05:49:28+0000"), expected);
        assert_eq!(at("11/23/26 05:49:28"), expected);
        assert_eq!(at("11/23/2026 05:49:28 AM"), expected);
        assert_eq!(at("23/11/26 05:49:28"), expected);
        assert_eq!(at("23.11.2026 05:49:28"), expected);
        assert_eq!(at("avg-cpu:  %user"), None);
    }

    #[test]
    fn a_new_heading_dates_what_follows_and_midnight_does_not_count_again() {
        let mut dates = Dates::new(&Context::default());
        let heading = |day: u32| format!("Linux 6.1.0 (vm) \t2026-03-{day:02} \t_x86_64_\t(2 CPU)");
        let mut at = |day: Option<u32>, text: &str| {
            if let Some(day) = day {
                dates.day_of_header(&heading(day));
            }
            dates.clock(text, &mut Account::default()).unwrap().as_nanos() / 1_000_000_000
        };
        // 2026-03-01 is day 20,513 after 1970-01-01.
        let midnight = 20_513 * 86_400;
        assert_eq!(at(Some(1), "23:50:01"), midnight + 23 * 3_600 + 50 * 60 + 1);
        assert_eq!(at(None, "00:00:01"), midnight + 86_400 + 1);
        assert_eq!(at(Some(2), "00:10:01"), midnight + 86_400 + 601);
        assert_eq!(at(None, "23:59:01"), midnight + 2 * 86_400 - 59);
        assert_eq!(at(Some(3), "00:00:01"), midnight + 2 * 86_400 + 1);
        // Two runs of sar of one day.
        assert_eq!(at(Some(3), "00:00:01"), midnight + 2 * 86_400 + 1);
    }

    #[test]
    fn days_go_on_after_midnight() {
        let mut dates = Dates::new(&Context::default());
        dates.day_of_header("Linux 6.1.0 (vm) \t11/23/26 \t_x86_64_\t(2 CPU)");
        let mut at = |text: &str| dates.clock(text, &mut Account::default()).unwrap().as_nanos();
        let before = at("11:59:59 PM");
        assert_eq!(at("12:00:01 AM") - before, 2_000_000_000);
        assert_eq!(time("13:00:00 PM"), None);
    }
}
