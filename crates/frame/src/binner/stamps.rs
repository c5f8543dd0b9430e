//! How finely the ends of events are stamped.

use crate::{Nanos, Timestamp};

/// What stamps may be multiples of, the finest first, each of the one before.
const UNITS: [u64; 3] = [100_000_000, 1_000_000_000, 60_000_000_000];
/// So many events are looked at: all of an input are stamped by one clock.
const LOOKED_AT: u64 = 4_096;
/// Fewer stamps tell nothing.
const LEAST: u64 = 3;
/// This share of all stamps, in percent, are multiples of the unit: a few lines of another kind do not
/// make a clock finer.
const MOST: u64 = 95;

/// So many events tell how the stamps of a stream are cut that began with fewer than [`LEAST`].
const ENOUGH: u64 = 64;
/// Whole seconds and minutes are what is left of a time that is printed without its fractions: cut, not rounded.
const CUT: Nanos = Nanos::new(1_000_000_000);

/// Which moments of events lie on the multiples of a unit of time: a log stamps when they ended, or when they
/// began and then their ends lie anywhere.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    taken: u64,
    ends: Multiples,
    begins: Multiples,
    /// What the stamps are taken to be cut to, once that is decided.
    cut_to: Option<Cut>,
    /// Whether enough events were looked at to decide it.
    is_decided: bool,
}

/// Stamps that are cut to a unit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Cut {
    unit: Nanos,
    /// Whether they say when events began.
    of_begins: bool,
}

/// How many moments lie on the multiples of each unit.
#[derive(Debug, Default)]
struct Multiples {
    on: [u64; UNITS.len()],
    last: Option<Timestamp>,
    /// How often the next event had another stamp.
    changes: u64,
}

impl Multiples {
    fn take(&mut self, at: Timestamp) {
        self.changes += u64::from(self.last.replace(at).is_some_and(|last| last != at));
        for (count, unit) in self.on.iter_mut().zip(UNITS) {
            if !at.as_nanos().unsigned_abs().is_multiple_of(unit) {
                break;
            }
            *count += 1;
        }
    }

    /// The coarsest unit that most of so many moments are multiples of.
    fn unit(&self, taken: u64) -> Option<Nanos> {
        let most = |count: u64| count.saturating_mul(100) >= taken.saturating_mul(MOST);
        let of = |index: &usize| taken >= LEAST && most(self.on[*index]);
        (0..UNITS.len()).rev().find(of).map(|index| Nanos::new(UNITS[index]))
    }

    /// The unit that they are cut to. Hundreds of events of one second say nothing of minutes.
    fn cut(&self, taken: u64) -> Option<Nanos> {
        let unit = self.unit(taken).filter(|unit| *unit >= CUT)?;
        Some(if self.changes + 1 >= LEAST { unit } else { CUT })
    }
}

impl Stamps {
    /// Takes note of an event that ended at a moment.
    pub fn take(&mut self, at: Timestamp, latency: Nanos) {
        if self.taken >= LOOKED_AT {
            return;
        }
        self.taken += 1;
        self.ends.take(at);
        self.begins.take(at.minus(latency));
        if self.taken == ENOUGH && !self.is_decided {
            self.cut_to = self.cut_to.or_else(|| self.cut());
        }
    }

    /// Decides from the first events, the end and the latency of each, whether the stamps of all are cut to a
    /// unit.
    pub fn decide(&mut self, first: impl Iterator<Item = (Timestamp, Nanos)>) {
        let mut seen = Stamps::default();
        first.for_each(|(at, latency)| seen.take(at, latency));
        self.cut_to = seen.cut();
        self.is_decided = seen.taken >= ENOUGH;
    }

    fn cut(&self) -> Option<Cut> {
        let of_ends = self.ends.cut(self.taken).map(|unit| Cut { unit, of_begins: false });
        let of_begins = || self.begins.cut(self.taken).map(|unit| Cut { unit, of_begins: true });
        of_ends.or_else(of_begins)
    }

    /// What the stamps are taken to be cut to.
    pub fn cut_to(&self) -> Option<Nanos> {
        self.cut_to.map(|cut| cut.unit)
    }

    /// The stamp of an event if it is cut to a unit no longer than `coarsest`, and how much later the event most
    /// likely began and ended: half a unit. Without it the time of what took milliseconds would lie in the
    /// second before the one that it is counted in.
    pub fn delay(
        &self,
        at: Timestamp,
        latency: Nanos,
        coarsest: Nanos,
    ) -> Option<(Timestamp, Nanos)> {
        let Cut { unit, of_begins } = self.cut_to.filter(|cut| cut.unit <= coarsest)?;
        let stamp = if of_begins { at.minus(latency) } else { at };
        let is_cut = stamp.as_nanos().unsigned_abs().is_multiple_of(unit.as_nanos());
        is_cut.then(|| (stamp, Nanos::new(unit.as_nanos() / 2)))
    }

    /// The coarsest unit that most stamps are multiples of.
    pub fn unit(&self) -> Option<Nanos> {
        self.ends.unit(self.taken).or_else(|| self.begins.unit(self.taken))
    }
}

/// The width of intervals that are a multiple of `width` and no finer than the unit: a multiple of it, as
/// otherwise one interval would have more of its stamps than the next.
pub(super) fn no_finer(width: Nanos, unit: Nanos) -> Nanos {
    const MOST_DOUBLINGS: u32 = 8;
    let (width_ns, unit_ns) = (width.as_nanos().max(1), unit.as_nanos());
    if width_ns >= unit_ns || unit_ns.is_multiple_of(width_ns) {
        return width.max(unit);
    }
    let wider = |doublings: u32| width_ns.saturating_mul(1 << doublings);
    let first = (1..u64::BITS).find(|&doublings| wider(doublings) >= unit_ns).unwrap_or(1);
    let even = (first..first + MOST_DOUBLINGS).find(|&by| wider(by).is_multiple_of(unit_ns));
    Nanos::new(wider(even.unwrap_or(first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(stamps: impl Iterator<Item = i64>) -> Option<u64> {
        let mut seen = Stamps::default();
        stamps.for_each(|ns| seen.take(Timestamp::new(ns), Nanos::new(1_234_567)));
        seen.unit().map(Nanos::as_nanos)
    }

    #[test]
    fn the_unit_is_found_from_most_of_the_stamps() {
        let second = 1_000_000_000;
        let every = |step: i64| (0..100).map(move |n| 1_763_735_400 * second + n * step);
        assert_eq!(unit(every(second)), Some(1_000_000_000));
        assert_eq!(unit(every(60 * second)), Some(60_000_000_000));
        assert_eq!(unit(every(second / 10)), Some(100_000_000));
        assert_eq!(unit(every(second / 1_000)), None);
        assert_eq!(unit((0..21).map(|_| 7 * second)), Some(1_000_000_000));
        assert_eq!(unit((0..2).map(|_| 7 * second)), None);
        // Two lines of another kind among fifty; and five, which are too many.
        let mixed = |others: i64| {
            (0..50).map(move |n| n * second + if n < others { 123_456_789 } else { 0 })
        };
        assert_eq!((unit(mixed(2)), unit(mixed(5))), (Some(1_000_000_000), None));
    }

    #[test]
    fn intervals_are_whole_numbers_of_stamps() {
        let width = |width_ms: f64, unit_ms: u64| {
            let width = Nanos::from_secs_f64(width_ms / 1e3).unwrap();
            no_finer(width, Nanos::from_millis(unit_ms)).as_nanos()
        };
        // 1/512 s: 1 s is 512 of them, 60 s 30,720, and 0.5 s the first of whole tenths.
        assert_eq!(width(1.953_125, 1_000), 1_000_000_000);
        assert_eq!(width(1.953_125, 60_000), 60_000_000_000);
        assert_eq!(width(1.953_125, 100), 500_000_000);
        assert_eq!(width(100.0, 1_000), 1_000_000_000);
        assert_eq!(width(2_000.0, 1_000), 2_000_000_000);
        assert_eq!(width(300.0, 1_000), 1_200_000_000, "no multiple of both is near");
    }
}
