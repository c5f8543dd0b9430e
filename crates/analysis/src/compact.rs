//! A frame, packed.

use std::sync::Arc;

use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp, leb128};

use crate::grid::aligned;

/// A frame with only its non-zero counts, packed: most take one byte.
#[derive(Clone, Debug)]
pub(crate) struct Compact {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) quality: Quality,
    scheme: Scheme,
    /// The bucket of the first count kept, and how many are.
    kept: (usize, usize),
    /// The counts as unsigned LEB128 numbers; then, where it is known when time was waited, the
    /// nanoseconds of each bucket in the same way.
    packed: Arc<[u8]>,
    total: Total,
    waited: Waited,
}

/// What is known of the total latency.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Total {
    Buckets,
    Exact(Nanos),
    Parts(Nanos),
}

/// What is known of the time waited.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Waited {
    /// Not when it was waited.
    Unplaced,
    /// The time of each bucket, and whether it is exact.
    Placed { exact: bool },
}

impl Compact {
    pub(crate) fn new(frame: &Frame) -> Compact {
        Compact::of(&frame.counts, (frame.start, frame.end), frame.quality)
    }

    fn of(
        latencies: &Histogram,
        (start, end): (Timestamp, Timestamp),
        quality: Quality,
    ) -> Compact {
        let (run, placed) = (latencies.occupied_range(), latencies.is_time_placed());
        let counts = run.clone().map(|index| latencies.count(index));
        let of_time = if placed { run.clone() } else { 0..0 };
        let times = of_time.map(|index| latencies.waited_in(index));
        let known = latencies.sum().map(Total::Exact);
        let known = known.or(latencies.partly_known_sum().map(Total::Parts));
        let exact = latencies.is_time_exact();
        Compact {
            start,
            end,
            quality,
            scheme: latencies.scheme().clone(),
            kept: (run.start, run.len()),
            packed: packed(counts.chain(times)),
            total: known.unwrap_or(Total::Buckets),
            waited: if placed { Waited::Placed { exact } } else { Waited::Unplaced },
        }
    }

    /// How many counts are kept.
    pub(crate) fn cells(&self) -> usize {
        self.kept.1
    }

    /// The memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        /// What an allocation costs beside its bytes, and the counters of what is shared.
        const ALLOCATION: usize = 32;
        size_of::<Compact>() + self.packed.len() + ALLOCATION
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.kept.1 == 0 && self.quality == Quality::Complete
    }

    /// Takes in the frame after it if both are silent.
    pub(crate) fn extend_silence(&mut self, next: &Compact) -> bool {
        let silent = self.is_silent() && next.is_silent() && self.scheme == next.scheme;
        let follows = silent && self.end == next.start;
        self.end = if follows { next.end } else { self.end };
        follows
    }

    /// Where it begins and ends.
    pub(crate) fn span(&self) -> (Timestamp, Timestamp) {
        (self.start, self.end)
    }

    /// Takes in the counts of the interval after it: `false`, and nothing is changed, if that does
    /// not follow at once, counts in other buckets, or one of the two is a gap.
    pub(crate) fn extend(&mut self, next: &Compact) -> bool {
        let gap = |frame: &Compact| matches!(frame.quality, Quality::Gap(_));
        if self.end != next.start || self.scheme != next.scheme || gap(self) || gap(next) {
            return false;
        }
        let quality = if self.quality == next.quality { self.quality } else { Quality::Complete };
        let both = self.histogram().merge(&next.histogram());
        *self = Compact::of(&both, (self.start, next.end), quality);
        true
    }

    /// Takes in time that was waited in it.
    pub(crate) fn amend(&mut self, time: &Histogram) {
        let both = self.histogram().merge(time);
        *self = Compact::of(&both, (self.start, self.end), self.quality);
    }

    fn histogram(&self) -> Histogram {
        let (lo, length) = self.kept;
        let mut numbers = leb128::numbers(&self.packed);
        let mut run = || {
            let mut all = vec![0; self.scheme.buckets()];
            let places = all.iter_mut().skip(lo).take(length);
            places.zip(&mut numbers).for_each(|(place, number)| *place = number);
            all
        };
        let counts = run();
        let empty = Histogram::empty(self.scheme.clone());
        let sum = if let Total::Exact(sum) = self.total { Some(sum) } else { None };
        let counts = Histogram::new(self.scheme.clone(), counts, sum).unwrap_or(empty);
        let counts = match self.total {
            Total::Parts(sum) => counts.with_partly_known_sum(sum),
            Total::Buckets | Total::Exact(_) => counts,
        };
        let Waited::Placed { exact } = self.waited else { return counts };
        let without = counts.clone();
        counts.with_waited(run(), exact).unwrap_or(without)
    }

    pub(crate) fn frame(&self, series: &Series) -> Frame {
        let (start, end, quality) = (self.start, self.end, self.quality);
        Frame { series: series.clone(), start, end, counts: self.histogram(), quality }
    }
}

/// Takes a frame into the one before it where both lie in one interval of this length.
pub(crate) fn joined(last: &mut Compact, next: &Compact, column_ns: u64) -> bool {
    let amends = |frame: &Compact| frame.quality == Quality::Amendment;
    let cell = aligned(next.start, column_ns, 0);
    column_ns > 0
        && !amends(last)
        && !amends(next)
        && aligned(last.start, column_ns, 0) == cell
        && next.end.since(cell).as_nanos() <= column_ns
        && last.extend(next)
}

fn packed(numbers: impl Iterator<Item = u64>) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    numbers.for_each(|number| leb128::push(&mut bytes, number));
    bytes.into()
}
