//! What a database has read and written since its counters began.

use std::sync::Arc;

use crate::Nanos;

/// What I/O is told apart by.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoPart {
    /// What it was for: checkpoints, the log, reads of sessions.
    Function,
    /// Where it went: a file, or a relation.
    File,
}

/// Operations of one size and direction.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct IoAmount {
    /// How many.
    pub operations: u64,
    /// What they moved, in bytes.
    pub bytes: u64,
}

/// Waits for operations.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct IoWaits {
    /// How many.
    pub waits: u64,
    /// How long they took together, in milliseconds: that is how Oracle counts it.
    pub time_ms: u64,
}

/// What was read and written; `None` is what the server does not count.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct IoAmounts {
    /// Reads of single blocks or a few; all reads where the server does not tell sizes apart.
    pub small_reads: Option<IoAmount>,
    /// Reads of many blocks at once.
    pub large_reads: Option<IoAmount>,
    /// Writes of single blocks or a few; all writes where the server does not tell sizes apart.
    pub small_writes: Option<IoAmount>,
    /// Writes of many blocks at once.
    pub large_writes: Option<IoAmount>,
    /// Waits of sessions for any of it.
    pub waits: Option<IoWaits>,
}

/// The counters of one function or file of one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoCounters {
    /// Of what.
    pub part: IoPart,
    /// The instance; empty where a server has only one.
    pub instance: Arc<str>,
    /// What tells it from all others, also after it was given another name.
    pub id: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// Since the counters began.
    pub amounts: IoAmounts,
}

/// All counters at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IoTotals {
    /// When, from any moment that is the same for all readings of one reader.
    pub at: Nanos,
    /// Of each instance what changes when its counters are reset.
    pub epochs: Vec<(Arc<str>, Arc<str>)>,
    /// The counters.
    pub counters: Vec<IoCounters>,
}

/// Operations of one size and direction per second, as the server states them; `None` is what it leaves out.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct IoRate {
    /// How many.
    pub operations: Option<f64>,
    /// What they moved, in megabytes of the server, which may be of 10^6 or of 2^20 bytes.
    pub megabytes: Option<f64>,
}

/// The rates of one function of one instance, in an interval that the server measured itself.
#[derive(Clone, Debug, PartialEq)]
pub struct IoMetric {
    /// The instance.
    pub instance: Arc<str>,
    /// When the interval began and ended, `2026-03-01T12:00:00`: local times of the database host, without
    /// a zone.
    pub interval: (Arc<str>, Arc<str>),
    /// How long it was, as the server says.
    pub length: Nanos,
    /// The function.
    pub name: Arc<str>,
    /// Reads of single blocks.
    pub small_reads: IoRate,
    /// Reads of many blocks at once.
    pub large_reads: IoRate,
    /// Writes of single blocks.
    pub small_writes: IoRate,
    /// Writes of many blocks at once.
    pub large_writes: IoRate,
    /// The mean wait, in milliseconds.
    pub mean_wait_ms: Option<f64>,
}

/// The rates of the last interval that a server measured itself, of each instance.
#[derive(Clone, Debug, PartialEq)]
pub struct IoMetrics {
    /// The server's clock when it was asked, in the same form as the intervals.
    pub now: Arc<str>,
    /// The rates.
    pub metrics: Vec<IoMetric>,
}
