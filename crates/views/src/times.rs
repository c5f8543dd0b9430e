//! Moments and spans of time as people read them.

use isotherm_frame::{Clock, Nanos, Timestamp};

pub use isotherm_frame::span;
use jiff::tz::TimeZone;

/// How moments are written: as UTC where the clock allows it, else counted from the first.
#[derive(Clone, Debug)]
pub struct TimeFormat {
    clock: Clock,
    zero: Timestamp,
    /// The zone of days and times, if it is not UTC.
    zone: Option<TimeZone>,
}

/// Lengths of time that ticks of an axis may be apart, in milliseconds.
const STEPS_MS: [u64; 24] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
    300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000,
    86_400_000,
];
const DAY: i64 = 86_400_000_000_000;
/// What is known to within less is reported with fractions of a second; a second that was polled a little
/// early is a second.
const FINE: Nanos = Nanos::new(900_000_000);
/// What is known to within so much at best is reported in minutes.
const COARSE: Nanos = Nanos::from_millis(30_000);

impl TimeFormat {
    /// Moments of this clock; `zero` is what relative ones are counted from.
    pub fn new(clock: Clock, zero: Timestamp) -> TimeFormat {
        TimeFormat { clock, zero, zone: None }
    }

    /// The same with days and times of day in this zone, which readers know: it is not named.
    /// Stretches and ticks are in UTC still.
    #[must_use]
    pub fn in_zone(self, zone: TimeZone) -> TimeFormat {
        TimeFormat { zone: Some(zone), ..self }
    }

    /// The day, where it is known.
    pub fn day(&self, at: Timestamp) -> Option<String> {
        (self.clock == Clock::Epoch).then(|| self.within(at, "%Y-%m-%d"))
    }

    /// The time of day, or the time since the first moment; fractions of a second if `fine`, else
    /// the nearest second: one that ended a little early is that second.
    pub fn time(&self, at: Timestamp, fine: bool) -> String {
        let at = if fine { at } else { nearest_second(at) };
        self.time_as(at, if fine { "%H:%M:%S%.3f" } else { "%H:%M:%S" })
    }

    fn time_as(&self, at: Timestamp, format: &str) -> String {
        match self.clock {
            Clock::Epoch => self.within(at, format),
            Clock::TimeOfDay => utc(at, format),
            Clock::Arbitrary | Clock::Assumed => {
                format!("+{}", span(at.since(self.zero)))
            }
        }
    }

    /// A moment of its own, known to within `exact_to`: the time of day, with the day if it is not
    /// that of the first moment; whole seconds, or whole minutes, if it is not known better.
    pub fn moment(&self, at: Timestamp, exact_to: Nanos) -> String {
        let (unit_ns, format) = if exact_to < FINE {
            (1, "%H:%M:%S%.3f")
        } else if exact_to < COARSE {
            (1_000_000_000, "%H:%M:%S")
        } else {
            (60_000_000_000, "%H:%M")
        };
        let whole = |at: Timestamp| {
            let past = at.as_nanos().rem_euclid(unit_ns);
            Timestamp::new(at.as_nanos().saturating_sub(past))
        };
        let at = whole(at.plus(Nanos::new(unit_ns.unsigned_abs() / 2)));
        let zeroed = TimeFormat { zero: whole(self.zero), ..self.clone() };
        let time = zeroed.time_as(at, format);
        // A wait may have begun a little before midnight that ended after it.
        let first = self.day(nearest_second(self.zero));
        match self.day(at) {
            Some(day) if first.as_ref() != Some(&day) => format!("{day} {time}"),
            _ => time,
        }
    }

    /// Whether nobody measured the times: how long an interval was is assumed.
    pub fn is_assumed(&self) -> bool {
        self.clock == Clock::Assumed
    }

    /// What follows a moment to say of which zone it is. The local time of a clock without days is
    /// that of the machine which wrote it.
    pub fn zone(&self) -> &'static str {
        match self.clock {
            Clock::Epoch if self.zone.is_none() => " UTC",
            Clock::TimeOfDay => " local time",
            _ => "",
        }
    }

    fn within(&self, at: Timestamp, format: &str) -> String {
        let Some(zone) = &self.zone else { return utc(at, format) };
        let moment = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos()));
        moment.unwrap_or_default().to_zoned(zone.clone()).strftime(format).to_string()
    }

    /// The moments from `start` to `end`, in words.
    pub fn between(&self, start: Timestamp, end: Timestamp) -> String {
        let length = span(end.since(start));
        let fine = end.since(start) < Nanos::SECOND;
        let (start, end) =
            if fine { (start, end) } else { (nearest_second(start), nearest_second(end)) };
        let (from, to) = (self.time(start, fine), self.time(end, fine));
        match (self.clock, self.day(start), self.day(end)) {
            (Clock::Epoch, Some(first), Some(last)) if first == last => {
                format!("{first} {from}–{to} UTC, {length}")
            }
            (Clock::Epoch, Some(first), Some(last)) => {
                format!("{first} {from} – {last} {to} UTC, {length}")
            }
            (Clock::TimeOfDay, ..) => format!("{from}–{to} local time, {length}"),
            (Clock::Assumed, ..) => format!("{length}, intervals assumed"),
            _ => length,
        }
    }

    /// The columns that begin at, or first after, a round moment, with its label; at least
    /// `apart` columns from one to the next.
    pub fn ticks(&self, starts: &[Timestamp], apart: usize) -> Vec<(usize, String)> {
        let (Some(&first), Some(&second)) = (starts.first(), starts.get(1)) else {
            let only = starts.first().map(|&at| (0, self.time(at, false)));
            return only.into_iter().collect();
        };
        let needed = second.since(first).as_nanos().saturating_mul(apart as u64);
        let step = STEPS_MS.iter().map(|ms| ms * 1_000_000).find(|&step| step >= needed);
        let day = DAY.unsigned_abs();
        let step = step.unwrap_or_else(|| needed.div_ceil(day).saturating_mul(day));
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let zero = match self.clock {
            Clock::Epoch | Clock::TimeOfDay => 0,
            Clock::Arbitrary | Clock::Assumed => self.zero.as_nanos(),
        };
        let place = |at: &Timestamp| at.as_nanos().saturating_sub(zero).div_euclid(step);
        let mut ticks = Vec::new();
        let round = |place: i64| Timestamp::new(place.saturating_mul(step).saturating_add(zero));
        if round(place(&first)) == first {
            ticks.push((0, self.tick(first, step)));
        }
        for (column, pair) in starts.windows(2).enumerate() {
            if place(&pair[0]) != place(&pair[1]) {
                ticks.push((column + 1, self.tick(round(place(&pair[1])), step)));
            }
        }
        ticks
    }

    fn tick(&self, at: Timestamp, step: i64) -> String {
        let format = match step {
            i64::MIN..1_000_000_000 => "%H:%M:%S%.3f",
            1_000_000_000..60_000_000_000 => "%H:%M:%S",
            60_000_000_000..DAY => "%H:%M",
            _ => "%m-%d",
        };
        match self.clock {
            Clock::Epoch | Clock::TimeOfDay => utc(at, format),
            Clock::Arbitrary | Clock::Assumed => format!("+{}", span(at.since(self.zero))),
        }
    }
}

/// The whole second nearest to a moment.
pub fn nearest_second(at: Timestamp) -> Timestamp {
    let rounded = at.plus(Nanos::new(Nanos::SECOND.as_nanos() / 2));
    let past = rounded.as_nanos().rem_euclid(1_000_000_000);
    Timestamp::new(rounded.as_nanos().saturating_sub(past))
}

fn utc(at: Timestamp, format: &str) -> String {
    // Every 64-bit count of nanoseconds lies within the years jiff knows.
    let moment = jiff::Timestamp::from_nanosecond(i128::from(at.as_nanos()));
    moment.unwrap_or_default().strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(first_s: i64, column_s: i64, count: i64) -> Vec<Timestamp> {
        let at = |index| Timestamp::new((first_s + index * column_s) * 1_000_000_000);
        (0..count).map(at).collect()
    }

    #[test]
    fn ticks_stand_at_round_moments_of_the_clock() {
        // 2025-11-21 14:30:51 UTC.
        let starts = starts(1_763_735_451, 1, 40);
        let moments = TimeFormat::new(Clock::Epoch, starts[0]);
        let ticks = moments.ticks(&starts, 12);
        assert_eq!(
            ticks,
            [(9, "14:31:00".into()), (24, "14:31:15".into()), (39, "14:31:30".into())]
        );
    }

    #[test]
    fn a_zone_moves_days_and_times_and_is_not_named() {
        let at = Timestamp::new(1_772_375_440_000_000_000);
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(10));
        let there = TimeFormat::new(Clock::Epoch, Timestamp::default()).in_zone(zone);
        assert_eq!(
            (there.moment(at, Nanos::SECOND).as_str(), there.zone()),
            ("2026-03-02 00:30:40", "")
        );
        let utc = TimeFormat::new(Clock::Epoch, at);
        assert_eq!((utc.moment(at, Nanos::SECOND).as_str(), utc.zone()), ("14:30:40", " UTC"));
    }

    #[test]
    fn a_clock_without_a_day_counts_from_the_first_moment() {
        let starts = starts(77, 60, 31);
        let moments = TimeFormat::new(Clock::Arbitrary, starts[0]);
        let ticks = moments.ticks(&starts, 10);
        let expected = [(0, "+0s"), (10, "+10m"), (20, "+20m"), (30, "+30m")];
        assert_eq!(ticks, expected.map(|(column, label)| (column, label.to_owned())));
    }

    #[test]
    fn one_column_and_extreme_clocks_do_no_harm() {
        let ends = [Timestamp::new(i64::MIN), Timestamp::new(i64::MAX)];
        let moments = TimeFormat::new(Clock::Epoch, ends[0]);
        assert!(!moments.between(ends[0], ends[1]).is_empty());
        assert_eq!(moments.ticks(&ends[..1], 10).len(), 1);
        assert!(moments.ticks(&ends, 10).len() <= 2);
        assert!(moments.ticks(&[], 10).is_empty());
    }
}
