//! Wait events of a profile for programs.

use isotherm_oracle::trace::profile::Event;
use schemars::JsonSchema;
use serde::Serialize;

use super::seconds::seconds;
use crate::json::BucketJson;

/// A wait event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub(super) struct EventJson<'a> {
    /// Its name.
    name: &'a str,
    /// Whether it is idle.
    idle: bool,
    /// Waits.
    count: u64,
    /// Time waited.
    total_s: f64,
    /// The mean; null without waits.
    mean_ns: Option<f64>,
    /// The exact shortest.
    min_ns: u64,
    /// The exact longest.
    max_ns: u64,
    /// Quantiles as the ranges they lie in, `hi_ns` exclusive.
    quantiles: Vec<EventQuantileJson>,
    /// Buckets with waits, `hi_ns` exclusive.
    buckets: Vec<BucketJson>,
}

/// Where a quantile lies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventQuantile")]
pub(super) struct EventQuantileJson {
    /// Which.
    q: f64,
    /// Where its range begins.
    lo_ns: u64,
    /// Where its range ends.
    hi_ns: u64,
}

impl<'a> EventJson<'a> {
    pub(super) fn new(event: &'a Event) -> EventJson<'a> {
        let quantile = |q: f64| {
            let (lo_ns, hi_ns) = event.quantile(q)?;
            Some(EventQuantileJson { q, lo_ns, hi_ns })
        };
        let buckets = event.latencies();
        let buckets = buckets.non_zero();
        EventJson {
            name: &event.name,
            idle: event.idle,
            count: event.count,
            total_s: seconds(event.total_ns),
            mean_ns: event.mean_ns(),
            min_ns: event.min_ns,
            max_ns: event.max_ns,
            quantiles: [0.5, 0.9, 0.99].into_iter().filter_map(quantile).collect(),
            buckets: buckets
                .map(|(bucket, count)| BucketJson { range: bucket.into(), count })
                .collect(),
        }
    }
}
