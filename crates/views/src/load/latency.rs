//! Distributions of latencies in short.

use isotherm_analysis::{is_unstable, modes};
use isotherm_experiment::calibrate::QUANTILES;
use isotherm_frame::{Bucket, Nanos};
use isotherm_load::Distribution;
use schemars::JsonSchema;
use serde::Serialize;

use crate::seconds;

/// Latencies in short.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LatencySummary {
    /// Operations.
    pub events: u64,
    /// The exact mean; null without operations.
    #[serde(rename = "mean_s", serialize_with = "seconds::of_ns")]
    #[schemars(with = "Option<f64>")]
    pub mean_ns: Option<f64>,
    /// The exact shortest; null without operations.
    #[serde(rename = "min_s", serialize_with = "seconds::of_any")]
    #[schemars(with = "Option<f64>")]
    pub min: Option<Nanos>,
    /// The exact longest; null without operations.
    #[serde(rename = "max_s", serialize_with = "seconds::of_any")]
    #[schemars(with = "Option<f64>")]
    pub max: Option<Nanos>,
    /// p50, p90, p99 and p99.9.
    pub quantiles: Vec<QuantileSummary>,
}

/// A quantile: a range, the bucket that holds the operation of this rank.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct QuantileSummary {
    /// Which: 0.5, 0.9, 0.99, 0.999.
    pub q: f64,
    /// Where the range begins.
    #[serde(rename = "lo_s", serialize_with = "seconds::of")]
    #[schemars(with = "f64")]
    pub lo: Nanos,
    /// Where it ends, exclusive; null where the bucket has no upper bound.
    #[serde(rename = "hi_s", serialize_with = "seconds::of_any")]
    #[schemars(with = "Option<f64>")]
    pub hi: Option<Nanos>,
    /// An estimate within the range.
    #[serde(rename = "estimate_s", serialize_with = "seconds::of")]
    #[schemars(with = "f64")]
    pub estimate: Nanos,
    /// Whether it is not repeatable: too few operations, or between two modes.
    pub unstable: bool,
}

impl LatencySummary {
    /// Of a distribution.
    pub fn of(distribution: &Distribution) -> LatencySummary {
        let counts = distribution.histogram();
        let found = modes(&counts);
        let quantile = |q: f64| {
            let at = counts.quantile(q).ok()?;
            let (Bucket { lo, hi }, estimate) = (at.bucket, at.estimate);
            Some(QuantileSummary { q, lo, hi, estimate, unstable: is_unstable(&counts, &found, q) })
        };
        let known = |ns| (distribution.events > 0).then_some(Nanos::new(ns));
        LatencySummary {
            events: distribution.events,
            mean_ns: distribution.mean_ns(),
            min: known(distribution.min_ns),
            max: known(distribution.max_ns),
            quantiles: QUANTILES.into_iter().filter_map(quantile).collect(),
        }
    }

    /// One of the quantiles.
    pub fn quantile(&self, q: f64) -> Option<&QuantileSummary> {
        self.quantiles.iter().find(|found| found.q.total_cmp(&q).is_eq())
    }
}
