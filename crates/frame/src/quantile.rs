//! Quantiles from bucket counts: ranges, because that is all buckets know.

use thiserror::Error;

use crate::interpolation::position;
use crate::{Bucket, Histogram, Nanos};

/// Where a quantile lies: in `[lo, hi)`, as narrow as the buckets allow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct QuantileInterval {
    /// The quantile asked for, between 0 and 1.
    pub q: f64,
    /// The bucket that holds the event of this rank.
    pub bucket: Bucket,
    /// A point estimate within the bucket, from a monotone cubic of the cumulative counts over the
    /// logarithm of latency. The lower bound when the bucket has no upper one. Always to be shown
    /// as an estimate, beside the bucket.
    pub estimate: Nanos,
}

/// Why a quantile cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum QuantileError {
    /// There is no event to rank.
    #[error("no events were counted, so there is no quantile")]
    Empty,
    /// The quantile asked for is not between 0 and 1.
    #[error("{0} is not a quantile: it must lie between 0 and 1")]
    OutOfRange(f64),
}

impl QuantileInterval {
    /// Whether the interval holds `latency`.
    pub fn contains(self, latency: Nanos) -> bool {
        self.bucket.contains(latency)
    }
}

impl Histogram {
    /// The interval that holds the `q` quantile by nearest rank: of `n` events in ascending order
    /// the one at position `r = ceil(q n)`, the first for `q = 0`, the longest for `q = 1`.
    ///
    /// The estimate in it is where the share `(r - c - 1/2) / k` of its `k` events lie below, with
    /// `c` events in the buckets before it (Hazen 1914): the only event of a bucket is expected
    /// near its middle, and so is a single maximum.
    pub fn quantile(&self, q: f64) -> Result<QuantileInterval, QuantileError> {
        if !(0.0..=1.0).contains(&q) {
            return Err(QuantileError::OutOfRange(q));
        }
        let events = self.events();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 <= q n <= n"
        )]
        let rank = ((q * events as f64).ceil() as u64).clamp(1, events.max(1));
        let mut below = 0_u64;
        for (index, &count) in self.counts().iter().enumerate().filter(|(_, count)| **count > 0) {
            let through = below.saturating_add(count);
            if rank <= through {
                // An event stands in the middle of its own share of the probability.
                let inside = ((rank - below) as f64 - 0.5) / count as f64;
                let bucket = self.scheme().bucket(index);
                return Ok(QuantileInterval { q, bucket, estimate: position(self, index, inside) });
            }
            below = through;
        }
        Err(QuantileError::Empty)
    }
}
