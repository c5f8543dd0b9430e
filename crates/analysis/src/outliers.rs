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

/// How many octaves beyond the others an event must lie.
const FAR_OCTAVES: f64 = 3.0;
/// The quantile beyond which an outlier lies.
const BEYOND: f64 = 0.999;

/// The outliers, in order of time, then latency. An event is one if it
/// - belongs to no mode: between it and the top mode an octave or more holds no event, and
/// - lies three octaves (a factor of 8) or more beyond p99.9, or beyond the upper end of the top
///   mode's unbroken run of buckets, whichever is lower. The latter counts where there are too few
///   events for a p99.9.
///
/// A run of buckets is unbroken as long as no gap of an octave follows.
pub fn outliers(timeline: &Timeline) -> Vec<Outlier> {
    let Some((from, end)) = beyond(&timeline.total) else { return Vec::new() };
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

/// From where outliers lie, and where the other latencies end.
fn beyond(total: &Histogram) -> Option<(Nanos, Nanos)> {
    let top = modes(total).pop()?;
    let mut end = total.quantile(0.0).ok()?.bucket.hi?;
    let mut gap = None;
    for (bucket, _) in total.non_zero() {
        let apart = bucket.lo > top.at && ns(bucket.lo) >= 2.0 * ns(end);
        if apart {
            gap = Some(bucket.lo);
            break;
        }
        end = bucket.hi?;
    }
    let gap = gap?;
    let end = total.quantile(BEYOND).ok()?.bucket.hi.map_or(end, |hi| hi.min(end));
    let far = total
        .non_zero()
        .map(|(bucket, _)| bucket.lo)
        .find(|&lo| lo >= gap && (ns(lo) / ns(end)).log2() >= FAR_OCTAVES)?;
    Some((far, end))
}

fn ns(latency: Nanos) -> f64 {
    latency.as_nanos().max(1) as f64
}
