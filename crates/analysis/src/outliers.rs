//! Events far beyond all others, with their time. They are listed, never taken away.

use isotherm_frame::{Bucket, Histogram, Nanos, Timestamp};

use crate::{Timeline, modes};

/// Events far beyond all others in one column of time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Outlier {
    /// The start of the column.
    pub start: Timestamp,
    /// Its end.
    pub end: Timestamp,
    /// The bucket they were counted in.
    pub bucket: Bucket,
    /// How many they are in this column and bucket.
    pub events: u64,
    /// How many octaves the bucket begins above where the other latencies end.
    pub octaves: f64,
}

/// A gap is so many times as long as what lies below it...
const GAP: f64 = 2.0;
/// ...and one that is so wide is wide enough by itself.
const WIDE: f64 = 3.0;
/// How many octaves beyond the others an event must lie.
const FAR_OCTAVES: f64 = 3.0;
/// The quantile beyond which an outlier lies.
const BEYOND: f64 = 0.999;
/// What more than this share of events does is no exception.
const MOST: f64 = 0.05;

/// The outliers, in order of time, then latency. An event is one if it
/// - lies beyond a gap: an octave or more without any event, above the top mode, and
/// - lies three octaves (a factor of 8) or more beyond p99.9, or beyond the upper end of the top
///   mode's unbroken run of buckets, whichever is lower (the latter counts where there are too few
///   events for a p99.9), or beyond a gap of a factor of 3, and
/// - is one of those of which the longest lies three octaves beyond all others.
///
/// A run of buckets is unbroken as long as no gap of an octave follows. If more than a twentieth of
/// all events would be outliers, none is: they are a part of the distribution too small to judge.
pub fn outliers(timeline: &Timeline) -> Vec<Outlier> {
    let Some((from, end)) = outlier_bounds(&timeline.total) else { return Vec::new() };
    let octaves = |bucket: Bucket| (ns(bucket.lo) / ns(end)).log2();
    let mut found = Vec::new();
    for column in timeline.known() {
        let counts = column.latencies.iter().flat_map(Histogram::non_zero);
        found.extend(counts.filter(|(bucket, _)| bucket.lo >= from).map(|(bucket, events)| {
            let octaves = octaves(bucket);
            Outlier { start: column.start, end: column.end, bucket, events, octaves }
        }));
    }
    found
}

/// From where outliers of a distribution lie, and where its other latencies end: the rule of
/// [`outliers`]. `None` if it has none.
pub fn outlier_bounds(total: &Histogram) -> Option<(Nanos, Nanos)> {
    let top = modes(total).pop()?.at;
    let usual = total.quantile(BEYOND).ok()?.counted_in.hi;
    let pairs = total.non_zero().zip(total.non_zero().skip(1));
    let gaps = pairs.filter_map(|((below, _), (above, _))| Some((above.lo, below.hi?)));
    let mut apart = gaps.filter(|&(above, end)| above > top && ns(above) >= GAP * ns(end));
    let first = apart.next()?;
    let end = usual.map_or(first.1, |usual| usual.min(first.1));
    let is_far = |lo: Nanos| (ns(lo) / ns(end)).log2() >= FAR_OCTAVES;
    let is_wide = |(above, below): (Nanos, Nanos)| ns(above) >= WIDE * ns(below);
    let mut apart = std::iter::once(first).chain(apart);
    let (from, others) = apart.find(|&pair| is_far(pair.0) || is_wide(pair))?;
    let far_beyond =
        |(longest, _): &(Bucket, u64)| (ns(longest.lo) / ns(others)).log2() >= FAR_OCTAVES;
    total.non_zero().last().filter(far_beyond)?;
    let outlying = total.non_zero().filter(|(bucket, _)| bucket.lo >= from);
    let outlying: f64 = outlying.map(|(_, count)| count as f64).sum();
    (outlying <= MOST * total.events() as f64).then_some((from, others))
}

fn ns(latency: Nanos) -> f64 {
    latency.as_nanos().max(1) as f64
}
