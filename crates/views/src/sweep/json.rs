//! The points of a sweep for programs.

use isotherm_experiment::{
    PointSummary, PointVerdict, Spread, StoppedPoint, SweepSummary, VerdictSummary,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::SchemaVersion;
use crate::threshold_json::ThresholdJson;

/// The points of a sweep. Keys may be added while `schema_version` stays 1; none changes its meaning
/// or goes away. Everything there is of each run is in runs.jsonl, a line each.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm sweep --format json")]
pub struct SweepJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What was loaded, without secrets.
    target: &'a str,
    /// The points by number.
    points: Vec<PointJson<'a>>,
    /// Warnings about runs, each code once: serious ones first.
    doubts: &'a [VerdictSummary<'a>],
    /// Points that were not run because a stop rule held at a smaller load.
    stopped: &'a [StoppedPoint<'a>],
    /// Runs that are still to be done.
    runs_left: usize,
    /// What the conditions of --fail-if came to; none without any.
    thresholds: &'a [ThresholdJson],
}

/// A point over its repeats. Times are in seconds, shares from 0 to 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
struct PointJson<'a> {
    /// The number of the point, as in runs.jsonl.
    point: u32,
    /// The point in words: in-flight 8, update-pct 20.
    label: &'a str,
    /// Repeats whose numbers can be used.
    runs: usize,
    /// Repeats that were cut short, failed, or had no operation that succeeded.
    unusable_runs: usize,
    /// Operations per second.
    operations_per_s: Option<Spread>,
    /// Megabytes (10^6) per second; null where no bytes were moved.
    megabytes_per_s: Option<Spread>,
    /// Mean response time, seconds.
    mean_s: Option<Spread>,
    /// Median response time, seconds.
    p50_s: Option<Spread>,
    /// Response time that 99 % of the operations kept within, seconds; null where a verdict forbids
    /// to name it.
    p99_s: Option<Spread>,
    /// Seconds waited per second: operations waiting on average.
    waited_s_per_s: Option<Spread>,
    /// CPU of the load generator for one operation, seconds.
    cpu_per_operation_s: Option<Spread>,
    /// Operations that failed, as a share of all.
    failed_share: Option<Spread>,
    /// Repeats with steady throughput.
    steady_runs: usize,
    /// Repeats of which it is known whether throughput was steady.
    judged_runs: usize,
    /// Warnings about any repeat, each code once: serious ones first.
    verdicts: Vec<PointVerdict<'a>>,
}

impl<'a> SweepJson<'a> {
    /// The object.
    pub fn new(summary: &'a SweepSummary<'a>) -> SweepJson<'a> {
        SweepJson {
            schema_version: SchemaVersion,
            target: summary.target,
            points: summary.points.iter().map(PointJson::new).collect(),
            doubts: &summary.verdicts,
            stopped: &summary.stopped,
            runs_left: summary.runs_left,
            thresholds: &[],
        }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> SweepJson<'a> {
        SweepJson { thresholds, ..self }
    }
}

impl<'a> PointJson<'a> {
    fn new(point: &PointSummary<'a>) -> PointJson<'a> {
        let (steady_runs, judged_runs) = point.steady();
        PointJson {
            point: point.point,
            label: point.label,
            runs: point.runs.len(),
            unusable_runs: point.unusable.len(),
            operations_per_s: point.throughput,
            megabytes_per_s: point.megabytes_moved(),
            mean_s: point.mean_s,
            p50_s: point.p50_s,
            p99_s: point.named_p99_s(),
            waited_s_per_s: point.waited,
            cpu_per_operation_s: point.cpu_s,
            failed_share: point.failed_share,
            steady_runs,
            judged_runs,
            verdicts: point.verdicts(),
        }
    }
}
