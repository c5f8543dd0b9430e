//! What the mean says of a distribution, and what it does not.

use isotherm_frame::{Bucket, Histogram, QuantileInterval};

/// The mean beside what it is meant to stand for: how many events are anywhere near it
/// ("The Average Challenge").
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Average {
    /// The mean latency in nanoseconds.
    pub mean_ns: f64,
    /// Whether the mean is measured, not estimated from the middles of buckets.
    pub exact: bool,
    /// The latency in the middle of all events.
    pub median: QuantileInterval,
    /// The share of events that are shorter than the mean: at least, at most; 0 to 1. As wide as
    /// the bucket the mean lies in.
    pub rank: (f64, f64),
    /// The share of events within a factor of the square root of two of the mean, one octave in
    /// all: at least, at most; 0 to 1.
    pub near: (f64, f64),
    /// `(mean - median) / standard deviation`, -1 to 1, above 0 when a tail of long latencies
    /// pulls the mean up: nonparametric skew (Hotelling & Solomons 1932). An estimate.
    pub skew: f64,
}

impl Average {
    /// How many times the median the mean is: at least, and at most if there is a limit. A
    /// range as wide as the median's bucket. Of a median of zero there is no multiple.
    pub fn times_median(&self) -> (f64, Option<f64>) {
        let Bucket { lo, hi } = self.median.bucket;
        let above_zero = hi.filter(|hi| hi.as_nanos() > 1);
        let least = above_zero.map_or(0.0, |hi| self.mean_ns / hi.as_nanos() as f64);
        (least, (lo.as_nanos() > 0).then(|| self.mean_ns / lo.as_nanos() as f64))
    }
}

/// The mean of the events and what it stands for; `None` without events.
pub fn average(counts: &Histogram) -> Option<Average> {
    let mean_ns = counts.mean_ns()?;
    let median = counts.quantile(0.5).ok()?;
    let below = |edge: f64| shares_below(counts, edge);
    let (from, to) = (mean_ns / std::f64::consts::SQRT_2, mean_ns * std::f64::consts::SQRT_2);
    let sd = standard_deviation(counts);
    let away = mean_ns - median.estimate.as_nanos() as f64;
    Some(Average {
        mean_ns,
        exact: counts.latency_total().exact,
        median,
        rank: below(mean_ns),
        near: shares_between(counts, from, to),
        skew: if sd > 0.0 { (away / sd).clamp(-1.0, 1.0) } else { 0.0 },
    })
}

/// The share of events below a latency in nanoseconds: at least, at most.
fn shares_below(counts: &Histogram, edge: f64) -> (f64, f64) {
    shares(counts, |bucket| ends(bucket) <= edge, |bucket| begins(bucket) < edge)
}

/// The share of events between two latencies in nanoseconds: at least, at most.
fn shares_between(counts: &Histogram, from: f64, to: f64) -> (f64, f64) {
    let within = |bucket| begins(bucket) >= from && ends(bucket) <= to;
    shares(counts, within, |bucket| begins(bucket) < to && ends(bucket) > from)
}

/// The share of events in buckets that certainly, and in those that possibly, are meant.
fn shares(
    counts: &Histogram,
    certainly: impl Fn(Bucket) -> bool,
    possibly: impl Fn(Bucket) -> bool,
) -> (f64, f64) {
    let all = counts.events() as f64;
    let share = |meant: &dyn Fn(Bucket) -> bool| {
        let counts = counts.non_zero().filter(|(bucket, _)| meant(*bucket));
        counts.fold(0_u64, |total, (_, count)| total.saturating_add(count)) as f64 / all
    };
    (share(&certainly), share(&possibly))
}

fn begins(bucket: Bucket) -> f64 {
    bucket.lo.as_nanos() as f64
}

fn ends(bucket: Bucket) -> f64 {
    bucket.hi.map_or(f64::INFINITY, |hi| hi.as_nanos() as f64)
}

/// In nanoseconds, by the middles of the buckets.
fn standard_deviation(counts: &Histogram) -> f64 {
    let all = counts.events() as f64;
    let middle = |bucket: Bucket| bucket.mid_point().as_nanos() as f64;
    let sum = |of: &dyn Fn(f64) -> f64| {
        counts.non_zero().map(|(bucket, count)| of(middle(bucket)) * count as f64).sum::<f64>()
    };
    let mean = sum(&|ns| ns) / all;
    (sum(&|ns| (ns - mean).powi(2)) / all).sqrt()
}
