//! What came of a sweep: its points, each over its repeats.

mod json;
mod table;

pub use json::{SWEEP_SCHEMA_VERSION, SweepJson};
pub use table::SweepTable;

/// Everything that is shown of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepSheet {
    /// What was loaded, without secrets.
    pub target: String,
    /// The points by number.
    pub points: Vec<SweepPoint>,
    /// What is doubtful, one for each kind of doubt: serious ones first.
    pub doubts: Vec<SweepDoubt>,
    /// Points that were not run because the load was not raised that far.
    pub stopped: Vec<SweepStopped>,
    /// Runs that are still to be done.
    pub left: usize,
}

/// A point over its repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepPoint {
    /// Its number.
    pub point: u32,
    /// The point in words.
    pub label: String,
    /// Repeats whose numbers can be used.
    pub runs: usize,
    /// Repeats that were cut short, failed, or had no operation that succeeded.
    pub unusable: usize,
    /// Operations per second.
    pub throughput: Option<SweepRange>,
    /// Megabytes (10^6) per second; none where no bytes were moved.
    pub megabytes: Option<SweepRange>,
    /// Mean response time, seconds.
    pub mean_s: Option<SweepRange>,
    /// Median response time, seconds.
    pub p50_s: Option<SweepRange>,
    /// That 99 % kept within, seconds.
    pub p99_s: Option<SweepRange>,
    /// Whether the p99 must not be named: it depends on how long was measured.
    pub p99_withheld: bool,
    /// Seconds waited per second.
    pub waited: Option<SweepRange>,
    /// CPU of the load generator for one operation, seconds.
    pub cpu_s: Option<SweepRange>,
    /// Operations that failed, as a share of all.
    pub failed_share: Option<SweepRange>,
    /// How many repeats were steady, of how many it is known.
    pub steady: (usize, usize),
    /// What is doubtful about any repeat: codes, serious ones first.
    pub verdicts: Vec<(String, bool)>,
}

/// A number over repeats.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct SweepRange {
    /// The middle one.
    pub median: f64,
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// Something doubtful about one run or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepDoubt {
    /// Its short name.
    pub code: String,
    /// Whether the numbers must not be used without it.
    pub serious: bool,
    /// The first point it was found at.
    pub label: String,
    /// In how many runs.
    pub runs: usize,
    /// The words of the first.
    pub words: String,
}

/// A point that was not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepStopped {
    /// The point in words.
    pub label: String,
    /// The rule, and where it held.
    pub why: String,
}
