//! Whether throughput was steady.

use isotherm_load::IntervalOutcome;

use crate::Steady;

/// Fewer whole intervals tell nothing.
const LEAST: usize = 5;
/// A drift over the measured time beyond this share of the mean is no steady state.
const MOST_DRIFT: f64 = 0.10;
/// A stretch of a fifth of the time that is further from the mean than this is none either.
const MOST_DEVIATION: f64 = 0.15;

/// Judges throughput over the measured time: the slope of the straight line through the intervals
/// (Theil and Sen's median of slopes, so that one odd second does not make a drift) *and* the
/// largest deviation of a fifth of the time from the mean. The last interval is left out when it is
/// shorter than the others.
pub fn steady(intervals: &[IntervalOutcome]) -> Steady {
    let whole = intervals.first().map_or(0.0, |first| first.length_s);
    let rates: Vec<f64> = intervals
        .iter()
        .filter(|one| one.length_s >= whole * 0.99 && one.length_s > 0.0)
        .map(|one| one.operations as f64 / one.length_s)
        .collect();
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    if rates.len() < LEAST || mean <= 0.0 {
        return Steady::default();
    }
    let drift = median_slope(&rates) * (rates.len() - 1) as f64 / mean;
    let part = rates.len().div_ceil(5);
    let deviation = rates
        .chunks(part)
        .filter(|chunk| chunk.len() == part)
        .map(|chunk| (chunk.iter().sum::<f64>() / part as f64 / mean - 1.0).abs())
        .fold(0.0, f64::max);
    let steady = drift.abs() <= MOST_DRIFT && deviation <= MOST_DEVIATION;
    Steady { steady: Some(steady), drift, deviation }
}

/// The median of the slopes between all pairs (Sen 1968); of long runs, of pairs spread evenly.
fn median_slope(values: &[f64]) -> f64 {
    let stride = values.len().div_ceil(200);
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .step_by(stride)
        .map(|(index, value)| (index as f64, *value))
        .collect();
    let mut slopes: Vec<f64> = Vec::new();
    for (index, (x1, y1)) in points.iter().enumerate() {
        slopes.extend(points.iter().skip(index + 1).map(|(x2, y2)| (y2 - y1) / (x2 - x1)));
    }
    slopes.sort_by(f64::total_cmp);
    slopes.get(slopes.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operations: impl IntoIterator<Item = u64>) -> Steady {
        let intervals: Vec<IntervalOutcome> = operations
            .into_iter()
            .map(|operations| IntervalOutcome {
                operations,
                length_s: 1.0,
                ..IntervalOutcome::default()
            })
            .collect();
        steady(&intervals)
    }

    #[test]
    fn noise_around_a_level_is_steady() {
        let level = of((0..30).map(|index| 10_000 + (index * 7_919 % 11) * 80));
        assert_eq!(level.steady, Some(true), "{level:?}");
    }

    #[test]
    fn one_odd_second_is_no_drift() {
        let mut operations = vec![10_000; 30];
        operations[29] = 1_000;
        let odd = of(operations);
        assert!(odd.drift.abs() < 0.01, "{odd:?}");
    }

    #[test]
    fn a_drift_and_a_step_are_not_steady() {
        let drift = of((0..30).map(|index| 10_000 + index * 50));
        assert_eq!(drift.steady, Some(false));
        // 50 a second over 29 seconds, against a mean of 10,725.
        assert!((drift.drift - 1_450.0 / 10_725.0).abs() < 1e-9, "{drift:?}");
        let step = of((0..30).map(|index| if index < 6 { 5_000 } else { 10_000 }));
        assert_eq!(step.steady, Some(false), "{step:?}");
    }

    #[test]
    fn too_little_is_not_judged() {
        assert_eq!(of([1, 2, 3]).steady, None);
        assert_eq!(of([0; 20]).steady, None);
    }
}
