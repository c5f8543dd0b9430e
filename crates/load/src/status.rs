//! How a run goes while it is under way.

use isotherm_frame::Event;

use crate::distribution::Distribution;
use crate::job::{Arrival, Limit};

/// Is given what happens in a run.
pub trait Observer {
    /// Takes what happened.
    fn events(&mut self, events: Vec<Event>);

    /// Takes how the run goes, a few times a second. By default nobody wants to know.
    fn status(&mut self, _status: RunStatus) {}
}

impl<F: FnMut(Vec<Event>)> Observer for F {
    fn events(&mut self, events: Vec<Event>) {
        self(events);
    }
}

/// How a run goes, as far as its intervals are complete.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStatus {
    /// How operations arrive.
    pub arrival: Arrival,
    /// When the run ends.
    pub limit: Limit,
    /// Whether the warm-up is over.
    pub measuring: bool,
    /// Seconds since the first operation.
    pub elapsed_s: f64,
    /// The seconds of the warm-up.
    pub warmup_s: f64,
    /// Whether the warm-up may also end sooner.
    pub warmup_may_end: bool,
    /// Operations that ended in the measured time, well or not.
    pub operations: u64,
    /// The part of the measured time, in seconds, in which those operations ended.
    pub counted_s: f64,
    /// Operations that failed since the first one, those of the warm-up included.
    pub failed: u64,
    /// Operations in flight, the mean of several looks.
    pub in_flight: f64,
    /// The latest complete interval.
    pub latest: Option<LatestInterval>,
}

/// What happened in the latest complete interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatestInterval {
    /// Its length, in seconds.
    pub length_s: f64,
    /// The bytes of its operations.
    pub bytes: u64,
    /// The response times of the operations that ended in it.
    pub response: Distribution,
}

impl RunStatus {
    /// How much of warm-up and measured time is over, from 0 to 1.
    pub fn share(&self) -> f64 {
        let time = self.elapsed_s / (self.elapsed_s + self.time_left_s()).max(1e-9);
        let operations =
            self.limit.operations.map(|all| self.operations as f64 / all.max(1) as f64);
        operations.map_or(time, |operations| time.max(operations)).clamp(0.0, 1.0)
    }

    /// How much of warm-up and measured time is the warm-up, from 0 to 1.
    pub fn warmup_share(&self) -> f64 {
        let all_s = self.warmup_s + self.limit.time.as_secs_f64();
        (self.warmup_s / all_s.max(1e-9)).clamp(0.0, 1.0)
    }

    /// The seconds that are left, and whether it may also end sooner.
    pub fn left_s(&self) -> (f64, bool) {
        let time_s = self.time_left_s();
        let Some(all) = self.limit.operations else {
            return (time_s, self.warmup_may_end && !self.measuring);
        };
        let measured_s = self.elapsed_s - self.warmup_s;
        if !self.measuring || self.operations == 0 || self.counted_s <= 0.0 {
            return (time_s, true);
        }
        let missing = all.saturating_sub(self.operations) as f64;
        // Operations are counted by the interval: a part of those that are missing has ended since.
        let since_s = measured_s - self.counted_s;
        let left_s = missing * self.counted_s / self.operations as f64 - since_s;
        (time_s.min(left_s.max(0.0)), false)
    }

    fn time_left_s(&self) -> f64 {
        (self.warmup_s + self.limit.time.as_secs_f64() - self.elapsed_s).max(0.0)
    }
}

impl LatestInterval {
    /// Operations per second.
    pub fn per_s(&self) -> f64 {
        self.response.events as f64 / self.length_s.max(1e-9)
    }

    /// Bytes per second.
    pub fn bytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.length_s.max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotherm_frame::Nanos;

    fn status(elapsed_s: f64, operations: Option<u64>) -> RunStatus {
        RunStatus {
            arrival: Arrival::Closed { in_flight: 8, think: None },
            limit: Limit { time: Nanos::from_millis(30_000), operations },
            measuring: elapsed_s >= 10.0,
            elapsed_s,
            warmup_s: 10.0,
            warmup_may_end: false,
            operations: 0,
            counted_s: (elapsed_s - 10.0).max(0.0),
            failed: 0,
            in_flight: 8.0,
            latest: None,
        }
    }

    fn is_near(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < 1e-9
    }

    #[test]
    fn warm_up_and_measured_time_are_one_way() {
        let early = status(4.0, None);
        assert!(is_near(early.share(), 0.1) && is_near(early.warmup_share(), 0.25));
        assert_eq!(early.left_s(), (36.0, false));
        assert_eq!(status(25.0, None).left_s(), (15.0, false));
        assert_eq!(status(99.0, None).left_s(), (0.0, false));
        assert!(is_near(status(99.0, None).share(), 1.0));
        assert_eq!(RunStatus { warmup_may_end: true, ..early }.left_s(), (36.0, true));
    }

    #[test]
    fn a_limited_number_of_operations_may_end_it_sooner() {
        assert_eq!(status(4.0, Some(1_000)).left_s(), (36.0, true));
        // 600 of 1,000 in 6 s of measuring: 400 are left, which take 4 s.
        let half = RunStatus { operations: 600, ..status(16.0, Some(1_000)) };
        assert!(is_near(half.left_s().0, 4.0) && !half.left_s().1);
        assert!(is_near(half.share(), 0.6));
        // Counted by the second: 1,000 of 10,000 ended in the first, and as many in the other 0.95 s.
        let counted_s = 1.0;
        let begun = RunStatus { operations: 1_000, counted_s, ..status(11.95, Some(10_000)) };
        assert!(is_near(begun.left_s().0, 8.05) && !begun.left_s().1);
        // Too slow for all of them: the time ends it.
        let slow = RunStatus { operations: 10, ..status(16.0, Some(1_000)) };
        assert_eq!(slow.left_s(), (24.0, false));
    }
}
