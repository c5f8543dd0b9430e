//! Times of many waits and calls in little memory.

use isotherm_frame::{Histogram, LogLinear, Nanos, Scheme};

use super::super::events::EventId;
use super::super::statement::StatementId;
use super::super::time_tree::Step;

/// One wait or call: how long, and where in the file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// In nanoseconds; rounding may leave the own time of a call slightly below zero.
    pub ns: i64,
    /// The line, from 1.
    pub line: u64,
    /// What was waited for; [`OUTSIDE_WAITS`] for the own time of a call.
    pub event: EventId,
    /// What is known when the call ends; `None` before.
    pub late: Option<Late>,
}

/// What is known of a wait when its call ends, and of the call itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Late {
    /// The statement.
    pub id: StatementId,
    /// What was done with it.
    pub step: Step,
    /// How deep the call is.
    pub depth: u32,
}

/// Stands for the time of a call that is no wait.
pub(super) const OUTSIDE_WAITS: EventId = EventId::MAX - 1;

/// How many of the longest are kept of each group.
pub(super) const LONGEST: usize = 5;

/// Waits and calls together.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// Their time in nanoseconds.
    pub total_ns: i64,
    /// The shortest, in nanoseconds; meaningless if there are none.
    pub min_ns: i64,
    /// The longest, in nanoseconds.
    pub max_ns: i64,
    /// Buckets of [`Scheme::log_linear`] in order, with how many fell in them.
    buckets: Vec<(usize, u64)>,
    /// The longest, in order.
    pub(super) longest: Vec<Item>,
}

impl Tally {
    /// The mean in nanoseconds; `None` if there are none.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64)
    }

    /// The distribution; what rounding left below zero counts as zero.
    pub fn latencies(&self) -> Histogram {
        let scheme = Scheme::log_linear();
        let mut counts = vec![0; scheme.buckets()];
        for &(bucket, count) in &self.buckets {
            if let Some(known) = counts.get_mut(bucket) {
                *known = count;
            }
        }
        let empty = Histogram::empty(scheme.clone());
        let sum = u64::try_from(self.total_ns).ok().map(Nanos::new);
        Histogram::new(scheme, counts, sum).unwrap_or(empty)
    }

    /// Counts one.
    pub(super) fn record(&mut self, item: Item) {
        self.extend_to(item.ns, item.ns);
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(item.ns);
        let latency = Nanos::new(u64::try_from(item.ns).unwrap_or(0));
        self.add_bucket(LogLinear::EVENTS.index_of(latency), 1);
        keep_longest(&mut self.longest, item, LONGEST, |item| item.ns);
    }

    /// Counts what another counted.
    pub fn add(&mut self, other: &Tally) {
        if other.count == 0 {
            return;
        }
        self.extend_to(other.min_ns, other.max_ns);
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        other.buckets.iter().for_each(|&(bucket, count)| self.add_bucket(bucket, count));
        for &item in &other.longest {
            keep_longest(&mut self.longest, item, LONGEST, |item| item.ns);
        }
    }

    fn extend_to(&mut self, min_ns: i64, max_ns: i64) {
        let first = self.count == 0;
        self.min_ns = if first { min_ns } else { self.min_ns.min(min_ns) };
        self.max_ns = if first { max_ns } else { self.max_ns.max(max_ns) };
    }

    fn add_bucket(&mut self, bucket: usize, count: u64) {
        match self.buckets.binary_search_by_key(&bucket, |&(known, _)| known) {
            Ok(place) => self.buckets[place].1 += count,
            Err(place) => self.buckets.insert(place, (bucket, count)),
        }
    }
}

/// Puts one among the longest, the longest first; of equal ones the earlier stays before the later.
pub(super) fn keep_longest<T>(list: &mut Vec<T>, one: T, most: usize, ns: fn(&T) -> i64) {
    let length = ns(&one);
    if list.len() >= most && list.last().is_some_and(|last| ns(last) >= length) {
        return;
    }
    let place = list.partition_point(|known| ns(known) >= length);
    list.insert(place, one);
    list.truncate(most);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(times: &[i64]) -> Tally {
        let mut tally = Tally::default();
        for (line, &ns) in (1..).zip(times) {
            tally.record(Item { ns, line, event: 0, late: None });
        }
        tally
    }

    #[test]
    fn sums_are_those_of_the_parts() {
        let times = [5_000, 7_000, -1_000, 900_000, 7_000, 3_000, 2_000];
        let whole = tally(&times);
        let (one, two) = times.split_at(3);
        let mut parts = tally(one);
        parts.add(&tally(two));
        parts.add(&Tally::default());
        for tally in [whole, parts] {
            assert_eq!((tally.count, tally.total_ns), (7, 923_000));
            assert_eq!((tally.min_ns, tally.max_ns), (-1_000, 900_000));
            assert_eq!(tally.latencies().events(), 7);
            let longest: Vec<i64> = tally.longest.iter().map(|item| item.ns).collect();
            assert_eq!(longest, [900_000, 7_000, 7_000, 5_000, 3_000]);
        }
    }
}
