//! Quantiles from bucket counts: ranges, because that is all buckets know.

use thiserror::Error;

use crate::{Bucket, Histogram, Nanos};

/// Where a quantile lies: in `[lo, hi)`, as narrow as the buckets allow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct QuantileInterval {
    /// The quantile asked for, between 0 and 1.
    pub q: f64,
    /// The bucket that holds the event of this rank.
    pub bucket: Bucket,
    /// A point estimate: the position of the rank within its bucket, on a straight line. The
    /// lower bound when the bucket has no upper one. Always to be shown as an estimate.
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
    /// the one at position `ceil(q n)`, the first for `q = 0`, the longest for `q = 1`.
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
        let mut below = 0;
        for (bucket, count) in self.non_zero() {
            if rank <= below + count {
                let estimate = interpolate(bucket, (rank - below) as f64 / count as f64);
                return Ok(QuantileInterval { q, bucket, estimate });
            }
            below += count;
        }
        Err(QuantileError::Empty)
    }
}

fn interpolate(bucket: Bucket, fraction: f64) -> Nanos {
    let Some(hi) = bucket.hi else { return bucket.lo };
    let lo = bucket.lo.as_nanos();
    let width = hi.as_nanos() - lo;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= x <= width")]
    let inside = (width as f64 * fraction) as u64;
    Nanos::new(lo + inside.min(width - 1))
}
