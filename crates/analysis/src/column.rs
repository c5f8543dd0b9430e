//! One column of the time axis.

use isotherm_frame::{Histogram, Nanos, TimeWaited, Timestamp};

/// One column of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Where it begins.
    pub start: Timestamp,
    /// Where it ends.
    pub end: Timestamp,
    /// Whether there is anything to draw.
    pub state: ColumnState,
    /// Events counted in it.
    pub events: u64,
    /// Time waited in it.
    pub waited: TimeWaited,
    /// The length of time in it about which the source said something, in seconds.
    pub covered_s: f64,
    /// The part of it in which ends were counted, in seconds: what rates of events are divided by.
    pub counted_s: f64,
    /// The part of the time waited that belongs to events longer than the column, from a source
    /// that says only when they ended: an unknown part of it was waited earlier. In seconds.
    pub unplaced_s: f64,
    /// The latencies counted in it, and the time waited in it.
    pub latencies: Option<Histogram>,
}

impl Column {
    /// Whether something is known about at least half of it: what is known of less, such as the
    /// last milliseconds of a recording, takes no part in maxima, scales, percentile lines and
    /// findings.
    pub fn is_whole(&self) -> bool {
        self.is_known_for(self.covered_s)
    }

    /// The same of these seconds of it.
    pub(crate) fn is_known_for(&self, seconds: f64) -> bool {
        let length = self.end.since(self.start).as_secs_f64();
        self.state == ColumnState::Data && seconds >= 0.5 * length
    }

    /// What its events are divided by where they are shown per second: an event that ended has a place
    /// in the picture even where nothing tells how often events end.
    pub(crate) fn counted_or_covered_s(&self) -> f64 {
        if self.counted_s > 0.0 { self.counted_s } else { self.covered_s }
    }

    /// Where what is known of it ends, if it is the last: its beginning is known then.
    pub(crate) fn known_end(&self) -> Timestamp {
        let covered = Nanos::from_secs_f64(self.covered_s).unwrap_or_default();
        self.end.min(self.start.plus(covered))
    }

    /// Seconds waited per second; zero where nothing is known.
    pub(crate) fn waiting(&self) -> f64 {
        let known = self.state == ColumnState::Data && self.covered_s > 0.0;
        if known { self.waited.seconds / self.covered_s } else { 0.0 }
    }

    /// Whether its time waited was partly waited before it, as far as the source can say: then it
    /// is no number of sessions.
    pub fn has_unplaced_time(&self) -> bool {
        self.unplaced_s > 0.0
    }
}

/// What is known about a column of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ColumnState {
    /// The source counted: a zero is a zero.
    Data,
    /// Nothing is known.
    NoData,
    /// Nothing is known because counters were reset.
    Reset,
}
