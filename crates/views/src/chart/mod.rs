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

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

pub use content::{Content, range};
pub use scale::Scale;

/// A chart: what is drawn is reported here, how is the business of the painters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ChartAxis {
    /// What it is, with its unit: `operations per second`, `response time`.
    pub label: String,
    /// How numbers on it are written.
    pub unit: ChartUnit,
    /// Whether it is logarithmic; a linear axis holds zero.
    pub log: bool,
}

/// How numbers on an axis are written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    #[serde(rename = "kind")]
    pub stroke: Stroke,
    /// Points in the order they are joined.
    pub points: Vec<ChartPoint>,
}

/// One point; one without a finite number is not drawn, and the legend says so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ChartPoint {
    /// Where on the x axis; null where there is no finite number.
    #[schemars(with = "Option<f64>")]
    pub x: f64,
    /// Where on the y axis; null where there is no finite number.
    #[schemars(with = "Option<f64>")]
    pub y: f64,
    /// From where to where it could lie.
    #[serde(flatten, serialize_with = "y_range")]
    #[schemars(with = "YRange")]
    pub y_range: Option<(f64, f64)>,
    /// A word beside it: the number of workers.
    pub label: Option<String>,
    /// Whether it is to be taken with care, such as a run that was not steady: drawn hollow.
    pub doubtful: bool,
}

/// How a curve is drawn.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
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

/// Where a point could lie.
#[derive(Serialize, JsonSchema)]
struct YRange {
    /// From where it could lie; null if that is not known.
    y_lo: Option<f64>,
    /// To where it could lie; null if that is not known.
    y_hi: Option<f64>,
}

#[expect(clippy::ref_option, reason = "what serde calls")]
fn y_range<S: Serializer>(range: &Option<(f64, f64)>, to: S) -> Result<S::Ok, S::Error> {
    let (y_lo, y_hi) = range.unzip();
    YRange { y_lo, y_hi }.serialize(to)
}

/// An upright line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ChartMark {
    /// Where on the x axis.
    #[serde(rename = "at")]
    #[schemars(with = "Option<f64>")]
    pub x: f64,
    /// The words.
    pub text: String,
}

/// A line across.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ChartLevel {
    /// Where on the y axis.
    #[serde(rename = "at")]
    #[schemars(with = "Option<f64>")]
    pub y: f64,
    /// The words.
    pub text: String,
}
