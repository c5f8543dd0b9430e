//! What came of a run of load: how fast, and how long each operation took.

mod circumstances;
mod finished_run;
mod latency;
mod limit;
mod progress;
mod summary;
mod table;
mod words;
mod work;

use isotherm_load::{Medium, engine_of};

use crate::view::ViewMeta;

pub use circumstances::{LoadCpu, LoadEnd, LoadFault, LoadObserved, LoadSchedule, LoadTouched};
pub use finished_run::{FinishedRun, RunFigures};
pub use latency::{LatencySummary, QuantileSummary};
pub use progress::{LoadProgress, ProgressBar, ProgressLines, ProgressPart};
pub use summary::{
    LoadArrival, LoadKind, LoadLatency, LoadLittle, LoadRate, LoadResult, LoadSummary,
};
pub use table::LoadTable;

/// What an operation per second of this target is called.
pub fn rate_unit(target: &str) -> &'static str {
    match engine_of(target).medium() {
        Medium::Database => "TPS",
        Medium::Storage | Medium::Model => "IOPS",
        Medium::KeyValue => "operations/s",
    }
}

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "load",
    about: "The result of a run of load: every rate with its latencies, and warnings about both.",
    when: "What `isotherm stress` prints when it is done; `--format json` gives the same to \
           programs.",
    reading: &[
        "Response time counts from the moment an operation was meant to begin; service time from \
         the moment it was handed to the system. They differ in an open loop, where an operation \
         may have to wait for its turn: users wait the response time.",
        "Percentiles are ranges: the bounds of the bucket that holds them, less than 1 % apart. \
         `*` marks those that are not repeatable: they rest on too few operations, or lie between \
         two bands.",
        "With `--details` the operations in flight on average are compared with Little's law, rate × mean response \
         time: a gap of more than 2 % means that something was not measured.",
        "In an open loop that did not keep its rate, or ran out of slots, there is no p99: the \
         longer it had lasted, the longer it would have been.",
        "`⚠` stands before what forbids to use the numbers above as they are; `·` before what is \
         good to know.",
    ],
    example: "isotherm stress file:test.dat --size 1G --in-flight 8 --for 30s",
};
