//! Local times, which a zone places on the time axis.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::calendar::{Written, WrittenZone};
use crate::number::shown;
use crate::{Note, Sink};

/// Places the local times of an input in the order in which they are written.
///
/// Where clocks are set back an hour of local times occurs twice: the first of the two moments is
/// taken unless that would go back in time. Where clocks are set forward an hour of local times
/// does not exist: such a time is read with the offset before the change.
#[derive(Debug, Default)]
pub(crate) struct LocalClock {
    zone: Option<TimeZone>,
    /// The moment of the last local time, in nanoseconds since 1970.
    last: Option<i64>,
    /// A stretch in which the zone's offset is known not to change, as moments, and that offset.
    steady: Option<(i64, i64, i64)>,
    /// Whether it was said that there is no zone.
    said: bool,
}

impl LocalClock {
    /// What is said of times without a zone when none was given.
    pub(crate) const NO_ZONE: &'static str = "the dates have no time zone: UTC is assumed (--zone)";

    /// What is said of a zone that was given for times of day.
    pub(crate) const OF_DAY: &'static str =
        "the zone has no effect: the times are times of an unknown day (--zone)";

    /// Lines that are written a little out of order do not show that clocks were set back.
    const DISORDER: i64 = 5 * 60 * 1_000_000_000;

    const DAY: i64 = 86_400 * 1_000_000_000;

    /// `zone` is the user's; UTC if there is none.
    pub(crate) fn new(zone: Option<&TimeZone>) -> LocalClock {
        LocalClock { zone: zone.cloned(), last: None, steady: None, said: false }
    }

    /// The moment of a local time in nanoseconds since 1970; `None` at the ends of time.
    pub(crate) fn place(&mut self, local: DateTime, sink: &mut dyn Sink) -> Option<i64> {
        self.place_written(as_utc(local)?, sink)
    }

    /// The moment of a date in nanoseconds since 1970; what is written of its zone goes first.
    pub(crate) fn place_date(&mut self, date: &Written, sink: &mut dyn Sink) -> Option<i64> {
        match &date.zone {
            WrittenZone::Likely(name, seconds) if self.zone.is_none() => {
                let (name, hours) = (shown(name.as_bytes()), seconds / 3_600);
                let said = format!(
                    "the zone '{name}' is read as UTC{hours:+}, its most common meaning; name \
                     another with --zone"
                );
                sink.note(Note::Said(said.into()));
                as_utc(date.local)?.checked_sub(i64::from(*seconds) * 1_000_000_000)
            }
            WrittenZone::Offset(seconds) => {
                as_utc(date.local)?.checked_sub(i64::from(*seconds) * 1_000_000_000)
            }
            WrittenZone::Unclear(name) if self.zone.is_none() => {
                let said = format!(
                    "the zone '{}' has several meanings or none: UTC is assumed for its times \
                     (--zone)",
                    shown(name.as_bytes())
                );
                sink.note(Note::Said(said.into()));
                as_utc(date.local)
            }
            WrittenZone::Unclear(_) | WrittenZone::Likely(..) | WrittenZone::None => {
                self.place(date.local, sink)
            }
        }
    }

    /// The same for a local time in nanoseconds, counted as if it were UTC.
    pub(crate) fn place_written(&mut self, written: i64, sink: &mut dyn Sink) -> Option<i64> {
        let Some(zone) = &self.zone else {
            if !std::mem::replace(&mut self.said, true) {
                sink.note(Note::Said(LocalClock::NO_ZONE.into()));
            }
            return Some(written);
        };
        if let Some((from, to, offset)) = self.steady {
            let at = written.saturating_sub(offset);
            if (from..to).contains(&at) {
                self.last = Some(at);
                return Some(at);
            }
        }
        let local = local_of(written)?;
        let (earlier, later) = match zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => (offset, offset),
            AmbiguousOffset::Gap { before, .. } => {
                sink.note(Note::Said(missing(local, zone).into()));
                (before, before)
            }
            AmbiguousOffset::Fold { before, after } => {
                sink.note(Note::Said(twice(local, zone).into()));
                (before, after)
            }
        };
        let moment = |offset: jiff::tz::Offset| {
            written.checked_sub(i64::from(offset.seconds()).checked_mul(1_000_000_000)?)
        };
        let (first, second) = (moment(earlier)?, moment(later)?);
        let back = self.last.is_some_and(|last| first < last.saturating_sub(Self::DISORDER));
        let at = if back { second } else { first };
        self.steady = steady(zone, at).map(|(from, to)| (from, to, written.saturating_sub(at)));
        self.last = Some(at);
        Some(at)
    }
}

/// The stretch around a moment, hours away from any change of the zone's offset; `None` where such
/// a change is near.
fn steady(zone: &TimeZone, at: i64) -> Option<(i64, i64)> {
    const NEAR: i64 = 6 * 3_600 * 1_000_000_000;
    let (from, to) = (at.saturating_sub(NEAR), at.saturating_add(LocalClock::DAY));
    let moment = |ns: i64| jiff::Timestamp::from_nanosecond(i128::from(ns)).ok();
    let next = zone.following(moment(from)?).next();
    let change = next.map(|change| change.timestamp().as_nanosecond());
    let end = change.and_then(|ns| i64::try_from(ns).ok()).map_or(to, |ns| to.min(ns - NEAR));
    (at < end).then_some((at, end))
}

fn as_utc(local: DateTime) -> Option<i64> {
    let moment = TimeZone::UTC.to_timestamp(local).ok()?;
    i64::try_from(moment.as_nanosecond()).ok()
}

fn local_of(written: i64) -> Option<DateTime> {
    let moment = jiff::Timestamp::from_nanosecond(i128::from(written)).ok()?;
    Some(moment.to_zoned(TimeZone::UTC).datetime())
}

fn name_of(zone: &TimeZone) -> &str {
    zone.iana_name().unwrap_or("this zone")
}

/// One sentence for each change of the clocks, not one for each time.
fn twice(local: DateTime, zone: &TimeZone) -> String {
    format!(
        "clocks in {} were set back on {}: times that occur twice are placed by their order",
        name_of(zone),
        local.date()
    )
}

fn missing(local: DateTime, zone: &TimeZone) -> String {
    format!(
        "clocks in {} were set forward on {}: times that do not exist are read as if the clocks \
         had not been set",
        name_of(zone),
        local.date()
    )
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;
    use crate::Message;

    impl Sink for Account {
        fn take(&mut self, message: Message) {
            message.into_reading(self);
        }
    }

    /// The UTC seconds of the day of local times in a zone, and what is said.
    fn placed(zone: &str, times: &[&str]) -> (Vec<i64>, Vec<String>) {
        let zone = TimeZone::get(zone).unwrap();
        let (mut clock, mut tally) = (LocalClock::new(Some(&zone)), Account::default());
        let mut place = |text: &&str| {
            let at = clock.place(text.parse().unwrap(), &mut tally).unwrap();
            at.div_euclid(1_000_000_000).rem_euclid(86_400)
        };
        let at = times.iter().map(&mut place).collect();
        (at, tally.notices.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn names_with_several_meanings_are_reported_and_give_way_to_the_zone_that_is_given() {
        let at = |zone: Option<&str>, text: &str| {
            let zone = zone.map(|name| TimeZone::get(name).unwrap());
            let (mut clock, mut tally) = (LocalClock::new(zone.as_ref()), Account::default());
            let date = crate::calendar::date(text).unwrap();
            let at = clock.place_date(&date, &mut tally).unwrap().div_euclid(1_000_000_000);
            (
                at.rem_euclid(86_400),
                tally.notices.iter().map(ToString::to_string).collect::<String>(),
            )
        };
        let (eastern, said) = at(None, "2026-11-21 05:30:20 EST");
        assert_eq!(eastern, hms(10, 30, 20));
        assert!(said.contains("'EST' is read as UTC-5"), "{said}");
        let (australian, said) = at(Some("Australia/Sydney"), "2026-06-21 15:30:20 EST");
        assert_eq!((australian, said), (hms(5, 30, 20), String::new()));
        assert_eq!(at(None, "2026-11-21 05:30:20 CET"), (hms(4, 30, 20), String::new()));
    }

    fn hms(hours: i64, minutes: i64, seconds: i64) -> i64 {
        hours * 3_600 + minutes * 60 + seconds
    }

    #[test]
    fn summer_and_winter_have_their_offsets() {
        let (at, said) = placed("Europe/Zurich", &["2025-07-01 14:00:00", "2025-12-01 14:00:00"]);
        assert_eq!(at, [hms(12, 0, 0), hms(13, 0, 0)]);
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn the_hour_that_occurs_twice_is_placed_by_order_and_reported_once() {
        // Clocks went from 03:00 CEST (+2) to 02:00 CET (+1) at 01:00 UTC.
        let (at, said) = placed(
            "Europe/Zurich",
            &[
                "2025-10-26 01:30:00",
                "2025-10-26 02:59:59",
                "2025-10-26 02:59:58",
                "2025-10-26 02:00:00",
                "2025-10-26 02:30:00",
                "2025-10-26 02:59:59",
                "2025-10-26 03:00:00",
            ],
        );
        let first = [hms(23, 30, 0), hms(0, 59, 59), hms(0, 59, 58)];
        let second = [hms(1, 0, 0), hms(1, 30, 0), hms(1, 59, 59), hms(2, 0, 0)];
        assert_eq!(at, [&first[..], &second[..]].concat());
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("set back on 2025-10-26"), "{said:?}");
    }

    #[test]
    fn the_hour_that_does_not_exist_is_reported() {
        // Clocks went from 02:00 CET (+1) to 03:00 CEST (+2) at 01:00 UTC.
        let (at, said) = placed(
            "Europe/Zurich",
            &["2025-03-30 01:59:59", "2025-03-30 03:00:00", "2025-03-30 02:30:00"],
        );
        assert_eq!(at, [hms(0, 59, 59), hms(1, 0, 0), hms(1, 30, 0)]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("set forward on 2025-03-30"), "{said:?}");
    }

    #[test]
    fn every_minute_of_a_year_is_where_the_zone_has_it() {
        // Forward through the zone, and back: UTC minutes become local times, which must become
        // the same minutes.
        for name in ["Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"] {
            let zone = TimeZone::get(name).unwrap();
            let (mut clock, mut tally) = (LocalClock::new(Some(&zone)), Account::default());
            let start: jiff::Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
            for minute in 0..365 * 24 * 12 {
                let moment = start + jiff::SignedDuration::from_secs(minute * 300);
                let local = moment.to_zoned(zone.clone()).datetime();
                let at = clock.place(local, &mut tally).map(i128::from);
                assert_eq!(at, Some(moment.as_nanosecond()), "{name} {local}");
            }
        }
    }
}
