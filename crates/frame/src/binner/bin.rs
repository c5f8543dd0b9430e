//! One interval of one series: open while events fall into it, packed while they do not.

use std::ops::Range;

use crate::sparse::Sparse;
use crate::{Histogram, Nanos, Scheme, leb128};

/// The interval being filled.
#[derive(Debug)]
pub(super) struct Bin {
    counts: Box<[u64]>,
    /// Nanoseconds waited within the interval by the events that end in it, for each bucket.
    waited_ns: Box<[u64]>,
    /// From the first bucket that holds events to after the last; 0..0 if none does.
    held: Range<usize>,
    /// The exact total latency in nanoseconds.
    sum_ns: u128,
    /// Whether time of these events is in no interval.
    is_cut: bool,
    /// How far the true length of one of them may be from its own.
    length_error: Nanos,
    /// Where intervals are packed: each then takes one piece of memory of its length.
    packing: Vec<u8>,
}

/// An interval that is not being filled, in about as many bytes as it has buckets between its
/// shortest and its longest latency.
#[derive(Debug, Default)]
pub(super) struct Settled {
    sum_ns: u128,
    is_cut: bool,
    length_error: Nanos,
    /// Unsigned LEB128 numbers: the first bucket that holds events, how many there are up to the
    /// last one that does, their counts, and their times.
    packed: Box<[u8]>,
}

/// What an interval takes in a map besides its bytes, about.
const OVERHEAD: usize = 96;

impl Bin {
    pub fn new() -> Bin {
        let zeros = || vec![0; Scheme::log_linear().buckets()].into_boxed_slice();
        let (counts, waited_ns) = (zeros(), zeros());
        Bin {
            counts,
            waited_ns,
            held: 0..0,
            sum_ns: 0,
            is_cut: false,
            length_error: Nanos::ZERO,
            packing: Vec::new(),
        }
    }

    /// Counts an event in a bucket of [`Scheme::log_linear`]; `within_ns` of its latency was waited
    /// in this interval.
    pub fn record(&mut self, bucket: usize, latency: Nanos, within_ns: u64) {
        self.hold(bucket..bucket + 1);
        self.counts[bucket] += 1;
        self.waited_ns[bucket] = self.waited_ns[bucket].saturating_add(within_ns);
        self.sum_ns += u128::from(latency.as_nanos());
    }

    /// Whether a part of the time of an event is in no interval.
    pub fn cut(&mut self, is_cut: bool) {
        self.is_cut |= is_cut;
    }

    /// The length of an event is an estimate: it may be so far from the true one.
    pub fn estimate(&mut self, within: Nanos) {
        self.length_error = self.length_error.max(within);
    }

    /// Packs what it holds, and is empty again: its memory is used for the next interval.
    pub fn settle(&mut self) -> Settled {
        let held = std::mem::take(&mut self.held);
        self.packing.clear();
        leb128::push(&mut self.packing, held.start as u64);
        leb128::push(&mut self.packing, held.len() as u64);
        for numbers in [&mut self.counts, &mut self.waited_ns] {
            for number in &mut numbers[held.clone()] {
                leb128::push(&mut self.packing, std::mem::take(number));
            }
        }
        Settled {
            sum_ns: std::mem::take(&mut self.sum_ns),
            is_cut: std::mem::take(&mut self.is_cut),
            length_error: std::mem::take(&mut self.length_error),
            packed: self.packing.as_slice().into(),
        }
    }

    fn hold(&mut self, buckets: Range<usize>) {
        if self.held.is_empty() {
            self.held = buckets;
        } else if !buckets.is_empty() {
            self.held = self.held.start.min(buckets.start)..self.held.end.max(buckets.end);
        }
    }
}

impl Settled {
    /// The memory it takes, about.
    pub fn bytes(&self) -> usize {
        self.packed.len() + OVERHEAD
    }

    /// Adds another interval; `empty` is a bin that holds nothing, and does so again.
    pub fn absorb(&mut self, other: &Settled, empty: &mut Bin) {
        self.add_to(empty);
        other.add_to(empty);
        *self = empty.settle();
    }

    /// The histogram, with `more_ns` of each bucket waited by events that end later.
    pub fn into_histogram(self, more_ns: impl Iterator<Item = (usize, u64)>) -> Histogram {
        let mut numbers = leb128::numbers(&self.packed);
        let mut next = || numbers.next().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let (first, length) = (next(), next());
        let mut read = || Sparse::from(first, numbers.by_ref().take(length).collect());
        let (counts, mut waited_ns) = (read(), read());
        more_ns.for_each(|(bucket, ns)| waited_ns.add_at(bucket, ns));
        let sum = u64::try_from(self.sum_ns).ok().map(Nanos::new);
        let counts = Histogram::of_events(counts, sum, waited_ns, !self.is_cut);
        counts.with_length_error(self.length_error)
    }

    pub fn add_to(&self, bin: &mut Bin) {
        let mut numbers = leb128::numbers(&self.packed);
        let mut next = || numbers.next().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let (first, length) = (next(), next());
        bin.hold(first..first + length);
        for places in [&mut bin.counts, &mut bin.waited_ns] {
            let places = places[first..first + length].iter_mut();
            places.zip(&mut numbers).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        bin.sum_ns += self.sum_ns;
        bin.is_cut |= self.is_cut;
        bin.estimate(self.length_error);
    }
}
