//! The curves of sweeps as charts.

use isotherm_experiment::{CurvePoint, Spread};

use super::summary::NamedCurve;
use crate::chart::{Chart, ChartAxis, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};
use crate::numbers::quantity;

/// A number of a point, over its repeats.
type Number = fn(&CurvePoint) -> Option<Spread>;

const MEAN: (&str, Number) = ("mean", |point| point.summary.mean_s);
const P50: (&str, Number) = ("p50", |point| point.summary.p50_s);
const P99: (&str, Number) = ("p99", |point| point.summary.p99_s);

/// Loads that differ by so much are drawn on a logarithmic axis.
const WIDE: f64 = 8.0;

/// Every chart, the most important first.
pub(super) fn all(curves: &[NamedCurve<'_>]) -> Vec<Chart> {
    let mut charts = vec![latency(curves)];
    if curves.len() > 1 {
        let title = "Mean response time against throughput";
        charts.push(against_throughput(title, curves, &[MEAN]));
    }
    for open in [false, true] {
        let of: Vec<&NamedCurve<'_>> =
            curves.iter().filter(|named| named.curve.open == open).collect();
        if !of.is_empty() {
            charts.push(throughput(&of, open));
            charts.push(cpu(&of, open));
        }
    }
    charts
}

/// Response time against throughput.
pub(super) fn latency(curves: &[NamedCurve<'_>]) -> Chart {
    if let [one] = curves {
        let mut chart =
            against_throughput("Response time against throughput", curves, &[P99, MEAN, P50]);
        let bend = one.curve.bend().filter(|bend| !bend.is_last && !bend.is_first);
        chart.marks.extend(bend.map(|bend| ChartMark {
            x: bend.at.throughput,
            text: format!("saturation begins: {}", bend.at.summary.label),
        }));
        return chart;
    }
    against_throughput("p99 against throughput", curves, &[P99])
}

fn against_throughput(title: &str, curves: &[NamedCurve<'_>], numbers: &[(&str, Number)]) -> Chart {
    let drawn = curves.iter().flat_map(|named| {
        numbers.iter().map(|(what, number)| {
            let name = if curves.len() > 1 { named.name.clone() } else { (*what).to_owned() };
            let x = |point: &CurvePoint| point.throughput;
            // One row of labels is enough.
            let labelled = *what == numbers[0].0;
            curve(name, named, (x, *number), labelled)
        })
    });
    Chart {
        title: title.to_owned(),
        x: axis("operations per second", ChartUnit::Number, false),
        y: axis("response time", ChartUnit::Seconds, true),
        curves: drawn.collect(),
        ..Chart::default()
    }
}

fn throughput(curves: &[&NamedCurve<'_>], open: bool) -> Chart {
    let number: Number = |point| point.summary.throughput;
    Chart {
        title: "Throughput against load".to_owned(),
        x: load_axis(curves, open),
        y: axis("operations per second", ChartUnit::Number, false),
        curves: against_load(curves, "throughput", number),
        ..Chart::default()
    }
}

fn cpu(curves: &[&NamedCurve<'_>], open: bool) -> Chart {
    let number: Number = |point| point.summary.cpu_s;
    Chart {
        title: "CPU of the load generator for one operation".to_owned(),
        x: load_axis(curves, open),
        y: axis("CPU time", ChartUnit::Seconds, false),
        curves: against_load(curves, "CPU", number),
        ..Chart::default()
    }
}

fn load_axis(curves: &[&NamedCurve<'_>], open: bool) -> ChartAxis {
    let loads = || curves.iter().flat_map(|named| &named.curve.points).map(|point| point.load);
    let (least, most) =
        loads().fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    let label = if open { "arrivals asked for per second" } else { "operations in flight" };
    axis(label, ChartUnit::Number, most >= WIDE * least)
}

fn against_load(curves: &[&NamedCurve<'_>], what: &str, number: Number) -> Vec<Curve> {
    let drawn = curves.iter().map(|named| {
        let name = if named.name.is_empty() { what.to_owned() } else { named.name.clone() };
        curve(name, named, (|point: &CurvePoint| point.load, number), false)
    });
    drawn.collect()
}

fn axis(label: &str, unit: ChartUnit, log: bool) -> ChartAxis {
    ChartAxis { label: label.to_owned(), unit, log }
}

/// The points that have the number, with their ranges over repeats.
fn curve(
    name: String,
    named: &NamedCurve<'_>,
    (x, y): (fn(&CurvePoint) -> f64, Number),
    labelled: bool,
) -> Curve {
    let points = named.curve.points.iter().filter_map(|point| {
        let spread = y(point)?;
        Some(ChartPoint {
            x: x(point),
            y: spread.median,
            y_range: (spread.low < spread.high).then_some((spread.low, spread.high)),
            label: labelled.then(|| load(point.load)),
            doubtful: point.is_doubtful(),
        })
    });
    Curve { name, points: points.collect(), stroke: Stroke::Measured }
}

/// A load beside a point: `8`, `16k`.
fn load(load: f64) -> String {
    let text = quantity(load);
    match text.split_once('.') {
        Some((whole, rest)) => {
            let digits = rest.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            let unit = &rest[digits.len()..];
            let digits = digits.trim_end_matches('0');
            if digits.is_empty() {
                format!("{whole}{unit}")
            } else {
                format!("{whole}.{digits}{unit}")
            }
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn loads_are_short() {
        let shown = [1.0, 8.0, 256.0, 16_000.0, 1_500.0].map(super::load);
        assert_eq!(shown, ["1", "8", "256", "16k", "1.5k"]);
    }
}
