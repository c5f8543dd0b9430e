//! What the query API answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// One answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    #[serde(default)]
    pub(super) data: Option<Data>,
    /// Why there is none.
    #[serde(default)]
    pub(super) error: Option<String>,
}

/// What was asked for.
#[derive(Debug, Deserialize)]
#[serde(tag = "resultType", content = "result", rename_all = "lowercase")]
pub(super) enum Data {
    /// Samples over time.
    Matrix(Vec<Samples>),
    /// A number at a time.
    Scalar((f64, String)),
    /// The values at one moment.
    Vector(IgnoredAny),
    /// A text.
    String(IgnoredAny),
}

/// The samples of one series.
#[derive(Debug, Deserialize)]
pub(super) struct Samples {
    pub(super) metric: BTreeMap<String, String>,
    /// Seconds since 1970 and what stood there.
    #[serde(default)]
    pub(super) values: Vec<(f64, String)>,
    /// The same of a native histogram.
    #[serde(default)]
    pub(super) histograms: Vec<(f64, Native)>,
}

/// A native histogram.
#[derive(Debug, Deserialize)]
pub(super) struct Native {
    pub(super) count: String,
    pub(super) sum: String,
    /// Which of its bounds belong to a bucket, both bounds, and its count.
    #[serde(default)]
    pub(super) buckets: Vec<(u8, String, String, String)>,
}

/// The number that the server was asked for.
pub(crate) fn number_in(body: &[u8]) -> Option<f64> {
    match serde_json::from_slice::<Answer>(body).ok()?.data? {
        Data::Scalar((_, number)) => number.parse().ok(),
        _ => None,
    }
}

/// Why the server did not answer what it was asked, in its words.
pub(crate) fn problem(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Answer>(body).ok()?.error
}
