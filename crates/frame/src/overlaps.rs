//! Intervals of one series that overlap.

use std::collections::HashMap;

use crate::{Frame, Nanos, Series, Timestamp};

/// Finds intervals that overlap others of the same series. Intervals that are equal, or end at the same
/// moment, are parts of one.
#[derive(Debug, Default)]
pub struct Overlaps {
    /// The latest interval of each series, the longest of those that overlap.
    latest: HashMap<Series, (Timestamp, Timestamp)>,
}

impl Overlaps {
    /// Takes the next frame of a series; whether it overlaps the one before it. Frames that come in no order
    /// of time are not compared.
    pub fn finds(&mut self, frame: &Frame) -> bool {
        if frame.is_amendment() || frame.is_gap() || frame.counts.is_empty() {
            return false;
        }
        let interval = (frame.start, frame.end);
        let Some(latest) = self.latest.get_mut(&frame.series) else {
            self.latest.insert(frame.series.clone(), interval);
            return false;
        };
        let before = *latest;
        let is_inside = before.0 <= interval.0 && interval.1 < before.1;
        if !is_inside {
            *latest = interval;
        }
        // Rounded times may overlap a little.
        let slack = Nanos::new(frame.length().as_nanos() / 20);
        let begins_within = interval.0.plus(slack) < before.1;
        is_inside || begins_within && before.1 < interval.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Histogram, Quality, Scheme};

    fn found(intervals: &[(&str, i64, i64)]) -> Vec<bool> {
        let mut overlaps = Overlaps::default();
        let find = |&(series, start, end): &(&str, i64, i64)| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            counts.record(Nanos::new(1_000));
            let (start, end) = (Timestamp::new(start), Timestamp::new(end));
            let series = Series::named(series);
            overlaps.finds(&Frame { series, start, end, counts, quality: Quality::Complete })
        };
        intervals.iter().map(find).collect()
    }

    #[test]
    fn intervals_that_others_of_their_series_reach_into_are_found() {
        assert_eq!(found(&[("a", 0, 100), ("a", 100, 200), ("b", 50, 150)]), [false; 3]);
        assert_eq!(found(&[("a", 0, 100), ("a", 50, 150), ("a", 150, 250)]), [false, true, false]);
        let inside = [("a", 0, 1_000), ("a", 100, 200), ("a", 200, 300), ("a", 900, 1_100)];
        assert_eq!(found(&inside), [false, true, true, true]);
    }

    #[test]
    fn equal_intervals_parts_of_one_rounded_times_and_another_order_are_none() {
        assert_eq!(found(&[("a", 0, 100), ("a", 0, 100), ("a", 30, 100)]), [false; 3]);
        assert_eq!(found(&[("a", 0, 100), ("a", 96, 196)]), [false; 2]);
        assert_eq!(found(&[("a", 200, 300), ("a", 100, 200), ("a", 0, 100)]), [false; 3]);
    }
}
