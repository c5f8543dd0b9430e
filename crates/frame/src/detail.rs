//! How much a source says of its events.

use crate::sparse::Sparse;
use crate::total::Waited;
use crate::{Histogram, Nanos, Scheme};

/// How much is known of the events of a series: their distribution, or their number and their total
/// time only.
///
/// Counters such as those of `/proc/diskstats` say how many events there were and how long they took
/// together. That makes rates, means and time waited, all of them exact, and nothing else: no
/// percentile, no mode, no tail. The two kinds are never added up.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Counts of latencies in buckets.
    #[default]
    Distribution,
    /// The number of events and their total time.
    Averages,
}

impl Scheme {
    /// What stands for the buckets of [`Detail::Averages`]: one bucket of every latency, distinguished from
    /// every scheme with bounds, also from one of the same two.
    pub fn averages() -> Scheme {
        Scheme::of_averages().clone()
    }

    /// Whether there are buckets, or [`Scheme::averages`].
    pub fn detail(&self) -> Detail {
        if self == Scheme::of_averages() { Detail::Averages } else { Detail::Distribution }
    }
}

impl Histogram {
    /// So many events that took this long together, and nothing of how long each took.
    pub fn of_averages(events: u64, total: Nanos) -> Histogram {
        let mut counts = Histogram::empty(Scheme::averages());
        counts.counts.add_at(0, events);
        counts.with_sum(Some(total))
    }

    /// Time that was waited, of events of which neither the number nor the lengths are known: a
    /// sample sees that somebody waits, not how often or for how long. An estimate that makes an
    /// average waiting, and neither a rate, a mean nor a percentile.
    pub fn of_sampled_time(time: Nanos) -> Histogram {
        let events = Histogram::empty(Scheme::averages()).with_partly_known_sum(Nanos::ZERO);
        let waited = Sparse::from(0, vec![time.as_nanos()]);
        let waited = Waited { ns: waited, ended: Sparse::default(), exact: false };
        Histogram { waited: Some(waited), ..events }
    }

    /// Whether there is time, and no event is counted that waited for it.
    pub fn is_time_only(&self) -> bool {
        self.is_averages() && self.is_empty() && !self.is_blank()
    }

    /// How much is known of the events.
    pub fn detail(&self) -> Detail {
        self.scheme().detail()
    }

    /// Whether there is a number of events and their total time only.
    pub fn is_averages(&self) -> bool {
        self.detail() == Detail::Averages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuantileError;

    #[test]
    fn averages_have_a_mean_and_no_percentiles() {
        let one = Histogram::of_averages(4, Nanos::from_micros(400));
        let two = Histogram::of_averages(1, Nanos::from_micros(600));
        let both = one.merge(&two);
        assert_eq!((both.events(), both.sum()), (5, Some(Nanos::from_micros(1_000))));
        assert_eq!(both.mean_ns(), Some(200_000.0));
        assert_eq!(both.detail(), Detail::Averages);
        for q in [0.0, 0.5, 0.99, 1.0] {
            assert_eq!(both.quantile(q), Err(QuantileError::AveragesOnly));
        }
    }

    #[test]
    fn differences_and_parts_are_exact() {
        let earlier = Histogram::of_averages(10, Nanos::from_millis(30));
        let later = Histogram::of_averages(17, Nanos::from_millis(44));
        let since = later.since(&earlier).unwrap();
        assert_eq!(since, Histogram::of_averages(7, Nanos::from_millis(14)));
        let parts = [since.part((0, 3), 10), since.part((3, 10), 10)];
        assert!(parts.iter().all(Histogram::is_averages));
        assert_eq!(Histogram::merged(&parts), Some(since));
        assert!(earlier.since(&later).is_err());
        let less_time = Histogram::of_averages(11, Nanos::from_millis(29));
        assert!(less_time.since(&earlier).is_err());
    }

    #[test]
    fn sampled_time_is_waited_by_no_event() {
        let half = Histogram::of_sampled_time(Nanos::from_millis(500));
        let both = half.merge(&Histogram::of_sampled_time(Nanos::from_millis(250)));
        assert_eq!((both.events(), both.mean_ns()), (0, None));
        assert_eq!(both.quantile(0.5), Err(QuantileError::AveragesOnly));
        let waited = both.time_waited();
        assert!((waited.seconds - 0.75).abs() < 1e-12 && !waited.exact, "{waited:?}");
        assert!(both.is_time_only() && !both.is_blank());
        assert!(!Histogram::of_sampled_time(Nanos::ZERO).is_time_only());
        // It is neither made nor lost where an interval is divided, or totals are subtracted.
        let parts = [both.part((0, 2), 7), both.part((2, 7), 7)];
        assert_eq!(Histogram::merged(&parts), Some(both.clone()));
        let since = both.since(&half).unwrap();
        assert_eq!(since, Histogram::of_sampled_time(Nanos::from_millis(250)));
        assert_eq!(half.since(&both), Err(crate::HistogramError::SumFell));
        // Of what was not there before everything is new.
        assert_eq!(half.since(&half.cleared()).unwrap(), half);
        assert_eq!(half.cleared().since(&half), Err(crate::HistogramError::SumFell));
    }

    #[test]
    fn averages_are_no_bucket_and_what_is_added_to_buckets_is_neither() {
        let unbounded = Scheme::new(vec![0, Scheme::UNBOUNDED]).unwrap();
        assert_eq!(unbounded.detail(), Detail::Distribution);
        assert_ne!(unbounded, Scheme::averages());
        let mut buckets = Histogram::empty(Scheme::log_linear());
        buckets.record(Nanos::from_micros(5));
        let both = buckets.merge(&Histogram::of_averages(2, Nanos::from_micros(7)));
        assert_eq!((both.events(), both.sum()), (3, Some(Nanos::from_micros(12))));
        assert_eq!(both.detail(), Detail::Distribution);
        assert_eq!(both.scheme(), &unbounded);
    }
}
