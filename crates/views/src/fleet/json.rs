//! The object of `isotherm fleet --json`.

use isotherm_frame::{Histogram, Nanos};
use schemars::JsonSchema;
use serde::Serialize;

use super::{FleetHost, FleetReport};
use crate::json::{QuantileJson, SchemaVersion};

/// Hosts of a fleet by how much their time waited differs from that of the others.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fleet")]
pub struct FleetJson {
    /// The version of this schema.
    pub schema_version: SchemaVersion<1>,
    /// The server's address, or the directory of the recordings.
    pub source: String,
    /// The name of the histogram; of recordings the text that chose series, or `all series`.
    pub metric: String,
    /// The label whose values are the hosts; `recording` where each is the recording of a host.
    pub by: String,
    /// The beginning of the time looked at, nanoseconds since 1970.
    pub start_ns: i64,
    /// Its end.
    pub end_ns: i64,
    /// The length of an interval of `p99_s`, nanoseconds.
    pub step_ns: u64,
    /// Whether counts and times are estimates of a server's `increase()`.
    pub estimated: bool,
    /// Histograms that could not be used.
    pub rejected: u64,
    /// Why the first of them could not; null where none is.
    pub rejected_reason: Option<String>,
    /// How many layouts of buckets the hosts have.
    pub layouts: u64,
    /// The hosts, the most different first.
    pub hosts: Vec<FleetHostJson>,
}

/// A host.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FleetHost")]
pub struct FleetHostJson {
    /// The value of the label, empty for those without it; of a recording the name of its file.
    pub host: String,
    /// Events.
    pub events: u64,
    /// Time waited, seconds.
    pub time_waited_s: f64,
    /// Seconds for which the host was there; null where that is not known.
    pub present_s: Option<f64>,
    /// Whether the host is not compared, because its buckets lie across bounds of the others.
    pub left_out: bool,
    /// The median; null without events.
    pub p50: Option<QuantileJson>,
    /// The 99th percentile; null without events.
    pub p99: Option<QuantileJson>,
    /// The largest difference between the shares of time waited below a latency, of this host and of
    /// all others, 0 to 1; null where nothing can be said.
    pub distance: Option<f64>,
    /// What `distance` of any host exceeds by chance in one of a hundred fleets at most, in which all events are
    /// independent and of one distribution, 0 to 1.
    pub distance_by_chance: Option<f64>,
    /// The latency where they differ most, nanoseconds.
    pub at_ns: Option<u64>,
    /// The share of this host's time waited at this latency and above, 0 to 1.
    pub own_share_above: Option<f64>,
    /// The same of all others.
    pub others_share_above: Option<f64>,
    /// The 99th percentile of each interval, seconds, interpolated; null where there is none.
    pub p99_s: Vec<Option<f64>>,
    /// The highest bound of its buckets, seconds: a number of this size in `p99_s` stands for this or more. Null where
    /// the highest bucket has an upper bound.
    pub p99_at_least_s: Option<f64>,
}

impl FleetReport {
    /// The object of `--json`.
    pub fn json(&self) -> FleetJson {
        FleetJson {
            schema_version: SchemaVersion,
            source: self.source.clone(),
            metric: self.metric.clone(),
            by: self.by.clone(),
            start_ns: self.span.0.as_nanos(),
            end_ns: self.span.1.as_nanos(),
            step_ns: self.step.as_nanos(),
            estimated: self.is_estimate,
            rejected: self.rejected,
            rejected_reason: self.rejected_reason.clone(),
            layouts: self.layouts as u64,
            hosts: self.hosts.iter().map(host).collect(),
        }
    }
}

fn host(host: &FleetHost) -> FleetHostJson {
    let quantile = |counts: &Histogram, q| counts.quantile(q).ok().map(QuantileJson::from);
    let distance = host.distance;
    FleetHostJson {
        host: host.name.clone(),
        events: host.counts.events(),
        time_waited_s: host.counts.time_waited().seconds,
        present_s: host.present.map(Nanos::as_secs_f64),
        left_out: host.is_left_out,
        p50: quantile(&host.counts, 0.5),
        p99: quantile(&host.counts, 0.99),
        distance: distance.map(|of| of.distance),
        distance_by_chance: distance.map(|of| of.by_chance),
        at_ns: distance.map(|of| of.at_ns),
        own_share_above: distance.map(|of| of.own_above),
        others_share_above: distance.map(|of| of.others_above),
        p99_s: host.p99_s.clone(),
        p99_at_least_s: host.highest_bound_s(),
    }
}
