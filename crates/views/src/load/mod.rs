//! What came of a run of load: how fast, and how long each operation took.

mod json;
mod table;
mod words;

use isotherm_frame::{Nanos, QuantileInterval};

use crate::view::ViewMeta;

pub use json::{LOAD_SCHEMA_VERSION, LoadJson};
pub use table::LoadTable;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "load",
    about: "What came of a run of load: no rate without its latencies, and what is doubtful about \
            both.",
    when: "What `isotherm stress` prints when it is done; `--format json` gives the same to \
           programs.",
    reading: &[
        "Response time counts from the moment an operation was meant to begin; service time from \
         the moment it was handed to the system. They differ in an open loop, where an operation \
         may have to wait for its turn: users wait the response time.",
        "Percentiles are ranges: the bounds of the bucket that holds them, less than 1 % apart. \
         `*` marks those that are not repeatable: they rest on too few operations, or lie between \
         two bands.",
        "The operations in flight on average are compared with Little's law, rate × mean response \
         time: a gap of more than 2 % means that something was not measured.",
        "In an open loop that did not keep its rate, or ran out of slots, there is no p99: the \
         longer it had lasted, the longer it would have been.",
        "`⚠` stands before what forbids to use the numbers above as they are; `·` before what is \
         good to know.",
    ],
    example: "isotherm stress file:test.dat --size 1G --in-flight 8 --for 30s",
};

/// Everything that is shown of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadSheet {
    /// What was done.
    pub what: LoadWhat,
    /// How fast it went.
    pub rate: LoadRate,
    /// How long operations took.
    pub latency: LoadLatency,
    /// Little's law.
    pub little: LoadLittle,
    /// The schedule of an open loop and what became of it.
    pub schedule: Option<LoadSchedule>,
    /// What it cost.
    pub cpu: LoadCpu,
    /// Which part of the working set was visited.
    pub touched: Option<LoadTouched>,
    /// What others counted meanwhile.
    pub observed: Vec<LoadObserved>,
    /// Whether throughput was steady.
    pub steady: LoadSteady,
    /// What is doubtful, worst first.
    pub verdicts: Vec<LoadVerdict>,
    /// What went wrong and how often.
    pub faults: Vec<(String, u64)>,
    /// How it ended, and where it is kept.
    pub end: LoadEnd,
}

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadWhat {
    /// The system, without secrets.
    pub target: String,
    /// How operations arrived.
    pub arrival: LoadArrival,
    /// Threads that drove the load.
    pub threads: u32,
    /// Share of operations that change something, in per cent.
    pub update_pct: f64,
    /// What else is unusual about the work, in words: `sequential`, `updates in bursts`.
    pub work: Vec<String>,
    /// What is known of the system.
    pub facts: Vec<(String, String)>,
    /// How long it warmed up, seconds.
    pub warmup_s: f64,
    /// How long it was measured, seconds.
    pub measured_s: f64,
}

/// How operations arrived.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum LoadArrival {
    /// So many were always in flight.
    Closed {
        /// Operations in flight.
        in_flight: u32,
        /// Whether there were pauses between them.
        think: bool,
    },
    /// They began when the schedule said.
    Open {
        /// Operations per second.
        rate_hz: f64,
        /// Equal gaps, or else independent arrivals.
        fixed: bool,
        /// Most operations in flight.
        slots: u32,
    },
}

/// How fast it went.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadRate {
    /// What an operation a second is called: `IOPS`, `TPS`, `operations/s`.
    pub unit: &'static str,
    /// Operations per second.
    pub per_s: f64,
    /// Bytes per second; `None` where none were counted.
    pub bytes_per_s: Option<f64>,
    /// Blocks per second, where an operation visits several.
    pub blocks_per_s: Option<f64>,
}

/// How long operations took.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadLatency {
    /// Response times of all operations.
    pub all: LoadSpread,
    /// Service times of all operations, where they differ.
    pub service: Option<LoadSpread>,
    /// Each kind of operation.
    pub kinds: Vec<LoadKind>,
    /// Seconds waited per second.
    pub waited_per_s: f64,
    /// What there is to say of the distribution.
    pub sentences: Vec<String>,
    /// Why there is no p99 to be named, if there is none: the code of the verdict and its words.
    pub withheld: Option<(String, String)>,
}

/// A distribution in short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadSpread {
    /// Operations.
    pub events: u64,
    /// Their mean in nanoseconds, exact; `None` without operations.
    pub mean_ns: Option<f64>,
    /// p50, p90, p99 and p99.9, each with whether it is unstable.
    pub quantiles: Vec<(QuantileInterval, bool)>,
    /// The shortest and the longest, exact; `None` without operations.
    pub extremes: Option<(Nanos, Nanos)>,
}

/// One kind of operation.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadKind {
    /// `read`, `update`.
    pub name: String,
    /// Operations per second.
    pub per_s: f64,
    /// Bytes per second; `None` where none were counted.
    pub bytes_per_s: Option<f64>,
    /// Operations that failed.
    pub failed: u64,
    /// Response times.
    pub response: LoadSpread,
    /// Service times, where they differ.
    pub service: Option<LoadSpread>,
}

/// Little's law: throughput x mean response time = mean number in flight.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadLittle {
    /// Throughput x mean response time.
    pub computed: f64,
    /// What was in flight.
    pub in_flight: f64,
    /// How far apart both are, as a share.
    pub gap: f64,
}

/// The schedule of an open loop and what became of it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadSchedule {
    /// Operations per second asked for.
    pub asked_hz: f64,
    /// Operations per second that ended.
    pub delivered_hz: f64,
    /// Arrivals that found no slot free.
    pub queued: u64,
    /// The longest that an arrival waited for a slot or a thread.
    pub longest_lag: Nanos,
}

/// What it cost.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadCpu {
    /// CPU of the threads that drove the load for one operation, nanoseconds.
    pub lanes_ns: Option<f64>,
    /// Of the whole process.
    pub process_ns: Option<f64>,
    /// Of the whole machine, whoever used it.
    pub machine_ns: Option<f64>,
    /// The share of the machine's processors that was busy.
    pub machine_share: Option<f64>,
    /// Processors of the machine.
    pub processors: u32,
}

/// Which part of the working set was visited.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadTouched {
    /// Places there are.
    pub places: u64,
    /// Different places visited.
    pub distinct: u64,
    /// Visits.
    pub visits: u64,
    /// Reads of places visited for the first time.
    pub first: LoadSpread,
    /// Reads of places visited before.
    pub again: LoadSpread,
}

/// What somebody else counted.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadObserved {
    /// `diskstats reads`.
    pub name: String,
    /// The difference.
    pub value: u64,
    /// `count`, `bytes` or `ns`.
    pub unit: String,
    /// For each operation; `None` without operations.
    pub per_operation: Option<f64>,
}

/// Whether throughput was steady.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadSteady {
    /// Whether it was; `None` with too few intervals, or too few operations, to tell.
    pub steady: Option<bool>,
    /// The drift over the whole time as a share of the mean.
    pub drift: f64,
    /// The largest deviation of an interval, as a share of the mean.
    pub deviation: f64,
}

/// Something doubtful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadVerdict {
    /// A short name that stays the same.
    pub code: String,
    /// Whether the numbers must not be used without it.
    pub serious: bool,
    /// The words.
    pub words: String,
}

/// How it ended, and where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadEnd {
    /// Why.
    pub why: LoadEnded,
    /// The recording.
    pub recording: Option<String>,
}

/// Why it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadEnded {
    /// The time was over.
    Time,
    /// The operations were done.
    Operations,
    /// It was asked to stop.
    Interrupted,
    /// It could not go on.
    Failed(String),
}
