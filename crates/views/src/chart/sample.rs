//! Charts to try painters on.

use proptest::prelude::*;

use super::{Chart, ChartAxis, ChartLevel, ChartMark, ChartPoint, ChartUnit, Curve, Stroke};

/// Latency against throughput of two runs, with a fitted line and everything else there is.
pub(super) fn chart() -> Chart {
    let point = |(workers, x, y): (u32, f64, f64), spread: f64| ChartPoint {
        x,
        y,
        y_range: Some((y * (1.0 - spread), y * (1.0 + spread))),
        label: Some(workers.to_string()),
        doubtful: workers == 64,
    };
    let p99 = [
        (1, 18_100.0, 83e-6),
        (2, 29_300.0, 105e-6),
        (4, 43_100.0, 122e-6),
        (8, 50_300.0, 231e-6),
        (16, 60_000.0, 326e-6),
        (32, 66_100.0, 2.4e-3),
        (64, 70_500.0, 3.4e-3),
        (0, f64::NAN, 1.0),
    ];
    let mean = [
        (1, 18_100.0, 54e-6),
        (4, 43_100.0, 91e-6),
        (16, 60_000.0, 258e-6),
        (64, 70_500.0, 910e-6),
    ];
    let line = |x: f64| ChartPoint { x, y: 50e-6 / (1.0 - x / 75_000.0), ..ChartPoint::default() };
    let measured =
        |name: &str, points| Curve { name: name.to_owned(), points, stroke: Stroke::Measured };
    Chart {
        title: "Response time against throughput".to_owned(),
        x: ChartAxis {
            label: "operations per second".to_owned(),
            unit: ChartUnit::Number,
            log: false,
        },
        y: ChartAxis { label: "response time".to_owned(), unit: ChartUnit::Seconds, log: true },
        curves: vec![
            measured("p99", p99.map(|one| point(one, 0.2)).to_vec()),
            measured("mean", mean.map(|one| point(one, 0.05)).to_vec()),
            Curve {
                name: "a model".to_owned(),
                points: (0..=70).map(|at| line(f64::from(at) * 1e3)).collect(),
                stroke: Stroke::Dashed,
            },
        ],
        marks: vec![ChartMark { x: 52_000.0, text: "knee 52.0k/s".to_owned() }],
        levels: vec![ChartLevel { y: 1e-3, text: "limit 1ms".to_owned() }],
    }
}

/// Any chart.
pub(super) fn charts() -> impl Strategy<Value = Chart> {
    let number = || {
        prop_oneof![
            4 => 1e-6..1e6_f64,
            1 => any::<f64>(),
            1 => Just(0.0),
            1 => Just(f64::INFINITY),
            1 => Just(f64::NAN)
        ]
    };
    let range = prop::option::of((number(), number()));
    let point = (number(), number(), range, any::<bool>()).prop_map(|(x, y, y_range, doubtful)| {
        ChartPoint { x, y, y_range, label: doubtful.then(|| "7".to_owned()), doubtful }
    });
    let strokes = prop_oneof![
        Just(Stroke::Measured),
        Just(Stroke::Dots),
        Just(Stroke::Line),
        Just(Stroke::Dashed),
        Just(Stroke::Band)
    ];
    let curve = (prop::collection::vec(point, 0..12), strokes).prop_map(|(points, stroke)| Curve {
        name: "x".to_owned(),
        points,
        stroke,
    });
    let axis = |log| ChartAxis { label: "y".to_owned(), unit: ChartUnit::Seconds, log };
    let marks = prop::option::of(number());
    (prop::collection::vec(curve, 0..8), any::<(bool, bool)>(), marks).prop_map(
        move |(curves, (log_x, log_y), mark)| Chart {
            title: "x".to_owned(),
            x: axis(log_x),
            y: axis(log_y),
            curves,
            marks: mark.map(|x| ChartMark { x, text: "7".to_owned() }).into_iter().collect(),
            levels: mark.map(|y| ChartLevel { y, text: "7".to_owned() }).into_iter().collect(),
        },
    )
}
