//! Which interval a moment lies in: intervals are aligned to multiples of their width.

use std::ops::Range;

use crate::{Nanos, Timestamp};

/// The interval that a moment lies in.
pub(super) fn interval_of(at: Timestamp, width: Nanos) -> i64 {
    at.as_nanos().div_euclid(signed(width))
}

/// Where an interval begins.
pub(super) fn start_of(interval: i64, width: Nanos) -> Timestamp {
    Timestamp::new(interval.saturating_mul(signed(width)))
}

fn signed(width: Nanos) -> i64 {
    i64::try_from(width.as_nanos()).unwrap_or(i64::MAX)
}

/// An interval, and the nanoseconds that it covers; at first none.
#[derive(Debug, Default)]
pub(super) struct Near {
    interval: i64,
    ns: Range<i64>,
}

impl Near {
    /// The interval of one event after the other, mostly without a division: that takes as long as
    /// all else that is done for an event.
    pub fn interval_of(&mut self, at: Timestamp, width: Nanos) -> i64 {
        if self.ns.contains(&at.as_nanos()) {
            return self.interval;
        }
        let interval = interval_of(at, width);
        let start = |interval| start_of(interval, width).as_nanos();
        *self = Near { interval, ns: start(interval)..start(interval.saturating_add(1)) };
        interval
    }
}
