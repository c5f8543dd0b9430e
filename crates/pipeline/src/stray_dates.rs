//! Events dated far from all others: a single zero for a time must not stretch the picture over
//! half a century.

use isotherm_frame::{Reading, Timestamp};

use crate::clock::date_and_time;

/// Holds back events that are dated many years away from the others.
///
/// The first events are held until there are enough of them to say which dates are those of most;
/// a live input does not wait for that: its first event decides. What is far away stays held, and
/// is told and left out at the end; but when it is no longer a few events, all are passed on.
#[derive(Debug)]
pub struct StrayDates {
    state: State,
    held: Vec<Reading>,
}

#[derive(Debug)]
enum State {
    /// The first events.
    Beginning,
    /// Where most events are, in nanoseconds, and how many.
    Settled { from: i64, to: i64, events: u64 },
    /// There are many events far away from many others: all are passed on.
    Apart,
}

/// Events that were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub events: u64,
    /// When the earliest and the latest of them are dated.
    pub dated: (Timestamp, Timestamp),
    /// Years between them and the nearest of the others.
    pub years: i64,
    /// Whether they are before the others.
    pub before: bool,
}

const YEAR: i64 = 31_556_952 * 1_000_000_000;
/// Events this far from all others are held back: no log runs on after such a silence.
const FAR: i64 = 10 * YEAR;
/// Events looked at before it is decided where most are.
const BEGINNING: usize = 64;
/// More events than this are not a few.
const MOST: u64 = 4_096;

impl StrayDates {
    /// A live input is not held back at its beginning.
    pub fn new(live: bool) -> StrayDates {
        let nothing = State::Settled { from: i64::MAX, to: i64::MIN, events: 0 };
        StrayDates { state: if live { nothing } else { State::Beginning }, held: Vec::new() }
    }

    /// Whether a reading may go on at once, as nearly all do.
    pub fn passes(&mut self, reading: &Reading) -> bool {
        let Some(at) = date(reading) else { return true };
        match &mut self.state {
            State::Settled { from, to, events } if is_near((*from, *to), at) => {
                (*from, *to, *events) = ((*from).min(at), (*to).max(at), *events + 1);
                true
            }
            State::Apart => true,
            State::Beginning | State::Settled { .. } => false,
        }
    }

    /// Takes a reading that may not go on at once and passes on what now may. `true` when it turns
    /// out that many events are far apart.
    pub fn hold(&mut self, reading: Reading, pass: &mut dyn FnMut(Reading)) -> bool {
        self.held.push(reading);
        match self.state {
            State::Beginning if self.held.len() >= BEGINNING => self.settle(pass),
            State::Settled { events, .. } => {
                let held = self.held.len() as u64;
                if held >= MOST.min(events.max(BEGINNING as u64)) {
                    self.state = State::Apart;
                    self.held.drain(..).for_each(pass);
                    return true;
                }
            }
            _ => {}
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
        let mut dates: Vec<i64> = self.held.drain(..).filter_map(|held| date(&held)).collect();
        dates.sort_unstable();
        let after = dates.split_off(dates.partition_point(|&at| at < from));
        let sides = [(dates, from, true), (after, to, false)];
        sides
            .into_iter()
            .filter_map(|(dates, edge, before)| left_out(&dates, edge, before))
            .collect()
    }

    /// Finds out where most of the events held are, and passes them on.
    fn settle(&mut self, pass: &mut dyn FnMut(Reading)) {
        let mut dates: Vec<i64> = self.held.iter().filter_map(date).collect();
        dates.sort_unstable();
        let groups = dates.chunk_by(|one, two| two.saturating_sub(*one) < FAR);
        // Of groups of the same size the latest: clocks that were never set are early.
        let Some(most) = groups.max_by_key(|group| group.len()) else { return };
        let (Some(&from), Some(&to)) = (most.first(), most.last()) else { return };
        self.state = State::Settled { from, to, events: most.len() as u64 };
        let is_here = |held: &Reading| date(held).is_some_and(|at| (from..=to).contains(&at));
        let (here, far): (Vec<Reading>, _) =
            std::mem::take(&mut self.held).into_iter().partition(is_here);
        self.held = far;
        here.into_iter().for_each(pass);
    }
}

/// Whether a moment is not far from a stretch of time; everything is near to nothing.
fn is_near((from, to): (i64, i64), at: i64) -> bool {
    from > to || (from.saturating_sub(FAR)..=to.saturating_add(FAR)).contains(&at)
}

fn date(reading: &Reading) -> Option<i64> {
    if let Reading::Event { at, .. } = reading { Some(at.as_nanos()) } else { None }
}

fn left_out(dates: &[i64], edge: i64, before: bool) -> Option<LeftOut> {
    let (first, last) = (*dates.first()?, *dates.last()?);
    let nearest = if before { edge.saturating_sub(last) } else { first.saturating_sub(edge) };
    let span = (Timestamp::new(first), Timestamp::new(last));
    Some(LeftOut { events: dates.len() as u64, dated: span, years: nearest / YEAR, before })
}

impl LeftOut {
    /// What to say of it.
    pub fn message(&self) -> String {
        let (events, are) = if self.events == 1 {
            ("event".to_owned(), "is dated")
        } else {
            ("events".to_owned(), "are dated")
        };
        let (first, last) = (date_and_time(self.dated.0), date_and_time(self.dated.1));
        let dated = if first == last { first } else { format!("{first} to {last}") };
        let side = if self.before { "before" } else { "after" };
        format!(
            "{} {events} {are} {dated} UTC, {} years {side} the others: rejected",
            self.events, self.years
        )
    }
}

/// What to tell the user when many events are far apart.
pub const APART: &str =
    "the times of many events lie more than ten years apart: each column of a picture covers that";

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Series};

    use super::*;

    const NOW: i64 = 1_795_000_000_000_000_000;

    fn event(at: i64) -> Reading {
        let (series, latency) = (Series::named("x"), Nanos::new(5));
        Reading::Event { at: Timestamp::new(at), series, latency }
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
            let LeftOut { events, years, before, .. } = left_out[0];
            assert_eq!((events, years, before), (1, 56, true));
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
        let told = left_out[0].message();
        assert!(told.starts_with("2 events are dated 1970-01-01 00:00:00"), "{told}");
        assert!(told.ends_with(", 56 years before the others: rejected"), "{told}");
    }

    #[test]
    fn two_large_groups_are_both_passed_on_and_told() {
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
