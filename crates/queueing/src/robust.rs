//! One model fitted to points: weighted by their standard errors, without letting single points decide.

use crate::marquardt::{Found, Problem, least_squares};
use crate::model::{MOST_PARAMETERS, Model, Values};
use crate::points::Points;
use crate::space::Space;

/// Where residuals begin to count less, in standard deviations (Huber 1964): 95 % as efficient as
/// least squares where noise is normal.
pub(crate) const HUBER: f64 = 1.345;
/// The mean of the squares of standard normal residuals that are cut off at [`HUBER`].
const NORMAL_SQUARES: f64 = 0.710_2;
/// The most rounds of weighing anew.
const MOST_ROUNDS: usize = 30;
/// Rounds in a refit, which begins at the answer.
const REFIT_ROUNDS: usize = 2;
/// Rounds of finding how much points differ beyond their errors.
const EXCESS_ROUNDS: usize = 3;
/// How exact a search is: what is left to gain, as a share of the squares.
const EXACT: f64 = 1e-9;
/// How exact a refit is: well below what a resample differs from the next.
const ROUGH: f64 = 1e-5;

/// A model and the points it is held against.
pub(crate) struct Target<'a> {
    pub model: Model,
    pub space: &'a Space,
    pub loads: &'a [f64],
    /// Logarithms of the values.
    pub logs: &'a [f64],
    /// Relative standard errors.
    pub sigmas: &'a [f64],
    /// Whether the errors are known, not merely alike.
    pub known: bool,
}

/// A model that was fitted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solution {
    /// Logarithms of the parameters.
    pub at: Values,
    /// What is left at each point, ln(measured / predicted).
    pub residuals: Vec<f64>,
    /// How much each point counts, 0 to 1.
    pub weights: Vec<f64>,
    /// How many of their own errors residuals are, in the root mean square.
    pub scale: f64,
}

impl Target<'_> {
    /// The parameters that fit best, from the best of several starts; `None` where a model cannot
    /// be computed.
    pub fn solve(&self) -> Option<Solution> {
        let mut weights = vec![1.0; self.logs.len()];
        let starts = self.space.starts.iter();
        let found = starts.map(|start| self.search(&weights, *start, EXACT));
        let mut found = found.min_by(|a, b| a.sum_of_squares.total_cmp(&b.sum_of_squares))?;
        if found.sum_of_squares >= f64::MAX {
            return None;
        }
        let mut scale = self.first_scale(&found);
        for _ in 0..MOST_ROUNDS {
            let changed = self.weigh(&found.at, scale, &mut weights);
            found = self.search(&weights, found.at, EXACT);
            let next = self.scale(&found.at, scale);
            let settled = changed < 1e-4 && (next / scale - 1.0).abs() < 1e-4;
            scale = next;
            if settled {
                break;
            }
        }
        let mut residuals = vec![0.0; self.logs.len()];
        self.residuals(&found.at, &mut residuals);
        Some(Solution { at: found.at, residuals, weights, scale })
    }

    /// The same, and where points whose errors are known lie further from the model than these
    /// say, how much they differ beyond them (a relative standard deviation that is alike for all
    /// points): it is added to the errors, so that no point counts for more than it can.
    pub fn solve_with_excess(&self) -> Option<(Solution, f64)> {
        let mut solution = self.solve()?;
        let mut excess = 0.0;
        if !self.known || solution.scale <= 1.0 {
            return Some((solution, excess));
        }
        for _ in 0..EXCESS_ROUNDS {
            excess = self.excess(&solution);
            let sigmas = widened(self.sigmas, excess);
            solution = Target { sigmas: &sigmas, ..*self }.solve()?;
        }
        Some((solution, excess))
    }

    /// The excess that makes the scale of the residuals 1, by bisection.
    fn excess(&self, solution: &Solution) -> f64 {
        let scale = |excess: f64| {
            let sigmas = widened(self.sigmas, excess);
            let sizes = solution.residuals.iter().zip(&sigmas);
            let cut = sizes.map(|(residual, sigma)| (residual / sigma).abs().min(HUBER).powi(2));
            cut.sum::<f64>() / self.degrees_of_freedom() as f64 / NORMAL_SQUARES
        };
        let most =
            solution.residuals.iter().fold(0.0_f64, |most, residual| most.max(residual.abs()));
        let (mut low, mut high) = (0.0, most * 2.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if scale(middle) > 1.0 { low = middle } else { high = middle }
        }
        high
    }

    /// The parameters for values drawn anew, beginning at those of `from` and with its scale.
    pub fn refit(&self, from: &Solution) -> Values {
        let mut weights = from.weights.clone();
        let mut at = from.at;
        for _ in 0..REFIT_ROUNDS {
            self.weigh(&at, from.scale, &mut weights);
            at = self.search(&weights, at, ROUGH).at;
        }
        at
    }

    /// The best parameters, and what is left, where one of them has a value (its logarithm): points
    /// weigh as they do in the solution.
    pub fn profile(&self, from: &Solution, index: usize, value: f64) -> Found {
        let mut space = self.space.clone();
        let mut start = from.at;
        if let (Some(bounds), Some(start)) = (space.bounds.get_mut(index), start.get_mut(index)) {
            *bounds = (value, value);
            *start = value;
        }
        Target { space: &space, ..*self }.search(&from.weights, start, ROUGH)
    }

    fn search(&self, weights: &[f64], start: Values, least_gain: f64) -> Found {
        let roots: Vec<f64> =
            weights.iter().zip(self.sigmas).map(|(weight, sigma)| weight.sqrt() / sigma).collect();
        let mut residuals = |at: &Values, out: &mut [f64]| {
            self.residuals(at, out);
            for (out, root) in out.iter_mut().zip(&roots) {
                *out *= root;
            }
        };
        let count = self.logs.len();
        let bounds = &self.space.bounds;
        let residuals = &mut residuals;
        least_squares(&mut Problem { residuals, count, bounds, least_gain }, start)
    }

    fn residuals(&self, at: &Values, out: &mut [f64]) {
        self.model.ln_predict(&values(at), self.loads, out);
        for (out, log) in out.iter_mut().zip(self.logs) {
            *out = log - *out;
        }
    }

    /// Residuals in units of the errors.
    fn normalised(&self, at: &Values) -> Vec<f64> {
        let mut residuals = vec![0.0; self.logs.len()];
        self.residuals(at, &mut residuals);
        residuals.iter().zip(self.sigmas).map(|(residual, sigma)| residual / sigma).collect()
    }

    /// Sets the weights by Huber's rule; gives the largest change.
    fn weigh(&self, at: &Values, scale: f64, weights: &mut [f64]) -> f64 {
        let mut changed = 0.0_f64;
        for (weight, residual) in weights.iter_mut().zip(self.normalised(at)) {
            let fresh = (HUBER * scale / residual.abs()).min(1.0);
            changed = changed.max((fresh - *weight).abs());
            *weight = fresh;
        }
        changed
    }

    /// Degrees of freedom of the residuals.
    pub fn degrees_of_freedom(&self) -> usize {
        self.logs.len().saturating_sub(self.space.bounds.len()).max(1)
    }

    /// A first scale that one point far off does not decide: the median of residuals, where that is
    /// less than their root mean square.
    fn first_scale(&self, found: &Found) -> f64 {
        let mut sizes: Vec<f64> = self.normalised(&found.at).iter().map(|r| r.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        let widened = (self.logs.len() as f64 / self.degrees_of_freedom() as f64).sqrt();
        let by_median = 1.4826 * median * widened;
        self.at_least(
            (found.sum_of_squares / self.degrees_of_freedom() as f64).sqrt().min(by_median),
        )
    }

    /// The scale at which residuals cut off by it are as large as normal ones would be (Huber's
    /// second proposal).
    fn scale(&self, at: &Values, scale: f64) -> f64 {
        let cut = |residual: f64| residual.abs().min(HUBER * scale).powi(2);
        let sum_of_squares: f64 = self.normalised(at).into_iter().map(cut).sum();
        self.at_least((sum_of_squares / self.degrees_of_freedom() as f64 / NORMAL_SQUARES).sqrt())
    }

    fn at_least(&self, scale: f64) -> f64 {
        // Known errors are not made smaller by a lucky fit.
        scale.max(if self.known { 1.0 } else { 1e-6 })
    }
}

/// Errors with an excess that is alike for all points.
pub(crate) fn widened(sigmas: &[f64], excess: f64) -> Vec<f64> {
    sigmas.iter().map(|sigma| sigma.hypot(excess)).collect()
}

/// The parameters of their logarithms.
pub(crate) fn values(at: &Values) -> Values {
    let mut values = [0.0; MOST_PARAMETERS];
    for (value, at) in values.iter_mut().zip(at) {
        *value = at.exp();
    }
    values
}

/// What residuals cost by Huber's loss at a common scale, in squares.
pub(crate) fn loss(residuals: &[f64], sigmas: &[f64], scale: f64) -> f64 {
    let sizes = residuals.iter().zip(sigmas).map(|(residual, sigma)| (residual / sigma).abs());
    let bend = HUBER * scale;
    sizes.map(|size| if size <= bend { size * size } else { bend * (2.0 * size - bend) }).sum()
}

/// The logarithms of the values and their errors.
pub(crate) fn logs_and_sigmas(points: &Points) -> (Vec<f64>, Vec<f64>) {
    points.points.iter().map(|point| (point.value.ln(), point.standard_error())).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

    fn solve(model: Model, points: &Points) -> Solution {
        let space = Space::of(model, points);
        let (logs, sigmas) = logs_and_sigmas(points);
        let loads = points.loads();
        let (logs, sigmas, loads) = (&logs, &sigmas, &loads);
        Target { model, space: &space, loads, logs, sigmas, known: false }.solve().unwrap()
    }

    fn sweep(model: Model, truth: Values, loads: &[f64]) -> Points {
        let points = loads.iter().map(|load| Point::bare(*load, model.predict(&truth, *load)));
        Points::new(model.applies_to(), points.collect()).unwrap()
    }

    const GRID: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

    #[test]
    fn every_model_is_found_again_where_nothing_is_noisy() {
        for (model, truth) in [
            (Model::SmoothBound, [50e-6, 80_000.0, 1.7]),
            (Model::Servers, [1e-3, 4.0, 0.0]),
            (Model::Usl2, [18_000.0, 0.2, 0.0]),
            (Model::Usl3, [1_000.0, 0.02, 1e-4]),
            (Model::Mva, [4e-3, 1e-3, 0.0]),
            (Model::MvaServers, [4e-3, 2e-3, 3.0]),
        ] {
            check(model, truth, &GRID);
        }
    }

    #[test]
    fn open_models_too() {
        let shares = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95];
        for (model, truth) in [
            (Model::OrapubCpu, [0.0914, 1.4235, 0.0]),
            (Model::OrapubIo, [74e-6, 4.94, 0.0]),
            (Model::Mmc, [1e-3, 8.0, 0.0]),
            (Model::Mmc, [1e-3, 2.4, 0.0]),
            (Model::Md1, [5e-3, 0.0, 0.0]),
            (Model::Ggc, [1e-3, 4.0, 0.6]),
            (Model::DelayMm1, [1e-3, 2e-4, 0.0]),
        ] {
            let capacity = model.capacity(&truth).unwrap();
            check(model, truth, &shares.map(|share| share * capacity));
        }
    }

    fn check(model: Model, truth: Values, loads: &[f64]) {
        let solution = solve(model, &sweep(model, truth, loads));
        let found = values(&solution.at);
        for index in 0..model.parameters().len() {
            let error = found[index] / truth[index] - 1.0;
            assert!(error.abs() < 1e-3, "{model:?}: {found:?} for {truth:?}");
        }
    }

    #[test]
    fn a_model_that_holds_another_one_fits_no_worse() {
        // Measured on a device: the coherency that the larger law adds is driven to nothing.
        let measured = [17.9, 25.3, 37.5, 51.3, 62.0, 66.1, 70.9, 80.9];
        let points = measured.iter().zip(GRID).map(|(x, n)| Point::bare(n, x * 1e3));
        let points = Points::new(Model::Usl2.applies_to(), points.collect()).unwrap();
        let sum_of_squares = |model| {
            let residuals = solve(model, &points).residuals;
            residuals.iter().map(|residual| residual * residual).sum::<f64>()
        };
        assert!(sum_of_squares(Model::Usl3) < sum_of_squares(Model::Usl2) * 1.001);
    }

    #[test]
    fn one_wild_point_does_not_decide() {
        let mut points = sweep(Model::SmoothBound, [1e-3, 10_000.0, 2.0], &GRID);
        for (index, point) in points.points.iter_mut().enumerate() {
            point.value *= 1.0 + 0.01 * if index % 2 == 0 { 1.0 } else { -1.0 };
        }
        points.points[7].value *= 0.5;
        let solution = solve(Model::SmoothBound, &points);
        let found = values(&solution.at);
        assert!((found[1] / 10_000.0 - 1.0).abs() < 0.05, "{found:?}");
        assert!(solution.weights[7] < 0.2, "{:?}", solution.weights);
    }

    #[test]
    fn huber_is_square_within_and_straight_beyond() {
        assert!((loss(&[0.01, -0.01], &[0.01, 0.01], 1.0) - 2.0).abs() < 1e-12);
        let expected = 1.345 * (2.0 * 5.0 - 1.345);
        assert!((loss(&[0.05], &[0.01], 1.0) - expected).abs() < 1e-12);
    }
}
