//! Exponential buckets, as native histograms of Prometheus and those of OpenTelemetry have them.

use isotherm_frame::{Histogram, Nanos};

use crate::disjoint;

/// The counts of exponential buckets: bucket `i` holds values above `base^i` up to `base^(i+1)`, where
/// the base is `2^(2^-scale)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exponential {
    pub(crate) scale: i32,
    /// Buckets with their counts, in order.
    pub(crate) buckets: Vec<(i32, u64)>,
    /// Values of at most so many units are counted as zero.
    pub(crate) zero_threshold: f64,
    pub(crate) zero_count: u64,
}

impl Exponential {
    /// The scales that are allowed: from 2^1024 in one bucket to a millionth.
    pub(crate) const SCALES: std::ops::RangeInclusive<i32> = -10..=20;
    /// The most buckets that are read.
    pub(crate) const MOST: usize = 100_000;

    /// The same counts in buckets of a smaller scale, of which each holds whole ones of these.
    pub(crate) fn at_scale(&self, scale: i32) -> Option<Exponential> {
        let halvings = u32::try_from(self.scale.checked_sub(scale)?).ok().filter(|by| *by < 32)?;
        let mut buckets: Vec<(i32, u64)> = Vec::new();
        for (index, count) in &self.buckets {
            let index = index >> halvings;
            match buckets.last_mut().filter(|last| last.0 == index) {
                Some(last) => last.1 = last.1.checked_add(*count)?,
                None => buckets.push((index, *count)),
            }
        }
        Some(Exponential { scale, buckets, ..self.clone() })
    }

    /// The histogram, of values in a unit of so many nanoseconds; `sum` is the total in that unit.
    pub(crate) fn histogram(&self, unit_ns: f64, sum: Option<f64>) -> Option<Histogram> {
        let ns = |value: f64| Nanos::from_secs_f64(value * unit_ns / 1e9).map(Nanos::as_nanos);
        let step = (-f64::from(self.scale)).exp2();
        let bound = |index: f64| ns((index * step).exp2());
        let mut all: Vec<(u64, u64, u64)> = Vec::with_capacity(self.buckets.len() + 1);
        if self.zero_count > 0 {
            all.push((0, ns(self.zero_threshold)?.max(1), self.zero_count));
        }
        for (index, count) in self.buckets.iter().filter(|(_, count)| *count > 0) {
            let index = f64::from(*index);
            let (lo, hi) = (bound(index)?, bound(index + 1.0)?);
            match all.last_mut() {
                // Narrower than a nanosecond.
                Some(last) if hi <= last.1 => last.2 = last.2.checked_add(*count)?,
                _ => all.push((lo, hi.max(lo + 1), *count)),
            }
        }
        let counts = disjoint::histogram(all.into_iter())?;
        let sum = sum.and_then(ns).filter(|_| counts.events() > 0).map(Nanos::new);
        Some(match sum {
            Some(sum) => counts.with_sum(Some(sum)),
            None => counts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(scale: i32, buckets: &[(i32, u64)]) -> Exponential {
        Exponential { scale, buckets: buckets.to_vec(), ..Exponential::default() }
    }

    #[test]
    fn buckets_are_powers_of_the_base() {
        // Scale 0: (1, 2] and (4, 8] units; scale 1: (2^0.5, 2].
        let made = at(0, &[(0, 3), (2, 4)]).histogram(1e6, Some(20.0)).unwrap();
        assert_eq!(made.scheme().bounds(), [0, 1_000_000, 2_000_000, 4_000_000, 8_000_000]);
        assert_eq!(made.counts(), [0, 3, 0, 4]);
        assert_eq!(made.sum(), Some(Nanos::new(20_000_000)));
        let fine = at(1, &[(1, 2)]).histogram(1e9, None).unwrap();
        assert_eq!(fine.scheme().bounds(), [0, 1_414_213_562, 2_000_000_000]);
        let zero = Exponential { zero_count: 5, zero_threshold: 0.5, ..at(0, &[(0, 1)]) };
        assert_eq!(zero.histogram(1e3, None).unwrap().scheme().bounds(), [0, 500, 1_000, 2_000]);
    }

    #[test]
    fn a_smaller_scale_merges_whole_buckets() {
        let coarse = at(2, &[(-3, 1), (-2, 2), (-1, 4), (0, 8), (5, 16)]).at_scale(1).unwrap();
        assert_eq!(coarse.buckets, [(-2, 1), (-1, 6), (0, 8), (2, 16)]);
        assert_eq!(at(1, &[]).at_scale(2), None);
    }
}
