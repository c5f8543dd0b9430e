//! A fit for programs.

use isotherm_queueing::{
    Criterion, Edge, Estimate, Evidence, FIT_CONFIDENCE, Fitted, KneeFound, KneeVerdict, Loop,
    RESAMPLES, Refusal, Resampling, Retrograde, Situation, Study, Tried, WhatIf,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::key;
use super::names::title;
use super::summary::{FitLimit, FitSummary};
use super::warnings::flags;
use crate::generator::generator;
use crate::json::{SchemaVersion, entries, finite};
use crate::threshold_json::ThresholdJson;

/// Queueing models on a sweep. Seconds, operations per second, shares from 0 to 1; what is infinite
/// is null. Keys may be added while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm fit --format json")]
pub struct FitJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// Where the points come from.
    source: &'a str,
    /// How operations arrived: a fixed number in flight, or at a rate.
    r#loop: Loop,
    /// What there is to say, most important first.
    sentences: Vec<String>,
    /// The points by load.
    points: Vec<PointJson>,
    /// The models in the order they were asked for.
    models: Vec<ModelJson>,
    /// What models are compared by.
    criterion: Criterion,
    /// The model that the sweep supports best; null without any.
    chosen: Option<&'static str>,
    /// Where the sweep turns; null without any model.
    knee: Option<KneeJson>,
    /// Where throughput falls with more load; null where it does not.
    retrograde: Option<RetrogradeJson>,
    /// How intervals of confidence were found.
    intervals: IntervalsJson,
    /// Which loads keep a limit of latency; null if none was asked for.
    limit: Option<&'a FitLimit>,
    /// What would be if something changed; null if nothing was asked for.
    what_if: Option<WhatIfJson>,
    /// What the conditions of --fail-if came to; left out without any.
    #[serde(skip_serializing_if = "<[ThresholdJson]>::is_empty")]
    thresholds: &'a [ThresholdJson],
}

/// A point.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
struct PointJson {
    /// Operations in flight (closed), or arrivals per second delivered (open).
    load: f64,
    /// Operations per second.
    throughput_per_s: f64,
    /// Mean response time; N/X in a closed loop.
    response_s: f64,
    /// Relative standard error of what is fitted; null where nothing is known of it.
    doubt: Option<f64>,
    /// Repeats.
    repeats: usize,
    /// Throughput (closed) or mean response time (open) by the chosen model.
    predicted: Option<f64>,
    /// ln(measured / predicted).
    residual: Option<f64>,
    /// How much the point counted, 0 to 1.
    weight: Option<f64>,
}

/// What became of a model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Model")]
enum ModelJson {
    /// It was fitted.
    Fitted(FittedJson),
    /// It could not be.
    Refused(RefusedJson),
}

/// A model that was fitted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fitted")]
struct FittedJson {
    /// Its short name.
    model: &'static str,
    /// Its name in words.
    title: &'static str,
    /// Whether it is of the other kind than the sweep: then its residuals are of something else and
    /// it is never chosen.
    borrowed: bool,
    /// Parameters by their letters (S, R0, Z, Xmax, M, k, g, a, b, v), and what follows:
    /// `light_response` (seconds), capacity (per second), knee and peak (in the unit of load).
    #[serde(serialize_with = "entries")]
    #[schemars(with = "std::collections::BTreeMap<String, EstimateJson>")]
    estimates: Vec<(&'static str, EstimateJson)>,
    /// Root mean square of the residuals.
    rms: Option<f64>,
    /// The same in standard errors of the points.
    misfit: Option<f64>,
    /// How much points differ beyond their standard errors, relative.
    between: Option<f64>,
    /// The criterion less that of the best model; null with too few points.
    above_best: Option<f64>,
    /// The same where the criterion is `AICc`, else null.
    aicc_above_best: Option<f64>,
    /// Warnings about it.
    flags: Vec<String>,
}

/// A model that was not fitted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Refused")]
struct RefusedJson {
    /// Its short name.
    model: &'static str,
    /// Its name in words.
    title: &'static str,
    /// Why not.
    #[schemars(extend("enum" = ["too few points", "too many in flight", "no numbers"]))]
    refused: &'static str,
}

/// An estimate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Estimate")]
struct EstimateJson {
    /// The value; null where it is infinite.
    value: Option<f64>,
    /// Both ends of its interval of confidence, null where an end is infinite; null without any.
    interval: Option<[Option<f64>; 2]>,
    /// least: cannot be distinguished from zero; most: the points set no upper limit.
    edge: Option<Edge>,
}

/// A knee.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Knee")]
struct KneeJson {
    /// The model it was fitted by.
    model: &'static str,
    /// The fitted knee, in the unit of load.
    fitted: EstimateJson,
    /// The measured load with most throughput for its response time.
    power: Option<f64>,
    /// Whether it was found.
    #[schemars(extend("enum" = ["found", "not sharp", "disagree", "beyond", "at end", "before"]))]
    verdict: &'static str,
    /// beyond: the least that the points allow; before: the most.
    bound: Option<f64>,
}

/// A fall of throughput with more load.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Retrograde")]
struct RetrogradeJson {
    /// The load with the highest throughput.
    highest_at: Option<f64>,
    /// The share of it that is lost at the largest load.
    lost: f64,
    /// How often chance brings about as much.
    chance: f64,
    /// points: their errors; descent: their order; law: the Universal Scalability Law.
    #[schemars(extend("enum" = ["points", "descent", "law"]))]
    evidence: &'static str,
}

/// How intervals of confidence were found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Intervals")]
struct IntervalsJson {
    /// The confidence.
    confidence: f64,
    /// How often the sweep was drawn again.
    resamples: usize,
    /// What was drawn.
    #[schemars(extend("enum" = ["moving blocks", "parametric"]))]
    method: &'static str,
    /// Intervals of a block; null without blocks.
    block: Option<usize>,
    /// The seed of the draws.
    seed: u64,
}

/// A system before and after a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WhatIf")]
struct WhatIfJson {
    /// The model it is computed by.
    model: &'static str,
    /// As it is.
    before: SituationJson,
    /// As it would be.
    after: SituationJson,
    /// How far outside of the loads measured, as a factor; null if it is not.
    beyond: Option<f64>,
}

/// A system at a load.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Situation")]
pub(super) struct SituationJson {
    /// In flight (closed), or arrivals per second (open).
    load: f64,
    /// Response time without queueing.
    service_s: Option<f64>,
    /// Effective servers; null where the model has none.
    servers: Option<f64>,
    /// The share of capacity that is used.
    utilisation: Option<f64>,
    /// Operations per second.
    throughput_per_s: Option<f64>,
    /// Mean response time; null where there is more work than servers can do.
    response_s: Option<f64>,
    /// The part of it that is waiting.
    queue_s: Option<f64>,
    /// Response time divided by service time.
    stretch: Option<f64>,
}

impl<'a> FitJson<'a> {
    /// The object.
    pub fn new(summary: &'a FitSummary<'_>) -> FitJson<'a> {
        let study = summary.study;
        let (method, block) = match study.fits.resampling {
            Resampling::Blocks { length } => ("moving blocks", Some(length)),
            Resampling::Scatter | Resampling::Errors => ("parametric", None),
        };
        let confidence = FIT_CONFIDENCE;
        FitJson {
            schema_version: SchemaVersion,
            generator: generator(),
            source: &summary.source,
            r#loop: study.fits.points.arrivals,
            sentences: summary.sentences(),
            points: points(study),
            models: study.fits.tried.iter().map(|tried| ModelJson::new(study, tried)).collect(),
            criterion: study.fits.criterion,
            chosen: study.fits.best().map(|best| best.model.name()),
            knee: study.knee.as_ref().map(|found| KneeJson::new(study, found)),
            retrograde: study.retrograde.as_ref().map(|found| RetrogradeJson::new(study, found)),
            intervals: IntervalsJson {
                confidence,
                resamples: RESAMPLES,
                method,
                block,
                seed: summary.seed,
            },
            limit: summary.limit.as_ref(),
            what_if: summary.what_if.as_ref().map(WhatIfJson::new),
            thresholds: &[],
        }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> FitJson<'a> {
        FitJson { thresholds, ..self }
    }
}

fn points(study: &Study) -> Vec<PointJson> {
    let (points, best) = (&study.fits.points, study.fits.best());
    let one = |(index, point): (usize, &isotherm_queueing::Point)| PointJson {
        load: point.load,
        throughput_per_s: points.throughput(point),
        response_s: points.response(point),
        doubt: point.sigma.map(|_| point.standard_error()),
        repeats: point.repeats.len().max(1),
        predicted: best.and_then(|best| finite(best.model.predict(&best.values, point.load))),
        residual: best.and_then(|best| best.residuals.get(index).copied()),
        weight: best.and_then(|best| best.weights.get(index).copied()),
    };
    points.points.iter().enumerate().map(one).collect()
}

/// The load of a point.
fn load_at(study: &Study, index: usize) -> Option<f64> {
    study.fits.points.points.get(index).map(|point| point.load)
}

impl ModelJson {
    fn new(study: &Study, tried: &Tried) -> Self {
        let (model, title) = (tried.model.name(), title(tried.model));
        let refused = match &tried.result {
            Ok(fitted) => return ModelJson::Fitted(FittedJson::new(study, fitted)),
            Err(Refusal::TooFewPoints { .. }) => "too few points",
            Err(Refusal::TooManyInFlight) => "too many in flight",
            Err(Refusal::NoNumbers) => "no numbers",
        };
        ModelJson::Refused(RefusedJson { model, title, refused })
    }
}

impl FittedJson {
    fn new(study: &Study, fitted: &Fitted) -> Self {
        let estimates = fitted.estimates.iter();
        FittedJson {
            model: fitted.model.name(),
            title: title(fitted.model),
            borrowed: fitted.borrowed,
            estimates: estimates.map(|one| (key(one.quantity), EstimateJson::new(one))).collect(),
            rms: finite(fitted.rms),
            misfit: finite(fitted.misfit),
            between: finite(fitted.between),
            above_best: fitted.above_best,
            aicc_above_best: fitted.above_best.filter(|_| study.fits.criterion == Criterion::Aicc),
            flags: flags(study, fitted),
        }
    }
}

impl EstimateJson {
    fn new(estimate: &Estimate) -> EstimateJson {
        EstimateJson {
            value: finite(estimate.value),
            interval: estimate.interval.map(|(low, high)| [finite(low), finite(high)]),
            edge: estimate.edge,
        }
    }
}

impl KneeJson {
    fn new(study: &Study, found: &KneeFound) -> KneeJson {
        let (verdict, bound) = match found.verdict {
            KneeVerdict::Found => ("found", None),
            KneeVerdict::NotSharp => ("not sharp", None),
            KneeVerdict::Disagree => ("disagree", None),
            KneeVerdict::Beyond { at_least } => ("beyond", Some(at_least)),
            KneeVerdict::AtEnd => ("at end", None),
            KneeVerdict::Before { at_most } => ("before", Some(at_most)),
        };
        KneeJson {
            model: found.model.name(),
            fitted: EstimateJson::new(&found.fitted),
            power: load_at(study, found.power),
            verdict,
            bound: bound.and_then(finite),
        }
    }
}

impl RetrogradeJson {
    fn new(study: &Study, found: &Retrograde) -> RetrogradeJson {
        RetrogradeJson {
            highest_at: load_at(study, found.highest),
            lost: found.lost,
            chance: found.chance(),
            evidence: match found.evidence {
                Evidence::Points { .. } => "points",
                Evidence::Descent { .. } => "descent",
                Evidence::Law { .. } => "law",
            },
        }
    }
}

impl WhatIfJson {
    fn new(what_if: &WhatIf) -> WhatIfJson {
        WhatIfJson {
            model: what_if.model.name(),
            before: SituationJson::new(&what_if.before),
            after: SituationJson::new(&what_if.after),
            beyond: what_if.beyond,
        }
    }
}

impl SituationJson {
    pub(super) fn new(at: &Situation) -> SituationJson {
        SituationJson {
            load: at.load,
            service_s: finite(at.service),
            servers: at.servers.and_then(finite),
            utilisation: at.utilisation.and_then(finite),
            throughput_per_s: finite(at.throughput),
            response_s: finite(at.response),
            queue_s: finite(at.queue()),
            stretch: finite(at.stretch()),
        }
    }
}
