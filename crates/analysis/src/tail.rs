//! What the longest latencies own: how few events wait for how much of the time.

use isotherm_frame::{Histogram, Nanos};

use crate::part_of_time::{AllTime, Limits, PartOfTime};

/// The longest latencies, in whole buckets.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TailShare {
    /// The bound of a bucket above which they lie.
    pub from: Nanos,
    /// Their share of all events, exactly: 0 to 1.
    pub events: f64,
    /// Their share of the time waited, 0 to 1: an estimate.
    pub time: f64,
    /// Between which bounds that lies, by the buckets and the total.
    pub part: PartOfTime,
}

/// What the slowest `share` of events own, as nearly as whole buckets can tell: of the two bounds
/// around the share the one that is nearer as a ratio. Where buckets are wide the share of events
/// in the answer is far from the one asked for; say the one in the answer. `None` without events
/// and for shares outside 0 to 1.
pub fn slowest(counts: &Histogram, share: f64) -> Option<TailShare> {
    if !(share > 0.0 && share <= 1.0) {
        return None;
    }
    let mut below = None;
    for tail in tails(counts) {
        if tail.events >= share {
            let nearer =
                below.filter(|below: &TailShare| share / below.events < tail.events / share);
            return Some(nearer.unwrap_or(tail));
        }
        below = Some(tail);
    }
    below
}

/// The longest latencies that hold at least the share `wait` of the time waited. `None` without
/// events or time.
pub fn tail_share(counts: &Histogram, wait: f64) -> Option<TailShare> {
    tails(counts).find(|tail| tail.time > 0.0 && tail.time >= wait)
}

/// The tails above the lower bound of every bucket that holds events, the smallest first.
fn tails(counts: &Histogram) -> impl Iterator<Item = TailShare> + '_ {
    let (all, time) = (counts.events() as f64, AllTime::of(counts));
    let buckets = counts.non_zero().rev().filter(|_| !counts.is_averages());
    buckets.scan((0_u64, Limits::default()), move |(events, own), (bucket, count)| {
        *events = events.saturating_add(count);
        own.add(bucket, count);
        let part = time.part(*own);
        let events = *events as f64 / all;
        Some(TailShare { from: bucket.lo, events, time: part.share, part })
    })
}
