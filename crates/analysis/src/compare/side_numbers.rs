//! One side of a comparison in numbers.

use isotherm_frame::{Frame, Histogram, Nanos, Timestamp};

use crate::Coverage;

/// One side in numbers.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct SideNumbers {
    /// Columns about which the source said something; 0 where no time axis was laid.
    pub columns: usize,
    /// Seconds about which the source said something.
    pub covered_s: f64,
    /// The part of it in which ends were counted, in seconds: what rates of events are divided by.
    pub counted_s: f64,
    /// Events counted.
    pub events: u64,
    /// Seconds waited.
    pub waited_s: f64,
}

impl SideNumbers {
    /// The numbers of frames, oldest first, without a time axis, and all their latencies; what several
    /// series cover together counts once.
    pub(crate) fn of(frames: impl Iterator<Item = Frame>) -> (SideNumbers, Option<Histogram>) {
        let mut numbers =
            SideNumbers { columns: 0, covered_s: 0.0, counted_s: 0.0, events: 0, waited_s: 0.0 };
        let mut coverage = Coverage::default();
        let (mut covered, mut until) = (Nanos::ZERO, Timestamp::new(i64::MIN));
        let mut latencies: Option<Histogram> = None;
        for frame in frames {
            match &mut latencies {
                Some(latencies) => latencies.add(&frame.counts),
                none => *none = Some(frame.counts.clone()),
            }
            if frame.is_gap() {
                continue;
            }
            coverage.add(&frame);
            let fresh = frame.end.since(frame.start.max(until));
            covered = covered.checked_add(fresh).unwrap_or(covered);
            until = until.max(frame.end);
            numbers.events = numbers.events.saturating_add(frame.counts.events());
            numbers.waited_s += frame.counts.time_waited().seconds;
        }
        numbers.covered_s = covered.as_secs_f64();
        numbers.counted_s = coverage.counted_s();
        (numbers, latencies)
    }

    /// Average waiting: seconds waited per second of covered time; 0 where none is covered.
    pub fn waiting(&self) -> f64 {
        per_second(self.waited_s, self.covered_s)
    }

    /// Events per second of the time in which ends were counted; 0 where there is none.
    pub fn rate(&self) -> f64 {
        per_second(self.events as f64, self.counted_s)
    }
}

fn per_second(amount: f64, covered_s: f64) -> f64 {
    if covered_s > 0.0 { amount / covered_s } else { 0.0 }
}
