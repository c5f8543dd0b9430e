//! When latencies change: a band appears, vanishes or moves, or there are more or fewer of them.

use isotherm_frame::{Bucket, Nanos, Timestamp};

use crate::Timeline;

/// A stretch of time that is unlike what was before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where it begins, to a column.
    pub start: Timestamp,
    /// Where all is again as before; `None` when it is not, to the end or to the next change.
    pub end: Option<Timestamp>,
    /// What is different.
    pub kind: ChangeKind,
    /// What was before.
    pub before: Level,
    /// What is in it.
    pub after: Level,
}

/// What a change is, most telling first.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// Latencies come in a range in which there were hardly any.
    Appears(Band),
    /// A range in which there were latencies is hardly used any more; the band as it was before.
    Vanishes(Band),
    /// Latencies became longer or shorter as a whole.
    Moves,
    /// A range in which there were latencies has a larger share of them; the band as it is now.
    Grows(Band),
    /// There are more or fewer events per second, of the same latencies.
    Rate,
}

/// A range of latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Band {
    /// The shortest latency, and the first too long; `None` without upper bound.
    pub edges: (Nanos, Option<Nanos>),
    /// Its share of events while it is there, 0 to 1.
    pub share: f64,
    /// Its share of the time waited while it is there, 0 to 1: an estimate.
    pub time_share: f64,
    /// Its share of events in the other stretch of time, 0 to 1.
    pub other_share: f64,
}

/// The numbers of a stretch of time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Level {
    /// Events per second.
    pub rate: f64,
    /// Seconds waited per second: average sessions waiting.
    pub waiting: f64,
    /// The mean latency in nanoseconds.
    pub mean_ns: f64,
    /// The bucket of the median; `None` without events.
    pub median: Option<Bucket>,
}

/// The changes, in the order of time. None on steady data.
pub fn changes(_timeline: &Timeline) -> Vec<Change> {
    Vec::new()
}
