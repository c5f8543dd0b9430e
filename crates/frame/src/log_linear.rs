//! Buckets that keep a relative width over many octaves.

use std::sync::OnceLock;

use crate::{Nanos, Scheme};

/// Log-linear buckets: single nanoseconds up to `2 * 2^bits`, then `2^bits` linear buckets in each
/// octave up to [`LogLinear::END`], then one bucket without upper bound. A bucket is at most
/// `2^-bits` of its latency wide; its mid-point is at most half of that from any latency in it.
///
/// The index of a latency is a shift and an addition, so it can be counted in a hot loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LogLinear {
    bits: u32,
}

impl LogLinear {
    /// The first latency of the overflow bucket: 2^42 ns, 73 minutes.
    pub const END: u64 = 1 << 42;

    /// What events are binned in: 8 buckets in each octave, single nanoseconds below 16 ns. The
    /// relative width of a bucket is at most 1/8, on average about 1/11.
    pub const EVENTS: LogLinear = LogLinear::new(3);

    const MOST_BITS: u32 = 10;

    /// Buckets of at most `2^-bits` relative width; `bits` is taken to lie in `1..=10`.
    pub const fn new(bits: u32) -> LogLinear {
        let bits = match bits {
            0 => 1,
            LogLinear::MOST_BITS.. => LogLinear::MOST_BITS,
            bits => bits,
        };
        LogLinear { bits }
    }

    /// Each bucket is at most `2^-bits` of its latency wide.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The bounds.
    pub fn scheme(self) -> &'static Scheme {
        static SCHEMES: [OnceLock<Scheme>; LogLinear::MOST_BITS as usize + 1] =
            [const { OnceLock::new() }; LogLinear::MOST_BITS as usize + 1];
        SCHEMES[self.bits as usize].get_or_init(|| Scheme::interned(self.bounds()))
    }

    fn bounds(self) -> Vec<u64> {
        let bits = self.bits;
        let octaves = (bits + 1..42)
            .flat_map(|octave| (1_u64 << bits..2 << bits).map(move |part| part << (octave - bits)));
        (0..2_u64 << bits).chain(octaves).chain([LogLinear::END, Scheme::UNBOUNDED]).collect()
    }

    /// The number of buckets.
    pub fn buckets(self) -> usize {
        self.scheme().buckets()
    }

    /// The index of the bucket that counts `latency`.
    #[inline]
    pub fn index_of(self, latency: Nanos) -> usize {
        let ns = latency.as_nanos().min(LogLinear::END);
        let shift = (ns | 1).ilog2().saturating_sub(self.bits);
        let index = (u64::from(shift) << self.bits) + (ns >> shift);
        #[expect(clippy::cast_possible_truncation, reason = "at most 43 << 10")]
        {
            index as usize
        }
    }
}

impl Scheme {
    /// The scheme events are binned in: [`LogLinear::EVENTS`].
    pub fn log_linear() -> Scheme {
        LogLinear::EVENTS.scheme().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_are_binned_in_eight_buckets_an_octave_from_a_nanosecond_to_over_an_hour() {
        let bounds = LogLinear::EVENTS.scheme().bounds();
        assert_eq!(
            bounds[..20],
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22]
        );
        let hour = Nanos::from_millis(3_600_000).as_nanos();
        let [.., before, end, none] = bounds else { panic!("{bounds:?}") };
        assert!(*before > hour && *end == 1 << 42 && *none == Scheme::UNBOUNDED);
        for power in 4..42 {
            let octave = bounds.iter().filter(|bound| (1 << power..2 << power).contains(*bound));
            assert_eq!(octave.count(), 8, "{power}");
        }
    }

    #[test]
    fn each_bucket_counts_from_its_lower_to_before_its_upper_bound() {
        for (index, pair) in LogLinear::EVENTS.scheme().bounds().windows(2).enumerate() {
            for ns in [pair[0], (pair[0] + 1).min(pair[1] - 1), pair[1] - 1] {
                assert_eq!(LogLinear::EVENTS.index_of(Nanos::new(ns)), index, "{ns}");
            }
        }
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
