//! How far latencies are spread around their mean.

use crate::{Bucket, Histogram, Nanos};

impl Histogram {
    /// The ratio of the variance of the latencies to their mean, which is a length of time: near the mean
    /// itself where lengths are exponential, far above it where a few are much longer than the rest. A
    /// range, because buckets say no more. `None` without events, of averages, where the mean is zero, and
    /// where events lie in a bucket without an upper bound.
    pub fn variance_to_mean(&self) -> Option<Bucket> {
        let events = self.events() as f64;
        if events <= 0.0 || self.is_averages() {
            return None;
        }
        let error = self.length_error().as_nanos() as f64;
        // Each bucket: its events, its middle, and how far from that an event may be.
        let mut buckets = Vec::new();
        for (bucket, count) in self.non_zero() {
            let (lo, last) = (bucket.lo.as_nanos() as f64, bucket.hi?.as_nanos() as f64 - 1.0);
            buckets.push((count as f64, lo.midpoint(last), (last - lo) / 2.0 + error));
        }
        let average = |of: &dyn Fn(f64, f64) -> f64| {
            buckets.iter().map(|&(count, middle, half)| count * of(middle, half)).sum::<f64>()
                / events
        };
        let middle = average(&|middle, _| middle);
        let deviation = average(&|own, _| (own - middle).powi(2)).sqrt();
        // Lengths move from the middles of their buckets by this at most, as a distance in as many
        // dimensions as there are events: so the deviation moves by no more (Minkowski's inequality).
        let moved = average(&|_, half| half.powi(2)).sqrt();
        let known = self.mean_ns().filter(|_| self.latency_total().exact);
        let off = average(&|_, half| half);
        let (least, most) = known.map_or((middle - off, middle + off), |mean| (mean, mean));
        if least <= 0.0 {
            return None;
        }
        // One event alone has no variance.
        let moved = if events > 1.0 { moved } else { 0.0 };
        let lo = (deviation - moved).max(0.0).powi(2) / most;
        let hi = (deviation + moved).powi(2) / least;
        let nanos = |ns: f64| Nanos::from_secs_f64(ns / 1e9);
        Some(Bucket { lo: nanos(lo.floor())?, hi: nanos(hi.ceil() + 1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, Scheme};

    /// What the lengths themselves say.
    fn truth(lengths: &[u64]) -> f64 {
        let number = lengths.len() as f64;
        let mean = lengths.iter().map(|&ns| ns as f64).sum::<f64>() / number;
        lengths.iter().map(|&ns| (ns as f64 - mean).powi(2)).sum::<f64>() / number / mean
    }

    fn histogram(lengths: &[u64]) -> Histogram {
        let mut counted = Histogram::empty(Scheme::log_linear());
        for &ns in lengths {
            counted.record(Nanos::new(ns));
        }
        counted
    }

    #[test]
    fn the_range_holds_the_ratio_of_the_lengths_themselves() {
        for seed in 1..=60 {
            let mut random = Random::new(seed);
            let whole_ns = |ns: f64| Nanos::from_secs_f64(ns / 1e9).unwrap().as_nanos();
            let exponential = (0..300).map(|_| whole_ns(-1e6 * random.unit().max(1e-9).ln()));
            let exponential: Vec<u64> = exponential.collect();
            let narrow: Vec<u64> = (0..300).map(|_| 1_000_000 + random.below(50_000)).collect();
            let mut outlier = narrow.clone();
            outlier.push(900_000_000);
            for (lengths, width) in [(&exponential, 1.6), (&narrow, f64::INFINITY), (&outlier, 1.3)]
            {
                let range = histogram(lengths).variance_to_mean().unwrap();
                let (lo, hi) = (range.lo.as_nanos() as f64, range.hi.unwrap().as_nanos() as f64);
                let truth = truth(lengths);
                assert!(lo <= truth && truth <= hi, "{seed}: {truth} is not in {lo} to {hi}");
                assert!(hi / lo.max(1.0) <= width, "{seed}: {lo} to {hi} says little of {truth}");
            }
        }
    }

    #[test]
    fn what_says_nothing_has_no_ratio() {
        assert_eq!(histogram(&[]).variance_to_mean(), None);
        assert_eq!(histogram(&[0, 0]).variance_to_mean(), None);
        assert_eq!(histogram(&[1_000, u64::MAX / 2]).variance_to_mean(), None);
        let one = histogram(&[123_456_789]).variance_to_mean().unwrap();
        assert_eq!((one.lo, one.hi), (Nanos::ZERO, Some(Nanos::new(1))));
        // 10 and 14 ns have buckets of their own: variance 4, mean 12.
        let exact = histogram(&[10, 14]).variance_to_mean().unwrap();
        assert_eq!((exact.lo, exact.hi), (Nanos::ZERO, Some(Nanos::new(2))));
    }

    #[test]
    fn lengths_that_are_estimates_make_the_range_wider() {
        let lengths = [20_000_000, 40_000_000, 40_000_000, 90_000_000];
        let shifted: Vec<u64> =
            lengths.iter().enumerate().map(|(at, ns)| ns + at as u64 * 3_000_000).collect();
        let range = histogram(&lengths)
            .with_length_error(Nanos::from_millis(9))
            .variance_to_mean()
            .unwrap();
        for lengths in [&lengths[..], &shifted] {
            let truth = Nanos::from_secs_f64(truth(lengths) / 1e9).unwrap();
            assert!(range.contains(truth), "{range:?}");
        }
    }
}
