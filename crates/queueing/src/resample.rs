//! Sweeps as they could have come out: the bootstrap.

use crate::point::{BLOCK, Point, Sample};
use crate::robust::Solution;
use isotherm_frame::Random;

/// How intervals of confidence were found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Resampling {
    /// Blocks of neighbouring intervals were drawn within each repeat (Künsch 1989), with what
    /// points differ beyond that added as noise.
    Blocks {
        /// Intervals of a block.
        length: usize,
    },
    /// Points were drawn about the model with the scatter that they have (parametric bootstrap).
    Scatter,
    /// The same, with the errors that repeats or intervals tell.
    Errors,
}

/// Draws the logarithms of the values of points anew.
pub(crate) struct Drawing<'a> {
    points: &'a [Point],
    /// What the model predicts, logarithms.
    predicted: Vec<f64>,
    /// The relative error of each point at scale 1.
    sigmas: &'a [f64],
    /// The part of it that blocks bring about.
    within: Vec<f64>,
    scale: f64,
    /// Degrees of freedom that the scale was learnt from; none where the errors are known.
    degrees_of_freedom: Option<usize>,
}

impl<'a> Drawing<'a> {
    /// Draws about a solution with these errors; `freedom` is that of the residuals they were
    /// learnt from, none where they are known.
    pub fn new(
        points: &'a [Point],
        sigmas: &'a [f64],
        solution: &Solution,
        degrees_of_freedom: Option<usize>,
    ) -> Drawing<'a> {
        let logs = points.iter().map(|point| point.value.ln());
        let predicted =
            logs.zip(&solution.residuals).map(|(log, residual)| log - residual).collect();
        let within = points.iter().map(block_error).collect();
        Drawing { points, predicted, sigmas, within, scale: solution.scale, degrees_of_freedom }
    }

    /// How the points are drawn; blocks where any has intervals.
    pub fn resampling(points: &[Point]) -> Resampling {
        if points.iter().any(Point::has_blocks) {
            Resampling::Blocks { length: BLOCK }
        } else if points.iter().all(|point| point.sigma.is_some()) {
            Resampling::Errors
        } else {
            Resampling::Scatter
        }
    }

    /// Writes logarithms drawn anew.
    pub fn draw(&self, random: &mut Random, logs: &mut [f64]) {
        let scale = self.scale
            * self.degrees_of_freedom.map_or(1.0, |degrees| scale_error(degrees, random));
        for (index, point) in self.points.iter().enumerate() {
            let within = self.within[index];
            let beyond = ((scale * self.sigmas[index]).powi(2) - within.powi(2)).max(0.0).sqrt();
            logs[index] = if within > 0.0 {
                draw_blocks(point, random).ln() + beyond * random.normal()
            } else {
                self.predicted[index] + beyond * random.normal()
            };
        }
    }
}

/// By how much a scale learnt from so few residuals may be off: the root of n over chi-squared.
fn scale_error(degrees_of_freedom: usize, random: &mut Random) -> f64 {
    let sum_of_squares: f64 = (0..degrees_of_freedom).map(|_| random.normal().powi(2)).sum();
    (degrees_of_freedom as f64 / sum_of_squares.max(f64::MIN_POSITIVE)).sqrt()
}

/// The relative standard error that drawing blocks gives a point; 0 without intervals. Each repeat is
/// drawn within itself, so that differences of repeats are not in it.
fn block_error(point: &Point) -> f64 {
    if !point.has_blocks() {
        return 0.0;
    }
    let drawn = |repeat: &[Sample]| {
        let blocks = (repeat.len() / BLOCK) as f64;
        blocks * variance(repeat, BLOCK, point.value)
            + variance(repeat, repeat.len() % BLOCK, point.value)
    };
    let sum_of_squares: f64 = point.repeats.iter().map(|repeat| drawn(repeat)).sum();
    let base: f64 = point.repeats.iter().flatten().map(|sample| sample.base).sum();
    let error = sum_of_squares.sqrt() / (point.value * base);
    if error.is_finite() { error } else { 0.0 }
}

/// How much blocks of a length that begin anywhere in a repeat differ: the variance of by how much
/// their amounts are above what their bases would give at a value.
fn variance(repeat: &[Sample], length: usize, value: f64) -> f64 {
    if length == 0 {
        return 0.0;
    }
    let above = |block: &[Sample]| -> f64 {
        block.iter().map(|sample| sample.amount - value * sample.base).sum()
    };
    let all: Vec<f64> = repeat.windows(length).map(above).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.iter().map(|above| (above - mean).powi(2)).sum::<f64>() / all.len() as f64
}

/// The value of a point of blocks of intervals that begin anywhere within each repeat.
fn draw_blocks(point: &Point, random: &mut Random) -> f64 {
    let (mut amount, mut base) = (0.0, 0.0);
    for repeat in &point.repeats {
        let mut missing = repeat.len();
        while missing > 0 {
            let length = BLOCK.min(missing);
            let first = random.index(repeat.len() - length + 1);
            for sample in repeat.iter().skip(first).take(length) {
                amount += sample.amount;
                base += sample.base;
            }
            missing -= length;
        }
    }
    let drawn = amount / base;
    if drawn.is_finite() && drawn > 0.0 { drawn } else { point.value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(seed: u64, seconds: usize) -> Point {
        let mut random = Random::new(seed);
        let second = |_| Sample { amount: 1_000.0 * (1.0 + 0.1 * random.normal()), base: 1.0 };
        Point::measured(4.0, vec![(0..seconds).map(second).collect()])
    }

    fn spread(drawing: &Drawing<'_>, seed: u64) -> (f64, f64) {
        let mut random = Random::new(seed);
        let mut logs = [0.0];
        let mut all = Vec::new();
        for _ in 0..4_000 {
            drawing.draw(&mut random, &mut logs);
            all.push(logs[0]);
        }
        let mean = all.iter().sum::<f64>() / 4_000.0;
        let variance = all.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 4_000.0;
        (mean, variance.sqrt())
    }

    #[test]
    fn blocks_spread_as_the_mean_of_a_minute_does() {
        // Sixty seconds of 10 % noise: the mean is known to 1.29 %.
        let points = [noisy(3, 60)];
        let solution =
            Solution { at: [0.0; 3], residuals: vec![0.0], weights: vec![1.0], scale: 1.0 };
        let sigmas = [points[0].standard_error()];
        let drawing = Drawing::new(&points, &sigmas, &solution, None);
        let (mean, deviation) = spread(&drawing, 5);
        assert!((mean - points[0].value.ln()).abs() < 0.002, "{mean}");
        assert!((0.009..0.018).contains(&deviation), "{deviation}");
    }

    #[test]
    fn what_points_scatter_beyond_their_intervals_is_added() {
        let points = [noisy(3, 60)];
        let solution =
            Solution { at: [0.0; 3], residuals: vec![0.0; 1], weights: vec![1.0], scale: 5.0 };
        let sigmas = [0.0129];
        let drawing = Drawing::new(&points, &sigmas, &solution, None);
        let (_, deviation) = spread(&drawing, 5);
        assert!((deviation / 0.0645 - 1.0).abs() < 0.06, "{deviation}");
    }

    #[test]
    fn points_without_intervals_are_drawn_about_the_model() {
        let points = [Point::bare(1.0, 100.0)];
        let solution =
            Solution { at: [0.0; 3], residuals: vec![0.1], weights: vec![1.0], scale: 4.0 };
        let drawing = Drawing::new(&points, &[0.01], &solution, None);
        let (mean, deviation) = spread(&drawing, 9);
        assert!((mean - (100.0_f64.ln() - 0.1)).abs() < 0.003, "{mean}");
        assert!((deviation / 0.04 - 1.0).abs() < 0.05, "{deviation}");
        assert_eq!(Drawing::resampling(&points), Resampling::Scatter);
        assert_eq!(Drawing::resampling(&[noisy(1, 30)]), Resampling::Blocks { length: BLOCK });
    }
}
