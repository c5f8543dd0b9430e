//! Whether arrivals at a rate say how many servers there are at most: where nothing queued, any larger
//! number explains them as well. A search ends anywhere there, and so does that of every resample, so
//! that the likelihood is asked (its profile: Venzon and Moolgavkar 1988).

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::interval::FIT_CONFIDENCE;
use crate::model::{Loop, Parameter, Values};
use crate::point::LEAST_SIGMA;
use crate::robust::{Solution, Target};

/// Errors that are learnt from the fit are not believed to be smaller: a table of rounded numbers has
/// points that do not scatter at all.
const LEAST_ERROR: f64 = 1e-3;
/// Halvings of the range of servers.
const HALVINGS: usize = 30;

/// The parameters, as logarithms, at the fewest servers that are possible, where any larger number is
/// possible too; none where there is a limit.
pub(crate) fn fewest_servers(target: &Target<'_>, solution: &Solution) -> Option<Values> {
    if target.model.applies_to() != Loop::Open {
        return None;
    }
    let parameters = target.model.parameters();
    let index = parameters.iter().position(|one| *one == Parameter::Servers)?;
    let (least, most) = *target.space.bounds.get(index)?;
    let at = |servers: f64| target.profile(solution, index, servers);
    let scale = solution.scale.max(if target.known { 1.0 } else { LEAST_ERROR / LEAST_SIGMA });
    let allowed = allowed(target) * scale * scale;
    let (best, far) = (at(*solution.at.get(index)?), at(most));
    let limit = best.sum_of_squares.min(far.sum_of_squares) + allowed;
    if far.sum_of_squares > limit {
        return None;
    }
    let (mut low, mut high) = (least, most);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if at(middle).sum_of_squares > limit { low = middle } else { high = middle }
    }
    Some(at(high).at)
}

/// By how much the squares may grow, in units of the errors.
fn allowed(target: &Target<'_>) -> f64 {
    let degrees = if target.known { 1e6 } else { target.degrees_of_freedom() as f64 };
    let student = StudentsT::new(0.0, 1.0, degrees);
    student.map_or(4.0, |student| student.inverse_cdf(f64::midpoint(1.0, FIT_CONFIDENCE)).powi(2))
}
