//! The tables of a fit.

use isotherm_queueing::{Criterion, Fitted, Loop, Quantity, Situation, Study, WhatIf};

use super::figures::{estimate, letter, load, off, quantity_short, rate, share, time, value};
use super::names::{formula, title};
use super::summary::FitSummary;
use crate::section::Table;

/// Every model with its parameters.
pub(super) fn models(summary: &FitSummary<'_>) -> Table {
    let row = |fitted: &Fitted| {
        let arrivals = fitted.model.applies_to();
        let shown = |quantity| {
            fitted.estimate(quantity).map_or_else(String::new, |found| estimate(found, arrivals))
        };
        vec![
            fitted.model.name().to_owned(),
            title(fitted.model).to_owned(),
            formula(fitted.model).to_owned(),
            parameters(fitted),
            shown(Quantity::Capacity),
            shown(Quantity::Knee),
            share(fitted.rms),
            above(fitted),
        ]
    };
    Table {
        caption: "Models, best supported first".to_owned(),
        head: words(&[
            "model",
            "what it is",
            "formula",
            "parameters",
            "capacity",
            "knee",
            "rms",
            criterion(summary.study),
        ]),
        rows: summary.study.fits.by_support().map(row).collect(),
    }
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// `S 1.02ms [0.99ms, 1.05ms], M 4.03 [3.91, 4.15]`
pub(super) fn parameters(fitted: &Fitted) -> String {
    let arrivals = fitted.model.applies_to();
    let all = fitted.estimates.iter().filter_map(|found| match found.quantity {
        Quantity::Parameter(parameter) => {
            Some(format!("{} {}", letter(parameter), estimate(found, arrivals)))
        }
        _ => None,
    });
    all.collect::<Vec<String>>().join(", ")
}

/// What models are compared by, as a heading.
pub(super) fn criterion(study: &Study) -> &'static str {
    match study.fits.criterion {
        Criterion::Aicc => "AICc",
        Criterion::LeaveOneOut => "left out",
    }
}

/// How far a model's criterion is above the best.
pub(super) fn above(fitted: &Fitted) -> String {
    match fitted.above_best {
        Some(above) if above < 0.05 => "best".to_owned(),
        Some(above) => format!("+{above:.1}"),
        None => "-".to_owned(),
    }
}

/// What one point is by the chosen model.
pub(super) struct PointLine {
    pub load: String,
    pub throughput: String,
    pub standard_error: String,
    pub response: String,
    pub model_throughput: String,
    pub model_response: String,
    /// ln(measured / predicted).
    pub residual: Option<f64>,
    pub weight: Option<f64>,
}

pub(super) fn point_lines(study: &Study) -> Vec<PointLine> {
    let points = &study.fits.points;
    let best = study.fits.best();
    let line = |(index, point): (usize, &isotherm_queueing::Point)| {
        let by = |of: &dyn Fn(&Fitted) -> f64, shown: fn(f64) -> String| {
            best.map_or_else(String::new, |best| shown(of(best)))
        };
        PointLine {
            load: load(points.arrivals, point.load),
            throughput: rate(points.throughput(point)),
            standard_error: point
                .sigma
                .map_or_else(String::new, |_| format!("±{}", share(point.standard_error()))),
            response: time(points.response(point)),
            model_throughput: match points.arrivals {
                Loop::Closed => {
                    by(&|best| best.model.throughput_at(&best.values, point.load), rate)
                }
                Loop::Open => String::new(),
            },
            model_response: by(&|best| best.response_at(point.load), time),
            residual: best.and_then(|best| best.residuals.get(index)).copied(),
            weight: best.and_then(|best| best.weights.get(index)).copied(),
        }
    };
    points.points.iter().enumerate().map(line).collect()
}

/// Every point, measured and by the chosen model.
pub(super) fn points(summary: &FitSummary<'_>) -> Table {
    let study = summary.study;
    let first = if study.fits.points.arrivals == Loop::Closed { "in flight" } else { "arrivals" };
    let row = |line: PointLine| {
        vec![
            line.load,
            line.throughput,
            line.standard_error,
            line.model_throughput,
            line.response,
            line.model_response,
            line.residual.map_or_else(String::new, off),
            line.weight.map_or_else(String::new, |weight| format!("{weight:.2}")),
        ]
    };
    let by = study.fits.best().map_or("model", |best| best.model.name());
    Table {
        caption: format!("Points, measured and by {by}"),
        head: words(&[
            first,
            "throughput",
            "±",
            "by model",
            "response",
            "by model",
            "off",
            "weight",
        ]),
        rows: point_lines(study).into_iter().map(row).collect(),
    }
}

/// The rows of the comparison sheet: what, before, after, by how much.
pub(super) fn what_if_rows(what_if: &WhatIf) -> Vec<[String; 4]> {
    let arrivals = what_if.model.applies_to();
    let (before, after) = (&what_if.before, &what_if.after);
    let times = |of: &dyn Fn(&Situation) -> f64| {
        let factor = of(after) / of(before);
        if factor.is_finite() { format!("×{}", quantity_short(factor)) } else { "-".to_owned() }
    };
    let row = |name: &str, of: &dyn Fn(&Situation) -> f64, shown: &dyn Fn(f64) -> String| {
        [name.to_owned(), shown(of(before)), shown(of(after)), times(of)]
    };
    let name = match arrivals {
        Loop::Closed => "N, in flight",
        Loop::Open => "L, arrivals",
    };
    let mut rows = vec![
        row(name, &|at| at.load, &|number| load(arrivals, number)),
        row("S, service time", &|at| at.service, &time),
    ];
    if before.servers.is_some() && after.servers.is_some() {
        let servers = |at: &Situation| at.servers.unwrap_or(f64::NAN);
        rows.push(row("M, effective servers", &servers, &quantity_short));
    }
    if before.utilisation.is_some() && after.utilisation.is_some() {
        let utilisation = |at: &Situation| at.utilisation.unwrap_or(f64::NAN);
        rows.push(row("U, utilisation", &utilisation, &share));
    }
    rows.extend([
        row("X, throughput", &|at| at.throughput, &rate),
        row("R, response time", &|at| at.response, &time),
        row("Q, queue time", &Situation::queue, &time),
        row("R/S, stretch", &Situation::stretch, &quantity_short),
    ]);
    rows
}

/// The comparison sheet.
pub(super) fn what_if(what_if: &WhatIf) -> Table {
    Table {
        caption: format!("Response time before and after, by {}", what_if.model.name()),
        head: words(&["", "before", "after", "change"]),
        rows: what_if_rows(what_if).into_iter().map(Vec::from).collect(),
    }
}

/// A value of a quantity of a model, for marks.
pub(super) fn knee_words(fitted: &Fitted, knee: f64) -> String {
    format!("knee {}", value(Quantity::Knee, fitted.model.applies_to(), knee))
}
