//! Whether all latencies became longer or shorter by one factor.

use isotherm_frame::{Bucket, Histogram};

/// The quantiles compared.
const QUANTILES: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];
/// A smaller factor is not worth a word.
const LEAST: f64 = 1.1;
/// How far the factors of two quantiles may be apart, in octaves, beside what chance and the width
/// of buckets make of them.
const APART: f64 = 0.04;
/// The share of its bucket's width that a quantile may be off.
const WITHIN: f64 = 0.25;
/// The factor is at least so many times what the quantiles differ by.
const CLEAR: f64 = 1.5;

/// The factor by which all latencies are longer in `after`; `None` where it is not one factor for
/// all, or hardly any.
///
/// The shift function (Doksum 1974) on the logarithm of latency: the distance of the same quantile
/// in both, which is a constant if and only if all were multiplied by one factor.
pub(crate) fn scaled(before: &Histogram, after: &Histogram) -> Option<f64> {
    let found: Option<Vec<(f64, f64)>> =
        QUANTILES.iter().map(|&q| Some(shift(at(before, q)?, at(after, q)?))).collect();
    let found = found?;
    let mut sorted: Vec<f64> = found.iter().map(|(shift, _)| *shift).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = *sorted.get(sorted.len() / 2)?;
    let widest = found.iter().map(|(_, may_be_off)| *may_be_off).fold(0.0, f64::max);
    let one_factor = found.iter().all(|(shift, off)| (shift - middle).abs() <= APART + off);
    let clear = middle.abs() >= LEAST.log2().max(CLEAR * (APART + widest));
    (one_factor && clear).then(|| middle.exp2())
}

/// A quantile in octaves and how far it may be off.
#[derive(Copy, Clone)]
struct Place {
    octaves: f64,
    off: f64,
}

/// How many octaves lie between two places, and how far that may be off.
fn shift(before: Place, after: Place) -> (f64, f64) {
    (after.octaves - before.octaves, before.off.hypot(after.off))
}

/// A quantile, by the logarithm of latency evenly in its bucket; off by a part of the bucket and by
/// the ranks that chance may exchange (two standard errors of a binomial share).
fn at(counts: &Histogram, q: f64) -> Option<Place> {
    let events = counts.events() as f64;
    if events <= 0.0 {
        return None;
    }
    let error = 2.0 * (q * (1.0 - q) / events).sqrt();
    let ranks = [q, q - error, q + error].map(|q| octaves(counts, q.clamp(0.0, 1.0) * events));
    let [Some((middle, width)), Some((low, _)), Some((high, _))] = ranks else { return None };
    Some(Place { octaves: middle, off: (high - low) / 2.0 + WITHIN * width })
}

/// Where a rank lies, and the width of its bucket, in octaves.
fn octaves(counts: &Histogram, rank: f64) -> Option<(f64, f64)> {
    let mut below = 0.0;
    let mut last = None;
    for (Bucket { lo, hi }, count) in counts.non_zero() {
        let count = count as f64;
        let from = (lo.as_nanos().max(1) as f64).log2();
        let width = (hi?.as_nanos() as f64).log2() - from;
        let place = ((rank - below) / count).clamp(0.0, 1.0);
        last = Some((from + place * width, width));
        below += count;
        if below >= rank {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Scheme, Unit};

    use super::*;
    use crate::simulated::Chance;

    fn drawn(seed: u64, scheme: &Scheme, latency_us: impl Fn(&mut Chance) -> f64) -> Histogram {
        let mut chance = Chance::new(seed);
        let mut counts = Histogram::empty(scheme.clone());
        for _ in 0..20_000 {
            counts.record(Nanos::from_secs_f64(latency_us(&mut chance) / 1e6).unwrap());
        }
        counts
    }

    #[test]
    fn twenty_percent_longer_is_found_in_fine_buckets_and_three_times_in_any() {
        let lognormal = |chance: &mut Chance| 1_000.0 * (0.5 * chance.normal()).exp2();
        for (scheme, factors) in [
            (Scheme::log_linear(), &[1.2, 0.8, 3.0, 0.3][..]),
            (Scheme::powers_of_two(Unit::Micros), &[3.0, 0.25]),
        ] {
            for (seed, factor) in (1..).zip(factors) {
                let before = drawn(seed, &scheme, lognormal);
                let after = drawn(seed + 50, &scheme, |chance| factor * lognormal(chance));
                let found = scaled(&before, &after).unwrap();
                assert!((found / factor - 1.0).abs() < 0.1, "{factor}: {found}");
            }
        }
    }

    #[test]
    fn a_longer_tail_and_a_new_band_and_the_same_are_no_factor() {
        let scheme = Scheme::log_linear();
        let lognormal = |chance: &mut Chance| 1_000.0 * (0.5 * chance.normal()).exp2();
        let before = drawn(1, &scheme, lognormal);
        let same = drawn(2, &scheme, lognormal);
        let wider = drawn(3, &scheme, |chance| 1_000.0 * (1.0 * chance.normal()).exp2());
        let band = drawn(4, &scheme, |chance| {
            lognormal(chance) * if chance.uniform() < 0.3 { 20.0 } else { 1.0 }
        });
        for after in [same, wider, band] {
            assert_eq!(scaled(&before, &after), None);
        }
    }
}
