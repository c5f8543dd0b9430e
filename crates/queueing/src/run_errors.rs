//! How much runs of one load differ: each load knows it from few repeats only, so that loads learn from
//! each other (Smyth 2004, empirical Bayes).

use statrs::function::gamma::digamma;

use crate::point::{LEAST_SIGMA, Point};

/// The fewest degrees of freedom of all repeats from which the error of a load without repeats is
/// told.
const LEAST_DEGREES: f64 = 4.0;
/// From here on the asymptotic series of the trigamma function is exact to ten digits.
const LARGE: f64 = 8.0;
/// Where the weight of what all loads have in common is searched.
const WEIGHTS: (f64, f64) = (0.5, 1e4);

/// How much the repeats of one load differ.
#[derive(Copy, Clone, Debug)]
struct Spread {
    /// The relative variance of one run.
    variance: f64,
    /// What it was learnt from.
    degrees: f64,
}

/// What all loads have in common.
#[derive(Copy, Clone, Debug)]
struct Common {
    variance: f64,
    /// As many degrees of freedom as it counts for at each load.
    weight: f64,
    /// Those of all repeats.
    degrees: f64,
}

/// Sets the errors of points that have repeats, and, where repeats are many enough, of those without.
/// Gives the degrees of freedom of the errors; none where no load has repeats.
pub(crate) fn learn(points: &mut [Point]) -> Option<usize> {
    let spreads: Vec<Option<Spread>> = points.iter().map(spread).collect();
    let known: Vec<Spread> = spreads.iter().copied().flatten().collect();
    let common = common(&known)?;
    // Squares of errors: of those that repeats decide, of these in units of their freedom, of all.
    let (mut by_runs, mut uncertain, mut all) = (0.0, 0.0, 0.0);
    for (point, spread) in points.iter_mut().zip(spreads) {
        if spread.is_none() && common.degrees < LEAST_DEGREES {
            continue;
        }
        let (variance, degrees) = common.moderated(spread);
        let runs = variance / point.repeats.len().max(1) as f64;
        let within = point.within().unwrap_or(0.0);
        point.sigma = Some(runs.sqrt().max(within));
        if runs.sqrt() >= within {
            by_runs += runs;
            uncertain += runs * runs / degrees;
        }
        all += runs.max(within * within);
    }
    let degrees = common.degrees.min(by_runs * by_runs / uncertain) * (all / by_runs).powi(2);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 1,000")]
    degrees.is_finite().then(|| degrees.round().clamp(1.0, 1_000.0) as usize)
}

fn spread(point: &Point) -> Option<Spread> {
    let count = point.repeats.len() as f64;
    let error = point.between()?;
    // Smaller differences are no better than any benchmark is.
    let variance = (error * error * count).max(LEAST_SIGMA * LEAST_SIGMA);
    Some(Spread { variance, degrees: count - 1.0 })
}

fn common(all: &[Spread]) -> Option<Common> {
    let degrees: f64 = all.iter().map(|one| one.degrees).sum();
    let pooled = all.iter().map(|one| one.degrees * one.variance).sum::<f64>() / degrees;
    let count = all.len() as f64;
    if all.is_empty() {
        return None;
    }
    let logs: Vec<f64> = all.iter().map(Spread::unbiased_log).collect();
    let mean = logs.iter().sum::<f64>() / count;
    let found = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let by_chance = all.iter().map(|one| trigamma(one.degrees / 2.0)).sum::<f64>() / count;
    let excess = found - by_chance;
    if excess.is_nan() || excess <= trigamma(WEIGHTS.1 / 2.0) {
        return Some(Common { variance: pooled, weight: f64::INFINITY, degrees });
    }
    let weight = weight_of(excess);
    let variance = (mean + digamma(weight / 2.0) - (weight / 2.0).ln()).exp();
    Some(Common { variance, weight, degrees })
}

impl Spread {
    fn unbiased_log(&self) -> f64 {
        let half = self.degrees / 2.0;
        self.variance.ln() - digamma(half) + half.ln()
    }
}

impl Common {
    /// The variance of one run of a load with its degrees of freedom.
    fn moderated(self, own: Option<Spread>) -> (f64, f64) {
        let Some(own) = own else { return (self.variance, self.weight.min(self.degrees)) };
        if self.weight.is_infinite() {
            return (self.variance, self.degrees);
        }
        let degrees = self.weight + own.degrees;
        ((self.weight * self.variance + own.degrees * own.variance) / degrees, degrees)
    }
}

/// The weight of what loads have in common whose true variances scatter by so much (the variance of
/// their logarithms).
fn weight_of(excess: f64) -> f64 {
    let (mut low, mut high) = (WEIGHTS.0.ln(), WEIGHTS.1.ln());
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if trigamma(middle.exp() / 2.0) > excess { low = middle } else { high = middle }
    }
    high.exp()
}

/// The derivative of the digamma function: the variance of the logarithm of a gamma variable.
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = x * x;
    let series = 1.0 / 6.0 - (1.0 / 30.0 - (1.0 / 42.0 - 1.0 / (30.0 * square)) / square) / square;
    sum + 1.0 / x + 1.0 / (2.0 * square) + series / (square * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;
    use isotherm_frame::Random;

    fn rows(load: f64, values: &[f64]) -> Point {
        let run = |amount: &f64| vec![Sample { amount: *amount, base: 1.0 }];
        Point::measured(load, values.iter().map(run).collect())
    }

    #[test]
    fn trigamma_is_as_tabulated() {
        // Abramowitz and Stegun, table 6.1: pi squared over 6, and over 2.
        let pi = std::f64::consts::PI;
        assert!((trigamma(1.0) - pi * pi / 6.0).abs() < 1e-9);
        assert!((trigamma(0.5) - pi * pi / 2.0).abs() < 1e-9);
    }

    #[test]
    fn loads_that_scatter_alike_share_their_error() {
        // Variances of 2 and 8 squared per cent: 5 for both, of 2 repeats 2.5.
        let mut points = vec![rows(1.0, &[99.0, 101.0]), rows(2.0, &[196.0, 204.0])];
        points.push(Point::bare(4.0, 300.0));
        assert_eq!(learn(&mut points), Some(2));
        for point in &points[..2] {
            assert!((point.sigma.unwrap() - 2.5e-4_f64.sqrt()).abs() < 1e-12, "{point:?}");
        }
        assert_eq!(points[2].sigma, None, "two differences tell nothing of a third load");
        assert_eq!(learn(&mut [Point::bare(1.0, 2.0)]), None);
    }

    #[test]
    fn loads_that_scatter_differently_keep_errors_of_their_own() {
        let mut random = Random::new(5);
        let mut points: Vec<Point> = (0..8)
            .map(|load| {
                let noise = if load < 4 { 0.02 } else { 0.2 };
                let values: Vec<f64> =
                    (0..12).map(|_| 100.0 * (1.0 + noise * random.normal())).collect();
                rows(f64::from(load + 1), &values)
            })
            .collect();
        points.push(Point::bare(9.0, 100.0));
        let degrees = learn(&mut points).unwrap();
        assert!((20..70).contains(&degrees), "{degrees}");
        for (index, point) in points.iter().take(8).enumerate() {
            let truth = if index < 4 { 0.02 } else { 0.2 } / 12.0_f64.sqrt();
            let off = point.sigma.unwrap() / truth;
            assert!((0.6..1.7).contains(&off), "{index}: {off}");
        }
        assert!(points[8].sigma.unwrap() > 0.02);
    }
}
