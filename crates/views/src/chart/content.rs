//! What of a chart can be drawn, and what cannot.

use std::fmt::Write as _;

use super::scale::Scale;
use super::{Chart, ChartPoint, Curve, Stroke};

/// A chart with its axes.
pub struct Content<'a> {
    /// What is drawn.
    pub chart: &'a Chart,
    /// The axis from left to right.
    pub x: Scale,
    /// The axis from bottom to top.
    pub y: Scale,
    /// Points with a coordinate that is no number.
    not_finite: usize,
    /// Finite points that are zero or less on a logarithmic axis.
    not_positive: usize,
}

impl<'a> Content<'a> {
    /// Chooses axes that hold everything that can be drawn, with at most so many ticks along x
    /// and y.
    pub fn of(chart: &'a Chart, ticks: (u8, u8)) -> Content<'a> {
        let points = || chart.curves.iter().flat_map(|curve| &curve.points);
        let finite = |point: &&ChartPoint| point.x.is_finite() && point.y.is_finite();
        let drawn = || points().filter(|point| chart.draws(point));
        let xs = drawn().map(|point| point.x);
        let ys = drawn().flat_map(|point| {
            let (lo, hi) = range(point);
            [lo, point.y, hi].into_iter().filter(|&y| chart.y.can_show(y))
        });
        let not_finite = points().filter(|point| !finite(point)).count();
        Content {
            x: Scale::of(xs, (chart.x.log, chart.x.unit), ticks.0),
            y: Scale::of(ys, (chart.y.log, chart.y.unit), ticks.1),
            not_finite,
            not_positive: points().count() - not_finite - drawn().count(),
            chart,
        }
    }

    /// What there is to tell of points that are not drawn.
    pub fn left_out(&self) -> Option<String> {
        let points = |count: usize| if count == 1 { "point" } else { "points" };
        let mut parts = Vec::new();
        if self.not_finite > 0 {
            parts.push(format!(
                "{} {} without a finite value",
                self.not_finite,
                points(self.not_finite)
            ));
        }
        if self.not_positive > 0 {
            let many = points(self.not_positive);
            parts.push(format!(
                "{} {many} of zero or less on a logarithmic axis",
                self.not_positive
            ));
        }
        (!parts.is_empty()).then(|| format!("not drawn: {}", parts.join(", ")))
    }

    /// The runs of points of a curve between those that cannot be drawn.
    pub fn runs(&self, curve: &'a Curve) -> impl Iterator<Item = &'a [ChartPoint]> + use<'a> {
        let chart = self.chart;
        let runs = curve.points.split(move |point| !chart.draws(point));
        runs.filter(|run| !run.is_empty())
    }

    /// The points of a curve that can be drawn.
    pub fn points(&self, curve: &'a Curve) -> impl Iterator<Item = &'a ChartPoint> + use<'a> {
        let chart = self.chart;
        curve.points.iter().filter(move |point| chart.draws(point))
    }

    /// A point in words: its label, where it lies, and from where to where it could.
    pub fn words(&self, curve: &Curve, point: &ChartPoint) -> String {
        let mut words = curve.name.clone();
        if let Some(label) = &point.label {
            let _ = write!(words, " at {label}");
        }
        let (x, y) = (self.x.value(point.x), self.y.value(point.y));
        let _ = write!(words, ": {y} at {x}");
        if let Some((lo, hi)) = point.y_range.filter(|(lo, hi)| lo.is_finite() && hi.is_finite()) {
            let (lo, hi) = (self.y.value(lo.min(hi)), self.y.value(lo.max(hi)));
            let _ = write!(words, " ({lo}–{hi})");
        }
        if point.doubtful {
            words.push_str(", see the warnings");
        }
        words
    }
}

/// From where to where a point could lie; the point itself if that is not known.
pub fn range(point: &ChartPoint) -> (f64, f64) {
    match point.y_range {
        Some((lo, hi)) if lo.is_finite() && hi.is_finite() => (lo.min(hi), lo.max(hi)),
        _ => (point.y, point.y),
    }
}

impl Chart {
    fn draws(&self, point: &ChartPoint) -> bool {
        self.x.can_show(point.x) && self.y.can_show(point.y)
    }
}

impl super::ChartAxis {
    fn can_show(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }
}

impl Stroke {
    /// Whether its points are dots.
    pub fn has_dots(self) -> bool {
        matches!(self, Stroke::Measured | Stroke::Dots)
    }

    /// Whether its points are joined.
    pub fn has_line(self) -> bool {
        matches!(self, Stroke::Measured | Stroke::Line | Stroke::Dashed)
    }
}
