//! Counts of latencies in buckets.

use thiserror::Error;

use crate::{Bucket, Nanos, Scheme};

/// How many latencies fell in each bucket of a scheme, and, when the source gives it, the exact
/// total of those latencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    scheme: Scheme,
    /// One count for each bucket of the scheme.
    counts: Vec<u64>,
    /// The exact total time of the events counted; `None` when only the buckets are known.
    sum: Option<Nanos>,
}

/// Total time waited, and whether it was measured or estimated from bucket mid-points.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimeWaited {
    /// Seconds.
    pub seconds: f64,
    /// `true` when the source gave the total itself.
    pub exact: bool,
}

/// Why counts are not a histogram, or two histograms do not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HistogramError {
    /// The number of counts is not the number of buckets.
    #[error("{counts} counts for {buckets} buckets")]
    WrongLength {
        /// Counts given.
        counts: usize,
        /// Buckets of the scheme.
        buckets: usize,
    },
    /// A count went down, so there is no difference.
    #[error("the count of the bucket from {bucket} fell from {before} to {after}")]
    CountFell {
        /// The bucket's lower bound.
        bucket: Nanos,
        /// The earlier count.
        before: u64,
        /// The later, smaller count.
        after: u64,
    },
    /// The exact total of time went down.
    #[error("the total time fell")]
    SumFell,
    /// A bucket that holds counts would be split.
    #[error("the bucket from {0} holds counts and lies across a bound of the other scheme")]
    WouldSplit(Nanos),
}

impl Histogram {
    /// No events. The total time is exactly zero, so events recorded later keep it exact.
    pub fn empty(scheme: Scheme) -> Histogram {
        let counts = vec![0; scheme.buckets()];
        Histogram { scheme, counts, sum: Some(Nanos::ZERO) }
    }

    /// Counts as a source gives them; `sum` only if the source gives it.
    pub fn new(
        scheme: Scheme,
        counts: Vec<u64>,
        sum: Option<Nanos>,
    ) -> Result<Histogram, HistogramError> {
        let (given, buckets) = (counts.len(), scheme.buckets());
        if given != buckets {
            return Err(HistogramError::WrongLength { counts: given, buckets });
        }
        Ok(Histogram { scheme, counts, sum })
    }

    /// Counts one event. A latency outside every bucket is counted in the nearest one.
    pub fn record(&mut self, latency: Nanos) {
        let above = latency.as_nanos() >= self.scheme.bounds()[0];
        let nearest = if above { self.counts.len() - 1 } else { 0 };
        let index = self.scheme.index_of(latency).unwrap_or(nearest);
        self.counts[index] = self.counts[index].saturating_add(1);
        self.sum = self.sum.and_then(|sum| sum.checked_add(latency));
    }

    /// The bucket boundaries.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// One count for each bucket.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The exact total time of the events, if the source gives it.
    pub fn sum(&self) -> Option<Nanos> {
        self.sum
    }

    /// The number of events.
    pub fn events(&self) -> u64 {
        self.counts.iter().fold(0, |total, &count| total.saturating_add(count))
    }

    /// Whether no event was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.iter().all(|&count| count == 0)
    }

    /// The buckets that hold events, shortest latencies first.
    pub fn non_zero(&self) -> impl DoubleEndedIterator<Item = (Bucket, u64)> + '_ {
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.map(|(index, &count)| (self.scheme.bucket(index), count))
    }

    /// Total time waited: the exact sum if known, else each count times its bucket's mid-point
    /// (for power-of-two buckets the classic 0.75 x upper bound).
    pub fn time_waited(&self) -> TimeWaited {
        let estimate = || {
            let parts = self.non_zero();
            parts.map(|(bucket, count)| bucket.mid_point().as_secs_f64() * count as f64).sum()
        };
        TimeWaited {
            seconds: self.sum.map_or_else(estimate, Nanos::as_secs_f64),
            exact: self.sum.is_some(),
        }
    }

    /// The mean latency in nanoseconds; `None` without events.
    pub fn mean_ns(&self) -> Option<f64> {
        let events = self.events();
        (events > 0).then(|| self.time_waited().seconds * 1e9 / events as f64)
    }

    /// The events of both. Exact: no bucket that holds counts is ever split, so where the schemes
    /// differ, overlapping buckets become one; empty buckets give way. Commutes and associates.
    #[must_use]
    pub fn merge(&self, other: &Histogram) -> Histogram {
        let sum = self.sum.zip(other.sum).and_then(|(one, two)| one.checked_add(two));
        if self.scheme == other.scheme {
            let pairs = self.counts.iter().zip(&other.counts);
            let counts = pairs.map(|(one, two)| one.saturating_add(*two)).collect();
            return Histogram { scheme: self.scheme.clone(), counts, sum };
        }
        let scheme = self.common_scheme(other);
        let mut counts = vec![0_u64; scheme.buckets()];
        for (bucket, count) in self.non_zero().chain(other.non_zero()) {
            if let Some(index) = scheme.index_of(bucket.lo) {
                counts[index] = counts[index].saturating_add(count);
            }
        }
        Histogram { scheme, counts, sum }
    }

    /// The finest scheme that splits no bucket holding counts: all bounds of both that do not
    /// lie inside such a bucket.
    fn common_scheme(&self, other: &Histogram) -> Scheme {
        let mut bounds = [self.scheme.bounds(), other.scheme.bounds()].concat();
        bounds.sort_unstable();
        bounds.dedup();
        for histogram in [self, other] {
            let mut filled = histogram.non_zero().peekable();
            bounds.retain(|&bound| {
                while filled.next_if(|(bucket, _)| upper(*bucket) <= bound).is_some() {}
                filled.peek().is_none_or(|(bucket, _)| bucket.lo.as_nanos() >= bound)
            });
        }
        Scheme::new(bounds).unwrap_or_else(|_| self.scheme.clone())
    }

    /// The events counted since `earlier`, bucket by bucket. A bucket that `earlier` did not have
    /// counts from zero. Anything that went down is an error, never a negative.
    pub fn since(&self, earlier: &Histogram) -> Result<Histogram, HistogramError> {
        let mut counts = self.counts.clone();
        for (bucket, before) in earlier.non_zero() {
            let index = self.scheme.position_of(bucket);
            let after = index.map_or(0, |index| counts[index]);
            let fell = HistogramError::CountFell { bucket: bucket.lo, before, after };
            match (index, after.checked_sub(before)) {
                (Some(index), Some(difference)) => counts[index] = difference,
                _ => return Err(fell),
            }
        }
        let sum = match self.sum.zip(earlier.sum) {
            Some((after, before)) => {
                Some(after.checked_sub(before).ok_or(HistogramError::SumFell)?)
            }
            None => None,
        };
        Ok(Histogram { scheme: self.scheme.clone(), counts, sum })
    }

    /// The same events in the buckets of another scheme. Counts below its first bound go into its
    /// first bucket and counts above its last into its last. An error if a count would be split.
    pub fn rebin(&self, scheme: &Scheme) -> Result<Histogram, HistogramError> {
        let mut counts = vec![0_u64; scheme.buckets()];
        let bounds = scheme.bounds();
        let inner = &bounds[1..bounds.len() - 1];
        for (bucket, count) in self.non_zero() {
            let index = inner.partition_point(|&bound| bound <= bucket.lo.as_nanos());
            if inner.get(index).is_some_and(|&bound| bound < upper(bucket)) {
                return Err(HistogramError::WouldSplit(bucket.lo));
            }
            counts[index] = counts[index].saturating_add(count);
        }
        Ok(Histogram { scheme: scheme.clone(), counts, sum: self.sum })
    }

    /// The same counts with a total of time that is known exactly.
    #[must_use]
    pub fn with_sum(self, sum: Option<Nanos>) -> Histogram {
        Histogram { sum, ..self }
    }

    /// The histogram of nothing in the same buckets.
    #[must_use]
    pub fn cleared(&self) -> Histogram {
        Histogram::empty(self.scheme.clone())
    }

    /// The sum of several histograms; `None` of none.
    pub fn merged<'a>(histograms: impl IntoIterator<Item = &'a Histogram>) -> Option<Histogram> {
        let mut rest = histograms.into_iter();
        let first = rest.next()?.clone();
        Some(rest.fold(first, |mut total, next| {
            total.add(next);
            total
        }))
    }

    /// Merges in place: what [`Histogram::merge`] returns, without allocating when the schemes
    /// are the same.
    pub fn add(&mut self, other: &Histogram) {
        if self.scheme != other.scheme {
            *self = self.merge(other);
            return;
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*more);
        }
        self.sum = self.sum.zip(other.sum).and_then(|(one, two)| one.checked_add(two));
    }
}

/// The first latency too long for the bucket, as a bound.
fn upper(bucket: Bucket) -> u64 {
    bucket.hi.map_or(Scheme::UNBOUNDED, Nanos::as_nanos)
}
