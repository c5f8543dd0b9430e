//! What a decoder is given besides the bytes.

use std::sync::Arc;

use isotherm_frame::{Nanos, Timestamp, Unit};

use crate::blocks::Blocks;

/// Whether printed counts are totals since the start or counts of one interval (the terms of
/// OpenTelemetry's metrics data model).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Temporality {
    /// Decided from the input: counts that never fall from print to print are cumulative.
    #[default]
    Auto,
    /// Counts since the start.
    Cumulative,
    /// Counts of the interval since the last print.
    Delta,
}

/// Which columns of a text hold what.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Columns {
    /// The names given to the columns in order, such as `time`, `latency`, `device`, `-` (skip).
    pub names: Vec<String>,
}

/// A condition on an attribute, as `event=db file*` or `event!=log file sync`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Only {
    /// The attribute.
    pub attribute: String,
    /// Its value, in which `*` and `%` stand for any text.
    pub pattern: String,
    /// Whether only other values are wanted.
    pub other: bool,
}

/// What a decoder is given besides the bytes. The default suits a file that explains itself.
#[derive(Clone, Default)]
pub struct Context {
    /// The unit of latencies, where the input does not say.
    pub unit: Option<Unit>,
    /// The unit of the time column, where it cannot be guessed.
    pub time_unit: Option<Unit>,
    /// Totals or intervals, where the input does not say.
    pub temporality: Temporality,
    /// The length of an interval, where the input has no times. One second if not given.
    pub interval: Option<Nanos>,
    /// The columns of a text of events; guessed if not given.
    pub columns: Option<Columns>,
    /// The attributes that tell series apart, where events have more of them than a map can
    /// show, such as those of a SQL trace: `event`, `sql_id`, `file#`. The source's own choice if
    /// there are none.
    pub by: Vec<String>,
    /// The most series that are told apart by their attributes; 1,000 if not given. What is more is
    /// counted together.
    pub most_series: Option<usize>,
    /// Whether whoever reads tells events apart by all attributes of their series, so that `by` is not
    /// for the decoder alone.
    pub keeps_attributes: bool,
    /// Attributes that the place of the input gives its series, such as the workers of a run of SLOB of
    /// whose report the input is. Sources of reports add them.
    pub attributes: Vec<(&'static str, u64)>,
    /// A part of the names of the series that are wanted, where a source has to choose what it reads: of
    /// several durations of each event only one is read.
    pub series: Option<String>,
    /// Only events whose attributes are these.
    pub only: Vec<Only>,
    /// Whether waits during which nobody waits for the database take no part; they are reported as
    /// [`Note::Idle`](crate::Note::Idle).
    pub leave_out_idle: bool,
    /// The zone of times that are written without one. What the source says otherwise, or UTC,
    /// if not given.
    pub zone: Option<jiff::tz::TimeZone>,
    /// How many threads may read the input, where its format allows that; one if it is 0. What is read
    /// does not depend on it.
    pub threads: usize,
    /// How much of the input a thread reads at a time, in bytes; what suits the machine's caches if not
    /// given. What is read does not depend on it.
    pub block_length: Option<usize>,
    /// The clock to stamp prints that carry no full time of their own with: set when the input
    /// is live, so that bytes are decoded the moment they are written.
    pub arrival: Option<Arc<dyn Fn() -> Timestamp + Send + Sync>>,
}

impl Context {
    /// The most series told apart where nothing else is said: an attribute that is different for
    /// each event must not fill the memory.
    pub(crate) const MOST_SERIES: usize = 1_000;

    /// The most series that are told apart by their attributes.
    pub fn most_series(&self) -> usize {
        self.most_series.unwrap_or(Context::MOST_SERIES)
    }

    /// The length of the blocks that threads read, about.
    pub(crate) fn block_length(&self) -> usize {
        self.block_length.unwrap_or(Blocks::LENGTH)
    }

    /// Whether the input is live: what has no time of its own happened when it arrived.
    pub fn is_live(&self) -> bool {
        self.arrival.is_some()
    }

    /// When what is being read arrived; `None` where the input is not live, and its arrival says nothing.
    pub fn arrived(&self) -> Option<Timestamp> {
        self.arrival.as_ref().map(|now| now())
    }

    /// How many threads may read an input that is not live.
    pub(crate) fn readers(&self) -> usize {
        if self.is_live() { 1 } else { self.threads.max(1) }
    }

    /// The length of an interval where the input has no times.
    pub fn assumed_interval(&self) -> Nanos {
        self.interval.unwrap_or(Nanos::SECOND)
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("unit", &self.unit)
            .field("time_unit", &self.time_unit)
            .field("temporality", &self.temporality)
            .field("interval", &self.interval)
            .field("columns", &self.columns)
            .field("by", &self.by)
            .field("most_series", &self.most_series)
            .field("keeps_attributes", &self.keeps_attributes)
            .field("attributes", &self.attributes)
            .field("series", &self.series)
            .field("only", &self.only)
            .field("leave_out_idle", &self.leave_out_idle)
            .field("zone", &self.zone)
            .field("threads", &self.threads)
            .field("block_length", &self.block_length)
            .field("live", &self.arrival.is_some())
            .finish()
    }
}
