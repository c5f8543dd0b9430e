//! Quantiles from bucket counts: ranges, because that is all buckets know.

use thiserror::Error;

use crate::interpolation::position;
use crate::{Bucket, Histogram, LogLinear, Nanos};

/// Where a quantile lies: in `[lo, hi)`, as narrow as the buckets allow.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct QuantileInterval {
    /// The quantile asked for, between 0 and 1.
    pub q: f64,
    /// Where the event of this rank lies: its bucket, as much wider as lengths are estimates
    /// ([`Histogram::length_error`]).
    pub bucket: Bucket,
    /// The bucket that counted it.
    pub counted_in: Bucket,
    /// A point estimate within the bucket, from a monotone cubic of the cumulative counts over the
    /// logarithm of latency. The lower bound when the bucket has no upper one. Always to be shown
    /// as an estimate, beside the bucket.
    pub estimate: Nanos,
}

/// Why a quantile cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum QuantileError {
    /// There is no event to rank.
    #[error("no events were counted, so there is no quantile")]
    Empty,
    /// The quantile asked for is not between 0 and 1.
    #[error("{0} is not a quantile: it must lie between 0 and 1")]
    OutOfRange(f64),
    /// The source counts events and their total time only.
    #[error("averages only: no percentiles")]
    AveragesOnly,
}

impl QuantileInterval {
    /// Whether the interval holds `latency`.
    pub fn contains(self, latency: Nanos) -> bool {
        self.bucket.contains(latency)
    }
}

/// The places of decimals that are taken to be meant exactly: `p99.9999999999`.
const PLACES: f64 = 1e12;

/// The rank of the `q` quantile among `events` events in ascending order, counted from 1: `ceil(q
/// events)`, the first definition of Hyndman & Fan 1996, *Sample Quantiles in Statistical Packages*.
/// Without events it is 1.
///
/// `q` is the decimal that it is written as, of up to twelve places: 0.999 is 999/1000, of which
/// binary floating point knows only a neighbour, so that a product with it may lie just above the
/// rank. Any other `q` is taken as it is. Either is multiplied without rounding.
pub fn nearest_rank(q: f64, events: u64) -> u64 {
    let q = q.clamp(0.0, 1.0);
    let parts = (q * PLACES).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::float_cmp,
        reason = "0 <= parts <= 10^12; a quotient is the double nearest to its decimal"
    )]
    let rank = if parts / PLACES == q {
        (parts as u128 * u128::from(events)).div_ceil(PLACES as u128)
    } else {
        let (mantissa, halvings) = binary(q);
        let product = u128::from(mantissa) * u128::from(events);
        1_u128.checked_shl(halvings).map_or(1, |whole| product.div_ceil(whole))
    };
    u64::try_from(rank).unwrap_or(events).clamp(1, events.max(1))
}

/// A number from 0 to 1 as a whole number of at most 53 bits, halved so many times (IEEE 754).
fn binary(q: f64) -> (u64, u32) {
    const FRACTION: u64 = (1 << 52) - 1;
    let (fraction, exponent) = (q.to_bits() & FRACTION, (q.to_bits() >> 52) & 0x7ff);
    let implied = if exponent > 0 { FRACTION + 1 } else { 0 };
    let halvings = 1_075_u64.saturating_sub(exponent.max(1));
    (fraction | implied, u32::try_from(halvings).unwrap_or(u32::MAX))
}

/// The quantile of a percentage as people write it: 0.999 of 99.9, which `99.9 / 100.0` misses.
/// Exact for up to ten places.
pub fn quantile_of_percent(percent: f64) -> f64 {
    const HUNDREDTH: f64 = PLACES / 100.0;
    let parts = (percent * HUNDREDTH).round();
    #[expect(clippy::float_cmp, reason = "a quotient is the double nearest to its decimal")]
    let is_decimal = parts / HUNDREDTH == percent;
    if is_decimal { parts / PLACES } else { percent / 100.0 }
}

impl Histogram {
    /// The interval that holds the `q` quantile by nearest rank: of `n` events in ascending order
    /// the one at position `r` of [`nearest_rank`], the first for `q = 0`, the longest for `q = 1`.
    ///
    /// The estimate in it is where the share `(r - c - 1/2) / k` of its `k` events lie below, with
    /// `c` events in the buckets before it (Hazen 1914): the only event of a bucket is expected
    /// near its middle, and so is a single maximum.
    pub fn quantile(&self, q: f64) -> Result<QuantileInterval, QuantileError> {
        if !(0.0..=1.0).contains(&q) {
            return Err(QuantileError::OutOfRange(q));
        }
        if self.is_averages() {
            return Err(QuantileError::AveragesOnly);
        }
        let rank = nearest_rank(q, self.events());
        let mut below = 0_u64;
        for (index, count) in self.counted() {
            let through = below.saturating_add(count);
            if rank <= through {
                // An event stands in the middle of its own share of the probability.
                let inside = ((rank - below) as f64 - 0.5) / count as f64;
                let counted_in = self.scheme().bucket(index);
                if counted_in.lo == Nanos::ZERO && counted_in.hi.is_none() {
                    // Any latency lies there: latencies and averages are added up.
                    return Err(QuantileError::AveragesOnly);
                }
                let bucket = self.true_lengths(self.as_written(counted_in));
                let estimate = position(self, index, inside);
                return Ok(QuantileInterval { q, bucket, counted_in, estimate });
            }
            below = through;
        }
        Err(QuantileError::Empty)
    }

    /// A bucket as wide as the unit in which lengths are written: what nginx prints as `0.000` took less
    /// than 1 ms. Only a length of nothing is wider than its bucket.
    pub fn as_written(&self, bucket: Bucket) -> Bucket {
        let is_zero = bucket.lo == Nanos::ZERO && bucket.hi == Some(Nanos::new(1));
        let unit = is_zero.then(|| self.written_unit()).flatten();
        Bucket { hi: unit.or(bucket.hi), ..bucket }
    }

    /// The coarsest decimal part of a second that all lengths may be multiples of: what they are written
    /// in, if some are nothing. `None` where none is, of counts whose buckets are their source's, and where
    /// fewer than two lengths tell.
    pub fn written_unit(&self) -> Option<Nanos> {
        const UNITS: [u64; 7] =
            [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000];
        let longer =
            || self.non_zero().map(|(bucket, _)| bucket).filter(|one| one.lo > Nanos::ZERO);
        if *self.scheme() != *LogLinear::EVENTS.scheme()
            || longer().nth(1).is_none()
            || self.count(0) == 0
        {
            return None;
        }
        let holds = |bucket: Bucket, unit: u64| {
            let multiple = bucket.lo.as_nanos().div_ceil(unit).saturating_mul(unit);
            bucket.hi.is_none_or(|hi| multiple < hi.as_nanos())
        };
        UNITS.into_iter().find(|&unit| longer().all(|bucket| holds(bucket, unit))).map(Nanos::new)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Scheme;

    /// Lengths in whole units of 1 ms, 10 µs and 1 ns: a length that is written as nothing is shorter than
    /// the unit.
    #[test]
    fn what_is_written_as_nothing_is_less_than_the_unit() {
        let median = |lengths: &[u64]| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            let zeros = [0].into_iter().cycle().take(lengths.len() + 1);
            zeros.chain(lengths.iter().copied()).for_each(|ns| counts.record(Nanos::new(ns)));
            let found = counts.quantile(0.5).unwrap();
            (found.bucket.lo, found.bucket.hi.unwrap().as_nanos(), found.counted_in.hi)
        };
        let zero = |unit: u64| (Nanos::ZERO, unit, Some(Nanos::new(1)));
        let ms = 1_000_000;
        assert_eq!(median(&[ms, 2 * ms, 4 * ms, 13 * ms, 250 * ms]), zero(ms));
        assert_eq!(median(&[30_000, 70_000, 1_130_000]), zero(10_000));
        assert_eq!(median(&[1_234, 5_678, 123_456_789]), zero(1));
        // One length, or none, does not tell.
        assert_eq!(median(&[4 * ms]), zero(1));
        assert_eq!(median(&[]), zero(1));
    }

    #[test]
    fn ranks_are_those_of_whole_numbers() {
        for tenths in 1..=1_000_u64 {
            let typed: f64 = format!("{}.{}", tenths / 10, tenths % 10).parse().unwrap();
            let q = quantile_of_percent(typed);
            assert_eq!(q.to_bits(), format!("{tenths}e-3").parse::<f64>().unwrap().to_bits());
            for events in (1..=5_000).chain([1_000_000, 999_999_999_999, u64::MAX / 1_000]) {
                let exact = (tenths * events).div_ceil(1_000);
                assert_eq!(nearest_rank(q, events), exact, "p{typed} of {events}");
            }
        }
    }

    #[test]
    fn the_ranks_that_binary_fractions_miss() {
        // 0.07 x 100, 0.14 x 50, 0.28 x 25, 0.55 x 100 and 0.999 x 1000 are whole.
        let expected = [(7.0, 100, 7), (14.0, 50, 7), (28.0, 25, 7), (55.0, 100, 55)];
        for (percent, events, rank) in expected.into_iter().chain([(99.9, 1_000, 999)]) {
            assert_eq!(nearest_rank(quantile_of_percent(percent), events), rank, "p{percent}");
        }
        assert_eq!(nearest_rank(0.999_999_999_999, 1_000_000_000_000), 999_999_999_999);
        assert_eq!([0.0, 1.0].map(|q| nearest_rank(q, u64::MAX)), [1, u64::MAX]);
        assert_eq!([0.0, 0.5, 1.0].map(|q| nearest_rank(q, 0)), [1; 3]);
    }

    #[test]
    fn a_percentage_of_more_than_ten_places_is_divided() {
        // The decimal point two places to the left, read as a number of its own.
        for (percent, quantile) in [
            ("33.333333333333336", "0.33333333333333336"),
            ("66.66666666666667", "0.6666666666666667"),
            ("99.99999999999999", "0.9999999999999999"),
        ] {
            let expected: f64 = quantile.parse().unwrap();
            assert_eq!(quantile_of_percent(percent.parse().unwrap()).to_bits(), expected.to_bits());
        }
    }

    #[test]
    fn an_interval_holds_the_latencies_of_its_bucket_alone() {
        let [shorter, lo, inside, hi] = [99, 100, 199, 200].map(Nanos::new);
        let bucket = Bucket { lo, hi: Some(hi) };
        let interval = QuantileInterval { q: 0.5, bucket, counted_in: bucket, estimate: inside };
        let held = [shorter, lo, inside, hi].map(|latency| interval.contains(latency));
        assert_eq!(held, [false, true, true, false]);
    }

    #[test]
    fn other_quantiles_are_taken_as_they_are() {
        // 2^-40 of 2^41 + 1 is 2 and a little; of what is no decimal nothing is rounded off.
        assert_eq!(nearest_rank(0.5_f64.powi(40), (1 << 41) + 1), 3);
        assert_eq!(nearest_rank(0.5_f64.powi(40), 1 << 41), 2);
        assert_eq!(nearest_rank(f64::MIN_POSITIVE / 4.0, u64::MAX), 1);
        assert_eq!(nearest_rank(1.0 / 3.0, 3_000), 1_000);
    }

    proptest! {
        #[test]
        fn ranks_grow_with_the_quantile(one in 0.0_f64..=1.0, two in 0.0_f64..=1.0, events in 1..u64::MAX) {
            let (less, more) = (one.min(two), one.max(two));
            prop_assert!(nearest_rank(less, events) <= nearest_rank(more, events));
        }
    }
}
