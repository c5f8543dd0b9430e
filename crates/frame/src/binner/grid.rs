//! Which interval a moment lies in: intervals are aligned to multiples of their width.

use std::ops::Range;

use crate::{Binner, Timestamp};

/// An interval, and the nanoseconds that it covers; at first none.
#[derive(Debug, Default)]
pub(super) struct Near {
    interval: i64,
    ns: Range<i64>,
}

impl Binner {
    /// Where an interval begins.
    pub(super) fn start_of(&self, interval: i64) -> Timestamp {
        let width = i64::try_from(self.width.as_nanos()).unwrap_or(i64::MAX);
        Timestamp::new(interval.saturating_mul(width))
    }

    /// The interval that a moment lies in.
    pub(super) fn interval_of(&self, at: Timestamp) -> i64 {
        let width = i64::try_from(self.width.as_nanos()).unwrap_or(i64::MAX);
        at.as_nanos().div_euclid(width)
    }

    /// The same for one event after the other, mostly without a division: that takes as long as all
    /// else that is done for an event.
    pub(super) fn interval_near(&mut self, at: Timestamp) -> i64 {
        if self.near.ns.contains(&at.as_nanos()) {
            return self.near.interval;
        }
        let interval = self.interval_of(at);
        let start = |interval| self.start_of(interval).as_nanos();
        self.near = Near { interval, ns: start(interval)..start(interval.saturating_add(1)) };
        interval
    }
}
