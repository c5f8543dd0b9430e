//! What came of a run: numbers only, written to and read from run tables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::distribution::Distribution;
use crate::engine::{Role, Unit};

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// When measuring began: nanoseconds since the Unix epoch.
    pub began_ns: i64,
    /// How long it warmed up, seconds.
    pub warmup_s: f64,
    /// How long it was measured, seconds.
    pub measured_s: f64,
    /// The load as it was meant.
    pub offered: Offered,
    /// Every kind of operation that was asked for.
    pub kinds: Vec<KindOutcome>,
    /// The measured time in intervals, first to last.
    pub intervals: Vec<IntervalOutcome>,
    /// Little's law on the measured time.
    pub little: Little,
    /// What the load generator itself used.
    pub cpu: Cpu,
    /// Which part of the working set was visited; null where it was not counted.
    pub touched: Option<Touched>,
    /// What others counted during the measured time: device, operating system, server.
    pub observed: Vec<Observed>,
    /// What failed, in words, and how often, most often first. Failed operations have no latency.
    pub faults: Vec<(String, u64)>,
    /// Why it ended.
    pub ended: Ended,
}

/// The load as it was meant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Offered {
    /// Operations in flight (closed loop), or at most in flight (open loop).
    pub in_flight: u32,
    /// Arrivals asked for per second; null in a closed loop.
    pub rate_hz: Option<f64>,
    /// Threads that drove the load.
    pub threads: u32,
    /// Whether there were pauses between operations: Little's law then has to count them.
    pub think: bool,
    /// Arrivals that found no slot free (open loop).
    pub queued: u64,
    /// The longest that an arrival waited for a slot or a thread, nanoseconds (open loop).
    pub longest_lag_ns: u64,
}

/// What came of one kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindOutcome {
    /// `read`, `write`, `select`, `update`...
    pub name: String,
    /// What its operations do to what is there; run tables of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Bytes moved.
    pub bytes: u64,
    /// Operations that failed.
    pub failed: u64,
    /// From the moment each operation was meant to begin.
    pub response: Distribution,
    /// From the moment each operation was handed to the system; only in an open loop, where it
    /// can differ.
    pub service: Option<Distribution>,
}

/// One interval of the measured time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalOutcome {
    /// Where it begins, seconds from the beginning of the measured time.
    pub start_s: f64,
    /// How long it is, seconds.
    pub length_s: f64,
    /// Operations that ended.
    pub operations: u64,
    /// Their response times added up, nanoseconds.
    pub waited_ns: u64,
    /// Operations that failed.
    pub failed: u64,
}

/// Little's law: throughput x mean response time = mean number in flight.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Little {
    /// Throughput x mean response time; in a closed loop with operations that reach over an end of
    /// the measured time counted with their part of it.
    pub computed: f64,
    /// Mean number in flight: what was held (closed loop), or integrated over time.
    pub in_flight: f64,
}

/// What the load generator itself used in the measured time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Seconds of CPU of the threads that drive the load, user and system.
    pub lanes_s: f64,
    /// Of the whole process.
    pub process_s: f64,
    /// Of the whole machine: all processes, and interrupts; null where it is not known.
    pub machine_s: Option<f64>,
    /// Processors of the machine.
    pub processors: u32,
}

/// Which part of the working set was visited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Touched {
    /// Places there are.
    pub places: u64,
    /// Different places visited since the load began, warm-up included.
    pub distinct: u64,
    /// Visits, warm-up included.
    pub visits: u64,
    /// Response times of reads of places visited for the first time, measured time only.
    pub first: Distribution,
    /// Of reads of places visited before.
    pub again: Distribution,
}

/// What somebody else counted during the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// `diskstats reads`, `pg blocks read`, `server cpu`.
    pub name: String,
    /// The difference.
    pub value: u64,
    /// `count`, `bytes` or `ns`.
    #[schemars(with = "String")]
    pub unit: Unit,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The measured time was over.
    Time,
    /// The operations asked for were done.
    Operations,
    /// It was asked to stop: results so far.
    Interrupted,
    /// It could not go on, and why: results so far.
    Failed(String),
}

impl Outcome {
    /// Operations that ended well.
    pub fn operations(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.response.events).sum()
    }

    /// Operations that failed.
    pub fn failed(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.failed).sum()
    }

    /// Operations per second.
    pub fn per_second(&self) -> f64 {
        if self.measured_s > 0.0 { self.operations() as f64 / self.measured_s } else { 0.0 }
    }

    /// Megabytes (10^6) per second.
    pub fn megabytes_per_second(&self) -> f64 {
        let bytes: u64 = self.kinds.iter().map(|kind| kind.bytes).sum();
        if self.measured_s > 0.0 { bytes as f64 / 1e6 / self.measured_s } else { 0.0 }
    }

    /// Time waited per second: the mean number of operations waiting.
    pub fn waited_per_second(&self) -> f64 {
        let waited: f64 = self.kinds.iter().map(|kind| kind.response.sum_ns as f64).sum();
        if self.measured_s > 0.0 { waited / 1e9 / self.measured_s } else { 0.0 }
    }

    /// The response times of all kinds together.
    pub fn response(&self) -> Distribution {
        Distribution::merged(self.kinds.iter().map(|kind| &kind.response))
    }

    /// The mean response time in nanoseconds; `None` without operations.
    pub fn mean_ns(&self) -> Option<f64> {
        self.response().mean_ns()
    }

    /// CPU of the load generator for one operation, nanoseconds.
    pub fn cpu_per_operation_ns(&self) -> Option<f64> {
        let operations = self.operations();
        (operations > 0).then(|| self.cpu.lanes_s * 1e9 / operations as f64)
    }
}

impl Little {
    /// How far apart both are, as a share of the number in flight; 0 when nothing was in flight.
    pub fn gap(&self) -> f64 {
        if self.in_flight > 0.0 { self.computed / self.in_flight - 1.0 } else { 0.0 }
    }
}
