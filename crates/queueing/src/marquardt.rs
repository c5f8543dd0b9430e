//! Least squares of a few parameters within bounds: Levenberg and Marquardt's method (Marquardt
//! 1963; damping as Nielsen 1999), with derivatives by differences.

use crate::model::{MOST_PARAMETERS, Values};

/// The most steps of one search.
const MOST_STEPS: usize = 80;
/// How far a parameter goes in one step: beyond e^2 derivatives know nothing.
const FURTHEST: f64 = 2.0;
/// How far a parameter is moved to find how the residuals depend on it. Parameters are logarithms.
const DIFFERENCE: f64 = 1e-6;

type Matrix = [Values; MOST_PARAMETERS];

/// A problem of least squares: residuals as a function of at most [`MOST_PARAMETERS`] parameters.
pub(crate) struct Problem<'a> {
    /// Writes the residuals at given parameters; they must be finite at the start.
    pub residuals: &'a mut dyn FnMut(&Values, &mut [f64]),
    /// How many residuals.
    pub count: usize,
    /// The least and greatest of each parameter; as many as are searched.
    pub bounds: &'a [(f64, f64)],
    /// A step that gains less than this share of the squares is the last.
    pub least_gain: f64,
}

/// Where a search ended.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// The parameters.
    pub at: Values,
    /// The sum of the squares of the residuals.
    pub sum_of_squares: f64,
}

/// The parameters with the least sum of squares that is found downhill from `start`.
pub(crate) fn least_squares(problem: &mut Problem<'_>, start: Values) -> Found {
    let mut search = Search::at(problem, start);
    let mut growth = 2.0;
    for _ in 0..MOST_STEPS {
        let (curvature, slope) = search.derivatives(problem);
        let Some(step) = search.step(problem, &curvature, &slope) else { break };
        let tried = search.moved(problem, &step);
        let sum_of_squares = search.sum_of_squares_at(problem, &tried);
        let gain = search.sum_of_squares - sum_of_squares;
        if gain > 0.0 {
            let share = gain / search.sum_of_squares;
            let expected = predicted_gain(&curvature, &slope, &step, problem.bounds.len());
            let quality = (gain / expected.max(f64::MIN_POSITIVE)).min(2.0);
            search.accept(tried, sum_of_squares);
            search.damping *= (1.0 - (2.0 * quality - 1.0).powi(3)).clamp(1.0 / 9.0, 3.0);
            growth = 2.0;
            if share < problem.least_gain {
                break;
            }
        } else {
            search.damping *= growth;
            growth *= 2.0;
            if search.damping > 1e12 || gain > -problem.least_gain * search.sum_of_squares {
                break;
            }
        }
    }
    Found { at: search.at, sum_of_squares: search.sum_of_squares }
}

struct Search {
    at: Values,
    sum_of_squares: f64,
    residuals: Vec<f64>,
    tried: Vec<f64>,
    damping: f64,
}

impl Search {
    fn at(problem: &mut Problem<'_>, start: Values) -> Search {
        let empty = vec![0.0; problem.count];
        let (residuals, tried) = (empty.clone(), empty);
        let mut search = Search { at: start, sum_of_squares: 0.0, residuals, tried, damping: 1e-3 };
        search.at = search.moved(problem, &[0.0; MOST_PARAMETERS]);
        let at = search.at;
        search.sum_of_squares = search.sum_of_squares_at(problem, &at);
        std::mem::swap(&mut search.residuals, &mut search.tried);
        search
    }

    fn sum_of_squares_at(&mut self, problem: &mut Problem<'_>, at: &Values) -> f64 {
        (problem.residuals)(at, &mut self.tried);
        let sum_of_squares: f64 = self.tried.iter().map(|residual| residual * residual).sum();
        if sum_of_squares.is_finite() { sum_of_squares } else { f64::MAX }
    }

    fn accept(&mut self, at: Values, sum_of_squares: f64) {
        self.at = at;
        self.sum_of_squares = sum_of_squares;
        std::mem::swap(&mut self.residuals, &mut self.tried);
    }

    fn moved(&self, problem: &Problem<'_>, step: &Values) -> Values {
        let mut at = self.at;
        for ((value, step), (least, most)) in at.iter_mut().zip(step).zip(problem.bounds) {
            *value = (*value + step).clamp(*least, *most);
        }
        at
    }

    /// The curvature (transpose of the Jacobian times itself) and the slope of half the squares.
    fn derivatives(&mut self, problem: &mut Problem<'_>) -> (Matrix, Values) {
        let searched = problem.bounds.len();
        let mut columns = vec![0.0; searched * problem.count];
        for (index, column) in columns.chunks_exact_mut(problem.count.max(1)).enumerate() {
            let mut at = self.at;
            // Away from the bound that is near.
            let inward = if at[index] + DIFFERENCE > problem.bounds[index].1 { -1.0 } else { 1.0 };
            at[index] += inward * DIFFERENCE;
            (problem.residuals)(&at, column);
            for (value, here) in column.iter_mut().zip(&self.residuals) {
                *value = (*value - here) * inward / DIFFERENCE;
            }
        }
        let column = |index: usize| columns.iter().skip(index * problem.count).take(problem.count);
        let (mut curvature, mut slope) = (Matrix::default(), Values::default());
        for row in 0..searched {
            slope[row] = column(row).zip(&self.residuals).map(|(a, b)| a * b).sum();
            for (other, value) in curvature[row].iter_mut().enumerate().take(searched) {
                *value = column(row).zip(column(other)).map(|(a, b)| a * b).sum();
            }
        }
        (curvature, slope)
    }

    /// The damped step. A parameter that would leave its bounds, or go further than the derivatives
    /// know, goes as far as it may, and the others make the best of it. `None` where nothing moves.
    fn step(&self, problem: &Problem<'_>, curvature: &Matrix, slope: &Values) -> Option<Values> {
        let searched = problem.bounds.len();
        let mut held: [Option<f64>; MOST_PARAMETERS] = [None; MOST_PARAMETERS];
        for index in 0..searched {
            if curvature[index][index] <= 0.0 {
                held[index] = Some(0.0);
            }
        }
        loop {
            let (system, wanted) = self.damped(curvature, slope, &held);
            let step = solve(system, wanted, searched)?;
            let mut again = false;
            for (index, &(least, most)) in problem.bounds.iter().enumerate() {
                let (low, high) = (least - self.at[index], most - self.at[index]);
                let allowed =
                    step[index].clamp(low.clamp(-FURTHEST, 0.0), high.clamp(0.0, FURTHEST));
                if held[index].is_none() && (allowed - step[index]).abs() > 0.0 {
                    held[index] = Some(allowed);
                    again = true;
                }
            }
            if !again {
                return step.iter().any(|step| step.abs() > 0.0).then_some(step);
            }
        }
    }

    /// The system of equations for the parameters that are not held.
    fn damped(
        &self,
        curvature: &Matrix,
        slope: &Values,
        held: &[Option<f64>; MOST_PARAMETERS],
    ) -> (Matrix, Values) {
        let mut system = *curvature;
        let mut wanted = slope.map(|slope| -slope);
        for (index, fixed) in held.iter().enumerate() {
            system[index][index] += self.damping * curvature[index][index];
            let Some(fixed) = fixed else { continue };
            for other in 0..MOST_PARAMETERS {
                wanted[other] -= curvature[other][index] * fixed;
                system[index][other] = 0.0;
                system[other][index] = 0.0;
            }
            system[index][index] = 1.0;
        }
        for (wanted, fixed) in wanted.iter_mut().zip(held) {
            *wanted = fixed.unwrap_or(*wanted);
        }
        (system, wanted)
    }
}

/// By how much the squares would fall if the residuals were straight.
fn predicted_gain(curvature: &Matrix, slope: &Values, step: &Values, searched: usize) -> f64 {
    let mut gain = 0.0;
    for row in 0..searched {
        let bent: f64 = (0..searched).map(|other| curvature[row][other] * step[other]).sum();
        gain -= step[row] * (2.0 * slope[row] + bent);
    }
    gain
}

/// Solves a symmetric positive system by elimination; `None` where it is singular.
fn solve(mut system: Matrix, mut right: Values, size: usize) -> Option<Values> {
    for pivot in 0..size {
        let diagonal = system[pivot][pivot];
        if diagonal.is_nan() || diagonal <= 0.0 {
            return None;
        }
        for row in pivot + 1..size {
            let factor = system[row][pivot] / diagonal;
            let above = system[pivot];
            for (value, above) in system[row].iter_mut().zip(above).skip(pivot) {
                *value -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut found = Values::default();
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| system[row][column] * found[column]).sum();
        found[row] = (right[row] - known) / system[row][row];
    }
    found.iter().all(|value| value.is_finite()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(
        residuals: &mut dyn FnMut(&Values, &mut [f64]),
        count: usize,
        bounds: &[(f64, f64)],
        start: Values,
    ) -> Found {
        least_squares(&mut Problem { residuals, count, bounds, least_gain: 1e-9 }, start)
    }

    #[test]
    fn a_straight_problem_is_solved_as_the_normal_equations_say() {
        // y = 1, 3, 4, 4 at x = 0..3: by hand the line is 1.5 + x, squares 1.
        let mut line = |at: &Values, out: &mut [f64]| {
            for (index, (out, y)) in out.iter_mut().zip([1.0, 3.0, 4.0, 4.0]).enumerate() {
                *out = at[0] + at[1] * index as f64 - y;
            }
        };
        let found = search(&mut line, 4, &[(-9.0, 9.0), (-9.0, 9.0)], [0.0; 3]);
        assert!((found.at[0] - 1.5).abs() < 1e-6 && (found.at[1] - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found.sum_of_squares - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_banana_valley_is_walked_to_its_end() {
        let mut valley = |at: &Values, out: &mut [f64]| {
            out[0] = 10.0 * (at[1] - at[0] * at[0]);
            out[1] = 1.0 - at[0];
        };
        let found = search(&mut valley, 2, &[(-5.0, 5.0), (-5.0, 5.0)], [-1.2, 1.0, 0.0]);
        assert!((found.at[0] - 1.0).abs() < 1e-4 && (found.at[1] - 1.0).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn a_bound_holds_and_the_others_go_on() {
        // The least without bounds is at (3, 2); the first may only reach 1.
        let mut bowl = |at: &Values, out: &mut [f64]| {
            out[0] = at[0] - 3.0;
            out[1] = 2.0 * (at[1] - 2.0);
        };
        let found = search(&mut bowl, 2, &[(-1.0, 1.0), (-9.0, 9.0)], [0.0; 3]);
        assert!((found.at[0] - 1.0).abs() < 1e-12 && (found.at[1] - 2.0).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn a_parameter_without_effect_is_no_obstacle() {
        let mut flat = |at: &Values, out: &mut [f64]| out[0] = at[0] - 2.0;
        let found = search(&mut flat, 1, &[(-9.0, 9.0), (-9.0, 9.0)], [0.0, 5.0, 0.0]);
        assert!((found.at[0] - 2.0).abs() < 1e-6 && (found.at[1] - 5.0).abs() < 1e-12, "{found:?}");
    }
}
