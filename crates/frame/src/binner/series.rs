//! The intervals of one series.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::{Nanos, Series};

use super::bin::{Bin, Settled};
use super::spread::{Cover, Spread};

/// The events of one series by the interval they end in, and the time they waited before it.
#[derive(Debug)]
pub(super) struct Bins {
    pub series: Series,
    /// Open intervals by number: interval `i` covers `[i * width, (i + 1) * width)`.
    intervals: BTreeMap<i64, Settled>,
    /// The interval being filled, kept out of the map because nearly every event belongs to it.
    current: Option<i64>,
    /// What that interval holds; nothing where there is none.
    filling: Option<Bin>,
    /// Time waited in open intervals by events that end in later ones.
    pub spread: Spread,
    /// Waits that cover the first open interval.
    cover: Cover,
    /// Time waited in intervals that were given before it was known.
    pub late: Spread,
}

/// Neighbouring intervals in which the same happened: one of them, or many of only waiting.
pub(super) struct Run {
    pub intervals: Range<i64>,
    /// The events, in a single interval only.
    pub bin: Option<Settled>,
    /// Nanoseconds waited in the run by events that end later, for each bucket.
    pub waited_ns: Vec<(usize, u64)>,
}

impl Run {
    /// So many intervals in which nothing ends are given one by one; more of them as one frame.
    const SINGLY: u64 = 16;

    /// A run of a few intervals as single ones.
    pub fn singly(self) -> Vec<Run> {
        if self.count() <= 1 || self.is_long() {
            return vec![self];
        }
        self.intervals.clone().map(|number| self.single(number)).collect()
    }

    fn count(&self) -> u64 {
        self.intervals.end.abs_diff(self.intervals.start)
    }

    /// Whether there are too many intervals to be given one by one.
    pub fn is_long(&self) -> bool {
        self.count() > Run::SINGLY
    }

    pub fn has_waits(&self) -> bool {
        self.waited_ns.iter().any(|(_, ns)| *ns > 0)
    }

    /// One interval of several, with its share of what was waited in them.
    pub fn single(&self, number: i64) -> Run {
        let count = self.count().max(1);
        let waited_ns = self.waited_ns.iter().map(|&(bucket, ns)| (bucket, ns / count)).collect();
        Run { intervals: number..number + 1, bin: None, waited_ns }
    }
}

impl Bins {
    pub fn new(series: Series) -> Bins {
        Bins {
            series,
            intervals: BTreeMap::new(),
            current: None,
            filling: None,
            spread: Spread::default(),
            cover: Cover::new(),
            late: Spread::default(),
        }
    }

    /// The bin of `interval`, made if it is not there; says whether it was made, and by how many
    /// bytes the packed intervals grew and shrank.
    pub fn bin(&mut self, interval: i64) -> (&mut Bin, bool, (usize, usize)) {
        let (mut made, mut grown, mut shrunk) = (false, 0, 0);
        if self.current != Some(interval) {
            grown = self.settle();
            self.current = Some(interval);
            let found = self.intervals.remove(&interval);
            (made, shrunk) = (found.is_none(), found.as_ref().map_or(0, Settled::bytes));
            if let Some(settled) = found {
                settled.add_to(self.filling.get_or_insert_with(Bin::new));
            }
        }
        (self.filling.get_or_insert_with(Bin::new), made, (grown, shrunk))
    }

    /// Puts the current interval, packed, back among the others; gives the bytes it takes there.
    pub fn settle(&mut self) -> usize {
        let Some((number, bin)) = self.current.take().zip(self.filling.as_mut()) else { return 0 };
        let settled = bin.settle();
        let bytes = settled.bytes();
        self.intervals.insert(number, settled);
        bytes
    }

    /// The number of the intervals held that have events.
    pub fn len(&self) -> usize {
        self.intervals.len() + usize::from(self.current.is_some())
    }

    /// The memory that packed intervals take.
    pub fn bytes(&self) -> usize {
        self.intervals.values().map(Settled::bytes).sum()
    }

    /// The first interval that holds anything, and the one after the last.
    pub fn span(&self) -> Option<(i64, i64)> {
        let current = self.current;
        let first = self.intervals.keys().next().copied().into_iter().chain(current).min();
        let last = self.intervals.keys().next_back().copied().into_iter().chain(current).max();
        let events = first.zip(last).map(|(first, last)| (first, last.saturating_add(1)));
        let spans = [events, self.spread.span()];
        spans.into_iter().flatten().reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)))
    }

    /// Moves the events of an interval to the one before it.
    pub fn fold_back(&mut self, interval: i64) {
        self.settle();
        let Some(last) = self.intervals.remove(&interval) else { return };
        match self.intervals.get_mut(&(interval - 1)) {
            Some(before) => before.absorb(&last, self.filling.get_or_insert_with(Bin::new)),
            None => drop(self.intervals.insert(interval - 1, last)),
        }
    }

    /// Makes intervals so many times as wide, twice where some were given already; `width` is the old
    /// width, `open_from` the first open one.
    pub fn widen(&mut self, width: Nanos, parts: i64, open_from: i64) {
        self.settle();
        if open_from > i64::MIN && open_from.rem_euclid(2) == 1 {
            // The first half of the wide interval was given, with the waits that cover it.
            for (&bucket, &waits) in &self.cover {
                self.spread.take_back(open_from, bucket, waits, width.as_nanos());
            }
        }
        let empty = self.filling.get_or_insert_with(Bin::new);
        let mut coarse: BTreeMap<i64, Settled> = BTreeMap::new();
        for (number, settled) in std::mem::take(&mut self.intervals) {
            coarse
                .entry(number.div_euclid(parts))
                .and_modify(|pair| pair.absorb(&settled, empty))
                .or_insert(settled);
        }
        self.intervals = coarse;
        for spread in [&mut self.spread, &mut self.late] {
            *spread = std::mem::take(spread).widened(width.as_nanos(), parts);
        }
    }

    /// Takes out the intervals of a range, which begins with the first open one.
    pub fn take(&mut self, range: Range<i64>, width: Nanos) -> Vec<Run> {
        self.settle();
        let events = self.intervals.range(range.clone()).map(|(&number, _)| number);
        let mut places: BTreeSet<i64> =
            events.chain(self.spread.intervals(range.clone())).collect();
        places.insert(range.start);
        let mut cover = std::mem::take(&mut self.cover);
        let mut runs = Vec::new();
        let ends = places.iter().skip(1).copied().chain([range.end]);
        for (&place, end) in places.iter().zip(ends) {
            let partial = self.spread.take(place, &mut cover);
            let bin = self.intervals.remove(&place);
            let alone = bin.is_some() || !partial.is_empty();
            let rest = if alone { place + 1 } else { place };
            if alone {
                let waited_ns = waited(&cover, width.as_nanos(), &partial);
                runs.push(Run { intervals: place..rest, bin, waited_ns });
            }
            if rest < end {
                let length = width.as_nanos().saturating_mul(end.abs_diff(rest));
                let waited_ns = waited(&cover, length, &[]);
                runs.push(Run { intervals: rest..end, bin: None, waited_ns });
            }
        }
        self.cover = cover;
        runs
    }

    /// Takes out the time waited in intervals that were given before it was known.
    pub fn take_late(&mut self, width: Nanos) -> Vec<Run> {
        let Some((start, end)) = self.late.span() else { return Vec::new() };
        let places: BTreeSet<i64> = self.late.intervals(start..end).collect();
        let mut cover = Cover::new();
        let mut runs = Vec::new();
        let ends = places.iter().skip(1).copied().chain([end]);
        for (&place, end) in places.iter().zip(ends) {
            let partial = self.late.take(place, &mut cover);
            let rest = if partial.is_empty() { place } else { place + 1 };
            let alone = waited(&cover, width.as_nanos(), &partial);
            let length = width.as_nanos().saturating_mul(end.abs_diff(rest));
            let covered = waited(&cover, length, &[]);
            let run = |intervals, waited_ns| Run { intervals, bin: None, waited_ns };
            runs.extend((place < rest).then(|| run(place..rest, alone)));
            runs.extend((rest < end).then(|| run(rest..end, covered)));
        }
        runs.retain(|run| run.waited_ns.iter().any(|(_, ns)| *ns > 0));
        runs
    }
}

/// Nanoseconds waited in a stretch of time: by the waits that cover it, and by others in part.
fn waited(cover: &Cover, length_ns: u64, partial: &[(usize, i128)]) -> Vec<(usize, u64)> {
    let mut sums: BTreeMap<usize, i128> = BTreeMap::new();
    for (&bucket, &waits) in cover {
        *sums.entry(bucket).or_default() += i128::from(waits) * i128::from(length_ns);
    }
    for (bucket, ns) in partial {
        *sums.entry(*bucket).or_default() += ns;
    }
    let saturated = |ns: i128| u64::try_from(ns.max(0)).unwrap_or(u64::MAX);
    sums.into_iter().map(|(bucket, ns)| (bucket, saturated(ns))).collect()
}
