//! What was read and what was not: the account printed beside every statistic.

use isotherm_frame::{Clock, Timestamp};

/// The account of an input, from the first byte to the last frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputAccount {
    /// Records (or events, or lines of data) understood.
    pub records: u64,
    /// Records that could not be understood or used.
    pub rejected: u64,
    /// Events known to be in rejected records.
    pub rejected_events: u64,
    /// Events the source itself says it lost.
    pub lost: u64,
    /// Lines that are no data and need not be.
    pub ignored_lines: u64,
    /// Times that counters began anew.
    pub resets: u64,
    /// Intervals of which nothing is known, resets included.
    pub gaps: u64,
    /// Events counted.
    pub events: u64,
    /// The clock of the timestamps.
    pub clock: Clock,
    /// The earliest start and the latest end.
    pub span: Option<(Timestamp, Timestamp)>,
}
