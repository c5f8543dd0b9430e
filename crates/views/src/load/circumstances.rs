//! What else is known of a run of load: its schedule, what it cost, what it visited, what others
//! counted, what failed and how it ended.

use isotherm_frame::Nanos;
use isotherm_load::{Ended, Observed, Outcome, Touched, Unit};
use schemars::JsonSchema;
use serde::Serialize;

use super::latency::LatencySummary;
use crate::seconds;

/// The schedule of an open loop and what became of it.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadSchedule {
    /// Operations per second asked for.
    pub asked_hz: f64,
    /// Operations per second that ended.
    pub delivered_hz: f64,
    /// Arrivals that found no slot free.
    pub queued: u64,
    /// The longest that an arrival waited for a slot or a thread.
    #[serde(rename = "longest_lag_s", serialize_with = "seconds::of")]
    #[schemars(with = "f64")]
    pub longest_lag: Nanos,
}

/// CPU, user and system.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadCpu {
    /// Of the threads that drove the load; null without operations.
    pub lanes_per_operation_s: Option<f64>,
    /// Of the whole process; null without operations.
    pub process_per_operation_s: Option<f64>,
    /// Of the whole machine, whoever used it; null where it is not known.
    pub machine_per_operation_s: Option<f64>,
    /// The busy share of its processors, 0 to 1; null where it is not known.
    pub machine_busy: Option<f64>,
    /// Processors of the machine.
    pub processors: u32,
}

/// Which part of the working set was visited.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadTouched {
    /// Places there are.
    pub places: u64,
    /// Different places visited, warm-up included.
    pub distinct: u64,
    /// Visits, warm-up included.
    pub visits: u64,
    /// Reads of places visited for the first time.
    pub first: LatencySummary,
    /// Reads of places visited before.
    pub again: LatencySummary,
}

/// What somebody else counted.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadObserved<'a> {
    /// diskstats reads, pg blocks read, server cpu...
    pub name: &'a str,
    /// By how much it grew.
    pub value: f64,
    /// What it is counted in.
    #[schemars(extend("enum" = ["count", "bytes", "s"]))]
    pub unit: &'a str,
    /// For each operation; null without operations.
    pub per_operation: Option<f64>,
}

/// What failed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoadFault<'a> {
    /// What the system said.
    pub words: &'a str,
    /// How often.
    pub count: u64,
}

/// Why it ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoadEnd<'a> {
    /// The reason.
    #[schemars(extend("enum" = ["time", "operations", "interrupted", "failed"]))]
    pub reason: &'static str,
    /// Why it failed; null if it did not.
    pub words: Option<&'a str>,
}

impl LoadSchedule {
    pub(super) fn of(outcome: &Outcome) -> Option<LoadSchedule> {
        let ended = outcome.operations() + outcome.failed();
        Some(LoadSchedule {
            asked_hz: outcome.offered.rate_hz?,
            delivered_hz: ended as f64 / outcome.measured_s.max(1e-9),
            queued: outcome.offered.queued,
            longest_lag: Nanos::new(outcome.offered.longest_lag_ns),
        })
    }
}

impl LoadCpu {
    pub(super) fn of(outcome: &Outcome) -> LoadCpu {
        let (cpu, operations) = (&outcome.cpu, outcome.operations() as f64);
        let each = |seconds: f64| (operations > 0.0).then(|| seconds * 1e9 / operations / 1e9);
        let available_s = outcome.measured_s * f64::from(cpu.processors);
        LoadCpu {
            lanes_per_operation_s: each(cpu.lanes_s),
            process_per_operation_s: each(cpu.process_s),
            machine_per_operation_s: cpu.machine_s.and_then(each),
            machine_busy: cpu
                .machine_s
                .filter(|_| available_s > 0.0)
                .map(|busy| busy / available_s),
            processors: cpu.processors,
        }
    }
}

impl LoadTouched {
    pub(super) fn of(touched: &Touched) -> LoadTouched {
        LoadTouched {
            places: touched.places,
            distinct: touched.distinct,
            visits: touched.visits,
            first: LatencySummary::of(&touched.first),
            again: LatencySummary::of(&touched.again),
        }
    }
}

impl<'a> LoadObserved<'a> {
    /// Times are in seconds here, too.
    pub(super) fn of(observed: &'a Observed, operations: u64) -> LoadObserved<'a> {
        let (scale, unit) = match observed.unit {
            Unit::Nanos => (1e-9, "s"),
            Unit::Bytes => (1.0, "bytes"),
            Unit::Count => (1.0, "count"),
        };
        let value = observed.value as f64;
        let each = (operations > 0).then(|| value / operations as f64);
        LoadObserved {
            name: &observed.name,
            value: value * scale,
            unit,
            per_operation: each.map(|each| each * scale),
        }
    }
}

impl<'a> LoadEnd<'a> {
    pub(super) fn of(ended: &'a Ended) -> LoadEnd<'a> {
        let (reason, words) = match ended {
            Ended::Time => ("time", None),
            Ended::Operations => ("operations", None),
            Ended::Interrupted => ("interrupted", None),
            Ended::Failed(words) => ("failed", Some(words.as_str())),
        };
        LoadEnd { reason, words }
    }
}
