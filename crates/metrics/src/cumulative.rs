//! What has been counted of one series since the program began.

use isotherm_frame::Histogram;

/// Totals of one series.
#[derive(Clone, Debug)]
pub struct Cumulative {
    /// Events in the bucket up to each bound, not cumulative; the last is beyond all bounds.
    pub events: Vec<u64>,
    /// Nanoseconds waited in each of them.
    pub waited_ns: Vec<u64>,
    /// The latencies of all events, nanoseconds.
    pub sum_ns: u128,
    /// Whether all of that was measured.
    pub is_exact: bool,
    /// Its first export.
    pub began: Option<Began>,
}

/// The first export that has some totals.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Began {
    /// Its number.
    pub export: u64,
    /// When the totals were zero, nanoseconds since 1970.
    pub since_ns: u64,
}

impl Cumulative {
    pub fn new(bounds: usize) -> Cumulative {
        Cumulative {
            events: vec![0; bounds + 1],
            waited_ns: vec![0; bounds + 1],
            sum_ns: 0,
            is_exact: true,
            began: None,
        }
    }

    /// Adds an interval. A bucket goes below the first bound that none of its events can exceed: what
    /// is said to have taken at most so long did.
    pub fn add(&mut self, counts: &Histogram, bounds: &[u64]) {
        let scheme = counts.scheme();
        let place =
            |hi: Option<u64>| hi.map_or(bounds.len(), |hi| bounds.partition_point(|&b| b < hi));
        for (bucket, count) in counts.non_zero() {
            let at = place(bucket.hi.map(|hi| longest(bucket.lo.as_nanos(), hi.as_nanos())));
            self.events[at] = self.events[at].saturating_add(count);
        }
        for (index, ns) in counts.bucket_times_ns() {
            let bucket = scheme.bucket(index);
            let at = place(bucket.hi.map(|hi| longest(bucket.lo.as_nanos(), hi.as_nanos())));
            self.waited_ns[at] = self.waited_ns[at].saturating_add(ns);
        }
        let total = counts.latency_total();
        let known = counts.sum().or(counts.partly_known_sum());
        let ns =
            known.map_or_else(|| estimated_ns(total.seconds), |sum| u128::from(sum.as_nanos()));
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.is_exact &= total.exact;
    }

    /// Events of all latencies.
    pub fn all_events(&self) -> u64 {
        self.events.iter().fold(0, |sum, one| sum.saturating_add(*one))
    }
}

impl Cumulative {
    /// Microseconds waited in each bucket, not cumulative. Each is rounded down by itself, so that none
    /// ever falls: servers take the fall of one bucket for a restart. Less than 1 us a bucket is missing.
    pub fn waited_us(&self) -> Vec<u64> {
        self.waited_ns.iter().map(|ns| ns / 1_000).collect()
    }
}

/// The longest latency of a bucket: its upper bound is not one of its latencies, so that the bucket of
/// 0 ns alone lies below the bound 0.
fn longest(lo: u64, hi: u64) -> u64 {
    if hi == lo + 1 { lo } else { hi }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time, not negative")]
fn estimated_ns(seconds: f64) -> u128 {
    (seconds.max(0.0) * 1e9).round() as u128
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Scheme};
    use proptest::prelude::*;

    use super::*;
    use crate::bounds::Bounds;

    proptest! {
        /// Latencies with fractions of microseconds, in any order and in any intervals.
        #[test]
        fn no_bucket_ever_falls(
            intervals in prop::collection::vec(prop::collection::vec(0_u64..9_000, 1..9), 1..12),
        ) {
            let bounds = Bounds::Octave.list_ns();
            let mut known = Cumulative::new(bounds.len());
            let (mut events, mut waited) = (known.events.clone(), known.waited_us());
            for latencies in intervals {
                let mut counts = Histogram::empty(Scheme::log_linear());
                for ns in latencies {
                    counts.record(Nanos::new(ns));
                }
                known.add(&counts, &bounds);
                let now = (known.events.clone(), known.waited_us());
                prop_assert!(now.0.iter().zip(&events).all(|(now, before)| now >= before));
                prop_assert!(now.1.iter().zip(&waited).all(|(now, before)| now >= before));
                (events, waited) = now;
            }
        }
    }

    #[test]
    fn a_bucket_keeps_its_microseconds_when_a_lower_one_grows() {
        let bounds = [0, 700, 1_024];
        let mut known = Cumulative::new(bounds.len());
        known.waited_ns = vec![0, 500, 1_600, 0];
        let before = known.waited_us();
        known.waited_ns[1] = 1_000;
        assert_eq!((before, known.waited_us()), (vec![0, 0, 1, 0], vec![0, 1, 1, 0]));
    }
}
