//! Buckets that keep a relative width over many octaves.

use crate::{Nanos, Scheme};

/// Log-linear buckets: single nanoseconds up to `2 * 2^bits`, then `2^bits` linear buckets in each
/// octave up to [`LogLinear::END`], then one bucket without upper bound. A bucket is at most
/// `2^-bits` of its latency wide; its mid-point is at most half of that from any latency in it.
///
/// The index of a latency is a shift and an addition, so it can be counted in a hot loop.
#[derive(Clone, Debug)]
pub struct LogLinear {
    bits: u32,
    scheme: Scheme,
}

impl LogLinear {
    /// The first latency of the overflow bucket: 2^42 ns, 73 minutes.
    pub const END: u64 = 1 << 42;

    /// Buckets of at most `2^-bits` relative width; `bits` is taken to lie in `1..=10`.
    pub fn new(bits: u32) -> LogLinear {
        let bits = bits.clamp(1, 10);
        let octaves = (bits + 1..42)
            .flat_map(|octave| (1_u64 << bits..2 << bits).map(move |part| part << (octave - bits)));
        let bounds = (0..2_u64 << bits).chain(octaves).chain([LogLinear::END, Scheme::UNBOUNDED]);
        let scheme = Scheme::new(bounds.collect()).unwrap_or_else(|_| Scheme::log_linear());
        LogLinear { bits, scheme }
    }

    /// Each bucket is at most `2^-bits` of its latency wide.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The bounds.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.scheme.buckets()
    }

    /// The index of the bucket that counts `latency`.
    #[inline]
    pub fn index_of(&self, latency: Nanos) -> usize {
        let ns = latency.as_nanos().min(LogLinear::END);
        let shift = (ns | 1).ilog2().saturating_sub(self.bits);
        let index = (u64::from(shift) << self.bits) + (ns >> shift);
        #[expect(clippy::cast_possible_truncation, reason = "at most 43 << 10")]
        {
            index as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_bits_are_the_scheme_that_events_are_binned_in() {
        assert_eq!(LogLinear::new(3).scheme(), &Scheme::log_linear());
    }

    #[test]
    fn seven_bits_keep_within_four_thousandths() {
        let buckets = LogLinear::new(7);
        for index in 256..buckets.buckets() - 1 {
            let bucket = buckets.scheme().bucket(index);
            let (lo, mid) = (bucket.lo.as_nanos() as f64, bucket.mid_point().as_nanos() as f64);
            assert!((mid - lo) / lo <= 0.0040, "{bucket:?}");
        }
    }

    proptest! {
        #[test]
        fn a_latency_is_counted_in_the_bucket_that_contains_it(ns: u64, shift in 0_u32..64, bits in 1_u32..=10) {
            let latency = Nanos::new(ns >> shift);
            let buckets = LogLinear::new(bits);
            prop_assert_eq!(Some(buckets.index_of(latency)), buckets.scheme().index_of(latency));
        }
    }
}
