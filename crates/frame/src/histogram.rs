//! Counts of latencies in buckets.

use std::ops::Range;

use thiserror::Error;

use crate::sparse::Sparse;
use crate::total::{Total, Waited, saturated};
use crate::{Bucket, Nanos, Scheme};

/// How many latencies fell in each bucket of a scheme, how long they took in all, and, where it is
/// known, how much of that time was waited within the interval the histogram stands for.
///
/// An event is counted where it ends. The time it took was waited before that, perhaps in earlier
/// intervals: so the *total latency* of the events counted ([`Histogram::latency_total`], what a
/// mean is made of) and the *time waited* in the interval ([`Histogram::time_waited`], what an
/// intensity is made of) are two quantities. Over all intervals they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    pub(crate) scheme: Scheme,
    /// One count for each bucket of the scheme.
    pub(crate) counts: Sparse,
    /// The total latency of the events counted.
    pub(crate) total: Total,
    /// The time waited within the interval; `None` when the source cannot say when it was waited,
    /// so that the whole latency of each event is taken to belong here.
    pub(crate) waited: Option<Waited>,
    /// How far the true length of an event may be from the one it was counted with.
    pub(crate) length_error: Nanos,
}

/// Why counts are not a histogram, or two histograms do not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
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
        let counts = Sparse::default();
        Histogram {
            scheme,
            counts,
            total: Total::Exact(Nanos::ZERO),
            waited: None,
            length_error: Nanos::ZERO,
        }
    }

    /// Counts as a source gives them; `sum`, the exact total latency, only if the source gives it.
    pub fn new(
        scheme: Scheme,
        counts: Vec<u64>,
        sum: Option<Nanos>,
    ) -> Result<Histogram, HistogramError> {
        same_length(counts.len(), &scheme)?;
        let total = sum.map_or(Total::Buckets, Total::Exact);
        Ok(Histogram { counts: Sparse::of(counts), total, ..Histogram::empty(scheme) })
    }

    /// The same for the buckets from `first` on; in all others there is nothing.
    pub fn of_buckets(
        scheme: Scheme,
        (first, counts): (usize, Vec<u64>),
        sum: Option<Nanos>,
    ) -> Result<Histogram, HistogramError> {
        no_longer(first.saturating_add(counts.len()), &scheme)?;
        let total = sum.map_or(Total::Buckets, Total::Exact);
        let counts = Sparse::from(first, counts);
        Ok(Histogram { counts, total, ..Histogram::empty(scheme) })
    }

    /// As [`Histogram::with_waited`], for the buckets from `first` on.
    pub fn with_waited_in(
        self,
        (first, ns): (usize, Vec<u64>),
        exact: bool,
    ) -> Result<Histogram, HistogramError> {
        no_longer(first.saturating_add(ns.len()), &self.scheme)?;
        let waited = Waited { ns: Sparse::from(first, ns), ended: Sparse::default(), exact };
        Ok(Histogram { waited: Some(waited), ..self })
    }

    /// Events in the buckets of [`Scheme::log_linear`], and the nanoseconds waited; `exact` says whether
    /// these are all that were waited.
    pub(crate) fn of_events(
        counts: Sparse,
        sum: Option<Nanos>,
        waited_ns: Sparse,
        exact: bool,
    ) -> Histogram {
        let total = sum.map_or(Total::Buckets, Total::Exact);
        let waited = Waited { ns: waited_ns, ended: Sparse::default(), exact };
        let empty = Histogram::empty(Scheme::log_linear());
        Histogram { counts, total, waited: Some(waited), ..empty }
    }

    /// The same counts, of an interval in which so many nanoseconds were waited, bucket by bucket;
    /// `exact` says whether all of that is measured.
    pub fn with_waited(self, ns: Vec<u64>, exact: bool) -> Result<Histogram, HistogramError> {
        same_length(ns.len(), &self.scheme)?;
        let waited = Waited { ns: Sparse::of(ns), ended: Sparse::default(), exact };
        Ok(Histogram { waited: Some(waited), ..self })
    }

    /// Counts one event. A latency outside every bucket is counted in the nearest one.
    pub fn record(&mut self, latency: Nanos) {
        let above = latency.as_nanos() >= self.scheme.bounds()[0];
        let nearest = if above { self.scheme.buckets() - 1 } else { 0 };
        let index = self.scheme.index_of(latency).unwrap_or(nearest);
        self.counts.add_at(index, 1);
        self.total = match self.total {
            Total::Buckets => Total::Buckets,
            Total::Exact(sum) => sum.checked_add(latency).map_or(Total::Buckets, Total::Exact),
            Total::Parts(sum) => {
                Total::Parts(Nanos::new(sum.as_nanos().saturating_add(latency.as_nanos())))
            }
        };
        if let Some(waited) = &mut self.waited {
            waited.ns.add_at(index, latency.as_nanos());
        }
    }

    /// The bucket boundaries.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// One count for each bucket, as a list of all: most are zero and take no memory here. For one
    /// bucket there is [`Histogram::count`], for those with events [`Histogram::counted`].
    pub fn counts(&self) -> Vec<u64> {
        self.counts.dense(self.scheme.buckets())
    }

    /// The count of a bucket; zero where there is no such bucket.
    pub fn count(&self, index: usize) -> u64 {
        self.counts.get(index)
    }

    /// The indices of the buckets that hold events, shortest latencies first, each with its count.
    pub fn counted(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> + '_ {
        self.counts.iter()
    }

    /// The number of events.
    pub fn events(&self) -> u64 {
        self.counts.sum()
    }

    /// Whether no event was counted. Time may have been waited all the same.
    pub fn is_empty(&self) -> bool {
        self.counts.is_zero()
    }

    /// Whether there is nothing here: no event and no time waited.
    pub fn is_blank(&self) -> bool {
        self.is_empty() && self.waited.as_ref().is_none_or(|waited| waited.ns.is_zero())
    }

    /// The buckets that hold events, shortest latencies first.
    pub fn non_zero(&self) -> impl DoubleEndedIterator<Item = (Bucket, u64)> + '_ {
        self.counts.iter().map(|(index, count)| (self.scheme.bucket(index), count))
    }

    /// From the index of the first bucket that holds events or time to after the last; `0..0` of
    /// nothing.
    pub fn occupied_range(&self) -> Range<usize> {
        let waited = self.waited.as_ref().map_or(0..0, |waited| waited.ns.range());
        let counted = self.counts.range();
        match (counted.is_empty(), waited.is_empty()) {
            (_, true) => counted,
            (true, false) => waited,
            (false, false) => counted.start.min(waited.start)..counted.end.max(waited.end),
        }
    }

    /// The buckets that hold events or time, shortest latencies first, each with its count.
    pub fn occupied(&self) -> impl DoubleEndedIterator<Item = (Bucket, u64)> + '_ {
        let held = |&index: &usize| self.count(index) > 0 || self.waited_in(index) > 0;
        let held = self.occupied_range().filter(held);
        held.map(|index| (self.scheme.bucket(index), self.count(index)))
    }

    /// The events and the time of both. Exact: no bucket that holds counts is ever split, so where
    /// the schemes differ, overlapping buckets become one; empty buckets give way. The total is the
    /// sum of both totals, each as well known as it is. Commutes and associates, but for the
    /// division of an estimated time among buckets.
    #[must_use]
    pub fn merge(&self, other: &Histogram) -> Histogram {
        let mut merged = self.clone();
        merged.add(other);
        merged
    }

    /// Numbers of buckets in a scheme that splits none of those that hold any.
    fn moved(&self, numbers: &Sparse, scheme: &Scheme) -> Sparse {
        let home = |index: usize| scheme.index_of(self.scheme.bucket(index).lo);
        numbers.iter().filter_map(|(index, number)| Some((home(index)?, number))).collect()
    }

    /// The finest scheme that splits no bucket holding counts or time: all bounds of both that do
    /// not lie inside such a bucket.
    fn common_scheme(&self, other: &Histogram) -> Scheme {
        let mut bounds = [self.scheme.bounds(), other.scheme.bounds()].concat();
        bounds.sort_unstable();
        bounds.dedup();
        for histogram in [self, other] {
            let mut filled = histogram.occupied().peekable();
            bounds.retain(|&bound| {
                while filled.next_if(|(bucket, _)| upper(*bucket) <= bound).is_some() {}
                filled.peek().is_none_or(|(bucket, _)| bucket.lo.as_nanos() >= bound)
            });
        }
        Scheme::new(bounds).unwrap_or_else(|_| self.scheme.clone())
    }

    /// The events counted since `earlier`, bucket by bucket. A bucket that `earlier` did not have
    /// counts from zero. Anything that went down is an error, never a negative. The difference of two
    /// totals is exact if both are, and estimated in parts if one of them is.
    pub fn since(&self, earlier: &Histogram) -> Result<Histogram, HistogramError> {
        let mut counts = self.counts();
        for (bucket, before) in earlier.non_zero() {
            let index = self.scheme.position_of(bucket);
            let after = index.map_or(0, |index| counts[index]);
            let fell = HistogramError::CountFell { bucket: bucket.lo, before, after };
            match (index, after.checked_sub(before)) {
                (Some(index), Some(difference)) => counts[index] = difference,
                _ => return Err(fell),
            }
        }
        let known = |one: &Histogram| one.sum().or(one.partly_known_sum());
        let sum = match known(self).zip(known(earlier)) {
            Some((after, before)) => {
                Some(after.checked_sub(before).ok_or(HistogramError::SumFell)?)
            }
            None => None,
        };
        let is_exact = self.sum().is_some() && earlier.sum().is_some();
        let mut difference = Histogram::new(self.scheme.clone(), counts, sum)?;
        difference.length_error = self.length_error.max(earlier.length_error);
        if self.is_averages() && (self.has_waited_ns() || earlier.has_waited_ns()) {
            let ns = self.waited_in(0).checked_sub(earlier.waited_in(0));
            let time = Nanos::new(ns.ok_or(HistogramError::SumFell)?);
            difference.waited = Histogram::of_sampled_time(time).waited;
        }
        Ok(match sum {
            Some(sum) if !is_exact => difference.with_partly_known_sum(sum),
            _ => difference,
        })
    }

    /// The same events in the buckets of another scheme. Counts below its first bound go into its
    /// first bucket and counts above its last into its last. An error if a count would be split.
    pub fn rebin(&self, scheme: &Scheme) -> Result<Histogram, HistogramError> {
        if *scheme == self.scheme {
            return Ok(self.clone());
        }
        let bounds = scheme.bounds();
        let inner = &bounds[1..bounds.len() - 1];
        // Buckets come in order, so that each one's home is that of the one before or a little further on.
        let next_home = |home: usize, lo: u64| {
            let further = inner[home..].iter().take_while(|&&bound| bound <= lo).count();
            home + further
        };
        let mut home = 0;
        for (bucket, _) in self.occupied() {
            home = next_home(home, bucket.lo.as_nanos());
            if inner.get(home).is_some_and(|&bound| bound < upper(bucket)) {
                return Err(HistogramError::WouldSplit(bucket.lo));
            }
        }
        let moved = |numbers: &Sparse| -> Sparse {
            let mut home = 0;
            let at_home = |(index, number)| {
                home = next_home(home, self.scheme.bounds()[index]);
                (home, number)
            };
            numbers.iter().map(at_home).collect()
        };
        let waited = self.waited.as_ref().map(|own| own.map(moved));
        let counts = moved(&self.counts);
        let (total, length_error) = (self.total, self.length_error);
        Ok(Histogram { scheme: scheme.clone(), counts, total, waited, length_error })
    }

    /// The same counts with a total latency that is known exactly, or known from buckets only; when
    /// it was waited is not known any more.
    #[must_use]
    pub fn with_sum(self, sum: Option<Nanos>) -> Histogram {
        Histogram { total: sum.map_or(Total::Buckets, Total::Exact), waited: None, ..self }
    }

    /// The same counts with a total latency of which parts are estimated: so is when it was waited.
    #[must_use]
    pub fn with_partly_known_sum(self, sum: Nanos) -> Histogram {
        let waited = self.waited.map(|waited| Waited { exact: false, ..waited });
        Histogram { total: Total::Parts(sum), waited, ..self }
    }

    /// The histogram of nothing in the same buckets.
    #[must_use]
    pub fn cleared(&self) -> Histogram {
        Histogram::empty(self.scheme.clone())
    }

    /// The part `from..to` of an interval of `length` (all in one unit), in whole events and
    /// nanoseconds: what there is up to `to` less what there is up to `from`, so that parts add up
    /// to the whole.
    #[must_use]
    pub fn part(&self, (from, to): (u64, u64), length: u64) -> Histogram {
        if (from, to) == (0, length) {
            return self.clone();
        }
        let up_to = |number: u64, place: u64| {
            saturated(u128::from(number) * u128::from(place) / u128::from(length.max(1)))
        };
        let share = |number: u64| up_to(number, to) - up_to(number, from);
        let total = match self.total {
            Total::Buckets => Total::Buckets,
            Total::Exact(sum) => Total::Exact(Nanos::new(share(sum.as_nanos()))),
            Total::Parts(sum) => Total::Parts(Nanos::new(share(sum.as_nanos()))),
        };
        Histogram {
            scheme: self.scheme.clone(),
            counts: self.counts.map(share),
            total,
            waited: self.waited.as_ref().map(|own| own.map(|numbers| numbers.map(share))),
            length_error: self.length_error,
        }
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
    /// are the same and both or neither say when time was waited.
    pub fn add(&mut self, other: &Histogram) {
        let total = self.total_with(other);
        if self.scheme == other.scheme {
            self.add_waited(other);
            self.counts.add(&other.counts);
        } else {
            let scheme = self.common_scheme(other);
            let both = |one: &Sparse, two: &Sparse| {
                let mut sum = self.moved(one, &scheme);
                sum.add(&other.moved(two, &scheme));
                sum
            };
            let counts = both(&self.counts, &other.counts);
            self.waited = self.waited_of_both(other, both);
            (self.scheme, self.counts) = (scheme, counts);
        }
        self.total = total;
        self.length_error = self.length_error.max(other.length_error);
    }
}

fn no_longer(counts: usize, scheme: &Scheme) -> Result<(), HistogramError> {
    if counts <= scheme.buckets() { Ok(()) } else { same_length(counts, scheme) }
}

fn same_length(numbers: usize, scheme: &Scheme) -> Result<(), HistogramError> {
    let buckets = scheme.buckets();
    if numbers == buckets {
        return Ok(());
    }
    Err(HistogramError::WrongLength { counts: numbers, buckets })
}

/// The first latency too long for the bucket, as a bound.
fn upper(bucket: Bucket) -> u64 {
    bucket.hi.map_or(Scheme::UNBOUNDED, Nanos::as_nanos)
}
