//! What was measured: points of a sweep, each with its standard error.

/// The least relative standard error of a point: no benchmark is better than this from run to run.
pub const LEAST_SIGMA: f64 = 0.01;
/// The fewest intervals, over all repeats, from which a standard error is estimated.
const LEAST_INTERVALS: usize = 6;
/// Intervals that are averaged before they count as independent.
pub(crate) const BLOCK: usize = 4;

/// What happened in one interval: the value of a point is the sum of all amounts divided by the sum
/// of all bases. In a closed system that is operations and seconds, in an open one seconds waited
/// and operations.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Operations (closed), or seconds waited (open).
    pub amount: f64,
    /// Seconds (closed), or operations (open).
    pub base: f64,
}

/// One point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Operations in flight (closed), or arrivals per second (open).
    pub load: f64,
    /// Operations per second (closed), or mean response time in seconds (open).
    pub value: f64,
    /// The standard error of the value as a share of it; `None` where nothing is known of it, so
    /// that it has to be learnt from how points scatter about a model.
    pub sigma: Option<f64>,
    /// The intervals of each repeat in their order.
    pub repeats: Vec<Vec<Sample>>,
}

impl Point {
    /// A point of which only the value is known.
    pub fn bare(load: f64, value: f64) -> Point {
        Point { load, value, sigma: None, repeats: Vec::new() }
    }

    /// A point of its repeats. Its standard error is the larger of what batches of intervals say within
    /// repeats and of how repeats differ.
    pub fn measured(load: f64, repeats: Vec<Vec<Sample>>) -> Point {
        let value = ratio(repeats.iter().flatten());
        let point = Point { load, value, sigma: None, repeats };
        let sigma = match (point.within(), point.between()) {
            (Some(within), Some(between)) => Some(within.max(between)),
            (one, other) => one.or(other),
        };
        Point { sigma, ..point }
    }

    /// Its relative standard error, at least [`LEAST_SIGMA`].
    pub fn standard_error(&self) -> f64 {
        self.sigma.unwrap_or(LEAST_SIGMA).max(LEAST_SIGMA)
    }

    /// Whether each repeat has intervals enough to draw blocks of them. A row of a table has none:
    /// rows of one load are repeats, not neighbours.
    pub(crate) fn has_blocks(&self) -> bool {
        let long = |repeat: &Vec<Sample>| repeat.len() >= 2 * BLOCK;
        !self.repeats.is_empty() && self.repeats.iter().all(long)
    }

    /// The relative standard error that batches of intervals tell.
    pub(crate) fn within(&self) -> Option<f64> {
        // Repeats of one interval each have none within.
        if self.repeats.iter().all(|repeat| repeat.len() < 2) {
            return None;
        }
        let repeats = self.repeats.iter();
        let batches: Vec<f64> = repeats.flat_map(|repeat| batch_means(repeat)).collect();
        (batches.len() >= LEAST_INTERVALS / 2).then(|| error_of_mean(&batches, self.value))
    }

    /// The relative standard error that the differences of repeats tell.
    pub(crate) fn between(&self) -> Option<f64> {
        let means: Vec<f64> = self.repeats.iter().map(ratio).collect();
        (means.len() >= 2).then(|| error_of_mean(&means, self.value))
    }
}

pub(crate) fn ratio<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> f64 {
    let (mut amount, mut base) = (0.0, 0.0);
    for sample in samples {
        amount += sample.amount;
        base += sample.base;
    }
    amount / base
}

/// Means of blocks of intervals, so that what neighbours have in common does not count twice; of
/// few intervals each by itself.
fn batch_means(repeat: &[Sample]) -> Vec<f64> {
    let length = if repeat.len() >= 3 * BLOCK { BLOCK } else { 1 };
    let full = repeat.chunks_exact(length);
    full.map(ratio).filter(|mean| mean.is_finite()).collect()
}

fn error_of_mean(values: &[f64], about: f64) -> f64 {
    let count = values.len() as f64;
    let sum_of_squares: f64 = values.iter().map(|value| (value / about - 1.0).powi(2)).sum();
    (sum_of_squares / (count - 1.0) / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(operations: &[f64]) -> Vec<Sample> {
        operations.iter().map(|amount| Sample { amount: *amount, base: 1.0 }).collect()
    }

    #[test]
    fn the_standard_error_is_the_larger_of_within_and_between() {
        // Six seconds of 90, 110, ...: deviation 10.95 %, over the root of 6 is 4.47 %.
        let noisy = Point::measured(4.0, vec![seconds(&[90.0, 110.0, 90.0, 110.0, 90.0, 110.0])]);
        assert!((noisy.value - 100.0).abs() < 1e-12);
        assert!((noisy.sigma.unwrap() - 0.044_721).abs() < 1e-5, "{:?}", noisy.sigma);
        // Two quiet repeats 20 % apart: the error of their mean is 10 %.
        let repeats = vec![seconds(&[90.0; 6]), seconds(&[110.0; 6])];
        let apart = Point::measured(4.0, repeats);
        assert!((apart.sigma.unwrap() - 0.1).abs() < 1e-12, "{:?}", apart.sigma);
        // What is too quiet to be true keeps the least error.
        let quiet = Point::measured(4.0, vec![seconds(&[100.0; 8])]);
        assert!((quiet.standard_error() - LEAST_SIGMA).abs() < 1e-15);
    }

    #[test]
    fn slow_waves_do_not_count_as_independent_seconds() {
        // Four seconds high, four low: single seconds would make the error half as large.
        let wave: Vec<f64> = (0..24).map(|at| if at / 4 % 2 == 0 { 90.0 } else { 110.0 }).collect();
        let point = Point::measured(1.0, vec![seconds(&wave)]);
        assert!((point.sigma.unwrap() - 0.044_721).abs() < 1e-5, "{:?}", point.sigma);
    }
}
