//! How densely the events of a histogram lie over the logarithm of latency.

use isotherm_frame::{Bucket, Histogram};

use crate::bandwidth::{improved_sheather_jones, silverman};
use crate::resolution::{multiples, resolution};

/// Bins of the density in an octave of latency: narrower than any bucket, so that what lies in
/// buckets of other widths is not flattened further.
pub(crate) const BINS_PER_OCTAVE: f64 = 32.0;
/// The widths, in octaves, a bucket without a lower or an upper bound may be given.
const OPEN_WIDTH: (f64, f64) = (1.0, 4.0);
/// A bandwidth that is not so much narrower shows the same.
const NARROWER: f64 = 0.8;
/// The kernel ends this many bandwidths from its middle.
const KERNEL_ENDS: f64 = 4.0;

/// Events by narrow bins of the logarithm of latency.
#[derive(Clone, Debug)]
pub(crate) struct Density {
    /// Where the first bin begins: the base-2 logarithm of nanoseconds.
    origin: f64,
    /// Events by bin, smoothed by a Gaussian kernel.
    pub(crate) smooth: Vec<f64>,
    /// Events by bin as the buckets give them.
    pub(crate) raw: Vec<f64>,
    /// The number of independent bins the kernel averages: `1 / sum of squared weights`.
    pub(crate) averaged: f64,
}

impl Density {
    /// The densities of a histogram: the events of a bucket are spread evenly over the logarithm of
    /// its range, which makes averages of the true density, and averages over a partition have no
    /// hill the true density has not. Latencies in whole units of a coarse clock are spread over
    /// what the unit stands for. Then a Gaussian kernel smooths it: one of the bandwidth that
    /// several hills far apart do not widen, where that is narrower, and one of Silverman's, which
    /// shows small hills beside large ones (see `bandwidth`). `None` without events.
    pub(crate) fn of(counts: &Histogram) -> Option<[Option<Density>; 2]> {
        let ranges = ranges(counts);
        let from = ranges.iter().map(|range| range.from).reduce(f64::min)?;
        let to = ranges.iter().map(|range| range.to).reduce(f64::max)?;
        let first = (from * BINS_PER_OCTAVE).floor();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few thousand"
        )]
        let bins = ((to * BINS_PER_OCTAVE).ceil() - first).max(1.0) as usize;
        let mut raw = vec![0.0; bins];
        for range in &ranges {
            let scaled = |x: f64| x * BINS_PER_OCTAVE - first;
            spread(&mut raw, scaled(range.from), scaled(range.to), range.events);
        }
        let origin = first / BINS_PER_OCTAVE;
        let wide = silverman(&raw);
        let narrow = improved_sheather_jones(&raw).filter(|narrow| *narrow < NARROWER * wide);
        let narrow = narrow.map(|narrow| Density::smoothed(origin, raw.clone(), narrow));
        Some([narrow, Some(Density::smoothed(origin, raw, wide))])
    }

    fn smoothed(origin: f64, raw: Vec<f64>, bandwidth: f64) -> Density {
        let kernel = kernel(bandwidth);
        let averaged = 1.0 / (2.0 * kernel.iter().map(|w| w * w).sum::<f64>() - kernel[0].powi(2));
        let smooth = smoothed(&raw, &kernel);
        Density { origin, smooth, raw, averaged }
    }

    /// The latency at a position counted in bins, in nanoseconds.
    pub(crate) fn latency_ns(&self, position: f64) -> f64 {
        (self.origin + position / BINS_PER_OCTAVE).exp2()
    }
}

/// A bucket's events between two base-2 logarithms of nanoseconds.
struct Range {
    from: f64,
    to: f64,
    events: f64,
}

/// Where the events of each bucket are spread. A bucket that begins at zero or has no upper bound
/// is infinitely wide on a logarithmic axis: it gets the width at which it is no higher than the
/// bucket beside it, within one and four octaves, so that it is a hill only if nothing of bounded
/// width could hide it.
fn ranges(counts: &Histogram) -> Vec<Range> {
    let unit = resolution(counts);
    let scheme = counts.scheme();
    let ends = |index: usize| ends(scheme.bucket(index), unit);
    // Where no multiple lies nothing could be, unless it was measured otherwise.
    let is_possible = |index: usize| {
        let holds = |unit| multiples(scheme.bucket(index), unit).is_some();
        unit.is_none_or(holds) || counts.count(index) > 0
    };
    let density = |index: usize| match ends(index) {
        _ if !is_possible(index) => None,
        (Some(from), Some(to)) => Some(counts.count(index) as f64 / (to - from)),
        _ => None,
    };
    let range = |(index, count): (usize, u64)| {
        let events = count as f64;
        let width = |beside: Option<f64>| {
            let (least, most) = OPEN_WIDTH;
            beside.filter(|&b| b > 0.0).map_or(least, |b| (events / b).clamp(least, most))
        };
        let above = || width((index + 1..scheme.buckets()).find_map(density));
        let below = || width((0..index).rev().find_map(density));
        let (from, to) = match ends(index) {
            (Some(from), Some(to)) => (from, to),
            (None, Some(to)) => (to - above(), to),
            (Some(from), None) => (from, from + below()),
            (None, None) => return None,
        };
        Some(Range { from, to, events })
    };
    counts.counted().filter_map(range).collect()
}

/// From where to where the latencies of a bucket lie, in octaves of nanoseconds; `None` for no
/// limit. Multiples of a unit stand for what is nearer to them than to another; a bucket in which no
/// multiple lies was measured otherwise.
fn ends(bucket: Bucket, unit: Option<f64>) -> (Option<f64>, Option<f64>) {
    let half = unit.unwrap_or_default() / 2.0;
    let (lo, hi) = match unit.and_then(|unit| multiples(bucket, unit)) {
        Some((first, last)) => (first - half, last.map(|last| last + half)),
        None => (bucket.lo.as_nanos() as f64, bucket.hi.map(|hi| hi.as_nanos() as f64)),
    };
    ((lo > 0.0).then(|| lo.log2()), hi.map(f64::log2))
}

/// Adds `events` evenly to the bins between two positions.
fn spread(bins: &mut [f64], from: f64, to: f64, events: f64) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bins")]
    let (first, last) = (from.floor() as usize, to.ceil() as usize);
    let last = last.min(bins.len());
    for (index, bin) in bins.iter_mut().enumerate().take(last).skip(first) {
        let overlap = to.min(index as f64 + 1.0) - from.max(index as f64);
        *bin += events * overlap.max(0.0) / (to - from);
    }
}

/// Half of a Gaussian kernel, its middle first, that adds up to one.
fn kernel(bandwidth: f64) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen")]
    let reach = (bandwidth * KERNEL_ENDS).ceil() as usize;
    let weight = |distance: usize| {
        if distance == 0 { 1.0 } else { (-0.5 * (distance as f64 / bandwidth).powi(2)).exp() }
    };
    let mut half: Vec<f64> = (0..=reach).map(weight).collect();
    let total = 2.0 * half.iter().sum::<f64>() - half[0];
    for weight in &mut half {
        *weight /= total;
    }
    half
}

fn smoothed(bins: &[f64], kernel: &[f64]) -> Vec<f64> {
    let mut smooth = vec![0.0; bins.len()];
    for (index, &events) in bins.iter().enumerate().filter(|(_, events)| **events > 0.0) {
        smooth[index] += events * kernel[0];
        for (distance, &weight) in kernel.iter().enumerate().skip(1) {
            if let Some(bin) = smooth.get_mut(index + distance) {
                *bin += events * weight;
            }
            if let Some(bin) = index.checked_sub(distance) {
                smooth[bin] += events * weight;
            }
        }
    }
    smooth
}
