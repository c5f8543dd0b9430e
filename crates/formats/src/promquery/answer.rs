//! What the query API answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// One answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    #[serde(default)]
    pub(crate) data: Option<Data>,
    /// Why there is none.
    #[serde(default)]
    pub(crate) error: Option<String>,
}

/// What was asked for.
#[derive(Debug, Deserialize)]
#[serde(tag = "resultType", content = "result", rename_all = "lowercase")]
pub(crate) enum Data {
    /// Samples over time.
    Matrix(Vec<Samples>),
    /// A number at a time.
    Scalar((f64, String)),
    /// The values at one moment.
    Vector(Vec<Instant>),
    /// A text.
    String(IgnoredAny),
}

/// The value of one series at one moment.
#[derive(Debug, Deserialize)]
pub(crate) struct Instant {
    #[serde(default)]
    value: Option<(f64, String)>,
}

/// The samples of one series.
#[derive(Debug, Deserialize)]
pub(crate) struct Samples {
    pub(crate) metric: BTreeMap<String, String>,
    /// Seconds since 1970 and what stood there.
    #[serde(default)]
    pub(crate) values: Vec<(f64, String)>,
    /// The same of a native histogram.
    #[serde(default)]
    pub(crate) histograms: Vec<(f64, Native)>,
}

/// A native histogram.
#[derive(Debug, Deserialize)]
pub(crate) struct Native {
    pub(crate) count: String,
    pub(crate) sum: String,
    /// Which of its bounds belong to a bucket, both bounds, and its count.
    #[serde(default)]
    pub(crate) buckets: Vec<(u8, String, String, String)>,
}

/// The number that the server was asked for. `VictoriaMetrics` gives it as a series without a name.
pub fn number_in(body: &[u8]) -> Option<f64> {
    let number = match serde_json::from_slice::<Answer>(body).ok()?.data? {
        Data::Scalar((_, number)) => number,
        Data::Vector(mut all) if all.len() == 1 => all.pop()?.value?.1,
        _ => return None,
    };
    number.parse().ok()
}

/// Why the server did not answer what it was asked, in its words.
pub fn problem(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Answer>(body).ok()?.error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_scalar_or_the_only_series() {
        let of = |result: &str| {
            let body = format!(r#"{{"status":"success","data":{{{result}}}}}"#);
            number_in(body.as_bytes())
        };
        assert_eq!(of(r#""resultType":"scalar","result":[5,"12.5"]"#), Some(12.5));
        let series = r#"{"metric":{},"value":[5,"12.5"]}"#;
        assert_eq!(of(&format!(r#""resultType":"vector","result":[{series}]"#)), Some(12.5));
        let two = format!(r#""resultType":"vector","result":[{series},{series}]"#);
        assert_eq!((of(&two), of(r#""resultType":"matrix","result":[]"#)), (None, None));
    }
}
