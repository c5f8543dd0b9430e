//! Where latencies gather: the modes of a distribution.

use std::ops::Range;

use isotherm_frame::{Bucket, Histogram, Nanos};

use crate::density::Density;
use crate::part_of_time::{AllTime, Limits, PartOfTime};
use crate::persistence::{Peak, persistent_peaks};

/// A peak of the distribution over the logarithm of latency.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Mode {
    /// The middle of the peak's top: an estimate, within what buckets and total allow. Of a peak in a
    /// bucket without upper bound the mean of the events of the mode, where the exact time tells.
    pub at: Nanos,
    /// From where to where it reaches: a bound of the buckets each, the valleys to the hills
    /// beside it or the ends of the counts. `None` when the last bucket has no upper bound.
    pub edges: (Nanos, Option<Nanos>),
    /// Where its events lie, but for the half per cent at either end: bounds of buckets, as much wider
    /// as lengths are estimates.
    pub bulk: Bucket,
    /// The share of its events that may lie within a factor of [`NEAR`] of `at`, 0 to 1: those in
    /// buckets that reach there. `at` does not describe a broad hill, of which this is small, nor one in
    /// a bucket without upper bound of which the mean is not known.
    pub near: f64,
    /// The share of all events that lie between the edges, 0 to 1; those of all modes add up to 1.
    pub share: f64,
    /// The share of the time waited of these events, 0 to 1: an estimate. 0 when nothing was waited for
    /// at all.
    pub time_share: f64,
    /// Between which bounds that lies, by the buckets and the total.
    pub part: PartOfTime,
    /// Whether the peak is in a bucket without upper bound: the mean of the events of the mode says more
    /// than `at`.
    pub open: bool,
}

impl Mode {
    /// Whether `latency` lies between the edges.
    pub fn contains(&self, latency: Nanos) -> bool {
        self.edges.0 <= latency && self.edges.1.is_none_or(|end| latency < end)
    }
}

/// How many times longer or shorter than the peak a latency may be that the peak describes.
pub const NEAR: f64 = 1.5;
/// The share of a mode's events left out at either end of its bulk.
const OUTERMOST: f64 = 0.005;
/// A peak must rise this many standard errors above its saddle.
const LEAST_Z: f64 = 4.0;
/// The saddle must be at least this much lower than the peak, as a share of its height.
const LEAST_DEPTH: f64 = 0.25;
/// The least share of events in a peak.
const LEAST_MASS: f64 = 0.005;
/// The least share of the time waited, and the least events, of a peak with fewer events than that.
const LEAST_TIME: f64 = 0.05;
const LEAST_EVENTS: f64 = 100.0;
/// The top of a peak: the points at least this high, as a share of its height.
const TOP: f64 = 0.75;

/// The modes, shortest first; none without events.
///
/// 1. The density over the logarithm of latency in narrow bins, smoothed by Gaussian kernels of two
///    bandwidths, Silverman's (1981, 1986) and that of Botev, Grotowski & Kroese (2010), which
///    tells several hills of few events apart. The one that shows more modes counts.
/// 2. Its peaks with the saddles at which higher hills overgrow them: topological persistence.
/// 3. A peak is a mode if it is no ripple: `z = (peak - saddle) / sqrt((peak + saddle) / eff) > 4`
///    with the `eff` bins the kernel averages; if the saddle is at least a quarter lower; and if
///    the peak holds more than 0.5 % of the events, or 5 % of the time. The highest peak is always
///    one.
/// 4. Modes meet at the bound between buckets nearest to the lowest point between their peaks.
///
/// The test by the height of the peak replaces the p-values of Silverman's test (calibrated by
/// Hall & York 2001) and of the dip (Hartigan & Hartigan 1985): with a million events these call
/// every real distribution multimodal. Buckets an octave wide hide modes less than a factor of
/// about six apart; they never invent one.
pub fn modes(counts: &Histogram) -> Vec<Mode> {
    if counts.is_averages() {
        return Vec::new();
    }
    let Some(densities) = Density::of(counts) else { return Vec::new() };
    let peaks = |density: Density| {
        let whole = Whole::of(&density);
        let keep = |peak: &Peak| whole.is_mode(peak, &density);
        (persistent_peaks(&density.smooth, &density.raw, keep), density)
    };
    let found = densities.into_iter().flatten().map(peaks).max_by_key(|(peaks, _)| peaks.len());
    found.map_or_else(Vec::new, |(peaks, density)| split(counts, &density, &peaks))
}

/// What hills are compared with.
struct Whole {
    events: f64,
    /// The time waited in nanoseconds, by the middles of bins.
    time_ns: f64,
}

impl Whole {
    fn of(density: &Density) -> Whole {
        let bins = density.raw.iter().enumerate();
        let time = bins.map(|(index, events)| events * density.latency_ns(index as f64 + 0.5));
        Whole { events: density.raw.iter().sum(), time_ns: time.sum() }
    }

    fn is_mode(&self, peak: &Peak, density: &Density) -> bool {
        let rise = peak.height - peak.saddle;
        let z = rise / ((peak.height + peak.saddle) / density.averaged).sqrt();
        z > LEAST_Z && rise > LEAST_DEPTH * peak.height && self.matters(peak, density)
    }

    fn matters(&self, peak: &Peak, density: &Density) -> bool {
        let time_ns = peak.mass * density.latency_ns(peak.index as f64 + 0.5);
        peak.mass > LEAST_MASS * self.events
            || (peak.mass >= LEAST_EVENTS && time_ns > LEAST_TIME * self.time_ns)
    }
}

/// The modes of these peaks, between the valleys that part them.
fn split(counts: &Histogram, density: &Density, peaks: &[usize]) -> Vec<Mode> {
    let first = counts.counted().next().map_or(0, |(index, _)| index);
    let end = counts.counted().next_back().map_or(first, |(index, _)| index + 1);
    let (all_time, events) = (AllTime::of(counts), counts.events() as f64);
    let mut found = Vec::with_capacity(peaks.len());
    let mut start = first;
    for (index, &peak) in peaks.iter().enumerate() {
        let next = peaks.get(index + 1);
        let until = next.map_or(end, |&next| cut(counts, density, peak, next).clamp(start, end));
        let inside = (start..until).fold(0.0, |sum, index| sum + counts.count(index) as f64);
        if inside > 0.0 {
            let (from, to) =
                (counts.scheme().bucket(start).lo, counts.scheme().bucket(until - 1).hi);
            let top = top(density, peak).clamp(from, to.map_or(Nanos::new(u64::MAX), last_below));
            let mut own = Limits::default();
            (start..until).for_each(|i| own.add(counts.scheme().bucket(i), counts.count(i)));
            let part = all_time.part(own);
            let (at, open) = placed(counts, top, &part);
            // A broad hill stays one wherever its events may lie on average.
            let near = |at: Nanos| near(counts, start..until, at) / inside;
            found.push(Mode {
                at,
                edges: (from, to),
                bulk: counts.true_lengths(counts.as_written(bulk(counts, start..until, inside))),
                near: near(at).min(near(top)),
                share: inside / events,
                time_share: part.share,
                part,
                open,
            });
            start = until;
        }
    }
    found
}

/// A bucket so many times as wide says little of where its events are.
const WIDE: f64 = 1.5;

/// Where a peak is, and whether that is in a bucket without upper bound. In a wide bucket it is no
/// better known than the mean of the events: that cannot lie outside of what buckets and total allow.
fn placed(counts: &Histogram, top: Nanos, part: &PartOfTime) -> (Nanos, bool) {
    let (least, most) = part.mean_ns;
    let at = |ns: f64| Nanos::from_secs_f64(ns / 1e9).unwrap_or(top);
    let bucket = counts.scheme().index_of(top).map(|index| counts.scheme().bucket(index));
    match bucket {
        Some(Bucket { lo, hi: Some(hi) }) => {
            let is_wide = hi.as_nanos() as f64 >= WIDE * lo.as_nanos() as f64;
            let within = (top.as_nanos() as f64).max(least).min(most.unwrap_or(f64::INFINITY));
            (if is_wide { at(within) } else { top }, false)
        }
        _ => (most.map_or(top, |most| at(least.midpoint(most))), true),
    }
}

/// The buckets of a mode of `inside` events without the outermost ones.
fn bulk(counts: &Histogram, buckets: Range<usize>, inside: f64) -> Bucket {
    let outermost = OUTERMOST * inside;
    let first = passing(counts, buckets.clone(), outermost).unwrap_or(buckets.start);
    let last = passing(counts, buckets.clone().rev(), outermost).unwrap_or(buckets.end - 1);
    let bucket = |index| counts.scheme().bucket(index);
    Bucket { lo: bucket(first).lo, hi: bucket(last).hi }
}

/// The first bucket with which there are more than `events`.
fn passing(
    counts: &Histogram,
    mut buckets: impl Iterator<Item = usize>,
    events: f64,
) -> Option<usize> {
    let mut passed = 0.0;
    buckets.find(|&index| {
        passed += counts.count(index) as f64;
        passed > events
    })
}

/// The events in buckets that reach within a factor of [`NEAR`] of a latency. Of a bucket without upper
/// bound only the exact time tells where they lie.
fn near(counts: &Histogram, buckets: Range<usize>, at: Nanos) -> f64 {
    let at_ns = at.as_nanos() as f64;
    let known = counts.sum().is_some();
    let reaches = |&index: &usize| {
        let Bucket { lo, hi } = counts.scheme().bucket(index);
        (lo.as_nanos() as f64) <= at_ns * NEAR
            && hi.map_or(known, |hi| hi.as_nanos() as f64 > at_ns / NEAR)
    };
    buckets.filter(reaches).fold(0.0, |sum, index| sum + counts.count(index) as f64)
}

fn last_below(end: Nanos) -> Nanos {
    Nanos::new(end.as_nanos() - 1)
}

/// The bucket with which the next mode begins: its lower bound is nearest to the middle of the
/// lowest stretch between two peaks.
fn cut(counts: &Histogram, density: &Density, peak: usize, next: usize) -> usize {
    let between = &density.smooth[peak..=next];
    let lowest = between.iter().copied().fold(f64::INFINITY, f64::min);
    let level = lowest + 1e-9 * density.smooth[peak];
    let from = between.iter().position(|&height| height <= level).unwrap_or(0);
    let to = between.iter().rposition(|&height| height <= level).unwrap_or(0);
    let valley = density.latency_ns((peak + peak + from + to + 1) as f64 / 2.0);
    let bounds = counts.scheme().bounds();
    let after = bounds.partition_point(|&bound| (bound as f64) < valley);
    let ratio = |index: usize| (bounds[index].max(1) as f64 / valley).ln().abs();
    match after.checked_sub(1) {
        Some(before) if after >= bounds.len() || ratio(before) <= ratio(after) => before,
        _ => after,
    }
}

/// The middle of the contiguous points around a peak that are nearly as high.
fn top(density: &Density, peak: usize) -> Nanos {
    let level = TOP * density.smooth[peak];
    let high = |&index: &usize| density.smooth[index] >= level;
    let up = (peak..density.smooth.len()).take_while(high);
    let down = (0..peak).rev().take_while(high);
    let (mut weight, mut sum) = (0.0, 0.0);
    for index in down.chain(up) {
        weight += density.smooth[index];
        sum += density.smooth[index] * (index as f64 + 0.5);
    }
    Nanos::from_secs_f64(density.latency_ns(sum / weight) / 1e9).unwrap_or_default()
}
