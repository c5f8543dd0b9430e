//! The time about which something was said.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Timestamp};

/// The union of the intervals of all frames that are no gaps: what every rate is divided by, so
/// that the rates of series add up to the rate of all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Segments that do not touch: the end of each by its start.
    stretches: BTreeMap<Timestamp, Timestamp>,
}

impl Coverage {
    /// Adds the interval of a frame, unless nothing is known about it.
    pub fn add(&mut self, frame: &Frame) {
        if !frame.is_gap() && !frame.is_amendment() {
            self.add_span(frame.start, frame.end);
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
    use proptest::prelude::*;

    use super::*;

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
