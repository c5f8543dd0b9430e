//! One interval of one series: open while events fall into it, packed while they do not.

use crate::{Histogram, Nanos, Scheme, leb128};

/// The interval being filled.
#[derive(Debug)]
pub(super) struct Bin {
    counts: Box<[u64]>,
    /// The exact total in nanoseconds.
    sum_ns: u128,
}

/// An interval that is not being filled, in about as many bytes as it has buckets between its
/// shortest and its longest latency.
#[derive(Debug)]
pub(super) struct Settled {
    sum_ns: u128,
    /// Unsigned LEB128 numbers: the first bucket that holds events, then the counts from there to
    /// the last one that does.
    packed: Box<[u8]>,
}

/// What an interval takes in a map besides its bytes, about.
const OVERHEAD: usize = 96;

impl Bin {
    pub fn new() -> Bin {
        Bin { counts: vec![0; Scheme::log_linear().buckets()].into(), sum_ns: 0 }
    }

    /// Counts an event in a bucket of [`Scheme::log_linear`].
    pub fn record(&mut self, bucket: usize, latency: Nanos) {
        self.counts[bucket] += 1;
        self.sum_ns += u128::from(latency.as_nanos());
    }

    pub fn settled(self) -> Settled {
        let first = self.counts.iter().position(|&count| count > 0).unwrap_or(0);
        let end = self.counts.iter().rposition(|&count| count > 0).map_or(first, |last| last + 1);
        let mut packed = Vec::with_capacity(end - first + 2);
        leb128::push(&mut packed, first as u64);
        self.counts[first..end].iter().for_each(|&count| leb128::push(&mut packed, count));
        Settled { sum_ns: self.sum_ns, packed: packed.into() }
    }

    pub fn into_histogram(self) -> Histogram {
        let sum = u64::try_from(self.sum_ns).ok().map(Nanos::new);
        let scheme = Scheme::log_linear();
        let empty = Histogram::empty(scheme.clone());
        Histogram::new(scheme, self.counts.into_vec(), sum).unwrap_or(empty)
    }
}

impl Settled {
    /// The memory it takes, about.
    pub fn bytes(&self) -> usize {
        self.packed.len() + OVERHEAD
    }

    pub fn bin(&self) -> Bin {
        let mut bin = Bin { sum_ns: self.sum_ns, ..Bin::new() };
        self.add_to(&mut bin.counts);
        bin
    }

    pub fn absorb(&mut self, other: &Settled) {
        let mut both = self.bin();
        other.add_to(&mut both.counts);
        both.sum_ns += other.sum_ns;
        *self = both.settled();
    }

    fn add_to(&self, counts: &mut [u64]) {
        let mut numbers = leb128::numbers(&self.packed);
        let first = numbers.next().and_then(|first| usize::try_from(first).ok()).unwrap_or(0);
        let places = counts.iter_mut().skip(first);
        places.zip(numbers).for_each(|(count, more)| *count += more);
    }
}
