//! The charts of a fit.

use isotherm_queueing::{Fitted, KneeVerdict, Loop, Model, Point, Points, Situation, WhatIf};

use super::summary::FitSummary;
use super::tables::knee_words;
use crate::chart::{Chart, ChartAxis, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};

/// Places at which a curve is computed.
const STEPS: u32 = 90;
/// Other models drawn beside the chosen one.
const OTHERS: usize = 2;
/// Values further apart than this want a logarithmic axis.
const WIDE: f64 = 20.0;

/// The charts of the sweep: throughput or response time over load, and response time over
/// throughput.
pub(super) fn all(summary: &FitSummary<'_>) -> Vec<Chart> {
    let study = summary.study;
    match study.fits.points.arrivals {
        Loop::Closed => vec![throughput(summary), stick(summary)],
        Loop::Open => vec![stick(summary)],
    }
}

fn drawn<'a>(summary: &'a FitSummary<'_>) -> Vec<(&'a Fitted, Stroke)> {
    let best = summary.study.fits.best().map(|best| best.model);
    let own = summary.study.fits.by_support().filter(|fitted| !fitted.borrowed);
    own.take(OTHERS + 1)
        .map(|fitted| {
            let chosen = best.is_none_or(|best| best == fitted.model);
            (fitted, if chosen { Stroke::Line } else { Stroke::Dashed })
        })
        .collect()
}

/// X(N).
fn throughput(summary: &FitSummary<'_>) -> Chart {
    let points = &summary.study.fits.points;
    let mut curves = vec![Curve {
        name: "measured".to_owned(),
        points: points
            .points
            .iter()
            .map(|point| measured(point, point.load, point.value))
            .collect(),
        stroke: Stroke::Dots,
    }];
    curves.extend(drawn(summary).into_iter().map(|(fitted, stroke)| {
        let at = |load: f64| ChartPoint {
            x: load,
            y: fitted.model.throughput_at(&fitted.values, load),
            ..ChartPoint::default()
        };
        let points = loads(points).map(at).collect();
        Curve { name: fitted.model.name().to_owned(), points, stroke }
    }));
    Chart {
        title: "Throughput over operations in flight".to_owned(),
        x: ChartAxis {
            label: "operations in flight".to_owned(),
            unit: ChartUnit::Number,
            log: is_wide(points.loads().into_iter()),
        },
        y: ChartAxis {
            label: "operations per second".to_owned(),
            unit: ChartUnit::Number,
            log: false,
        },
        curves,
        marks: mark(summary).into_iter().collect(),
        ..Chart::default()
    }
}

fn measured(point: &Point, x: f64, y: f64) -> ChartPoint {
    let reach = point.sigma.map(|_| 1.96 * point.standard_error());
    let y_range = reach.map(|reach| (y * (1.0 - reach).max(0.0), y * (1.0 + reach)));
    ChartPoint { x, y, y_range, ..ChartPoint::default() }
}

/// The knee, where there is one.
fn mark(summary: &FitSummary<'_>) -> Option<ChartMark> {
    let found = summary.study.knee.as_ref()?;
    let fitted = summary.study.fits.of_model(found.model)?;
    let shown = matches!(found.verdict, KneeVerdict::Found) && found.fitted.value.is_finite();
    let text = knee_words(fitted, found.fitted.value);
    shown.then_some(ChartMark { x: found.fitted.value, text })
}

/// R over X (closed), or over the arrival rate (open): flat, then up.
fn stick(summary: &FitSummary<'_>) -> Chart {
    let points = &summary.study.fits.points;
    let label =
        |point: &Point| (points.arrivals == Loop::Closed).then(|| format!("{}", point.load));
    let dots = points.points.iter().map(|point| ChartPoint {
        label: label(point),
        ..measured(point, points.throughput(point), points.response(point))
    });
    let mut curves = vec![Curve {
        name: "measured".to_owned(),
        points: dots.collect(),
        stroke: if points.arrivals == Loop::Closed { Stroke::Measured } else { Stroke::Dots },
    }];
    curves.extend(drawn(summary).into_iter().map(|(fitted, stroke)| Curve {
        name: fitted.model.name().to_owned(),
        points: responses(fitted.model, points, &|load| fitted.response_at(load)),
        stroke,
    }));
    let marks = if points.arrivals == Loop::Open { mark(summary) } else { None };
    Chart {
        title: "Response time over throughput".to_owned(),
        x: throughput_axis(points.arrivals),
        y: ChartAxis {
            label: "mean response time".to_owned(),
            unit: ChartUnit::Seconds,
            log: is_wide(points.points.iter().map(|point| points.response(point))),
        },
        curves,
        marks: marks.into_iter().collect(),
        ..Chart::default()
    }
}

fn throughput_axis(arrivals: Loop) -> ChartAxis {
    let label = match arrivals {
        Loop::Closed => "operations per second",
        Loop::Open => "arrivals per second",
    };
    ChartAxis { label: label.to_owned(), unit: ChartUnit::Number, log: false }
}

fn responses(model: Model, points: &Points, response: &dyn Fn(f64) -> f64) -> Vec<ChartPoint> {
    let at = |load: f64| {
        let y = response(load);
        let x = if model.applies_to() == Loop::Closed { load / y } else { load };
        ChartPoint { x, y, ..ChartPoint::default() }
    };
    let highest = points.points.iter().map(|point| points.response(point)).fold(0.0, f64::max);
    loads(points).map(at).filter(|point| point.y.is_finite() && point.y <= highest * 3.0).collect()
}

/// Loads from the least measured to the greatest, in even factors.
fn loads(points: &Points) -> impl Iterator<Item = f64> + use<> {
    let (least, most) = points.span().unwrap_or((1.0, 1.0));
    let factor = (most / least).powf(1.0 / f64::from(STEPS));
    (0..=STEPS).map(move |step| least * factor.powf(f64::from(step)))
}

fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = values
        .fold((f64::MAX, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
    high / low > WIDE
}

/// Response time over load, before and after a change.
pub(super) fn what_if(summary: &FitSummary<'_>, what_if: &WhatIf) -> Option<Chart> {
    let fitted = summary.study.fits.of_model(what_if.model)?;
    let points = &summary.study.fits.points;
    let furthest = what_if.after.load.max(what_if.before.load);
    let most = points.span()?.1.max(furthest) * 1.05;
    let curve = |name: &str, stroke, at: &dyn Fn(f64) -> Option<Situation>| Curve {
        name: name.to_owned(),
        points: (1..=STEPS)
            .map(|step| most * f64::from(step) / f64::from(STEPS))
            .filter_map(at)
            .filter(|at| at.response.is_finite())
            .map(|at| ChartPoint { x: at.load, y: at.response, ..ChartPoint::default() })
            .collect(),
        stroke,
    };
    let spot = |name: &str, at: &Situation| Curve {
        name: name.to_owned(),
        points: vec![ChartPoint { x: at.load, y: at.response, ..ChartPoint::default() }],
        stroke: Stroke::Dots,
    };
    let sides = |load| what_if.at(fitted, load);
    let mut curves = vec![
        curve("before", Stroke::Line, &|load| Some(sides(load)?.0)),
        curve("after", Stroke::Dashed, &|load| Some(sides(load)?.1)),
        spot("now", &what_if.before),
    ];
    curves.extend(what_if.after.response.is_finite().then(|| spot("then", &what_if.after)));
    let top = 3.0 * what_if.before.response.max(finite(what_if.after.response));
    for curve in &mut curves {
        curve.points.retain(|point| point.y <= top);
    }
    let x = match points.arrivals {
        Loop::Closed => "operations in flight",
        Loop::Open => "arrivals per second",
    };
    Some(Chart {
        title: format!("Response time before and after, by {}", what_if.model.name()),
        x: ChartAxis { label: x.to_owned(), unit: ChartUnit::Number, log: false },
        y: ChartAxis {
            label: "mean response time".to_owned(),
            unit: ChartUnit::Seconds,
            log: false,
        },
        curves,
        ..Chart::default()
    })
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}
