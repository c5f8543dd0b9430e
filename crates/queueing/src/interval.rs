//! Intervals of confidence from a bootstrap: bias-corrected and accelerated (Efron 1987).

use statrs::distribution::{ContinuousCDF, Normal};

/// The confidence of all intervals.
pub const FIT_CONFIDENCE: f64 = 0.95;
/// How far the correction may move the ends, in standard deviations: with few points the jackknife
/// alone would move them anywhere.
const MOST_BIAS: f64 = 1.0;

/// The interval of an estimate from `drawn` values of resamples and from those without each point
/// in turn. Infinite values count as what they are. `None` without resamples.
pub(crate) fn bca(estimate: f64, drawn: &mut Vec<f64>, without: &[f64]) -> Option<(f64, f64)> {
    drawn.retain(|value| !value.is_nan());
    if drawn.len() < 20 {
        return None;
    }
    drawn.sort_by(f64::total_cmp);
    let count = drawn.len() as f64;
    let below = drawn.iter().filter(|value| **value < estimate).count() as f64;
    let equal = drawn.iter().filter(|value| value.total_cmp(&estimate).is_eq()).count() as f64;
    let share = ((below + equal / 2.0) / count).clamp(1.0 / count, 1.0 - 1.0 / count);
    let normal = Normal::standard();
    let bias = normal.inverse_cdf(share).clamp(-MOST_BIAS, MOST_BIAS);
    let pull = acceleration(without);
    let end = |share: f64| {
        let z = bias + normal.inverse_cdf(share);
        let moved = bias + z / (1.0 - pull * z);
        let rank = normal.cdf(moved) * count;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of resamples"
        )]
        let index = rank.clamp(0.0, count - 1.0) as usize;
        drawn.get(index).copied().unwrap_or(estimate)
    };
    let miss = (1.0 - FIT_CONFIDENCE) / 2.0;
    Some((end(miss), end(1.0 - miss)))
}

/// How the error grows with the value, from the estimates without one point (jackknife); 0 where
/// they do not say.
fn acceleration(without: &[f64]) -> f64 {
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let (mut sum_of_squares, mut sum_of_cubes) = (0.0, 0.0);
    for value in without {
        let deviation = mean - value;
        sum_of_squares += deviation * deviation;
        sum_of_cubes += deviation * deviation * deviation;
    }
    let pull = sum_of_cubes / (6.0 * sum_of_squares.powf(1.5));
    if pull.is_finite() { pull.clamp(-0.15, 0.15) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotherm_frame::Random;

    #[test]
    fn without_bias_it_is_the_range_of_the_middle() {
        let mut drawn: Vec<f64> = (0..1_000).map(f64::from).collect();
        let (lo, hi) = bca(499.5, &mut drawn, &[1.0, 1.0, 1.0]).unwrap();
        assert!((lo - 25.0).abs() <= 1.0 && (hi - 975.0).abs() <= 1.0, "{lo} {hi}");
    }

    #[test]
    fn a_bias_moves_both_ends_against_it() {
        // Resamples lie above the estimate more often than below: the truth is likely below it.
        let mut drawn: Vec<f64> = (0..1_000).map(f64::from).collect();
        let (lo, hi) = bca(300.0, &mut drawn, &[1.0]).unwrap();
        assert!(lo < 5.0 && hi < 850.0, "{lo} {hi}");
    }

    #[test]
    fn infinite_values_stay_and_few_are_refused() {
        let mut drawn = vec![f64::INFINITY; 100];
        drawn.extend((0..900).map(|at| 10.0 + f64::from(at) * 0.001));
        let (lo, hi) = bca(10.5, &mut drawn, &[10.0, 10.5, 11.0]).unwrap();
        assert!(lo > 9.0 && hi.is_infinite());
        assert_eq!(bca(1.0, &mut vec![1.0; 10], &[]), None);
        assert_eq!(bca(1.0, &mut vec![f64::NAN; 100], &[]), None);
    }

    #[test]
    fn the_mean_of_skewed_numbers_is_covered() {
        // Means of 20 exponential numbers, 300 times: 95 % intervals that cover 1.
        let mut covered = 0;
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let sample: Vec<f64> = (0..20).map(|_| -(1.0 - random.unit()).ln()).collect();
            let mean = |values: &mut dyn Iterator<Item = f64>| {
                let (sum, count) = values.fold((0.0, 0.0), |(s, n), value| (s + value, n + 1.0));
                sum / count
            };
            let mut drawn: Vec<f64> =
                (0..1_000).map(|_| mean(&mut (0..20).map(|_| sample[random.index(20)]))).collect();
            let without: Vec<f64> = (0..20)
                .map(|left| mean(&mut (0..20).filter(|at| *at != left).map(|at| sample[at])))
                .collect();
            let (lo, hi) = bca(mean(&mut sample.iter().copied()), &mut drawn, &without).unwrap();
            covered += u32::from(lo <= 1.0 && 1.0 <= hi);
        }
        // Percentile intervals of 20 such numbers cover some 90 %.
        assert!(covered >= 270, "{covered} of 300");
    }
}
