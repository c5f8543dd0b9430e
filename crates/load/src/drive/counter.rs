//! What one lane counts: finely, by interval.

use isotherm_frame::{LogLinear, Nanos};

use crate::distribution::Distribution;

/// Latencies of one series, finely counted, with exact total and extremes.
#[derive(Clone, Debug)]
pub struct Fine {
    counts: Vec<u32>,
    /// The part of `counts` that may hold something.
    low: usize,
    high: usize,
    events: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Fine {
    pub fn new(buckets: LogLinear) -> Fine {
        Fine {
            counts: vec![0; buckets.buckets()],
            low: usize::MAX,
            high: 0,
            events: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, buckets: LogLinear, ns: u64) {
        let index = buckets.index_of(Nanos::new(ns));
        if let Some(count) = self.counts.get_mut(index) {
            *count = count.saturating_add(1);
        }
        self.low = self.low.min(index);
        self.high = self.high.max(index);
        self.events += 1;
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// Moves what was counted into a total, and begins anew.
    pub fn drain_into(&mut self, total: &mut Total) {
        if self.events == 0 {
            return;
        }
        let counts = self.counts.iter_mut().take(self.high + 1).skip(self.low);
        for (sum, count) in total.span(self.low, self.high).zip(counts) {
            *sum += u64::from(std::mem::take(count));
        }
        total.events += self.events;
        total.sum_ns = total.sum_ns.saturating_add(self.sum_ns);
        total.min_ns = total.min_ns.min(self.min_ns);
        total.max_ns = total.max_ns.max(self.max_ns);
        (self.low, self.high) = (usize::MAX, 0);
        (self.events, self.sum_ns, self.min_ns, self.max_ns) = (0, 0, u64::MAX, 0);
    }
}

/// Latencies of one series added up over lanes or intervals. Holds the stretch of buckets that is
/// used, and no others: many lanes make many of these, and most latencies lie close together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// The bucket of the first count.
    low: usize,
    counts: Vec<u64>,
    pub events: u64,
    pub sum_ns: u64,
    pub min_ns: u64,
    pub max_ns: u64,
}

impl Total {
    pub fn new() -> Total {
        Total { low: 0, counts: Vec::new(), events: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }

    /// The counts of the buckets from `low` to `high`, made if they are not there.
    fn span(&mut self, low: usize, high: usize) -> impl Iterator<Item = &mut u64> {
        if self.counts.is_empty() {
            self.low = low;
        }
        if low < self.low {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.low - low));
            self.low = low;
        }
        let length = (high + 1).saturating_sub(self.low);
        if self.counts.len() < length {
            self.counts.resize(length, 0);
        }
        self.counts.iter_mut().skip(low - self.low)
    }

    /// Adds another.
    pub fn add(&mut self, other: &Total) {
        if other.counts.is_empty() {
            return;
        }
        let high = other.low + other.counts.len() - 1;
        for (sum, count) in self.span(other.low, high).zip(&other.counts) {
            *sum += count;
        }
        self.events += other.events;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The same, to be kept.
    pub fn distribution(&self) -> Distribution {
        if self.events == 0 {
            return Distribution::default();
        }
        let filled = (self.low..).zip(&self.counts).filter(|(_, count)| **count > 0);
        Distribution {
            events: self.events,
            sum_ns: self.sum_ns,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            buckets: filled
                .filter_map(|(index, &count)| u32::try_from(index).ok().map(|index| (index, count)))
                .collect(),
        }
    }

    /// The counts in coarser buckets, each a whole number of these.
    pub fn coarse(&self, fine: LogLinear, coarse: LogLinear) -> Vec<u64> {
        let mut counts = vec![0; coarse.buckets()];
        let bounds = fine.scheme().bounds().iter().skip(self.low);
        for (&count, &low) in self.counts.iter().zip(bounds).filter(|(count, _)| **count > 0) {
            if let Some(sum) = counts.get_mut(coarse.index_of(Nanos::new(low))) {
                *sum += count;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::of_lane;

    #[test]
    fn what_is_counted_is_kept_with_its_total_and_extremes() {
        let (fine, coarse) = (LogLinear::new(7), LogLinear::new(5));
        let mut random = of_lane(7, 0);
        let latencies: Vec<u64> =
            (0..10_000).map(|_| random.next() >> (10 + random.below(50))).collect();
        let (mut counter, mut total) = (Fine::new(fine), Total::new());
        for part in latencies.chunks(777) {
            for &ns in part {
                counter.record(fine, ns);
            }
            counter.drain_into(&mut total);
        }
        let kept = total.distribution();
        assert_eq!(kept.events, 10_000);
        assert_eq!(kept.buckets.iter().map(|(_, count)| count).sum::<u64>(), 10_000);
        let sum = latencies.iter().fold(0_u64, |sum, ns| sum.saturating_add(*ns));
        assert_eq!(kept.sum_ns, sum);
        assert_eq!(Some(&kept.min_ns), latencies.iter().min());
        assert_eq!(Some(&kept.max_ns), latencies.iter().max());
        let expected = kept.histogram().rebin(coarse.scheme()).unwrap();
        assert_eq!(total.coarse(fine, coarse), expected.counts());
        // Added up in any order, with stretches that overlap, lie apart, or are empty.
        let mut parts: Vec<Total> = latencies
            .chunks(5)
            .map(|part| {
                let mut total = Total::new();
                for &ns in part {
                    counter.record(fine, ns);
                }
                counter.drain_into(&mut total);
                total
            })
            .collect();
        parts.push(Total::new());
        for reverse in [false, true] {
            let mut sum = Total::new();
            for part in &parts {
                sum.add(part);
            }
            assert_eq!(sum.distribution(), kept, "reverse {reverse}");
            parts.reverse();
        }
    }
}
