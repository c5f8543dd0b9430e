//! The time about which something was said.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Timestamp};

use crate::Beginning;
use crate::stretches::add_to;

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
    /// From when on ends were counted.
    beginning: Beginning,
}

impl Coverage {
    /// Adds the interval of a frame, unless nothing is known about it.
    pub fn add(&mut self, frame: &Frame) {
        if frame.is_gap() || frame.is_amendment() {
            return;
        }
        self.add_span(frame.start, frame.end);
        self.beginning.add(frame);
    }

    /// Adds a stretch of time.
    pub fn add_span(&mut self, start: Timestamp, end: Timestamp) {
        add_to(&mut self.stretches, (start, end));
    }

    /// A frame from before the time looked at: it only says whether ends were counted then.
    pub fn pass_over(&mut self, frame: &Frame) {
        self.beginning.add(frame);
    }

    /// It is known already how all begins, of which this is a part.
    pub fn begin_as(&mut self, beginning: &Beginning) {
        self.beginning = beginning.of_all();
    }

    /// The length of all of it, in seconds.
    pub fn seconds(&self) -> f64 {
        self.stretches.iter().map(|(start, end)| end.since(*start).as_secs_f64()).sum()
    }

    /// The length of what lies between two moments and in which ends were counted, in seconds. What
    /// rates of events are divided by.
    pub fn counted_between(&self, from: Timestamp, to: Timestamp) -> f64 {
        let Some(unseen) = self.beginning.unseen() else { return self.seconds_between(from, to) };
        self.seconds_between(unseen.end().max(from), to) + unseen.more_between(from, to)
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

    fn second(at: i64) -> Timestamp {
        Timestamp::new(at * 1_000_000_000)
    }

    /// A frame with so many events of 1 ms, in which somebody waited for this part of the time.
    fn frame(from: i64, to: i64, events: u64, waited: f64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
        let mut times = vec![0; counts.scheme().buckets()];
        let length = second(to).since(second(from)).as_secs_f64();
        times[0] = Nanos::from_secs_f64(length * waited).unwrap().as_nanos();
        let counts = counts.with_waited(times, true).unwrap();
        let (start, end, quality) = (second(from), second(to), Quality::Complete);
        Frame { series: Series::named("x"), start, end, counts, quality }
    }

    /// A log of one event a second for a minute, of which the first took an hour: nothing is known of
    /// that hour. A source that was asked all the while, and saw that nobody waited for a while, or
    /// learned of the wait when it had ended, knows that there was nothing.
    #[test]
    fn the_hour_that_the_first_event_took_was_not_observed() {
        let covered = |first: f64, rest: f64, quality: Quality| {
            let mut coverage = Coverage::default();
            coverage.add(&Frame { quality, ..frame(0, 1, 0, first) });
            coverage.add(&Frame { quality, ..frame(1, 3_600, 0, rest) });
            coverage.add_span(second(0), second(3_600));
            for at in 3_600..3_660 {
                coverage.add(&frame(at, at + 1, 1, 1.0));
            }
            let until = coverage.counted_between(second(0), second(3_630));
            [coverage.seconds(), coverage.counted_s(), until].map(|s| s.round().to_string())
        };
        assert_eq!(covered(1.0, 1.0, Quality::Complete), ["3660", "60", "30"]);
        // Two that wait.
        assert_eq!(covered(1.0, 2.0, Quality::Complete), ["3660", "60", "30"]);
        for (first, rest, quality) in [
            (0.0, 0.0, Quality::Complete),
            (0.0, 1.0, Quality::Complete),
            (1.0, 0.9, Quality::Complete),
            (1.0, 1.0, Quality::Amendment),
        ] {
            assert_eq!(covered(first, rest, quality), ["3660", "3660", "3630"], "{first} {rest}");
        }
    }

    /// A part that begins in a wait: what was counted before it decides.
    #[test]
    fn what_lies_before_a_part_says_whether_ends_were_counted() {
        let part = |before: &[Frame]| {
            let mut coverage = Coverage::default();
            for frame in before {
                coverage.pass_over(frame);
            }
            coverage.add(&frame(10, 12, 0, 1.0));
            for at in 12..22 {
                coverage.add(&frame(at, at + 1, 1, 1.0));
            }
            coverage.counted_s().round().to_string()
        };
        assert_eq!(part(&[]), "10");
        assert_eq!(part(&[frame(0, 10, 0, 1.0)]), "10");
        assert_eq!(part(&[frame(0, 1, 3, 0.1), frame(1, 10, 0, 1.0)]), "12");
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
