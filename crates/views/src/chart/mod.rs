//! Curves in a frame of two axes: measured points with their doubt, fitted lines, marks.

mod braille;
mod content;
mod figures;
mod legend;
#[cfg(test)]
mod sample;
mod scale;
mod shape;

mod text;

pub use content::{Content, range};
pub use scale::Scale;

/// A chart: what is drawn is told here, how is the business of the painters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Left to right.
    pub x: ChartAxis,
    /// Bottom to top.
    pub y: ChartAxis,
    /// What is drawn, in the order of the legend.
    pub curves: Vec<Curve>,
    /// Upright lines with words: a knee, a limit.
    pub marks: Vec<ChartMark>,
    /// Lines across with words: a limit of response time.
    pub levels: Vec<ChartLevel>,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartAxis {
    /// What it is, with its unit: `operations per second`, `response time`.
    pub label: String,
    /// How numbers on it are written.
    pub unit: ChartUnit,
    /// Whether it is logarithmic; a linear axis holds zero.
    pub log: bool,
}

/// How numbers on an axis are written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ChartUnit {
    /// `6.19k`.
    #[default]
    Number,
    /// Seconds, written as `457µs`, `39.4ms`.
    Seconds,
    /// 0 to 1, written as per cent.
    Share,
}

/// Points or a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Points in the order they are joined.
    pub points: Vec<ChartPoint>,
    /// How it is drawn.
    pub stroke: Stroke,
}

/// One point; what is not finite is not drawn and told in the legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartPoint {
    /// Where on the x axis.
    pub x: f64,
    /// Where on the y axis.
    pub y: f64,
    /// From where to where it could lie.
    pub y_range: Option<(f64, f64)>,
    /// A word beside it: the number of workers.
    pub label: Option<String>,
    /// Whether it is to be taken with care, such as a run that was not steady: drawn hollow.
    pub doubtful: bool,
}

/// How a curve is drawn.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// Measured: dots, joined by a thin line.
    #[default]
    Measured,
    /// Dots alone.
    Dots,
    /// Modelled: a line without dots.
    Line,
    /// Another model: a dashed line.
    Dashed,
    /// A band between the ranges of its points.
    Band,
}

/// An upright line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartMark {
    /// Where on the x axis.
    pub x: f64,
    /// The words.
    pub text: String,
}

/// A line across.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartLevel {
    /// Where on the y axis.
    pub y: f64,
    /// The words.
    pub text: String,
}
