//! A fit for programs: one JSON object, described by `docs/schema/fit.schema.json`.

use std::io::{self, Write};

use isotherm_queueing::{
    Criterion, Edge, Estimate, Evidence, FIT_CONFIDENCE, Fitted, KneeFound, KneeVerdict, Loop,
    RESAMPLES, Refusal, Resampling, Retrograde, Situation, Study, Tried, WhatIf,
};
use serde_json::{Value, json};

use super::doubts::flags;
use super::figures::key;
use super::names::title;
use super::sheet::FitSheet;
use crate::generator::generator;

/// The version of the object's schema.
pub const FIT_SCHEMA_VERSION: u64 = 1;

/// The JSON object. Seconds, operations per second, shares from 0 to 1; what is infinite is null.
#[derive(Clone, Copy, Debug)]
pub struct FitJson;

impl FitJson {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn render(&self, sheet: &FitSheet<'_>, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &object(sheet))?;
        out.write_all(b"\n")
    }
}

fn object(sheet: &FitSheet<'_>) -> Value {
    let study = sheet.study;
    json!({
        "schema_version": FIT_SCHEMA_VERSION,
        "generator": generator(),
        "source": sheet.source,
        "loop": match study.points.arrivals {
            Loop::Closed => "closed",
            Loop::Open => "open",
        },
        "sentences": sheet.sentences(),
        "points": points(sheet),
        "models": study.tried.iter().map(|tried| model(study, tried)).collect::<Vec<Value>>(),
        "criterion": match study.criterion {
            Criterion::Aicc => "aicc",
            Criterion::LeaveOneOut => "leave-one-out",
        },
        "chosen": study.best().map(|best| best.model.name()),
        "knee": study.knee.as_ref().map(|found| knee(sheet, found)),
        "retrograde": study.retrograde.as_ref().map(|found| retrograde(sheet, found)),
        "intervals": {
            "confidence": FIT_CONFIDENCE,
            "resamples": RESAMPLES,
            "method": match study.resampling {
                Resampling::Blocks { .. } => "moving blocks",
                Resampling::Scatter => "parametric",
            },
            "block": match study.resampling {
                Resampling::Blocks { length } => Some(length),
                Resampling::Scatter => None,
            },
            "seed": sheet.seed,
        },
        "limit": sheet.limit.as_ref().map(|limit| json!({
            "condition": limit.text,
            "largest_load": limit.largest,
            "broken_at": limit.broken,
        })),
        "what_if": sheet.what_if.as_ref().map(what_if),
    })
}

fn points(sheet: &FitSheet<'_>) -> Vec<Value> {
    let points = &sheet.study.points;
    let best = sheet.study.best();
    let one = |(index, point): (usize, &isotherm_queueing::Point)| {
        json!({
            "load": point.load,
            "throughput_per_s": points.throughput(point),
            "response_s": points.response(point),
            "doubt": point.sigma.map(|_| point.standard_error()),
            "repeats": point.repeats.len().max(1),
            "predicted": best.map(|best| finite(best.model.predict(&best.values, point.load))),
            "residual": best.and_then(|best| best.residuals.get(index)),
            "weight": best.and_then(|best| best.weights.get(index)),
        })
    };
    points.points.iter().enumerate().map(one).collect()
}

fn model(study: &Study, tried: &Tried) -> Value {
    match &tried.result {
        Ok(fitted) => self::fitted(study, fitted),
        Err(refusal) => json!({
            "model": tried.model.name(),
            "title": title(tried.model),
            "refused": match refusal {
                Refusal::TooFewPoints { .. } => "too few points",
                Refusal::TooManyInFlight => "too many in flight",
                Refusal::NoNumbers => "no numbers",
            },
        }),
    }
}

fn fitted(study: &Study, fitted: &Fitted) -> Value {
    let aicc = fitted.above_best.filter(|_| study.criterion == Criterion::Aicc);
    let estimates: serde_json::Map<String, Value> =
        fitted.estimates.iter().map(|one| (key(one.quantity).to_owned(), estimate(one))).collect();
    json!({
        "model": fitted.model.name(),
        "title": title(fitted.model),
        "borrowed": fitted.borrowed,
        "estimates": estimates,
        "rms": fitted.rms,
        "misfit": fitted.misfit,
        "between": fitted.between,
        "above_best": fitted.above_best,
        "aicc_above_best": aicc,
        "flags": flags(study, fitted),
    })
}

fn estimate(estimate: &Estimate) -> Value {
    json!({
        "value": finite(estimate.value),
        "interval": estimate.interval.map(|(low, high)| [finite(low), finite(high)]),
        "edge": estimate.edge.map(|edge| match edge {
            Edge::Least => "least",
            Edge::Most => "most",
        }),
    })
}

fn knee(sheet: &FitSheet<'_>, found: &KneeFound) -> Value {
    let (verdict, bound) = match found.verdict {
        KneeVerdict::Found => ("found", None),
        KneeVerdict::NotSharp => ("not sharp", None),
        KneeVerdict::Disagree => ("disagree", None),
        KneeVerdict::Beyond { at_least } => ("beyond", Some(at_least)),
        KneeVerdict::AtEnd => ("at end", None),
        KneeVerdict::Before { at_most } => ("before", Some(at_most)),
    };
    json!({
        "model": found.model.name(),
        "fitted": estimate(&found.fitted),
        "power": sheet.study.points.points.get(found.power).map(|point| point.load),
        "verdict": verdict,
        "bound": bound.and_then(finite),
    })
}

fn retrograde(sheet: &FitSheet<'_>, found: &Retrograde) -> Value {
    json!({
        "highest_at": sheet.study.points.points.get(found.highest).map(|point| point.load),
        "lost": found.lost,
        "chance": found.chance(),
        "evidence": match found.evidence {
            Evidence::Points { .. } => "points",
            Evidence::Descent { .. } => "descent",
            Evidence::Law { .. } => "law",
        },
    })
}

fn what_if(what_if: &WhatIf) -> Value {
    json!({
        "model": what_if.model.name(),
        "before": situation(&what_if.before),
        "after": situation(&what_if.after),
        "beyond": what_if.beyond,
    })
}

fn situation(at: &Situation) -> Value {
    json!({
        "load": at.load,
        "service_s": finite(at.service),
        "servers": at.servers.and_then(finite),
        "utilisation": at.utilisation.and_then(finite),
        "throughput_per_s": finite(at.throughput),
        "response_s": finite(at.response),
        "queue_s": finite(at.queue()),
        "stretch": finite(at.stretch()),
    })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
