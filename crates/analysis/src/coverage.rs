//! The time about which something was said.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Timestamp};

/// The union of the intervals of all frames that are no gaps: what every rate is divided by, so
/// that the rates of series add up to the rate of all of them.
///
/// Where the first frames are there only because the first event took so long, they do not count in
/// rates of events: a log that begins with a statement of an hour says how long that waited, and
/// nothing of what else ended in that hour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Segments that do not touch: the end of each by its start.
    stretches: BTreeMap<Timestamp, Timestamp>,
    /// The earliest frame in which something waited and nothing ended.
    first_wait: Option<Timestamp>,
    /// The earliest frame in which something ended.
    first_end: Option<Timestamp>,
}

impl Coverage {
    /// Adds the interval of a frame, unless nothing is known about it.
    pub fn add(&mut self, frame: &Frame) {
        if frame.is_gap() || frame.is_amendment() {
            return;
        }
        self.add_span(frame.start, frame.end);
        let earliest = |known: Option<Timestamp>| known.into_iter().chain([frame.start]).min();
        if frame.counts.events() > 0 {
            self.first_end = earliest(self.first_end);
        } else if frame.counts.time_waited().seconds > 0.0 {
            self.first_wait = earliest(self.first_wait);
        }
    }

    /// Adds a stretch of time.
    pub fn add_span(&mut self, start: Timestamp, end: Timestamp) {
        let before = self.stretches.range(..=start).next_back().map(|(&from, &to)| (from, to));
        if before.is_some_and(|(_, to)| to >= end) || start >= end {
            return;
        }
        let touching = before.filter(|(_, to)| *to >= start);
        let start = touching.map_or(start, |(from, _)| from);
        let mut last = end;
        while let Some((&from, &to)) =
            self.stretches.range(start..=last).next_back().filter(|(_, to)| **to > last)
        {
            last = to;
            self.stretches.remove(&from);
        }
        let inside: Vec<Timestamp> =
            self.stretches.range(start..=last).map(|(&at, _)| at).collect();
        for at in inside {
            self.stretches.remove(&at);
        }
        self.stretches.insert(start, last);
    }

    /// The length of all of it, in seconds.
    pub fn seconds(&self) -> f64 {
        self.stretches.iter().map(|(start, end)| end.since(*start).as_secs_f64()).sum()
    }

    /// The length of what lies between two moments and in which ends were counted, in seconds: not
    /// before the first one, if something waited for it from the start. What rates of events are
    /// divided by.
    pub fn counted_between(&self, from: Timestamp, to: Timestamp) -> f64 {
        let start = self.stretches.keys().next();
        let waits = start.is_some_and(|start| self.first_wait.is_some_and(|wait| wait <= *start));
        let begins = self.first_end.filter(|_| waits).map_or(from, |first| first.max(from));
        self.seconds_between(begins, to)
    }

    /// The same of all of it.
    pub fn counted_s(&self) -> f64 {
        self.counted_between(Timestamp::new(i64::MIN), Timestamp::new(i64::MAX))
    }

    /// The length of what lies between two moments, in seconds.
    pub fn seconds_between(&self, from: Timestamp, to: Timestamp) -> f64 {
        let inside = self.stretches.range(..to);
        let length = |(&start, &end): (&Timestamp, &Timestamp)| {
            end.min(to).since(start.max(from)).as_secs_f64()
        };
        inside.map(length).sum()
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Series};
    use proptest::prelude::*;

    use super::*;

    /// A log of one event a second for a minute, of which the first took an hour: nothing is known of
    /// that hour. A source that was asked all the while, and saw nothing wait, knows that there was
    /// nothing.
    #[test]
    fn the_hour_that_the_first_event_took_was_not_observed() {
        let second = |at: i64| Timestamp::new(at * 1_000_000_000);
        let frame = |from: i64, to: i64, events: u64, waited: bool| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
            let mut times = vec![0; counts.scheme().buckets()];
            times[0] = if waited { 1_000_000_000 } else { 0 };
            let counts = counts.with_waited(times, true).unwrap();
            let (start, end, quality) = (second(from), second(to), Quality::Complete);
            Frame { series: Series::named("x"), start, end, counts, quality }
        };
        let covered = |waited: bool| {
            let mut coverage = Coverage::default();
            coverage.add(&frame(0, 1, 0, waited));
            coverage.add(&frame(1, 3_600, 0, waited));
            (3_600..3_660).for_each(|at| coverage.add(&frame(at, at + 1, 1, true)));
            let until = coverage.counted_between(second(0), second(3_630));
            [coverage.seconds(), coverage.counted_s(), until].map(|s| s.round().to_string())
        };
        assert_eq!(covered(true), ["3660", "60", "30"]);
        assert_eq!(covered(false), ["3660", "3660", "3630"]);
    }

    proptest! {
        /// Whatever the order: each moment counts once.
        #[test]
        fn it_is_the_union(spans in prop::collection::vec((0_i64..60, 0_i64..20), 0..30)) {
            let mut coverage = Coverage::default();
            let mut covered = [false; 100];
            for &(start, length) in &spans {
                let second = |at: i64| Timestamp::new(at * 1_000_000_000);
                coverage.add_span(second(start), second(start + length));
                for at in start..start + length {
                    covered[usize::try_from(at).unwrap()] = true;
                }
            }
            let count = covered.iter().filter(|known| **known).count();
            prop_assert!((coverage.seconds() - count as f64).abs() < 1e-6);
            let (from, to) = (Timestamp::new(10_000_000_000), Timestamp::new(40_000_000_000));
            let inside = covered[10..40].iter().filter(|covered| **covered).count();
            prop_assert!((coverage.seconds_between(from, to) - inside as f64).abs() < 1e-6);
            let stretches: Vec<_> = coverage.stretches.iter().collect();
            prop_assert!(stretches.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
