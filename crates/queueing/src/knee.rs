//! Where more load stops paying: the knee.

use crate::fits::Fits;
use crate::fitted::{Estimate, Fitted, Quantity};
use crate::model::{Loop, Model, Parameter};
use crate::space::Edge;

/// How much further apart than this, as a factor, two answers contradict each other.
const SAME: f64 = 2.0;
/// A model that misses by so much more than the best one has no say.
const MUCH_WORSE: f64 = 2.0;

/// Where a sweep turns.
#[derive(Clone, Debug, PartialEq)]
pub struct KneeFound {
    /// The model it was fitted by.
    pub model: Model,
    /// The fitted knee: in flight (closed), or arrivals per second (open).
    pub fitted: Estimate,
    /// The point at which throughput divided by response time is highest, as an index: what the
    /// measured grid says without any model.
    pub power: usize,
    /// What is to be thought of it.
    pub verdict: KneeVerdict,
}

/// What is to be thought of a knee.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum KneeVerdict {
    /// Model and grid agree.
    Found,
    /// Throughput bends so slowly that there is no one place where it turns.
    NotSharp,
    /// Model and grid are more than a factor of two apart.
    Disagree,
    /// It lies beyond what was measured: no saturation was seen.
    Beyond {
        /// The least that the points allow, at least the largest load that was measured.
        at_least: f64,
    },
    /// It lies near the largest load that was measured, or beyond it: too few points are beyond it
    /// to tell.
    AtEnd,
    /// It lies below what was measured: all points are saturated.
    Before {
        /// The most that the points allow.
        at_most: f64,
    },
}

/// The knee of a sweep; `None` without a model.
pub(crate) fn knee(fits: &Fits) -> Option<KneeFound> {
    let believed = believed(fits)?;
    let fitted = *believed.estimate(Quantity::Knee)?;
    let power = most_power(fits)?;
    let verdict = verdict(fits, believed, &fitted, power);
    Some(KneeFound { model: believed.model, fitted, power, verdict })
}

/// The smooth bound tells the knee best, unless it misses the points by much more than the best
/// model.
fn believed(fits: &Fits) -> Option<&Fitted> {
    let best = fits.best().or_else(|| fits.fitted().find(|fitted| !fitted.borrowed))?;
    let bound = fits.of_model(Model::SmoothBound).filter(|bound| !bound.borrowed);
    Some(bound.filter(|bound| bound.rms <= best.rms * MUCH_WORSE).unwrap_or(best))
}

/// The point of the most throughput for its response time.
fn most_power(fits: &Fits) -> Option<usize> {
    let points = &fits.points;
    let power = |index: &usize| {
        let point = points.points.get(*index);
        point.map_or(0.0, |point| points.throughput(point) / points.response(point))
    };
    (0..points.points.len()).max_by(|a, b| power(a).total_cmp(&power(b)))
}

fn verdict(fits: &Fits, by: &Fitted, knee: &Estimate, power: usize) -> KneeVerdict {
    let Some((least, most)) = fits.points.span() else { return KneeVerdict::NotSharp };
    let (low, high) = knee.interval.unwrap_or((knee.value, knee.value));
    let at_most_edge = by.estimates.iter().any(|estimate| {
        let of = matches!(
            estimate.quantity,
            Quantity::Parameter(Parameter::Capacity | Parameter::Servers)
        );
        of && estimate.edge == Some(Edge::Most)
    });
    if fits.is_straight() {
        return KneeVerdict::Beyond { at_least: most };
    }
    if at_most_edge || knee.value > most {
        // An end that is nowhere says no more than that it is beyond.
        let least_possible = if low.is_finite() { low } else { most };
        return if least_possible < most {
            KneeVerdict::AtEnd
        } else {
            KneeVerdict::Beyond { at_least: least_possible }
        };
    }
    if power + 1 == fits.points.points.len() {
        return KneeVerdict::AtEnd;
    }
    if fits.points.arrivals == Loop::Closed && least > 1.0 && knee.value < least {
        return KneeVerdict::Before { at_most: high.max(knee.value).min(least) };
    }
    let sharpness = by.estimate(Quantity::Parameter(Parameter::Sharpness));
    if sharpness.is_some_and(|sharpness| sharpness.value < 1.0) {
        return KneeVerdict::NotSharp;
    }
    let on_grid = fits.points.points.get(power).map_or(knee.value, |point| point.load);
    let apart = knee.value / on_grid;
    if (1.0 / SAME..=SAME).contains(&apart) { KneeVerdict::Found } else { KneeVerdict::Disagree }
}
