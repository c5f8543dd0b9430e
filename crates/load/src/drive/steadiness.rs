//! Whether a warm-up may end.

use crate::outcome::IntervalOutcome;

/// So many intervals must agree.
const LEAST: usize = 5;
/// The drift over them, as a share of their mean, may be so large.
const MOST_DRIFT: f64 = 0.05;
/// Any of them may be so far from their mean.
const MOST_DEVIATION: f64 = 0.15;

/// Whether the latest intervals neither drift nor jump: by the slope of a straight line through
/// them *and* by the largest deviation, since noise around a level line passes the first test and
/// a slow drift the second.
pub fn is_steady(intervals: &[IntervalOutcome]) -> bool {
    let Some(latest) = intervals.len().checked_sub(LEAST).and_then(|from| intervals.get(from..))
    else {
        return false;
    };
    let operations: Vec<f64> = latest.iter().map(|one| one.operations as f64).collect();
    let count = operations.len() as f64;
    let mean = operations.iter().sum::<f64>() / count;
    if mean <= 0.0 {
        return false;
    }
    let middle = (count - 1.0) / 2.0;
    let positions = (0_u32..).map(|index| f64::from(index) - middle);
    let (mut above, mut below) = (0.0, 0.0);
    for (position, value) in positions.zip(&operations) {
        above += position * (value - mean);
        below += position * position;
    }
    let drift = above / below * (count - 1.0) / mean;
    let deviation = operations.iter().map(|value| (value / mean - 1.0).abs()).fold(0.0, f64::max);
    drift.abs() <= MOST_DRIFT && deviation <= MOST_DEVIATION
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(operations: &[u64]) -> Vec<IntervalOutcome> {
        operations
            .iter()
            .map(|&operations| IntervalOutcome { operations, ..IntervalOutcome::default() })
            .collect()
    }

    #[test]
    fn level_is_steady_and_drift_jumps_and_silence_are_not() {
        assert!(is_steady(&intervals(&[10, 900, 1_000, 1_010, 990, 1_005, 1_000])));
        assert!(!is_steady(&intervals(&[1_000, 1_050, 1_100, 1_150, 1_200])));
        assert!(!is_steady(&intervals(&[1_000, 1_000, 1_300, 1_000, 1_000])));
        assert!(!is_steady(&intervals(&[0, 0, 0, 0, 0])));
        assert!(!is_steady(&intervals(&[1_000, 1_000, 1_000])));
    }
}
