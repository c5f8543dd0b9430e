//! Several models on one sweep, and which of them its points support best.

use crate::criterion::Criterion;
use crate::fitted::{Fitted, Refusal, fit, resampling};
use crate::model::{Loop, Model};
use crate::point::{Point, Sample};
use crate::points::Points;
use crate::request::FitRequest;
use crate::resample::Resampling;
use crate::robust::{logs_and_sigmas, loss, widened};

/// What became of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The model.
    pub model: Model,
    /// What was found, or why not.
    pub result: Result<Fitted, Refusal>,
}

/// All models on a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Fits {
    /// The sweep.
    pub points: Points,
    /// The models in the order they were asked for.
    pub tried: Vec<Tried>,
    /// The model that the sweep supports best, as an index of `tried`.
    pub chosen: Option<usize>,
    /// By what it was chosen.
    pub criterion: Criterion,
    /// How intervals were found.
    pub resampling: Resampling,
}

/// So close to the best criterion a model is about as well supported (Burnham and Anderson 2002).
pub const TIE: f64 = 2.0;
/// The fewest points among which models are chosen.
const CHOICE_POINTS: usize = 5;

impl Fits {
    /// Fits the models and chooses among those of the sweep's own kind: the least of the criterion.
    pub(crate) fn of(points: Points, request: &FitRequest) -> Fits {
        let usual = Model::ALL.into_iter().filter(|model| model.is_usual());
        let own = || usual.filter(|model| model.applies_to() == points.arrivals);
        let models: Vec<Model> =
            if request.models.is_empty() { own().collect() } else { request.models.clone() };
        let mut tried: Vec<Tried> = Vec::new();
        for model in models {
            let known = tried.iter().any(|before| before.model == model);
            if !known {
                tried.push(Tried { model, result: one(model, &points, request) });
            }
        }
        let chosen = choose(&points, &mut tried);
        let resampling = resampling(&points);
        let criterion = Criterion::of(points.points.len());
        let mut fits = Fits { points, tried, chosen, criterion, resampling };
        if fits.is_straight() {
            fits.leave_open();
        }
        fits
    }

    /// Whether a straight line is the best model, or about as well supported as the best: throughput
    /// grew in proportion to the load, and no saturation was seen.
    pub fn is_straight(&self) -> bool {
        let above = self.of_model(Model::Linear).and_then(|linear| linear.above_best);
        above.is_some_and(|above| above <= TIE)
    }

    /// Where no saturation was seen no model knows of a limit: what it would extrapolate is at least
    /// what was measured.
    fn leave_open(&mut self) {
        let throughputs = self.points.points.iter().map(|point| point.value);
        let (throughput, load) =
            (throughputs.fold(0.0, f64::max), self.points.span().map_or(0.0, |(_, most)| most));
        let own = self.tried.iter_mut().filter_map(|tried| tried.result.as_mut().ok());
        for fitted in own.filter(|fitted| !fitted.borrowed) {
            fitted.leave_open(throughput, load);
        }
    }

    /// The models that were fitted.
    pub fn fitted(&self) -> impl Iterator<Item = &Fitted> {
        self.tried.iter().filter_map(|tried| tried.result.as_ref().ok())
    }

    /// The model that the sweep supports best.
    pub fn best(&self) -> Option<&Fitted> {
        self.tried.get(self.chosen?)?.result.as_ref().ok()
    }

    /// The models that were fitted, best supported first; those whose criterion is not known after
    /// the others, and borrowed ones last.
    pub fn by_support(&self) -> impl Iterator<Item = &Fitted> {
        let mut fitted: Vec<&Fitted> = self.fitted().collect();
        let above = |fitted: &Fitted| fitted.above_best.unwrap_or(f64::INFINITY);
        fitted.sort_by(|a, b| {
            let by_kind = a.borrowed.cmp(&b.borrowed);
            by_kind.then(above(a).total_cmp(&above(b))).then(a.rms.total_cmp(&b.rms))
        });
        fitted.into_iter()
    }

    /// The fit of one model.
    pub fn of_model(&self, model: Model) -> Option<&Fitted> {
        self.fitted().find(|fitted| fitted.model == model)
    }
}

fn one(model: Model, points: &Points, request: &FitRequest) -> Result<Fitted, Refusal> {
    if model.applies_to() == points.arrivals {
        return fit(model, points, request);
    }
    let fitted = fit(model, &points.as_other_kind(), request)?;
    Ok(Fitted { borrowed: true, ..fitted })
}

/// Sets how far each model's criterion is above the best; gives the best. Where no criterion can be
/// computed, of so few points nothing is chosen unless there is no choice.
fn choose(points: &Points, tried: &mut [Tried]) -> Option<usize> {
    let fits = || tried.iter().filter_map(|tried| tried.result.as_ref().ok());
    let excess = fits().filter(|fitted| !fitted.borrowed).map(|fitted| fitted.between);
    let excess = excess.fold(f64::INFINITY, f64::min);
    let sigmas = widened(&logs_and_sigmas(points).1, if excess.is_finite() { excess } else { 0.0 });
    let own = |tried: &Tried| tried.result.as_ref().is_ok_and(|fitted| !fitted.borrowed);
    let scale = fits()
        .filter(|fitted| !fitted.borrowed)
        .map(|fitted| cautious_scale(fitted, &sigmas))
        .fold(f64::INFINITY, f64::min);
    let criterion = |tried: &Tried| {
        let fitted = tried.result.as_ref().ok().filter(|fitted| !fitted.borrowed)?;
        match Criterion::of(points.points.len()) {
            Criterion::Aicc => {
                let sum_of_squares = loss(&fitted.residuals, &sigmas, scale);
                aicc(sum_of_squares, fitted.residuals.len(), fitted.model.parameters().len())
            }
            Criterion::LeaveOneOut => left_out(fitted, &sigmas),
        }
    };
    let all: Vec<Option<f64>> = tried.iter().map(criterion).collect();
    let ranked = all.iter().enumerate().filter_map(|(index, aicc)| Some((index, (*aicc)?)));
    let best = ranked.min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((_, least)) = best {
        for (tried, aicc) in tried.iter_mut().zip(all) {
            if let Ok(fitted) = &mut tried.result {
                fitted.above_best = aicc.map(|aicc| aicc - least);
            }
        }
    }
    let mut possible = tried.iter().enumerate().filter(|(_, tried)| own(tried));
    let only = possible.next().filter(|_| possible.next().is_none());
    best.map(|(index, _)| index).or(only.map(|(index, _)| index))
}

/// The scale of a model's residuals, of which one that is far off is kept from deciding.
fn cautious_scale(fitted: &Fitted, sigmas: &[f64]) -> f64 {
    let weighed = fitted.residuals.iter().zip(sigmas).zip(&fitted.weights);
    let sum_of_squares: f64 =
        weighed.map(|((residual, sigma), w)| w * w * (residual / sigma).powi(2)).sum();
    (sum_of_squares / fitted.residuals.len() as f64).sqrt().max(1e-9)
}

/// n ln of the mean square of what left-out points are off, and one for each parameter, so that of
/// models that predict alike the simpler one is chosen; `None` where none could be left out, or
/// of so few points that nothing is chosen.
fn left_out(fitted: &Fitted, sigmas: &[f64]) -> Option<f64> {
    let count = fitted.left_out.len();
    if count < CHOICE_POINTS {
        return None;
    }
    let sum_of_squares = loss(&fitted.left_out, sigmas, f64::INFINITY);
    let simpler = fitted.model.parameters().len() as f64;
    Some(count as f64 * (sum_of_squares.max(1e-18) / count as f64).ln() + simpler)
}

/// Akaike's criterion, corrected, of residuals whose scale is a parameter too; `None` with so few
/// points that the correction has no meaning.
fn aicc(sum_of_squares: f64, points: usize, parameters: usize) -> Option<f64> {
    let (count, free) = (points as f64, parameters as f64 + 1.0);
    let left = count - free - 1.0;
    let fit = count * (sum_of_squares.max(1e-18) / count).ln();
    (left > 0.0).then(|| fit + 2.0 * free + 2.0 * free * (free + 1.0) / left)
}

impl Points {
    /// The sweep as the other kind of model sees it: throughput as an arrival rate and N/X as the
    /// response time, or the mean number in flight and the rate as throughput.
    pub(crate) fn as_other_kind(&self) -> Points {
        let turn = |point: &Point| {
            let load = match self.arrivals {
                Loop::Closed => point.value,
                Loop::Open => point.load * point.value,
            };
            let value = match self.arrivals {
                Loop::Closed => point.load / point.value,
                Loop::Open => point.load,
            };
            let sample = |sample: &Sample| match self.arrivals {
                Loop::Closed => Sample { amount: point.load * sample.base, base: sample.amount },
                Loop::Open => Sample { amount: sample.base, base: sample.base / point.load },
            };
            let repeats = point.repeats.iter().map(|repeat| repeat.iter().map(sample).collect());
            Point { load, value, sigma: point.sigma, repeats: repeats.collect() }
        };
        let arrivals = match self.arrivals {
            Loop::Closed => Loop::Open,
            Loop::Open => Loop::Closed,
        };
        let mut points: Vec<Point> = self.points.iter().map(turn).collect();
        points.sort_by(|a, b| a.load.total_cmp(&b.load));
        Points { arrivals, points, run_degrees: self.run_degrees }
    }
}
