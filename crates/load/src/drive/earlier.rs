//! Time that operations waited in intervals before the one they ended in.

use std::collections::BTreeMap;

use isotherm_frame::{LogLinear, Nanos};

use super::run_clock::RunClock;

/// Nanoseconds waited, by interval and by the bucket of the frames that the operation is counted in.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    ns: BTreeMap<(u64, usize), u64>,
}

impl Earlier {
    /// An operation that began at `start_ns` and ended at `at_ns`, in interval `own`: what of its
    /// latency lies before that interval.
    pub fn record(&mut self, course: &RunClock, own: u64, (start_ns, at_ns): (u64, u64)) {
        let bucket = course.frame_buckets.index_of(Nanos::new(at_ns.saturating_sub(start_ns)));
        let first = course.interval_of(start_ns);
        for interval in first..own {
            let from = start_ns.max(course.interval_start(interval));
            let until = course.interval_start(interval + 1).min(at_ns);
            *self.ns.entry((interval, bucket)).or_default() += until.saturating_sub(from);
        }
    }

    pub fn add(&mut self, other: &Earlier) {
        for (place, ns) in &other.ns {
            let sum = self.ns.entry(*place).or_default();
            *sum = sum.saturating_add(*ns);
        }
    }

    /// The time of each bucket, in all intervals.
    pub fn by_bucket(&self) -> BTreeMap<usize, u64> {
        let mut sums = BTreeMap::new();
        for (&(_, bucket), &ns) in &self.ns {
            let sum: &mut u64 = sums.entry(bucket).or_default();
            *sum = sum.saturating_add(ns);
        }
        sums
    }

    /// The time of each bucket in each interval.
    pub fn by_interval(&self) -> BTreeMap<u64, BTreeMap<usize, u64>> {
        let mut intervals: BTreeMap<u64, BTreeMap<usize, u64>> = BTreeMap::new();
        for (&(interval, bucket), &ns) in &self.ns {
            intervals.entry(interval).or_default().insert(bucket, ns);
        }
        intervals
    }
}

/// The time waited in the interval that operations ended in, by bucket of the frames: their
/// latencies less what was waited before. The sum is exact; its parts are as exact as buckets are.
pub fn own_ns(buckets: LogLinear, latency_ns: &[u64], sum_ns: u64, earlier: &Earlier) -> Vec<u64> {
    let before = earlier.by_bucket();
    let all_before = before.values().fold(0_u64, |sum, ns| sum.saturating_add(*ns));
    let rest = |(bucket, &ns): (usize, &u64)| {
        u128::from(ns.saturating_sub(*before.get(&bucket).unwrap_or(&0)))
    };
    let parts: Vec<u128> = latency_ns.iter().enumerate().map(rest).collect();
    let own = Nanos::new(sum_ns.saturating_sub(all_before));
    own.divided(&parts).unwrap_or_else(|| {
        // All of it was waited before, as far as buckets tell: what is left belongs to the longest.
        let mut left = vec![0; buckets.buckets()];
        let longest = latency_ns.iter().rposition(|&ns| ns > 0).unwrap_or(0);
        left[longest] = own.as_nanos();
        left
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_over_several_intervals_lies_where_it_was_waited() {
        let course = RunClock::new(1_000, None);
        course.start(5_000);
        let mut earlier = Earlier::default();
        // From 5,400 to 8,100: 600 in the first interval, all of the next two, 100 in its own.
        earlier.record(&course, 3, (5_400, 8_100));
        let bucket = course.frame_buckets.index_of(Nanos::new(2_700));
        let by_interval: Vec<(u64, u64)> =
            earlier.by_interval().into_iter().map(|(at, times)| (at, times[&bucket])).collect();
        assert_eq!(by_interval, [(0, 600), (1, 1_000), (2, 1_000)]);
        // Beside it a short one of 50 that lies within its own interval.
        let mut latency_ns = vec![0; course.frame_buckets.buckets()];
        latency_ns[bucket] = 2_700;
        latency_ns[50] = 50;
        let own = own_ns(course.frame_buckets, &latency_ns, 2_750, &earlier);
        assert_eq!((own[bucket], own[50], own.iter().sum::<u64>()), (100, 50, 150));
        // Whatever the buckets estimate, the sum is what was measured.
        latency_ns[bucket] = 2_600;
        let own = own_ns(course.frame_buckets, &latency_ns, 2_750, &earlier);
        assert_eq!(own.iter().sum::<u64>(), 150);
    }
}
