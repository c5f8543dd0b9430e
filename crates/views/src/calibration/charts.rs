//! The curves of a calibration.

use isotherm_experiment::calibrate::{Calibration, Figure, Phase, Step};

use super::figures::of_steps;
use crate::chart::{Chart, ChartAxis, ChartLevel, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};
use crate::numbers::bytes;

fn axis(label: &str, unit: ChartUnit, log: bool) -> ChartAxis {
    ChartAxis { label: label.to_owned(), unit, log }
}

fn curve(name: &str, points: Vec<ChartPoint>) -> Curve {
    Curve { name: name.to_owned(), points, stroke: Stroke::Measured }
}

/// From where to where a rate could lie.
fn range(rate: &Figure, value: f64) -> Option<(f64, f64)> {
    let off = rate.uncertainty? * value;
    Some((value - off, value + off))
}

/// The curve; of loads with as many in flight the last, which was measured longest.
fn curve_of(calibration: &Calibration) -> Vec<&Figure> {
    let rates = of_steps(&calibration.curve());
    let next = rates.iter().skip(1).map(|rate| rate.in_flight).chain([None]);
    let with_next = rates.iter().zip(next);
    with_next.filter(|(rate, next)| rate.in_flight != *next).map(|(rate, _)| *rate).collect()
}

/// Reads a second over reads in flight.
pub(super) fn throughput(calibration: &Calibration) -> Chart {
    let point = |rate: &Figure| ChartPoint {
        x: f64::from(rate.in_flight.unwrap_or_default()),
        y: rate.per_second,
        y_range: range(rate, rate.per_second),
        ..ChartPoint::default()
    };
    let marks = calibration
        .knee_in_flight
        .map(|knee| ChartMark { x: f64::from(knee), text: "knee".to_owned() });
    Chart {
        title: "Reads per second".to_owned(),
        x: axis("in flight", ChartUnit::Number, true),
        y: axis("reads per second", ChartUnit::Number, false),
        curves: vec![curve("measured", curve_of(calibration).into_iter().map(point).collect())],
        marks: marks.into_iter().collect(),
        ..Chart::default()
    }
}

/// Latency over reads a second, of a closed and of an open loop.
pub(super) fn latency(calibration: &Calibration) -> Chart {
    let mut curves = Vec::new();
    let arrivals = of_steps(&calibration.arrivals());
    let ways = [(curve_of(calibration), "closed loop"), (arrivals, "open loop")];
    for (rates, way) in ways.into_iter().filter(|(rates, _)| !rates.is_empty()) {
        let held = |rate: &Figure| rate.in_flight.map(|held| held.to_string());
        let middle = rates.iter().filter_map(|rate| quantile_point(rate, 0.5, None));
        if rates.iter().any(|rate| rate.in_flight.is_some()) {
            curves.push(curve(&format!("p50 {way}"), middle.collect()));
        }
        let tail = rates.iter().filter_map(|rate| quantile_point(rate, 0.99, held(rate)));
        curves.push(curve(&format!("p99 {way}"), tail.collect()));
    }
    let limit = calibration.limit;
    let level = ChartLevel { y: limit.bound().as_secs_f64(), text: limit.to_string() };
    Chart {
        title: "Latency at each rate".to_owned(),
        x: axis("reads per second", ChartUnit::Number, false),
        y: axis("response time", ChartUnit::Seconds, true),
        curves,
        levels: vec![level],
        ..Chart::default()
    }
}

/// Where a quantile lies at a rate.
fn quantile_point(rate: &Figure, q: f64, label: Option<String>) -> Option<ChartPoint> {
    let y = rate.latency.quantile(q)?.estimate_ns() / 1e9;
    Some(ChartPoint { x: rate.per_second, y, label, ..ChartPoint::default() })
}

/// Megabytes a second over streams.
pub(super) fn streams(calibration: &Calibration) -> Chart {
    let point = |rate: &Figure| ChartPoint {
        x: f64::from(rate.in_flight.unwrap_or_default()),
        y: rate.megabytes_per_second,
        y_range: range(rate, rate.megabytes_per_second),
        ..ChartPoint::default()
    };
    let streams: Vec<&Step> = calibration.of(Phase::Sequential).collect();
    let streams = of_steps(&streams);
    Chart {
        title: format!("Sequential {} reads", bytes(calibration.large_block)),
        x: axis("streams", ChartUnit::Number, true),
        y: axis("MB per second", ChartUnit::Number, false),
        curves: vec![curve("measured", streams.into_iter().map(point).collect())],
        ..Chart::default()
    }
}

/// Reads a second over the part that is visited.
pub(super) fn parts(calibration: &Calibration) -> Chart {
    let all = (calibration.bytes as f64).max(1.0);
    let point = |step: &Step| {
        let rate = step.figure.as_ref()?;
        Some(ChartPoint {
            x: 100.0 * step.working_set as f64 / all,
            y: rate.per_second,
            y_range: range(rate, rate.per_second),
            label: Some(bytes(step.working_set)),
            ..ChartPoint::default()
        })
    };
    let parts = calibration.parts().into_iter().filter_map(point).collect();
    let cache =
        calibration.cache.estimate_bytes.map(|size| ChartMark {
            x: 100.0 * size as f64 / all,
            text: format!("≈{}", bytes(size)),
        });
    Chart {
        title: "Reads from a part of it".to_owned(),
        x: axis("part, in per cent", ChartUnit::Number, true),
        y: axis("reads per second", ChartUnit::Number, false),
        curves: vec![curve("measured", parts)],
        marks: cache.into_iter().collect(),
        ..Chart::default()
    }
}
