//! The curves of a calibration.

use super::{CalibrationRate, CalibrationSheet};
use crate::chart::{Chart, ChartAxis, ChartLevel, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};
use crate::numbers::bytes;

fn axis(label: &str, unit: ChartUnit, log: bool) -> ChartAxis {
    ChartAxis { label: label.to_owned(), unit, log }
}

fn curve(name: &str, points: Vec<ChartPoint>) -> Curve {
    Curve { name: name.to_owned(), points, stroke: Stroke::Measured }
}

/// From where to where a rate could lie.
fn range(rate: &CalibrationRate, value: f64) -> Option<(f64, f64)> {
    let off = rate.uncertainty? * value;
    Some((value - off, value + off))
}

/// Of loads with as many in flight the last, which was measured longest.
fn once(rates: &[CalibrationRate]) -> Vec<&CalibrationRate> {
    let next = rates.iter().skip(1).map(|rate| rate.in_flight).chain([None]);
    let with_next = rates.iter().zip(next);
    with_next.filter(|(rate, next)| rate.in_flight != *next).map(|(rate, _)| rate).collect()
}

/// Reads a second over reads in flight.
pub(super) fn throughput(sheet: &CalibrationSheet) -> Chart {
    let point = |rate: &CalibrationRate| ChartPoint {
        x: f64::from(rate.in_flight.unwrap_or_default()),
        y: rate.per_s,
        y_range: range(rate, rate.per_s),
        ..ChartPoint::default()
    };
    let marks = sheet.knee.map(|knee| ChartMark { x: f64::from(knee), text: "knee".to_owned() });
    Chart {
        title: "Reads per second".to_owned(),
        x: axis("in flight", ChartUnit::Number, true),
        y: axis("reads per second", ChartUnit::Number, false),
        curves: vec![curve("measured", once(&sheet.curve).into_iter().map(point).collect())],
        marks: marks.into_iter().collect(),
        ..Chart::default()
    }
}

/// Latency over reads a second, of reads held in flight and of those that arrive.
pub(super) fn latency(sheet: &CalibrationSheet) -> Chart {
    let mut curves = Vec::new();
    let arrivals = sheet.arrivals.iter().collect();
    let ways = [(once(&sheet.curve), "held in flight"), (arrivals, "arriving")];
    for (rates, way) in ways.into_iter().filter(|(rates, _)| !rates.is_empty()) {
        let held = |rate: &CalibrationRate| rate.in_flight.map(|held| held.to_string());
        let middle = rates.iter().filter_map(|rate| quantile_point(rate, 0.5, None));
        if rates.iter().any(|rate| rate.in_flight.is_some()) {
            curves.push(curve(&format!("p50 {way}"), middle.collect()));
        }
        let tail = rates.iter().filter_map(|rate| quantile_point(rate, 0.99, held(rate)));
        curves.push(curve(&format!("p99 {way}"), tail.collect()));
    }
    let what = &sheet.what;
    let level =
        what.bound.map(|bound| ChartLevel { y: bound.as_secs_f64(), text: what.limit.clone() });
    Chart {
        title: "Latency at each rate".to_owned(),
        x: axis("reads per second", ChartUnit::Number, false),
        y: axis("response time", ChartUnit::Seconds, true),
        curves,
        levels: level.into_iter().collect(),
        ..Chart::default()
    }
}

/// Where a quantile lies at a rate.
fn quantile_point(rate: &CalibrationRate, q: f64, label: Option<String>) -> Option<ChartPoint> {
    let mut found = rate.spread.quantiles.iter();
    let (found, _) = found.find(|(found, _)| found.q.total_cmp(&q).is_eq())?;
    let y = found.estimate.as_secs_f64();
    Some(ChartPoint { x: rate.per_s, y, label, ..ChartPoint::default() })
}

/// Megabytes a second over streams.
pub(super) fn streams(sheet: &CalibrationSheet) -> Chart {
    let point = |rate: &CalibrationRate| ChartPoint {
        x: f64::from(rate.in_flight.unwrap_or_default()),
        y: rate.bytes_per_s / 1e6,
        y_range: range(rate, rate.bytes_per_s / 1e6),
        ..ChartPoint::default()
    };
    Chart {
        title: format!("Sequential {} reads", bytes(sheet.what.large_block)),
        x: axis("streams", ChartUnit::Number, true),
        y: axis("MB per second", ChartUnit::Number, false),
        curves: vec![curve("measured", sheet.streams.iter().map(point).collect())],
        ..Chart::default()
    }
}

/// Reads a second over the part that is visited.
pub(super) fn parts(sheet: &CalibrationSheet) -> Chart {
    let all = (sheet.what.bytes as f64).max(1.0);
    let point = |(part, rate): &(u64, CalibrationRate)| ChartPoint {
        x: 100.0 * *part as f64 / all,
        y: rate.per_s,
        y_range: range(rate, rate.per_s),
        label: Some(bytes(*part)),
        ..ChartPoint::default()
    };
    let cache =
        sheet.cache.estimate_bytes.map(|size| ChartMark {
            x: 100.0 * size as f64 / all,
            text: format!("≈{}", bytes(size)),
        });
    Chart {
        title: "Reads from a part of it".to_owned(),
        x: axis("part, in per cent", ChartUnit::Number, true),
        y: axis("reads per second", ChartUnit::Number, false),
        curves: vec![curve("measured", sheet.parts.iter().map(point).collect())],
        marks: cache.into_iter().collect(),
        ..Chart::default()
    }
}
