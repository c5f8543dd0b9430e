//! How long the events of a histogram took, and how much of that was waited in its interval.

use crate::sparse::Sparse;
use crate::total::{Total, Waited, saturated};
use crate::{Histogram, Nanos};

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
    pub fn waited_ns(&self) -> Option<Vec<u64>> {
        self.waited.as_ref().map(|waited| waited.ns.dense(self.scheme.buckets()))
    }

    /// Whether the source says when all of the time was waited.
    pub fn is_time_placed(&self) -> bool {
        self.waited.as_ref().is_some_and(|waited| waited.ended.is_zero())
    }

    /// Whether the source says when a part of the time at least was waited, so that the time waited
    /// is counted bucket by bucket ([`Histogram::waited_ns`]).
    pub fn has_waited_ns(&self) -> bool {
        self.waited.is_some()
    }

    /// Nanoseconds of the buckets that hold time counted where events ended, because the source
    /// cannot say when it was waited: all of [`Histogram::bucket_times_ns`], or the part of it that
    /// such sources added to others that can.
    pub fn unplaced_times_ns(&self) -> impl Iterator<Item = (usize, u64)> + use<> {
        self.unplaced_times().pairs()
    }

    fn unplaced_times(&self) -> Sparse {
        self.waited.as_ref().map_or_else(|| self.bucket_times(), |waited| waited.ended.clone())
    }

    /// Nanoseconds waited within the interval in a bucket, where the source says when they were
    /// waited; else zero.
    pub fn waited_in(&self, index: usize) -> u64 {
        self.waited.as_ref().map_or(0, |waited| waited.ns.get(index))
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
        TimeWaited { seconds: Nanos::new(waited.ns.sum()).as_secs_f64(), exact: waited.exact }
    }

    /// Nanoseconds waited within the interval by the buckets that hold any: as measured, or the
    /// total latency divided among the buckets in proportion to count times mid-point. The numbers
    /// add up to [`Histogram::time_waited`].
    pub fn bucket_times_ns(&self) -> impl Iterator<Item = (usize, u64)> + use<> {
        self.bucket_times().pairs()
    }

    pub(crate) fn bucket_times(&self) -> Sparse {
        if let Some(waited) = &self.waited {
            return waited.ns.clone();
        }
        let weights = self.counts.iter().map(|(index, _)| (index, self.weight(index)));
        match self.total {
            Total::Buckets => weights.map(|(index, weight)| (index, saturated(weight))).collect(),
            Total::Exact(sum) | Total::Parts(sum) => {
                self.divided(sum, &weights.collect::<Vec<_>>())
            }
        }
    }

    /// A total divided in proportion to the weights of buckets; by counts where no weight tells one
    /// bucket from another.
    fn divided(&self, sum: Nanos, weights: &[(usize, u128)]) -> Sparse {
        let by = |weights: &[(usize, u128)]| -> Option<Sparse> {
            let numbers: Vec<u128> = weights.iter().map(|(_, weight)| *weight).collect();
            let parts = sum.divided(&numbers)?.into_iter();
            Some(weights.iter().map(|(index, _)| *index).zip(parts).collect())
        };
        let counts = self.counts.iter().map(|(index, count)| (index, u128::from(count)));
        by(weights).or_else(|| by(&counts.collect::<Vec<_>>())).unwrap_or_else(|| {
            // A time without events: it has to be somewhere.
            [(0, sum.as_nanos())].into_iter().collect()
        })
    }

    /// Count times mid-point of a bucket.
    fn weight(&self, index: usize) -> u128 {
        let middle = self.scheme.bucket(index).mid_point().as_nanos();
        u128::from(self.count(index)) * u128::from(middle)
    }

    /// The total latency as far as the buckets tell it.
    fn estimate_ns(&self) -> u128 {
        self.counts.iter().map(|(index, _)| self.weight(index)).fold(0, u128::saturating_add)
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
        let (more, more_ended) = (other.bucket_times(), other.unplaced_times());
        let (ns, ended) = match self.waited.take() {
            Some(own) => (own.ns, own.ended),
            None => (self.bucket_times(), self.unplaced_times()),
        };
        let own = self.waited.insert(Waited { ns, ended, exact });
        own.ns.add(&more);
        own.ended.add(&more_ended);
    }

    /// The time of both in buckets that `moved` gives, before the counts are added.
    pub(crate) fn waited_of_both(
        &self,
        other: &Histogram,
        moved: impl Fn(&Sparse, &Sparse) -> Sparse,
    ) -> Option<Waited> {
        let exact = self.waited_with(other)?;
        let ns = moved(&self.bucket_times(), &other.bucket_times());
        let ended = moved(&self.unplaced_times(), &other.unplaced_times());
        Some(Waited { ns, ended, exact })
    }
}

impl Waited {
    /// The same with other numbers of each bucket.
    pub(crate) fn map(&self, numbers: impl Fn(&Sparse) -> Sparse) -> Waited {
        Waited { ns: numbers(&self.ns), ended: numbers(&self.ended), exact: self.exact }
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
