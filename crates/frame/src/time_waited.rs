//! How long the events of a histogram took, and how much of that was waited in its interval.

use crate::{Histogram, Nanos};

/// What is known of the total latency of some events.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Total {
    /// Only their buckets.
    Buckets,
    /// The exact total.
    Exact(Nanos),
    /// The total of parts: exact for some, estimated from their own buckets for others.
    Parts(Nanos),
}

/// Time waited within an interval, in nanoseconds for each bucket of the scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waited {
    pub(crate) ns: Vec<u64>,
    /// Whether all of it is measured.
    pub(crate) exact: bool,
}

/// Total time waited, and whether it was measured or estimated from bucket mid-points.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimeWaited {
    /// Seconds.
    pub seconds: f64,
    /// `true` when all of it was measured.
    pub exact: bool,
}

impl Histogram {
    /// The exact total latency of the events, if it is known for all of them.
    pub fn sum(&self) -> Option<Nanos> {
        match self.total {
            Total::Exact(sum) => Some(sum),
            Total::Buckets | Total::Parts(_) => None,
        }
    }

    /// The total latency of events of which it is known for some and estimated for others.
    pub fn partly_known_sum(&self) -> Option<Nanos> {
        match self.total {
            Total::Parts(sum) => Some(sum),
            Total::Buckets | Total::Exact(_) => None,
        }
    }

    /// Whether all of the time waited is measured.
    pub fn is_time_exact(&self) -> bool {
        self.waited.as_ref().map_or(self.sum().is_some(), |waited| waited.exact)
    }

    /// Nanoseconds waited within the interval, one number for each bucket, where the source says
    /// when it was waited.
    pub fn waited_ns(&self) -> Option<&[u64]> {
        self.waited.as_ref().map(|waited| waited.ns.as_slice())
    }

    /// The total latency of the events counted: exact if the source gave it, else each count times
    /// its bucket's mid-point (for power-of-two buckets the classic 0.75 x upper bound). Of events
    /// from several sources it is the sum of what is known of each.
    pub fn latency_total(&self) -> TimeWaited {
        let exact = matches!(self.total, Total::Exact(_));
        TimeWaited { seconds: self.total_latency_ns() as f64 / 1e9, exact }
    }

    fn total_latency_ns(&self) -> u128 {
        match self.total {
            Total::Exact(sum) | Total::Parts(sum) => u128::from(sum.as_nanos()),
            Total::Buckets => self.estimate_ns(),
        }
    }

    /// Time waited within the interval, where the source says when it was waited; else the total
    /// latency of the events that ended in it.
    pub fn time_waited(&self) -> TimeWaited {
        let Some(waited) = &self.waited else { return self.latency_total() };
        let sum = waited.ns.iter().fold(0_u64, |sum, &ns| sum.saturating_add(ns));
        TimeWaited { seconds: Nanos::new(sum).as_secs_f64(), exact: waited.exact }
    }

    /// Nanoseconds waited within the interval, one number for each bucket: as measured, or the
    /// total latency divided among the buckets in proportion to count times mid-point. The numbers
    /// add up to [`Histogram::time_waited`].
    pub fn bucket_times_ns(&self) -> Vec<u64> {
        if let Some(waited) = &self.waited {
            return waited.ns.clone();
        }
        let weights: Vec<u128> = (0..self.counts.len()).map(|index| self.weight(index)).collect();
        match self.total {
            Total::Buckets => weights.into_iter().map(saturated).collect(),
            Total::Exact(sum) | Total::Parts(sum) => self.divided(sum, &weights),
        }
    }

    /// A total divided in proportion to `weights`; by counts where no weight tells one bucket from
    /// another.
    fn divided(&self, sum: Nanos, weights: &[u128]) -> Vec<u64> {
        let by_counts = || {
            let counts: Vec<u128> = self.counts.iter().map(|&count| u128::from(count)).collect();
            sum.divided(&counts)
        };
        sum.divided(weights).or_else(by_counts).unwrap_or_else(|| {
            // A time without events: it has to be somewhere.
            let first = |index| if index == 0 { sum.as_nanos() } else { 0 };
            (0..self.counts.len()).map(first).collect()
        })
    }

    /// Count times mid-point of a bucket.
    fn weight(&self, index: usize) -> u128 {
        let middle = self.scheme.bucket(index).mid_point().as_nanos();
        u128::from(self.counts[index]) * u128::from(middle)
    }

    /// The total latency as far as the buckets tell it.
    fn estimate_ns(&self) -> u128 {
        let filled = (0..self.counts.len()).filter(|&index| self.counts[index] > 0);
        filled.map(|index| self.weight(index)).fold(0, u128::saturating_add)
    }

    /// The mean latency of the events counted, in nanoseconds; `None` without events.
    pub fn mean_ns(&self) -> Option<f64> {
        let events = self.events();
        (events > 0).then(|| self.total_latency_ns() as f64 / events as f64)
    }

    /// The total of the events of both.
    pub(crate) fn total_with(&self, other: &Histogram) -> Total {
        let neutral = |one: &Histogram| one.total == Total::Exact(Nanos::ZERO) && one.is_empty();
        match (self.total, other.total) {
            (total, _) if neutral(other) => total,
            (_, total) if neutral(self) => total,
            (Total::Exact(one), Total::Exact(two)) => {
                one.checked_add(two).map_or(Total::Buckets, Total::Exact)
            }
            (Total::Buckets, Total::Buckets) if self.scheme == other.scheme => Total::Buckets,
            _ => {
                let both = self.total_latency_ns().saturating_add(other.total_latency_ns());
                Total::Parts(Nanos::new(saturated(both)))
            }
        }
    }

    /// Whether the time of both together says when it was waited, and if so, whether it is exact.
    pub(crate) fn waited_with(&self, other: &Histogram) -> Option<bool> {
        let known = self.waited.is_some() || other.waited.is_some();
        known.then(|| self.time_waited().exact && other.time_waited().exact)
    }

    /// Adds the time of another histogram of the same scheme, before its total is added.
    pub(crate) fn add_waited(&mut self, other: &Histogram) {
        let Some(exact) = self.waited_with(other) else { return };
        if self.waited.is_none() {
            let ns = self.bucket_times_ns();
            self.waited = Some(Waited { ns, exact });
        }
        let Some(own) = &mut self.waited else { return };
        own.exact = exact;
        match &other.waited {
            Some(more) => add_each(&mut own.ns, &more.ns),
            None => add_each(&mut own.ns, &other.bucket_times_ns()),
        }
    }
}

impl Nanos {
    /// The parts of this length in proportion to `weights`, in nanoseconds; `None` where all weights
    /// are zero. What is given up to each part is rounded down, so that the parts add up.
    pub fn divided(self, weights: &[u128]) -> Option<Vec<u64>> {
        let all = weights.iter().copied().fold(0, u128::saturating_add);
        if all == 0 {
            return None;
        }
        // Scaled so that the product below fits: 2^63 parts of the whole are fine enough.
        let shift = (128 - all.leading_zeros()).saturating_sub(63);
        let all = (all >> shift).max(1);
        let (mut so_far, mut given) = (0_u128, 0_u64);
        let parts = weights.iter().map(|weight| {
            so_far = so_far.saturating_add(*weight);
            let up_to = u128::from(self.as_nanos()) * (so_far >> shift).min(all) / all;
            let up_to = saturated(up_to);
            let part = up_to - given;
            given = up_to;
            part
        });
        Some(parts.collect())
    }
}

pub(crate) fn add_each(numbers: &mut [u64], more: &[u64]) {
    numbers.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
}

pub(crate) fn saturated(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
