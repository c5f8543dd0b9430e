//! A run of load in short: what follows from its numbers.

use isotherm_analysis::{Circumstances, Findings, RankedRemark, Remark};
use isotherm_experiment::{Run, Steady, Verdict};
use isotherm_frame::{Clock, Timestamp};
use isotherm_load::{Arrival, Distribution, KindOutcome, Little, Spacing};
use schemars::JsonSchema;
use serde::Serialize;

use super::circumstances::{LoadCpu, LoadEnd, LoadFault, LoadObserved, LoadSchedule, LoadTouched};
use super::latency::LatencySummary;
use super::work::is_database;
use crate::json::SchemaVersion;
use crate::narration;
use crate::threshold_json::ThresholdJson;
use crate::times::TimeFormat;

/// What came of a run of load. Keys may be added while `schema_version` stays 1; none changes its
/// meaning or goes away.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "isotherm stress --format json")]
pub struct LoadResult<'a> {
    /// The version of this layout.
    pub schema_version: SchemaVersion<1>,
    /// The run as a line of a run table (runs.jsonl), as a sweep keeps it.
    pub run: &'a Run,
    /// The same in short.
    pub summary: LoadSummary<'a>,
    /// What the conditions of --fail-if came to; none without any.
    pub thresholds: &'a [ThresholdJson],
}

/// A run in short. Times are in seconds, shares from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadSummary<'a> {
    /// What was loaded, without secrets.
    pub target: &'a str,
    /// How operations arrived.
    pub arrival: LoadArrival,
    /// Threads that drove the load.
    pub threads: u32,
    /// How long it warmed up.
    pub warmup_s: f64,
    /// How long it was measured.
    pub measured_s: f64,
    /// How fast it went, in the measured time.
    pub rate: LoadRate,
    /// How long operations took.
    pub latency: LoadLatency<'a>,
    /// Little's law on the measured time.
    pub little: LoadLittle,
    /// The schedule of an open loop and what became of it; null in a closed loop.
    pub schedule: Option<LoadSchedule>,
    /// CPU, user and system.
    pub cpu: LoadCpu,
    /// Which part of the working set was visited; null where it was not counted.
    pub touched: Option<LoadTouched>,
    /// What the operating system, the device or the server counted in the measured time.
    pub observed: Vec<LoadObserved<'a>>,
    /// Whether throughput was steady.
    pub steady: Steady,
    /// Warnings, serious ones first.
    pub verdicts: &'a [Verdict],
    /// What failed, most often first.
    pub faults: Vec<LoadFault<'a>>,
    /// Why it ended.
    pub ended: LoadEnd<'a>,
    /// The recording.
    pub recording: Option<&'a str>,
}

/// How operations arrived.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "loop")]
pub enum LoadArrival {
    /// Closed loop: each operation that ended was followed by the next.
    Closed {
        /// Operations in flight.
        in_flight: u32,
        /// Whether there were pauses between them.
        think: bool,
    },
    /// Open loop: operations began when the schedule said.
    Open {
        /// Operations per second asked for.
        rate_hz: f64,
        /// How arrivals were spaced.
        spacing: Spacing,
        /// Most operations in flight.
        slots: u32,
    },
}

/// How fast it went.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadRate {
    /// What an operation per second is called.
    #[schemars(extend("enum" = ["IOPS", "TPS", "operations/s"]))]
    pub unit: &'static str,
    /// Operations per second.
    pub per_s: f64,
    /// Bytes per second; null where none were counted.
    pub bytes_per_s: Option<f64>,
    /// Blocks per second; null except for databases, where an operation visits several.
    pub blocks_per_s: Option<f64>,
}

/// How long operations took.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadLatency<'a> {
    /// All operations, from the moment each was meant to begin.
    pub response: LatencySummary,
    /// All operations, from the moment each was handed to the system; null in a closed loop.
    pub service: Option<LatencySummary>,
    /// Each kind of operation.
    pub kinds: Vec<LoadKind<'a>>,
    /// Seconds waited per second: operations in flight on average.
    pub waited_per_s: f64,
    /// What there is to say about the distribution.
    pub sentences: Vec<String>,
    /// The code of the verdict that forbids to name a p99; null where none does.
    pub p99_withheld_for: Option<&'a str>,
}

/// One kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadKind<'a> {
    /// read, write, select, update...
    pub name: &'a str,
    /// Operations per second.
    pub per_s: f64,
    /// Bytes per second; null where none were counted.
    pub bytes_per_s: Option<f64>,
    /// Operations that failed.
    pub failed: u64,
    /// From the moment each was meant to begin.
    pub response: LatencySummary,
    /// From the moment each was handed to the system; null in a closed loop.
    pub service: Option<LatencySummary>,
}

/// Little's law, and how far it is off.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadLittle {
    /// Both sides of it.
    #[serde(flatten)]
    pub law: Little,
    /// How far apart both are, as a share.
    pub gap: f64,
}

impl<'a> LoadResult<'a> {
    /// Of a run, and the recording of it.
    pub fn new(run: &'a Run, recording: Option<&'a str>) -> LoadResult<'a> {
        let summary = LoadSummary::of(run, recording);
        LoadResult { schema_version: SchemaVersion, run, summary, thresholds: &[] }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> LoadResult<'a> {
        LoadResult { thresholds, ..self }
    }
}

impl<'a> LoadSummary<'a> {
    fn of(run: &'a Run, recording: Option<&'a str>) -> LoadSummary<'a> {
        let outcome = &run.outcome;
        let touched = outcome.touched.as_ref().filter(|touched| touched.visits > 0);
        let operations = outcome.operations();
        let faults = outcome.faults.iter();
        LoadSummary {
            target: &run.job.target,
            arrival: LoadArrival::of(run.job.arrival),
            threads: outcome.offered.threads,
            warmup_s: outcome.warmup_s,
            measured_s: outcome.measured_s,
            rate: LoadRate::of(run),
            latency: LoadLatency::of(run),
            little: LoadLittle { law: outcome.little, gap: outcome.little.gap() },
            schedule: LoadSchedule::of(outcome),
            cpu: LoadCpu::of(outcome),
            touched: touched.map(LoadTouched::of),
            observed: outcome
                .observed
                .iter()
                .map(|one| LoadObserved::of(one, operations))
                .collect(),
            steady: run.steady,
            verdicts: &run.verdicts,
            faults: faults.map(|(words, count)| LoadFault { words, count: *count }).collect(),
            ended: LoadEnd::of(&outcome.ended),
            recording,
        }
    }

    /// Why no p99 may be named, if none may.
    pub(super) fn withheld(&self) -> Option<&'static str> {
        self.verdicts.iter().find_map(Verdict::withholds_tail)
    }
}

impl LoadArrival {
    fn of(arrival: Arrival) -> LoadArrival {
        match arrival {
            Arrival::Closed { in_flight, think } => {
                LoadArrival::Closed { in_flight, think: think.is_some() }
            }
            Arrival::Open { rate_hz, spacing, slots } => {
                LoadArrival::Open { rate_hz, spacing, slots }
            }
        }
    }
}

impl LoadRate {
    fn of(run: &Run) -> LoadRate {
        let (job, outcome) = (&run.job, &run.outcome);
        let per_s = outcome.per_second();
        let bytes_per_s = outcome.megabytes_per_second() * 1e6;
        let blocks = f64::from(job.database.work_unit) * per_s;
        LoadRate {
            unit: super::rate_unit(&job.target),
            per_s,
            bytes_per_s: (bytes_per_s > 0.0).then_some(bytes_per_s),
            blocks_per_s: is_database(job).then_some(blocks),
        }
    }
}

impl<'a> LoadLatency<'a> {
    fn of(run: &'a Run) -> LoadLatency<'a> {
        let outcome = &run.outcome;
        let response = outcome.response();
        let services: Vec<&Distribution> =
            outcome.kinds.iter().filter_map(|kind| kind.service.as_ref()).collect();
        let service = (!services.is_empty()).then(|| Distribution::merged(services));
        let seen = |kind: &&KindOutcome| kind.response.events > 0 || kind.failed > 0;
        let kinds = outcome.kinds.iter().filter(seen);
        let withheld = run.verdicts.iter().find(|verdict| verdict.withholds_tail().is_some());
        LoadLatency {
            service: service.as_ref().map(LatencySummary::of),
            kinds: kinds.map(|kind| LoadKind::of(kind, outcome.measured_s)).collect(),
            waited_per_s: outcome.waited_per_second(),
            sentences: sentences(&response, outcome.measured_s),
            p99_withheld_for: withheld.map(|verdict| verdict.code.as_str()),
            response: LatencySummary::of(&response),
        }
    }
}

/// What there is to say of the distribution. What is too fast to be true is a verdict already.
fn sentences(response: &Distribution, measured_s: f64) -> Vec<String> {
    if response.events == 0 {
        return Vec::new();
    }
    let findings = Findings::of_total(&response.histogram(), measured_s, &Circumstances::default());
    let moments = TimeFormat::new(Clock::Epoch, Timestamp::default());
    let remarks: Vec<_> = findings.remarks().into_iter().filter(is_new).collect();
    narration::sentences(&remarks, &moments)
}

/// Whether the remark is neither a verdict nor in the table of latencies.
fn is_new(ranked: &RankedRemark) -> bool {
    !matches!(
        ranked.remark,
        Remark::CacheWarning(_)
            | Remark::Unstable(_)
            | Remark::Plain { .. }
            | Remark::Averages { .. }
            | Remark::Sampled(_)
    )
}

impl<'a> LoadKind<'a> {
    fn of(kind: &'a KindOutcome, measured_s: f64) -> LoadKind<'a> {
        let per_s = |amount: u64| if measured_s > 0.0 { amount as f64 / measured_s } else { 0.0 };
        LoadKind {
            name: &kind.name,
            per_s: per_s(kind.response.events),
            bytes_per_s: (kind.bytes > 0).then(|| per_s(kind.bytes)),
            failed: kind.failed,
            response: LatencySummary::of(&kind.response),
            service: kind.service.as_ref().map(LatencySummary::of),
        }
    }
}
