//! What the longest latencies own: how few events wait for how much of the time.

use std::ops::Range;

use isotherm_frame::{Bucket, Histogram, Nanos};

/// The longest latencies, in whole buckets.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TailShare {
    /// The bound of a bucket above which they lie.
    pub from: Nanos,
    /// Their share of all events, exactly: 0 to 1.
    pub events: f64,
    /// Their share of the time waited, 0 to 1, estimated from the middles of the buckets. A bucket
    /// without upper bound counts with what is left of the exact time; where that is not known with its
    /// lower bound, so the share is then rather too low.
    pub time: f64,
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
    let (all, time) = (counts.events() as f64, time_of(counts, counts.occupied_range()));
    let open = open_mean_s(counts);
    let buckets = counts.non_zero().rev().filter(|_| !counts.is_averages());
    buckets.scan((0_u64, 0.0), move |(events, waited), (bucket, count)| {
        *events = events.saturating_add(count);
        *waited += length_s(bucket, open) * count as f64;
        let time = if time > 0.0 { (*waited / time).min(1.0) } else { 0.0 };
        Some(TailShare { from: bucket.lo, events: *events as f64 / all, time })
    })
}

/// Seconds waited in some buckets, by their middles; the one without upper bound has what is left of
/// the exact time.
pub(crate) fn time_of(counts: &Histogram, buckets: Range<usize>) -> f64 {
    let open = open_mean_s(counts);
    let waited =
        |index: usize| length_s(counts.scheme().bucket(index), open) * counts.count(index) as f64;
    buckets.fold(0.0, |total, index| total + waited(index))
}

/// The mean latency in the bucket without upper bound, in seconds, where the exact time of all events
/// tells: all others take about the middle of their buckets.
pub(crate) fn open_mean_s(counts: &Histogram) -> Option<f64> {
    let (last, count) = counts.non_zero().next_back().filter(|(last, _)| last.hi.is_none())?;
    let all = counts.sum()?.as_secs_f64();
    let others = counts.non_zero().filter(|(bucket, _)| bucket.hi.is_some());
    let others: f64 =
        others.map(|(bucket, count)| bucket.mid_point().as_secs_f64() * count as f64).sum();
    let left = (all - others) / count as f64;
    (left >= last.lo.as_secs_f64()).then_some(left)
}

/// How long an event of a bucket takes, in seconds.
fn length_s(bucket: Bucket, open: Option<f64>) -> f64 {
    let middle = bucket.mid_point().as_secs_f64();
    if bucket.hi.is_none() { open.unwrap_or(middle) } else { middle }
}
