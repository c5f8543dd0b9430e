//! Whether throughput is steady: one definition, by which a warm-up ends and a run is judged.

use crate::outcome::IntervalOutcome;

/// How level throughput was over some intervals.
///
/// Two figures, since each misses what the other sees: noise around a level line has no drift, and
/// a slow drift has no large deviation. Both are compared with what chance does: where operations
/// begin and end independently, the number in an interval varies by its square root.
///
/// Of steady runs of 20 intervals with independent arrivals at most 1 % are called unsteady, whatever
/// the rate. Without regard to chance it would be 20 % at 100 operations an interval and 57 % at 30.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// How much throughput rose from the first to the last interval, as a share of the mean: the
    /// median of the slopes between all pairs (Theil 1950, Sen 1968), so that one odd interval does
    /// not make a drift.
    pub drift: f64,
    /// How far the fifth of the time that is furthest from the mean is from it, as a share of it.
    pub deviation: f64,
    /// The standard errors of both where operations are independent.
    errors: [f64; 2],
}

/// Fewer intervals tell nothing.
const LEAST_INTERVALS: usize = 5;
/// A run that drifts by more, as a share of the mean, is not steady.
const MOST_DRIFT: f64 = 0.10;
/// A warm-up ends at half of it, since what is left of an approach lies in the measured time.
const MOST_DRIFT_OF_WARMUP: f64 = 0.05;
/// A fifth of the time that is further from the mean is not steady either.
const MOST_DEVIATION: f64 = 0.15;
/// So many standard errors are not chance: 0.3 % of normal values are further off, ...
const SURE: f64 = 3.0;
/// ... and as few of the furthest of five.
const SURE_OF_FIVE: f64 = 3.5;
/// The standard error of the median of slopes over that of least squares.
const MEDIAN_SLOPE_ERROR: f64 = 1.02;

impl Steadiness {
    /// Of intervals in the order of time. The last is left out where it is shorter than the others.
    /// `None` with fewer than five, or without operations.
    pub fn of(intervals: &[IntervalOutcome]) -> Option<Steadiness> {
        let whole = intervals.first().map_or(0.0, |first| first.length_s);
        let whole =
            intervals.iter().filter(|one| one.length_s >= whole * 0.99 && one.length_s > 0.0);
        let rates: Vec<f64> =
            whole.clone().map(|one| one.operations as f64 / one.length_s).collect();
        let operations: u64 = whole.map(|one| one.operations).sum();
        if rates.len() < LEAST_INTERVALS || operations == 0 {
            return None;
        }
        let count = rates.len() as f64;
        let mean = mean_of(&rates);
        let deviation =
            fifths(&rates).map(|part| (mean_of(part) / mean - 1.0).abs()).fold(0.0, f64::max);
        // The relative standard error of one interval's number of operations.
        let one = (count / operations as f64).sqrt();
        let of_slope = (12.0 * (count - 1.0) / (count * (count + 1.0))).sqrt() * MEDIAN_SLOPE_ERROR;
        let of_fifth = (1.0 / (rates.len() / 5) as f64 - 1.0 / count).sqrt();
        Some(Steadiness {
            drift: median_slope(&rates) * (count - 1.0) / mean,
            deviation,
            errors: [one * of_slope, one * of_fifth],
        })
    }

    /// Whether a run was steady. `None` where it was not, but chance alone could be why: there were
    /// too few operations to tell.
    pub fn is_steady(&self) -> Option<bool> {
        let [of_drift, of_deviation] = self.errors;
        let drift = self.drift.abs();
        if drift <= MOST_DRIFT && self.deviation <= MOST_DEVIATION {
            return Some(true);
        }
        let drifts = drift > MOST_DRIFT && drift > SURE * of_drift;
        let jumps = self.deviation > MOST_DEVIATION && self.deviation > SURE_OF_FIVE * of_deviation;
        (drifts || jumps).then_some(false)
    }

    /// Whether a warm-up may end with these as its latest intervals.
    pub(crate) fn ends_warmup(&self) -> bool {
        self.drift.abs() <= MOST_DRIFT_OF_WARMUP && self.deviation <= MOST_DEVIATION
    }
}

/// Whether a warm-up with these intervals so far may end: its latest five are steady.
pub(crate) fn is_warm(intervals: &[IntervalOutcome]) -> bool {
    let latest =
        intervals.len().checked_sub(LEAST_INTERVALS).and_then(|from| intervals.get(from..));
    latest.and_then(Steadiness::of).is_some_and(|latest| latest.ends_warmup())
}

/// All values in five parts, the longest at most one value longer than the shortest.
fn fifths(values: &[f64]) -> impl Iterator<Item = &[f64]> {
    let bound = |part: usize| part * values.len() / 5;
    (0..5).filter_map(move |part| values.get(bound(part)..bound(part + 1)))
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median of the slopes between all pairs; of long runs, of pairs spread evenly.
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
    use isotherm_frame::Random;

    fn seconds(operations: impl IntoIterator<Item = u64>) -> Vec<IntervalOutcome> {
        let one = |operations| IntervalOutcome { operations, length_s: 1.0, ..Default::default() };
        operations.into_iter().map(one).collect()
    }

    fn of(operations: impl IntoIterator<Item = u64>) -> Steadiness {
        Steadiness::of(&seconds(operations)).unwrap()
    }

    /// How many operations arrive at random in one second of each rate.
    fn poisson(rates: impl Iterator<Item = f64>, random: &mut Random) -> Vec<u64> {
        let mut second = |rate: f64| {
            let (mut at, mut operations) = (random.exponential() / rate, 0);
            while at < 1.0 {
                operations += 1;
                at += random.exponential() / rate;
            }
            operations
        };
        rates.map(&mut second).collect()
    }

    /// The verdicts on 500 runs of 20 seconds: steady, not steady, cannot tell.
    fn verdicts(rate: fn(f64) -> f64) -> [u32; 3] {
        let mut random = Random::new(1);
        let mut found = [0; 3];
        for _ in 0..500 {
            let run =
                of(poisson((0..20).map(|second| rate(f64::from(second) / 19.0)), &mut random));
            found[run.is_steady().map_or(2, |steady| usize::from(!steady))] += 1;
        }
        found
    }

    #[test]
    fn chance_is_not_called_unsteady() {
        for rate in [|_| 10.0, |_| 100.0, |_| 1_000.0] {
            let [_, unsteady, _] = verdicts(rate);
            assert!(unsteady <= 10, "{unsteady} of 500 at {}", rate(0.0));
        }
        // A thousand a second vary by 3 %: that is enough to call them steady.
        assert!(verdicts(|_| 1_000.0)[0] >= 495);
    }

    #[test]
    fn what_is_more_than_chance_is_called_unsteady() {
        let drift = |at: f64| 1_000.0 * (1.0 + 0.2 * (at - 0.5));
        let step = |at: f64| if at < 0.2 { 50.0 } else { 100.0 };
        for unsteady in [drift, step] {
            assert_eq!(verdicts(unsteady), [0, 500, 0]);
        }
        // A drift of 20 % in 2,000 operations may be chance, but is not called steady too often.
        let few = verdicts(|at| 100.0 * (1.0 + 0.2 * (at - 0.5)));
        assert!(few[0] < 100 && few[1] > 150, "{few:?}");
    }

    #[test]
    fn one_odd_second_is_no_drift() {
        let mut operations = vec![10_000; 30];
        operations[29] = 1_000;
        assert!(of(operations).drift.abs() < 0.01);
    }

    #[test]
    fn drift_and_deviation_are_as_computed_by_hand() {
        // 50 a second over 29 seconds, against a mean of 10,725; the first six are 10,125.
        let drift = of((0..30).map(|index| 10_000 + index * 50));
        assert!((drift.drift - 1_450.0 / 10_725.0).abs() < 1e-9, "{drift:?}");
        assert!((drift.deviation - 600.0 / 10_725.0).abs() < 1e-9, "{drift:?}");
        assert_eq!(drift.is_steady(), Some(false));
        let step = of((0..30).map(|index| if index < 6 { 5_000 } else { 10_000 }));
        assert!((step.deviation - 4_000.0 / 9_000.0).abs() < 1e-9, "{step:?}");
        assert_eq!(step.is_steady(), Some(false));
    }

    #[test]
    fn the_last_seconds_count_whatever_the_length() {
        for length in 20..40 {
            let halved = of((0..length).map(|s| if s + 5 < length { 10_000 } else { 5_000 }));
            assert_eq!(halved.is_steady(), Some(false), "{length} s: {halved:?}");
        }
    }

    #[test]
    fn a_short_last_interval_is_left_out() {
        let mut intervals = seconds([1_000; 20]);
        intervals.push(IntervalOutcome { operations: 10, length_s: 0.3, ..Default::default() });
        let steady = Steadiness::of(&intervals).unwrap();
        assert!(steady.drift.abs() < 1e-12 && steady.deviation < 1e-12);
    }

    #[test]
    fn too_little_is_not_judged() {
        assert_eq!(Steadiness::of(&seconds([1, 2, 3])), None);
        assert_eq!(Steadiness::of(&seconds([0; 20])), None);
    }

    #[test]
    fn a_warm_up_ends_when_its_latest_five_are_level() {
        let is_warm = |operations: &[u64]| is_warm(&seconds(operations.iter().copied()));
        assert!(is_warm(&[10, 900, 10_000, 10_100, 9_900, 10_050, 10_000]));
        assert!(!is_warm(&[1_000, 1_050, 1_100, 1_150, 1_200]));
        // 7 % in five intervals: a run may show that, a warm-up goes on.
        assert!(!is_warm(&[10_000, 10_175, 10_350, 10_525, 10_700]));
        assert!(!is_warm(&[1_000, 1_000, 1_300, 1_000, 1_000]));
        assert!(!is_warm(&[0, 0, 0, 0, 0]));
        assert!(!is_warm(&[1_000, 1_000, 1_000]));
    }
}
