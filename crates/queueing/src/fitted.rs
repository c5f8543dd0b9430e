//! A model fitted to a sweep, with intervals of confidence for all that follows from it.

use crate::criterion::Criterion;
use crate::interval::bca;
use crate::model::{Loop, Model, Parameter, Values};
use crate::point::Point;
use crate::points::Points;
use crate::reach::fewest_servers;
use crate::request::FitRequest;
use crate::resample::{Drawing, Resampling};
use crate::robust::{Solution, Target, logs_and_sigmas, values, widened};
use crate::space::{Edge, Space};
use isotherm_frame::Random;

/// The fewest points of a fit, however few parameters the model has.
const LEAST_POINTS: usize = 3;

/// What is estimated.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// A parameter of the model.
    Parameter(Parameter),
    /// Response time of one operation alone, seconds.
    LightResponse,
    /// The most operations a second; infinite where the model knows no limit.
    Capacity,
    /// Where throughput without queueing meets capacity (closed, in flight), or where throughput
    /// divided by response time is highest (open, arrivals per second).
    Knee,
    /// Where throughput is highest, if it falls again; infinite where it does not.
    Peak,
}

/// A value with its interval of confidence.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Of what.
    pub quantity: Quantity,
    /// The value.
    pub value: f64,
    /// Where it lies with a confidence of [`super::FIT_CONFIDENCE`]; an end may be infinite.
    pub interval: Option<(f64, f64)>,
    /// At which end of what is searched it or its interval lies: then the points say no more than
    /// that it is large, or that it cannot be distinguished from zero.
    pub edge: Option<Edge>,
}

/// A model fitted to points.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// Whether it is of the other kind than the sweep: throughput of a closed sweep was taken for an
    /// arrival rate, or the other way round.
    pub borrowed: bool,
    /// Parameters, then what follows from them.
    pub estimates: Vec<Estimate>,
    /// What is left at each point, ln(measured / predicted).
    pub residuals: Vec<f64>,
    /// How much each point counted, 0 to 1.
    pub weights: Vec<f64>,
    /// The root mean square of the residuals.
    pub rms: f64,
    /// The root mean square of the residuals in units of the standard errors of points: well above 1, the
    /// model misses more than chance does.
    pub misfit: f64,
    /// How much points differ from the model beyond what their intervals and repeats explain, as a
    /// relative standard deviation; 0 where nothing is left to explain, or where points have no
    /// intervals and all their scatter was learnt from the fit.
    pub between: f64,
    /// The criterion of the study (see [`super::Criterion`]) less the best model's; `None` with too
    /// few points for it, and for borrowed models, whose residuals are of something else.
    pub above_best: Option<f64>,
    /// How far each point is from what the model predicts for it when fitted to the other points,
    /// ln(measured / predicted); empty with points enough for Akaike's criterion, or too few to
    /// leave one out.
    pub left_out: Vec<f64>,
    /// The values of the parameters.
    pub values: Values,
}

/// Why a model is not fitted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There are fewer points than parameters and one.
    TooFewPoints {
        /// Points of different load.
        have: usize,
        /// How many it needs.
        need: usize,
    },
    /// It takes too long to compute at so many in flight.
    TooManyInFlight,
    /// No parameters were found for which it gives numbers.
    NoNumbers,
}

impl Fitted {
    /// The estimate of a quantity.
    pub fn estimate(&self, quantity: Quantity) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.quantity == quantity)
    }

    /// Capacity and knee are not reached, at least what was measured.
    pub(crate) fn leave_open(&mut self, throughput: f64, load: f64) {
        for one in &mut self.estimates {
            let (value, least) = match one.quantity {
                Quantity::Capacity => (f64::INFINITY, throughput),
                Quantity::Knee | Quantity::Peak => (f64::INFINITY, load),
                Quantity::Parameter(Parameter::Capacity) => (throughput, throughput),
                _ => continue,
            };
            let interval = one.interval.map(|_| (least, f64::INFINITY));
            *one = Estimate { value, interval, edge: Some(Edge::Most), ..*one };
        }
    }

    /// Mean response time at a number in flight or an arrival rate, by the model.
    pub fn response_at(&self, load: f64) -> f64 {
        self.model.response_at(&self.values, load)
    }
}

/// What is estimated of a model.
pub(crate) fn quantities(model: Model) -> Vec<Quantity> {
    let mut all: Vec<Quantity> =
        model.parameters().iter().copied().map(Quantity::Parameter).collect();
    all.extend([Quantity::LightResponse, Quantity::Capacity, Quantity::Knee]);
    all.extend((model == Model::Usl3).then_some(Quantity::Peak));
    all
}

/// A quantity at given parameters; infinite where there is none.
fn value_of(model: Model, values: &Values, quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Parameter(wanted) => {
            let at = model.parameters().iter().position(|parameter| *parameter == wanted);
            at.and_then(|at| values.get(at)).copied().unwrap_or(f64::NAN)
        }
        Quantity::LightResponse => light_response(model, values),
        Quantity::Capacity => model.capacity(values).unwrap_or(f64::INFINITY),
        Quantity::Knee => knee(model, values),
        Quantity::Peak => super::closed::usl_peak(values[1], values[2]).unwrap_or(f64::INFINITY),
    }
}

fn light_response(model: Model, values: &Values) -> f64 {
    match model {
        Model::Usl2 | Model::Usl3 => 1.0 / values[0],
        Model::Mva | Model::MvaServers | Model::DelayMm1 => values[0] + values[1],
        _ => values[0],
    }
}

fn knee(model: Model, values: &Values) -> f64 {
    let capacity = model.capacity(values).unwrap_or(f64::INFINITY);
    match model.applies_to() {
        Loop::Closed => capacity * light_response(model, values),
        Loop::Open => most_power(model, values, capacity),
    }
}

/// The arrival rate at which throughput divided by response time is highest, by golden section.
fn most_power(model: Model, values: &Values, capacity: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let power = |rate: f64| rate / model.response_at(values, rate);
    let (mut low, mut high) = (0.0, capacity);
    for _ in 0..40 {
        let reach = (high - low) * GOLDEN;
        if power(high - reach) < power(low + reach) {
            low = high - reach;
        } else {
            high = low + reach;
        }
    }
    f64::midpoint(low, high)
}

/// Fits one model; its points are of the kind it applies to.
pub(crate) fn fit(model: Model, points: &Points, request: &FitRequest) -> Result<Fitted, Refusal> {
    let (have, need) = (points.points.len(), (model.parameters().len() + 1).max(LEAST_POINTS));
    if have < need {
        return Err(Refusal::TooFewPoints { have, need });
    }
    let loads = points.loads();
    if !model.reaches(&loads) {
        return Err(Refusal::TooManyInFlight);
    }
    let space = Space::of(model, points);
    let (logs, sigmas) = logs_and_sigmas(points);
    let known = points.points.iter().all(|point| point.sigma.is_some());
    let target =
        Target { model, space: &space, loads: &loads, logs: &logs, sigmas: &sigmas, known };
    let (solution, between) = target.solve_with_excess().ok_or(Refusal::NoNumbers)?;
    let widened = widened(&sigmas, between);
    let target = Target { sigmas: &widened, ..target };
    let run_degrees = points.run_degrees;
    let scene = Scene { target, points: &points.points, solution: &solution, between, run_degrees };
    let spread = Spread::of(&scene, request);
    Ok(scene.fitted(&spread, &sigmas))
}

/// A fit with what it was made of.
struct Scene<'a> {
    target: Target<'a>,
    points: &'a [Point],
    solution: &'a Solution,
    between: f64,
    /// The degrees of freedom of errors that repeats tell.
    run_degrees: Option<usize>,
}

impl Scene<'_> {
    /// The degrees of freedom that the errors were learnt from: those of the residuals, of the repeats,
    /// or of both, each for its part; none where errors are known.
    fn degrees_of_freedom(&self) -> Option<usize> {
        let target = &self.target;
        let learnt = !target.known || self.solution.scale > 1.0 || self.between > 0.0;
        // Residuals that are cut off know their scale about two thirds as well.
        let by_fit = (target.degrees_of_freedom() * 2 / 3).max(1);
        let by_runs = self.run_degrees.filter(|_| target.known);
        let Some(by_runs) = by_runs else { return learnt.then_some(by_fit) };
        let all: f64 = target.sigmas.iter().map(|sigma| sigma * sigma).sum();
        let part = self.between * self.between * target.sigmas.len() as f64 / all;
        let uncertain = part * part / by_fit as f64 + (1.0 - part).powi(2) / by_runs as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 2,000")]
        Some((1.0 / uncertain).round().clamp(1.0, 2_000.0) as usize)
    }

    fn fitted(&self, spread: &Spread, sigmas: &[f64]) -> Fitted {
        let (solution, model) = (self.solution, self.target.model);
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            (values.sum::<f64>() / solution.residuals.len() as f64).sqrt()
        };
        let mut squares = solution.residuals.iter().map(|residual| residual * residual);
        let against = solution.residuals.iter().zip(sigmas);
        Fitted {
            model,
            borrowed: false,
            estimates: self.estimates(spread),
            rms: mean(&mut squares),
            misfit: mean(&mut against.map(|(residual, sigma)| (residual / sigma).powi(2))),
            between: self.between,
            residuals: solution.residuals.clone(),
            weights: solution.weights.clone(),
            above_best: None,
            left_out: if solution.residuals.len() < Criterion::AICC_POINTS {
                left_out(&self.target)
            } else {
                Vec::new()
            },
            values: values(&solution.at),
        }
    }

    fn estimates(&self, spread: &Spread) -> Vec<Estimate> {
        let model = self.target.model;
        let found = values(&self.solution.at);
        let estimate = |(index, quantity): (usize, Quantity)| {
            let of = |values: &Values| value_of(model, values, quantity);
            let mut drawn: Vec<f64> = spread.drawn.iter().map(of).collect();
            let without: Vec<f64> = spread.without.iter().map(of).collect();
            let value = of(&found);
            let interval = bca(value, &mut drawn, &without);
            let estimate = Estimate { quantity, value, interval, edge: None };
            if index < model.parameters().len() {
                self.at_edge(index, estimate)
            } else {
                self.within_reach(estimate)
            }
        };
        let mut all: Vec<Estimate> =
            quantities(model).into_iter().enumerate().map(estimate).collect();
        if model == Model::Servers {
            open_upwards(&mut all);
        }
        if !spread.drawn.is_empty()
            && let Some(fewest) = fewest_servers(&self.target, self.solution)
        {
            no_limit(model, &values(&fewest), &mut all);
        }
        all
    }

    /// A parameter whose interval touches what is searched has no end there.
    fn at_edge(&self, index: usize, estimate: Estimate) -> Estimate {
        let edge = |value: f64| self.target.space.edge(self.target.model, index, value.ln());
        let mut cut = Estimate { edge: edge(estimate.value), ..estimate };
        if let Some((low, high)) = &mut cut.interval {
            if edge(*high) == Some(Edge::Most) {
                *high = f64::INFINITY;
            }
            if edge(*low) == Some(Edge::Least) && Space::vanishes(self.target.model, index) {
                *low = 0.0;
                cut.edge = Some(Edge::Least);
            }
        }
        cut
    }

    /// What lies ten times beyond all that was measured is nowhere.
    fn within_reach(&self, estimate: Estimate) -> Estimate {
        const FAR: f64 = 10.0;
        let closed = self.target.model.applies_to() == Loop::Closed;
        let throughput = |point: &Point| if closed { point.value } else { point.load };
        let most = |of: &dyn Fn(&Point) -> f64| self.points.iter().map(of).fold(0.0, f64::max);
        let limit = match estimate.quantity {
            Quantity::Capacity => FAR * most(&throughput),
            Quantity::Knee | Quantity::Peak => FAR * most(&|point: &Point| point.load),
            _ => f64::INFINITY,
        };
        let cut = |value: f64| if value > limit { f64::INFINITY } else { value };
        let interval = estimate.interval.map(|(low, high)| (cut(low), cut(high)));
        Estimate { value: cut(estimate.value), interval, ..estimate }
    }
}

/// Where as many servers as were ever in flight are possible, more are, too: capacity and knee have
/// no upper end then.
fn open_upwards(estimates: &mut [Estimate]) {
    let servers = |one: &&Estimate| one.quantity == Quantity::Parameter(Parameter::Servers);
    let Some(servers) = estimates.iter().find(servers).copied() else { return };
    let unbounded = servers.interval.is_some_and(|(_, high)| high.is_infinite());
    for one in estimates {
        if !matches!(one.quantity, Quantity::Capacity | Quantity::Knee) {
            continue;
        }
        one.edge = one.edge.or(servers.edge);
        if let Some((_, high)) = one.interval.as_mut().filter(|_| unbounded) {
            *high = f64::INFINITY;
        }
    }
}

/// Any number of servers is possible from these values on: nothing that follows from it has an upper
/// end, and how much queues vary is not known where there are none.
fn no_limit(model: Model, fewest: &Values, estimates: &mut [Estimate]) {
    for one in estimates {
        match one.quantity {
            Quantity::Parameter(Parameter::Servers) | Quantity::Capacity | Quantity::Knee => {
                let least = value_of(model, fewest, one.quantity);
                let interval = Some((least, f64::INFINITY));
                *one = Estimate { value: f64::INFINITY, interval, edge: Some(Edge::Most), ..*one };
            }
            Quantity::Parameter(Parameter::Variability) => {
                one.interval = Some((0.0, f64::INFINITY));
            }
            _ => {}
        }
    }
}

/// The parameters of sweeps drawn anew, and of the sweep without each point.
struct Spread {
    drawn: Vec<Values>,
    without: Vec<Values>,
}

impl Spread {
    fn of(scene: &Scene<'_>, request: &FitRequest) -> Spread {
        let (target, solution) = (&scene.target, scene.solution);
        let degrees_of_freedom = scene.degrees_of_freedom();
        let drawing = Drawing::new(scene.points, target.sigmas, solution, degrees_of_freedom);
        let mut random = Random::new(request.seed);
        let mut logs = vec![0.0; scene.points.len()];
        let drawn = (0..request.resamples).map(|_| {
            drawing.draw(&mut random, &mut logs);
            values(&Target { logs: &logs, ..*target }.refit(solution))
        });
        Spread {
            drawn: drawn.collect(),
            without: (0..scene.points.len()).map(|left| without(target, solution, left)).collect(),
        }
    }
}

/// All values but one.
fn all_but(left: usize, values: &[f64]) -> Vec<f64> {
    let all = values.iter().enumerate();
    all.filter(|(index, _)| *index != left).map(|(_, value)| *value).collect()
}

/// How far each point is from what the model predicts for it when it is fitted to the others; empty
/// where these are too few, or where one fit gives no numbers.
fn left_out(target: &Target<'_>) -> Vec<f64> {
    let count = target.logs.len();
    if count < (target.model.parameters().len() + 2).max(LEAST_POINTS) {
        return Vec::new();
    }
    (0..count).map(|left| miss(target, left)).collect::<Option<Vec<f64>>>().unwrap_or_default()
}

/// How far a point is from what the model predicts for it when it is fitted to the others.
fn miss(target: &Target<'_>, left: usize) -> Option<f64> {
    let [loads, logs, sigmas] =
        [target.loads, target.logs, target.sigmas].map(|values| all_but(left, values));
    let others = Target { loads: &loads, logs: &logs, sigmas: &sigmas, ..*target };
    let found = values(&others.solve()?.at);
    let mut predicted = [0.0];
    target.model.ln_predict(&found, &[*target.loads.get(left)?], &mut predicted);
    let miss = target.logs.get(left)? - predicted[0];
    miss.is_finite().then_some(miss)
}

/// The parameters without one point.
fn without(target: &Target<'_>, solution: &Solution, left: usize) -> Values {
    let kept = |values: &[f64]| all_but(left, values);
    let (loads, logs, sigmas) = (kept(target.loads), kept(target.logs), kept(target.sigmas));
    let target = Target { loads: &loads, logs: &logs, sigmas: &sigmas, ..*target };
    let weights = kept(&solution.weights);
    let from = Solution { weights, residuals: Vec::new(), ..*solution };
    values(&target.refit(&from))
}

/// How the points of a sweep are drawn anew.
pub(crate) fn resampling(points: &Points) -> Resampling {
    Drawing::resampling(&points.points)
}
