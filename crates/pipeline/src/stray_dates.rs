//! Events and prints dated far from all others: a single zero for a time must not stretch the
//! picture over half a century.

use isotherm_frame::{Reading, Timestamp};

use crate::clock::date_and_time;

/// Holds back what is dated many years away from the rest: events, totals, finished intervals.
///
/// The first of them are held until there are enough to say which dates are those of most; a live
/// input does not wait for that: its first reading decides. What is far away stays held, and is
/// reported and left out at the end; but when it is no longer a few, all are passed on. What counts is
/// how many moments there are: a print of many series has one.
#[derive(Debug)]
pub struct StrayDates {
    state: State,
    held: Vec<Reading>,
    /// How often the date changed in what is held.
    moments: u64,
}

#[derive(Debug)]
enum State {
    /// The first readings.
    Beginning,
    /// Where most readings are, in nanoseconds, the last of them, and how often the date changed.
    Settled { from: i64, to: i64, last: i64, moments: u64 },
    /// There are many readings far away from many others: all are passed on.
    Apart,
}

/// What was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Events, or prints of totals or intervals.
    pub records: u64,
    /// The events in them, where that is known. What totals count is in the next ones, too.
    pub events: u64,
    /// Whether all of them are single events.
    pub single: bool,
    /// When the earliest and the latest of them are dated.
    pub dated: (Timestamp, Timestamp),
    /// Years between them and the nearest of the others.
    pub years: i64,
    /// Whether they are before the others.
    pub before: bool,
}

const YEAR: i64 = 31_556_952 * 1_000_000_000;
/// What is this far from all others is held back: no log runs on after such a silence.
const FAR: i64 = 10 * YEAR;
/// Readings looked at before it is decided where most are, of so many moments at least.
const BEGINNING: usize = 64;
const MOMENTS: u64 = 3;
/// More readings than this are not a few.
const MOST: usize = 4_096;

impl StrayDates {
    /// A live input is not held back at its beginning.
    pub fn new(live: bool) -> StrayDates {
        let nothing = State::Settled { from: i64::MAX, to: i64::MIN, last: 0, moments: 0 };
        let state = if live { nothing } else { State::Beginning };
        StrayDates { state, held: Vec::new(), moments: 0 }
    }

    /// Whether a reading may go on at once, as nearly all do.
    pub fn passes(&mut self, reading: &Reading) -> bool {
        self.passes_at(date(reading))
    }

    /// Whether a reading of this date, in nanoseconds, may go on at once.
    #[inline]
    pub fn passes_at(&mut self, at: i64) -> bool {
        match &mut self.state {
            State::Settled { from, to, last, moments } if is_near((*from, *to), at) => {
                *moments += u64::from(*moments == 0 || *last != at);
                (*from, *to, *last) = ((*from).min(at), (*to).max(at), at);
                true
            }
            State::Apart => true,
            State::Beginning | State::Settled { .. } => false,
        }
    }

    /// Takes a reading that may not go on at once and passes on what now may. `true` when it turns
    /// out that many are far apart.
    pub fn hold(&mut self, reading: Reading, pass: &mut dyn FnMut(Reading)) -> bool {
        self.moments += u64::from(self.held.last().is_none_or(|last| date(last) != date(&reading)));
        self.held.push(reading);
        let held = self.held.len();
        match self.state {
            State::Beginning => {
                if held >= MOST || (held >= BEGINNING && self.moments >= MOMENTS) {
                    self.settle(pass);
                }
            }
            State::Settled { moments, .. } => {
                if held >= MOST || self.moments >= moments.max(BEGINNING as u64) {
                    self.state = State::Apart;
                    self.held.drain(..).for_each(pass);
                    return true;
                }
            }
            State::Apart => {}
        }
        false
    }

    /// The input has ended: passes on what was held at its beginning, and gives what is left out,
    /// first what is before all others, then what is after.
    pub fn finish(&mut self, pass: &mut dyn FnMut(Reading)) -> Vec<LeftOut> {
        if matches!(self.state, State::Beginning) {
            self.settle(pass);
        }
        let State::Settled { from, to, .. } = self.state else { return Vec::new() };
        self.held.sort_by_key(date);
        let after = self.held.split_off(self.held.partition_point(|held| date(held) < from));
        let before = std::mem::take(&mut self.held);
        let sides = [(before, from, true), (after, to, false)];
        sides
            .into_iter()
            .filter_map(|(readings, edge, before)| left_out(&readings, edge, before))
            .collect()
    }

    /// Finds out where most of the moments held are, and passes on what lies there.
    fn settle(&mut self, pass: &mut dyn FnMut(Reading)) {
        let mut dates: Vec<i64> = self.held.iter().map(date).collect();
        dates.sort_unstable();
        let groups = dates.chunk_by(|one, two| two.saturating_sub(*one) < FAR);
        // Of groups of the same size the latest: clocks that were never set are early.
        let size = |group: &&[i64]| (group.chunk_by(i64::eq).count(), group.len());
        let Some(most) = groups.max_by_key(size) else { return };
        let (Some(&from), Some(&to)) = (most.first(), most.last()) else { return };
        let moments = size(&most).0 as u64;
        self.state = State::Settled { from, to, last: to, moments };
        let is_here = |held: &Reading| (from..=to).contains(&date(held));
        let (here, far): (Vec<Reading>, _) =
            std::mem::take(&mut self.held).into_iter().partition(is_here);
        self.moments = far.chunk_by(|one, two| date(one) == date(two)).count() as u64;
        self.held = far;
        here.into_iter().for_each(pass);
    }
}

/// Whether a moment is not far from a stretch of time; everything is near to nothing.
fn is_near((from, to): (i64, i64), at: i64) -> bool {
    from > to || (from.saturating_sub(FAR)..=to.saturating_add(FAR)).contains(&at)
}

fn date(reading: &Reading) -> i64 {
    match reading {
        Reading::Event { at, .. }
        | Reading::Sampled { at, .. }
        | Reading::Unselected { at, .. }
        | Reading::Cumulative { at, .. } => at.as_nanos(),
        Reading::Delta(frame) => frame.end.as_nanos(),
    }
}

/// What is left out of these, which are sorted by their dates.
fn left_out(readings: &[Reading], edge: i64, before: bool) -> Option<LeftOut> {
    let (first, last) = (date(readings.first()?), date(readings.last()?));
    let nearest = if before { edge.saturating_sub(last) } else { first.saturating_sub(edge) };
    let span = (Timestamp::new(first), Timestamp::new(last));
    let is_single =
        |reading: &&Reading| !matches!(reading, Reading::Delta(_) | Reading::Cumulative { .. });
    let singly = readings.iter().filter(is_single).count();
    let printed: Vec<&Reading> = readings.iter().filter(|reading| !is_single(reading)).collect();
    let prints = printed.chunk_by(|one, two| date(one) == date(two)).count();
    let counted = printed.iter().map(|reading| match reading {
        Reading::Delta(frame) => frame.counts.events(),
        _ => 0,
    });
    Some(LeftOut {
        records: (singly + prints) as u64,
        events: counted.fold(singly as u64, u64::saturating_add),
        single: prints == 0,
        dated: span,
        years: nearest / YEAR,
        before,
    })
}

impl LeftOut {
    /// What to say of it.
    pub fn message(&self) -> String {
        let records = match (self.single, self.records) {
            (true, 1) => "event is",
            (true, _) => "events are",
            (false, 1) => "print is",
            (false, _) => "prints are",
        };
        let (first, last) = (date_and_time(self.dated.0), date_and_time(self.dated.1));
        let dated = if first == last { first } else { format!("{first} to {last}") };
        let side = if self.before { "before" } else { "after" };
        format!(
            "{} {records} dated {dated} UTC, {} years {side} the others: rejected",
            self.records, self.years
        )
    }
}

/// What to tell the user when many events are far apart.
pub const APART: &str = "many events or prints are dated more than ten years apart: a picture \
                 covers all these years";

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series};

    use super::*;

    const NOW: i64 = 1_795_000_000_000_000_000;

    fn event(at: i64) -> Reading {
        let (series, latency) = (Series::named("x"), Nanos::new(5));
        Reading::Event { at: Timestamp::new(at), series, latency }
    }

    fn counts(events: u32) -> Histogram {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::new(5)));
        counts
    }

    fn total(at: i64, series: usize) -> Reading {
        let (at, series) = (Timestamp::new(at), Series::named(format!("s{series}")));
        Reading::Cumulative { at, series, total: counts(7), epoch: None }
    }

    fn interval(at: i64, events: u32) -> Reading {
        let (start, end) = (Timestamp::new(at - 1), Timestamp::new(at));
        let (series, quality) = (Series::named("x"), Quality::Complete);
        Reading::Delta(Frame { series, start, end, counts: counts(events), quality })
    }

    /// The dates of what is passed on, and what is left out.
    fn dates(
        strays: &mut StrayDates,
        readings: impl Iterator<Item = Reading>,
    ) -> (Vec<i64>, Vec<LeftOut>) {
        let mut dates = Vec::new();
        for reading in readings {
            if strays.passes(&reading) {
                dates.push(date(&reading));
            } else {
                strays.hold(reading, &mut |reading| dates.push(date(&reading)));
            }
        }
        let left_out = strays.finish(&mut |reading| dates.push(date(&reading)));
        (dates, left_out)
    }

    #[test]
    fn a_print_of_many_series_with_a_time_of_zero_is_left_out_wherever_it_is() {
        for series in [1, 200] {
            for place in [0, 1, 5, 29] {
                let at = |n: i64| if n == place { 0 } else { NOW + n };
                let print = |n: i64| (0..series).map(move |series| total(at(n), series));
                let given = (0..30).flat_map(print);
                let (dates, left_out) = dates(&mut StrayDates::new(false), given);
                assert_eq!((dates.len(), dates.contains(&0)), (29 * series, false), "{place}");
                let [LeftOut { records: 1, events: 0, single: false, before: true, .. }] =
                    left_out[..]
                else {
                    panic!("{place}: {left_out:?}");
                };
                assert!(left_out[0].message().starts_with("1 print is dated 1970-01-01"));
            }
        }
    }

    #[test]
    fn events_of_intervals_that_are_left_out_are_counted() {
        let given = (0..30).map(|n| interval(if n % 10 == 3 { 9 } else { NOW + n }, 4));
        let (dates, left_out) = dates(&mut StrayDates::new(true), given);
        assert_eq!((dates.len(), left_out.len()), (27, 1));
        assert_eq!((left_out[0].records, left_out[0].events), (1, 12), "one moment, three frames");
    }

    /// How many events are passed on, whether many were apart, and what is left out.
    fn passed(
        strays: &mut StrayDates,
        times: impl Iterator<Item = i64>,
    ) -> (u64, bool, Vec<LeftOut>) {
        let (mut passed, mut apart) = (0, false);
        for at in times {
            if strays.passes(&event(at)) {
                passed += 1;
            } else {
                apart |= strays.hold(event(at), &mut |_| passed += 1);
            }
        }
        let left_out = strays.finish(&mut |_| passed += 1);
        (passed, apart, left_out)
    }

    #[test]
    fn a_single_zero_is_left_out_wherever_it_is() {
        for place in [0, 1, 63, 64, 500, 999] {
            let times = (0..1_000).map(|n| if n == place { 0 } else { NOW + n * 1_000 });
            let (events, apart, left_out) = passed(&mut StrayDates::new(false), times);
            assert_eq!((events, apart, left_out.len()), (999, false, 1), "{place}");
            // 1,795,000,000 s are 56.9 years.
            let LeftOut { records, events, years, before, .. } = left_out[0];
            assert_eq!((records, events, years, before), (1, 1, 56, true));
        }
        let live = (0..1_000).map(|n| if n == 5 { i64::MAX } else { NOW + n });
        let (events, _, left_out) = passed(&mut StrayDates::new(true), live);
        assert_eq!((events, left_out[0].before), (999, false));
    }

    #[test]
    fn what_is_said_counts_and_dates_them() {
        let times = [0, 0, NOW, NOW + 1, NOW + 2].into_iter();
        let (events, _, left_out) = passed(&mut StrayDates::new(false), times);
        assert_eq!(events, 3);
        let message = left_out[0].message();
        assert!(message.starts_with("2 events are dated 1970-01-01 00:00:00"), "{message}");
        assert!(message.ends_with(", 56 years before the others: rejected"), "{message}");
    }

    #[test]
    fn two_large_groups_are_both_passed_on_and_reported() {
        let times = (0..10_000).map(|n| if n < 5_000 { n } else { NOW + n });
        let (events, apart, left_out) = passed(&mut StrayDates::new(false), times);
        assert_eq!((events, apart, left_out), (10_000, true, Vec::new()));
    }

    #[test]
    fn a_log_of_years_and_a_short_one_are_whole() {
        let years = (0..200).map(|n| NOW - n * YEAR / 4);
        assert_eq!(passed(&mut StrayDates::new(false), years), (200, false, Vec::new()));
        assert_eq!(passed(&mut StrayDates::new(false), [0, 1].into_iter()), (2, false, Vec::new()));
        assert_eq!(passed(&mut StrayDates::new(false), std::iter::empty()), (0, false, Vec::new()));
    }
}
