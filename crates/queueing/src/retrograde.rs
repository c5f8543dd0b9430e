//! Whether throughput falls with more load: the retrograde region.
//!
//! Two questions are asked, since each sees what the other misses. Of the points alone: is it chance
//! that those beyond the highest are lower? Of the law: is its coherency b zero, against every model
//! that does not fall?

use isotherm_frame::Random;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::fits::Fits;
use crate::fitted::{Fitted, Quantity};
use crate::model::{Loop, Model};
use crate::points::Points;
use crate::robust::{logs_and_sigmas, widened};

/// A fall that chance brings about less often than this was seen.
const RARE: f64 = 0.05;
/// The same of the law, whose scale is learnt from the same few points.
const RARE_BY_LAW: f64 = 0.01;
/// A smaller fall is of no consequence, and no benchmark repeats that well.
const LEAST_FALL: f64 = 0.03;
/// Sweeps drawn without a fall.
const DRAWN: u32 = 2_000;

/// A fall of throughput with more load.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Retrograde {
    /// The point with the highest throughput, as an index.
    pub highest: usize,
    /// How much of it is lost at the largest load, as a share.
    pub lost: f64,
    /// What says so.
    pub evidence: Evidence,
}

/// What says that throughput falls, with how often chance brings about as much.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The points, by their own errors: a test of isotonic means (Bartholomew 1959; Robertson,
    /// Wright and Dykstra 1988).
    Points {
        /// How often chance brings about as much.
        chance: f64,
    },
    /// So many points at the end, each lower than the one before.
    Descent {
        /// Points, the highest included.
        points: usize,
        /// One order of so many is this one.
        chance: f64,
    },
    /// The Universal Scalability Law, whose b is zero at the bound of what it can be: the likelihood
    /// ratio is half nothing and half chi-squared (Self and Liang 1987, case 5).
    Law {
        /// How often chance brings about as much.
        chance: f64,
    },
}

impl Retrograde {
    /// The fall of a closed sweep; `None` where none was seen.
    pub(crate) fn of(fits: &Fits, seed: u64) -> Option<Retrograde> {
        let points = &fits.points;
        if points.arrivals != Loop::Closed {
            return None;
        }
        let value = |index: usize| points.points.get(index).map_or(f64::NAN, |point| point.value);
        let last = points.points.len().checked_sub(1)?;
        let highest = (0..=last).max_by(|a, b| value(*a).total_cmp(&value(*b)))?;
        let lost_share = 1.0 - value(last) / value(highest);
        let found = |evidence| Retrograde { highest, lost: lost_share, evidence };
        if lost_share < LEAST_FALL {
            return None;
        }
        let by_points = by_errors(fits, seed).or_else(|| by_descent(points, highest));
        by_points.or_else(|| by_law(fits)).map(found)
    }

    /// How often chance brings about as much.
    pub fn chance(&self) -> f64 {
        match self.evidence {
            Evidence::Points { chance }
            | Evidence::Descent { chance, .. }
            | Evidence::Law { chance } => chance,
        }
    }
}

/// The models of the sweep's own kind.
fn own(fits: &Fits) -> impl Iterator<Item = &Fitted> {
    fits.fitted().filter(|fitted| !fitted.borrowed)
}

/// Relative errors with what points differ beyond them by the model that leaves least.
fn errors(fits: &Fits) -> Vec<f64> {
    let excess = own(fits).map(|fitted| fitted.between).fold(f64::INFINITY, f64::min);
    let sigmas = logs_and_sigmas(&fits.points).1;
    widened(&sigmas, if excess.is_finite() { excess } else { 0.0 })
}

/// Whether the points are no chance of a throughput that never falls, by the errors they have.
fn by_errors(fits: &Fits, seed: u64) -> Option<Evidence> {
    let points = &fits.points.points;
    if points.iter().any(|point| point.sigma.is_none()) {
        return None;
    }
    // Repeats know how runs differ; of single runs that has to be learnt from the models.
    let repeated = points.iter().all(|point| point.repeats.len() >= 2);
    let own = if repeated { logs_and_sigmas(&fits.points).1 } else { errors(fits) };
    // Errors of few repeats are known badly: none is believed to be below what all have.
    let sum_of_squares: f64 = own.iter().map(|sigma| sigma * sigma).sum();
    let common = (sum_of_squares / own.len() as f64).sqrt();
    let sigmas: Vec<f64> = own.iter().map(|sigma| sigma.max(common)).collect();
    let logs: Vec<f64> = points.iter().map(|point| point.value.ln()).collect();
    let found = distance_from_rising(&logs, &sigmas);
    let mut random = Random::new(seed);
    let mut as_much = 0_u32;
    for _ in 0..DRAWN {
        let drawn: Vec<f64> = sigmas.iter().map(|sigma| sigma * random.normal()).collect();
        as_much += u32::from(distance_from_rising(&drawn, &sigmas) >= found);
    }
    let chance = f64::from(as_much + 1) / f64::from(DRAWN + 1);
    (chance < RARE).then_some(Evidence::Points { chance })
}

/// The squares, in units of the errors, by which values are off the nearest that never fall: pools
/// of adjacent violators (Ayer and others 1955).
fn distance_from_rising(values: &[f64], sigmas: &[f64]) -> f64 {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (value, sigma) in values.iter().zip(sigmas) {
        let mut pool = (*value, sigma.powi(-2), 1);
        while let Some((mean, weight, count)) = pools.last().copied()
            && mean >= pool.0
        {
            pools.pop();
            let all = weight + pool.1;
            pool = ((mean * weight + pool.0 * pool.1) / all, all, count + pool.2);
        }
        pools.push(pool);
    }
    let level = pools.iter().flat_map(|(mean, _, count)| std::iter::repeat_n(*mean, *count));
    let levelled = values.iter().zip(sigmas).zip(level);
    levelled.map(|((value, sigma), level)| ((value - level) / sigma).powi(2)).sum()
}

/// Points at the end that all fall, of which nothing but their order is known: n of them are in this
/// order once in n! times.
fn by_descent(points: &Points, highest: usize) -> Option<Evidence> {
    let tail: Vec<f64> = points.points.iter().skip(highest).map(|point| point.value).collect();
    let falls = tail.windows(2).all(|pair| matches!(pair, [one, next] if next < one));
    let orders: f64 = (1..=tail.len()).map(|number| number as f64).product();
    let chance = 1.0 / orders;
    (falls && chance < RARE).then_some(Evidence::Descent { points: tail.len(), chance })
}

/// The likelihood ratio of the law against the best model that does not fall, whose b is zero.
fn by_law(fits: &Fits) -> Option<Evidence> {
    let law = fits.of_model(Model::Usl3).filter(|law| !law.borrowed)?;
    let peak = law.estimate(Quantity::Peak)?.value;
    let (_, most) = fits.points.span()?;
    let sigmas = errors(fits);
    let sum_of_squares = |fitted: &Fitted| -> f64 {
        let all = fitted.residuals.iter().zip(&sigmas);
        all.map(|(residual, sigma)| (residual / sigma).powi(2)).sum()
    };
    let steady = own(fits).filter(|fitted| fitted.model != Model::Usl3).map(sum_of_squares);
    let (without, with) = (steady.fold(f64::INFINITY, f64::min), sum_of_squares(law));
    let points = fits.points.points.len();
    let degrees_of_freedom = points.checked_sub(3).filter(|degrees| *degrees > 1)? as f64;
    let gain = without - with;
    if !gain.is_finite() || gain <= 0.0 || peak >= most {
        return None;
    }
    // One parameter more: the root of the ratio is a normal deviate where the errors are known, and
    // one of Student's where they were learnt from the same points. Half of it is its upper tail.
    let known = fits.points.points.iter().all(|point| point.sigma.is_some());
    let chance = if known {
        Normal::standard().sf(gain.sqrt())
    } else {
        let deviate = (gain / (with / degrees_of_freedom).max(1e-18)).sqrt();
        StudentsT::new(0.0, 1.0, degrees_of_freedom).ok()?.sf(deviate)
    };
    (chance < RARE_BY_LAW).then_some(Evidence::Law { chance })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rises_is_at_no_distance_from_rising() {
        assert!(distance_from_rising(&[1.0, 2.0, 2.0, 5.0], &[1.0; 4]).abs() < 1e-12);
        // 3 and 1 become 2 and 2; one half as exact counts a quarter: 3 and 1 become 2.6.
        assert!((distance_from_rising(&[0.0, 3.0, 1.0], &[1.0; 3]) - 2.0).abs() < 1e-12);
        let uneven = distance_from_rising(&[3.0, 1.0], &[1.0, 2.0]);
        assert!((uneven - (0.4_f64.powi(2) + (1.6_f64 / 2.0).powi(2))).abs() < 1e-12);
    }

    #[test]
    fn levels_are_as_probable_as_the_tables_say() {
        // Three equal means are in rising order once in six times, so that their distance is zero
        // (level probability of three levels, Robertson, Wright and Dykstra 1988, table A.10).
        let mut random = Random::new(3);
        let zero = (0..30_000).filter(|_| {
            let drawn: Vec<f64> = (0..3).map(|_| random.normal()).collect();
            distance_from_rising(&drawn, &[1.0; 3]) == 0.0
        });
        let share = zero.count() as f64 / 30_000.0;
        assert!((share - 1.0 / 6.0).abs() < 0.01, "{share}");
    }
}
