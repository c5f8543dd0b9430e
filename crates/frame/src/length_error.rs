//! Lengths that are estimates, such as those of waits that only samples saw.

use crate::total::{Total, Waited};
use crate::{Bucket, Histogram, Nanos};

impl Histogram {
    /// The same events, of which each may have taken this much less or more than it was counted with.
    /// Their total is an estimate, and a quantile lies anywhere within this distance of its bucket
    /// ([`Histogram::quantile`]): where each of some numbers moves by at most so much, so does each
    /// of them in ascending order.
    #[must_use]
    pub fn with_length_error(self, within: Nanos) -> Histogram {
        if within == Nanos::ZERO {
            return self;
        }
        let total = match self.total {
            Total::Exact(sum) => Total::Parts(sum),
            other => other,
        };
        let waited = self.waited.map(|waited| Waited { exact: false, ..waited });
        Histogram { total, waited, length_error: self.length_error.max(within), ..self }
    }

    /// How far the true length of an event may be from the one it was counted with: zero where lengths
    /// were measured.
    pub fn length_error(&self) -> Nanos {
        self.length_error
    }

    /// Where the true lengths of the events of a bucket lie.
    pub fn true_lengths(&self, Bucket { lo, hi }: Bucket) -> Bucket {
        let error = self.length_error.as_nanos();
        let lo = Nanos::new(lo.as_nanos().saturating_sub(error));
        Bucket { lo, hi: hi.map(|hi| Nanos::new(hi.as_nanos().saturating_add(error))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, Scheme};

    /// Lengths that are moved by at most half a second: every percentile of the true ones lies within
    /// the range that those counted have, and without the error most do not.
    #[test]
    fn quantiles_hold_the_true_lengths() {
        let (mut held, mut without) = (0, 0);
        let within = Nanos::from_millis(50);
        for seed in 1..=40 {
            let mut random = Random::new(seed);
            let mut lengths: Vec<Nanos> = Vec::new();
            let mut counted = Histogram::empty(Scheme::log_linear());
            for _ in 0..200 {
                let seconds = 0.1 + 0.1 * random.unit();
                let moved = seconds + 0.05 * (2.0 * random.unit() - 1.0);
                lengths.push(Nanos::from_secs_f64(seconds).unwrap());
                counted.record(Nanos::from_secs_f64(moved).unwrap());
            }
            lengths.sort();
            let estimated = counted.clone().with_length_error(within);
            for percent in [1, 50, 90, 99, 100] {
                let truth = lengths[(percent * lengths.len()).div_ceil(100) - 1];
                let q = percent as f64 / 100.0;
                held += usize::from(estimated.quantile(q).unwrap().contains(truth));
                without += usize::from(counted.quantile(q).unwrap().contains(truth));
            }
        }
        assert_eq!(held, 200);
        assert!(without < 150, "{without}");
    }

    #[test]
    fn what_is_estimated_stays_so_when_it_is_added_divided_and_moved() {
        let mut counts = Histogram::empty(Scheme::log_linear());
        counts.record(Nanos::from_millis(200));
        let measured = counts.clone();
        let estimated = counts.with_length_error(Nanos::from_millis(50));
        let both = measured.merge(&estimated);
        for one in [&estimated, &both, &estimated.merge(&measured), &estimated.part((0, 1), 2)] {
            assert_eq!(one.length_error(), Nanos::from_millis(50));
            assert!(!one.latency_total().exact && one.sum().is_none());
        }
        assert_eq!(both.partly_known_sum(), Some(Nanos::from_millis(400)));
        let lengths = estimated.quantile(0.5).unwrap();
        assert_eq!(lengths.bucket, estimated.true_lengths(lengths.counted_in));
        assert!(
            lengths.contains(Nanos::from_millis(151)) && lengths.contains(Nanos::from_millis(249))
        );
        assert_eq!(measured.clone().with_length_error(Nanos::ZERO), measured);
    }
}
