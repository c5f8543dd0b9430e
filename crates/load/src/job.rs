//! What is to be done: how much, of what, where, for how long.
//!
//! A job is read from and written to plan files, so that a run can be done again.

use isotherm_frame::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::span;

/// Everything about one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Job {
    /// What to load: `file:PATH`, `postgres://...`, `oracle://...`, `redis://...`. Without secrets
    /// when written.
    pub target: String,
    /// How operations arrive.
    pub arrival: Arrival,
    /// When it ends.
    pub limit: Limit,
    /// What comes before measuring.
    pub warmup: Warmup,
    /// What the operations are.
    pub work: Work,
    /// Threads that drive the load; chosen by the engine if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Files and devices.
    pub file: FileOptions,
    /// Databases.
    pub database: DatabaseOptions,
}

/// How operations arrive.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "loop")]
pub enum Arrival {
    /// Closed loop: each operation that ends is followed by the next.
    #[serde(rename_all = "kebab-case")]
    Closed {
        /// Operations in flight.
        in_flight: u32,
        /// Pauses between the end of one operation and the next in its place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        think: Option<Think>,
    },
    /// Open loop: operations begin when the schedule says, whether or not earlier ones have ended.
    #[serde(rename_all = "kebab-case")]
    Open {
        /// Operations per second.
        rate_hz: f64,
        /// How they are spaced.
        #[serde(default)]
        spacing: Spacing,
        /// Most operations in flight; an arrival that finds no slot free waits, and the wait counts.
        #[serde(default = "Arrival::slots")]
        slots: u32,
    },
}

/// How the arrivals of an open loop are spaced.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Independent arrivals: exponential gaps.
    #[default]
    Poisson,
    /// Equal gaps.
    Fixed,
}

/// Pauses: with probability `1 / one_in` after an operation, uniform between two lengths.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Think {
    /// One in this many operations is followed by a pause; 1 is every one.
    pub one_in: u32,
    /// The shortest pause.
    #[serde(with = "span")]
    #[schemars(with = "String")]
    pub least: Nanos,
    /// The longest.
    #[serde(with = "span")]
    #[schemars(with = "String")]
    pub most: Nanos,
}

/// When a run ends: whichever comes first. Time always bounds it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limit {
    /// Measured time, after warming up.
    #[serde(rename = "for", with = "span")]
    #[schemars(with = "String")]
    pub time: Nanos,
    /// Measured operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
}

/// What comes before measuring.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Warmup {
    /// A length of time.
    Time(
        #[serde(with = "span")]
        #[schemars(with = "String")]
        Nanos,
    ),
    /// Until throughput is steady, at most this length of time.
    UntilSteady(
        #[serde(with = "span")]
        #[schemars(with = "String")]
        Nanos,
    ),
}

/// What the operations are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Work {
    /// Share of operations that change what is there, in per cent, 0 to 100.
    pub update_pct: f64,
    /// How reads and updates are mixed.
    pub mix: Mix,
    /// The order in which places are visited.
    pub pattern: Pattern,
    /// Places that are visited more often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot: Option<HotSpot>,
    /// The same seed gives the same places in the same order in each lane.
    pub seed: u64,
}

/// How reads and updates are mixed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mix {
    /// Each operation is drawn by itself.
    #[default]
    Independent,
    /// As SLOB does: of each hundred operations reads and updates take turns by coin until the
    /// updates' share is used up, then reads only. Updates come in bursts.
    Slob,
}

/// The order in which places are visited.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Each place is as likely as any other.
    #[default]
    Random,
    /// One after the other, each lane in a part of its own, from the beginning again at its end.
    Sequential,
}

/// Places that are visited more often than others.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HotSpot {
    /// The size of the hot spot as a share of all places, in per cent.
    pub size_pct: f64,
    /// Where it begins as a share of all places, in per cent.
    #[serde(default)]
    pub offset_pct: f64,
    /// One in this many operations goes there.
    pub one_in: u32,
}

/// How files and devices are loaded.
#[expect(clippy::struct_excessive_bools, reason = "each may be so or not, whatever the others are")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileOptions {
    /// Bytes of one operation.
    pub block: u64,
    /// How it is submitted.
    pub method: FileMethod,
    /// Whether the page cache is bypassed (`O_DIRECT`).
    pub direct: bool,
    /// Whether a write ends only when it is on stable storage (`O_DSYNC`).
    pub dsync: bool,
    /// The working set, bytes: the size of a file that is made, the part of one that is there. All
    /// of it if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Operations submitted at once after the first ones of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<u32>,
    /// Whether buffers lie in huge pages, each in one piece: a device then has one address to
    /// move a block to instead of one for every 4 KiB.
    pub huge_pages: bool,
    /// Write to a device, or to a file that was not made by isotherm.
    #[serde(skip)]
    pub i_mean_it: bool,
    /// Make the file if it is not there, even if no size is given.
    #[serde(skip)]
    pub create: bool,
}

/// How operations on files are submitted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileMethod {
    /// `io_uring` where the kernel lets us, else one thread for each operation in flight.
    #[default]
    Auto,
    /// `io_uring` with registered buffers and files.
    Uring,
    /// `pread` and `pwrite`, one thread for each operation in flight.
    Sync,
}

/// How databases are loaded: the data model of SLOB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DatabaseOptions {
    /// Schemas, each with a table of its own; sessions are spread over them.
    pub schemas: u32,
    /// Rows of each table, one row a block.
    pub scale: u64,
    /// Blocks (rows) that one operation visits.
    pub work_unit: u32,
    /// How much redo an update makes.
    pub redo: Redo,
    /// The loop runs inside the server, as in SLOB: no round trip for each operation, and no
    /// latency of each operation either. Only for `oracle://`.
    pub server_loop: bool,
}

/// How much redo an update makes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Redo {
    /// Two columns change.
    #[default]
    Lite,
    /// All nineteen change.
    Heavy,
}

impl Arrival {
    fn slots() -> u32 {
        1_024
    }
}

impl Default for Job {
    fn default() -> Job {
        Job {
            target: String::new(),
            arrival: Arrival::Closed { in_flight: 1, think: None },
            limit: Limit::default(),
            warmup: Warmup::Time(Nanos::SECOND),
            work: Work::default(),
            threads: None,
            file: FileOptions::default(),
            database: DatabaseOptions::default(),
        }
    }
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { time: Nanos::from_millis(30_000), operations: None }
    }
}

impl Default for Work {
    fn default() -> Work {
        Work {
            update_pct: 0.0,
            mix: Mix::default(),
            pattern: Pattern::default(),
            hot: None,
            seed: 1,
        }
    }
}

impl Default for FileOptions {
    fn default() -> FileOptions {
        FileOptions {
            block: 8_192,
            method: FileMethod::default(),
            direct: true,
            dsync: false,
            size: None,
            chunk: None,
            huge_pages: true,
            i_mean_it: false,
            create: false,
        }
    }
}

impl Default for DatabaseOptions {
    fn default() -> DatabaseOptions {
        DatabaseOptions {
            schemas: 1,
            scale: 10_000,
            work_unit: 64,
            redo: Redo::default(),
            server_loop: false,
        }
    }
}
