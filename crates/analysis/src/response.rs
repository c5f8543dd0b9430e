//! How latency responds to load.

use crate::Timeline;

/// How the mean latency of columns goes with their rate of events.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LoadResponse {
    /// What there is between the two.
    pub kind: ResponseKind,
    /// Spearman's rank correlation of rate and mean latency, -1 to 1.
    pub correlation: f64,
    /// Low and high load: the 10th and 90th percentile of the columns' rates, in events per second.
    pub rates: (f64, f64),
    /// The mean latency of the fifth of columns with the least load, and with the most, in
    /// nanoseconds.
    pub means_ns: (f64, f64),
    /// The mean number waiting, N = X R (Little's law).
    pub waiting: f64,
}

/// What there is between load and latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum ResponseKind {
    /// Latency rises with load: a queue. With the rate from which on it rises more steeply, in
    /// events per second, where there is such a knee.
    Follows(Option<f64>),
    /// Latency is much longer at times, and load is no higher then.
    RisesWithoutLoad,
    /// Load falls as latency rises, and their product stays: a fixed number of callers, each of
    /// which waits for one answer before it asks again.
    Closed,
    /// Load varies and latency does not go with it.
    Unrelated,
}

/// How latency responds to load; `None` where load varies too little, or time is too short, to say.
pub fn response(_timeline: &Timeline) -> Option<LoadResponse> {
    None
}
