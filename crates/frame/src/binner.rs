//! The only place where single events become intervals.

mod bin;

use std::collections::BTreeMap;

use crate::{Frame, Nanos, Quality, Scheme, Series, Timestamp};

use bin::{Bin, Settled};

/// Turns single events into frames: for each series and interval of time one histogram in
/// [`Scheme::log_linear`], with the exact total of time.
///
/// Intervals are aligned to multiples of their width. Events may come in any order. Memory is
/// bounded: when more intervals than [`BinnerLimits::max_cells`] allows are open, the width
/// doubles and pairs of intervals are merged, which loses resolution in time and no event.
#[derive(Debug)]
pub struct Binner {
    width: Nanos,
    limits: BinnerLimits,
    series: Vec<Bins>,
    index: BTreeMap<Series, usize>,
    /// The series and interval of the last event: most often the next one's too.
    recent: Option<(usize, i64)>,
    /// Intervals before this one are finished and will not be reopened.
    open_from: i64,
    cells: usize,
    /// What the intervals not being filled take.
    bytes: usize,
}

/// How much a [`Binner`] may hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BinnerLimits {
    /// The largest number of histograms (series x intervals) held at once. As a frame each takes
    /// 2.6 KB.
    pub max_cells: usize,
    /// The largest number of intervals of one series.
    pub max_intervals: usize,
    /// The memory that histograms may take while they are held, in bytes: they are packed.
    pub max_bytes: usize,
}

impl BinnerLimits {
    /// At most so many histograms, whatever they take.
    pub const fn cells(max_cells: usize) -> BinnerLimits {
        BinnerLimits { max_cells, max_intervals: max_cells, max_bytes: usize::MAX }
    }
}

impl Default for BinnerLimits {
    /// 8,192 histograms: as frames 21 MB.
    fn default() -> BinnerLimits {
        BinnerLimits::cells(8_192)
    }
}

#[derive(Debug)]
struct Bins {
    series: Series,
    /// Open intervals by number: interval `i` covers `[i * width, (i + 1) * width)`.
    intervals: BTreeMap<i64, Settled>,
    /// The interval being filled, kept out of the map because nearly every event belongs to it.
    current: Option<(i64, Bin)>,
}

impl Bins {
    /// The bin of `interval`, made if it is not there; says whether it was made, and by how many
    /// bytes the packed intervals grew and shrank.
    fn bin(&mut self, interval: i64) -> (&mut Bin, bool, (usize, usize)) {
        if self.current.as_ref().is_none_or(|(number, _)| *number != interval) {
            let grown = self.settle();
            let found = self.intervals.remove(&interval);
            let (made, shrunk) = (found.is_none(), found.as_ref().map_or(0, Settled::bytes));
            let bin = found.map_or_else(Bin::new, |settled| settled.bin());
            let (_, bin) = self.current.insert((interval, bin));
            return (bin, made, (grown, shrunk));
        }
        let (_, bin) = self.current.get_or_insert_with(|| (interval, Bin::new()));
        (bin, false, (0, 0))
    }

    /// Puts the current interval, packed, back among the others; gives the bytes it takes there.
    fn settle(&mut self) -> usize {
        let Some((number, bin)) = self.current.take() else { return 0 };
        let settled = bin.settled();
        let bytes = settled.bytes();
        self.intervals.insert(number, settled);
        bytes
    }

    /// The number of the intervals held.
    fn len(&self) -> usize {
        self.intervals.len() + usize::from(self.current.is_some())
    }
}

impl Binner {
    /// So many series are looked through for the same handle before names are compared.
    const QUICK: usize = 16;
    /// Intervals without events are given as empty frames only if those of all series are no more
    /// than this.
    const MOST_FILLED: usize = 1 << 18;

    /// Intervals of `width`, at least one nanosecond.
    pub fn new(width: Nanos, limits: BinnerLimits) -> Binner {
        Binner {
            width: width.max(Nanos::new(1)),
            limits,
            series: Vec::new(),
            index: BTreeMap::new(),
            recent: None,
            open_from: i64::MIN,
            cells: 0,
            bytes: 0,
        }
    }

    /// The present width of the intervals.
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// Counts one event. Returns `true` when its own interval was already finished, so that it
    /// was counted in the earliest open one instead.
    pub fn record(&mut self, at: Timestamp, series: &Series, latency: Nanos) -> bool {
        let own = self.interval_of(at);
        let interval = own.max(self.open_from);
        let slot = match self.recent {
            Some((slot, _)) if self.series[slot].series.is_same_handle(series) => slot,
            _ => self.slot(series),
        };
        self.recent = Some((slot, interval));
        let (bin, made, (grown, shrunk)) = self.series[slot].bin(interval);
        bin.record(Scheme::log_linear_index(latency), latency);
        self.bytes = self.bytes + grown - shrunk;
        if made {
            self.cells += 1;
            while self.is_full(slot) && self.coarsen() {}
        }
        own < interval
    }

    fn is_full(&self, slot: usize) -> bool {
        self.cells > self.limits.max_cells
            || self.series[slot].len() > self.limits.max_intervals
            || self.bytes > self.limits.max_bytes
    }

    fn interval_of(&self, at: Timestamp) -> i64 {
        let width = i64::try_from(self.width.as_nanos()).unwrap_or(i64::MAX);
        at.as_nanos().div_euclid(width)
    }

    fn slot(&mut self, series: &Series) -> usize {
        let few = self.series.iter().take(Binner::QUICK);
        if let Some(slot) = few.map(|bins| &bins.series).position(|s| s.is_same_handle(series)) {
            return slot;
        }
        if let Some(&slot) = self.index.get(series) {
            return slot;
        }
        let slot = self.series.len();
        let (intervals, current) = (BTreeMap::new(), None);
        self.series.push(Bins { series: series.clone(), intervals, current });
        self.index.insert(series.clone(), slot);
        slot
    }

    /// Doubles the width and merges pairs of intervals. `false` when that no longer helps.
    fn coarsen(&mut self) -> bool {
        let before = self.cells;
        self.widen() && (self.cells < before || self.series.len() < before)
    }

    /// Doubles the width and merges pairs of intervals. `false` when it cannot be doubled.
    fn widen(&mut self) -> bool {
        let Some(width) = self.width.checked_add(self.width) else { return false };
        self.width = width;
        self.open_from = self.open_from.div_euclid(2);
        self.recent = None;
        (self.cells, self.bytes) = (0, 0);
        for bins in &mut self.series {
            bins.settle();
            let mut coarse: BTreeMap<i64, Settled> = BTreeMap::new();
            for (number, settled) in std::mem::take(&mut bins.intervals) {
                coarse
                    .entry(number.div_euclid(2))
                    .and_modify(|pair| pair.absorb(&settled))
                    .or_insert(settled);
            }
            self.cells += coarse.len();
            self.bytes += coarse.values().map(Settled::bytes).sum::<usize>();
            bins.intervals = coarse;
        }
        true
    }

    /// Finishes every interval that ends at or before `until` and gives its frames, oldest first:
    /// one for each series known so far, empty where the series had no event.
    pub fn finish_until(&mut self, until: Timestamp) -> Vec<Frame> {
        let end = self.interval_of(until);
        let oldest = self.series.iter().filter_map(|bins| {
            let current = bins.current.as_ref().map(|(number, _)| *number);
            bins.intervals.keys().next().copied().into_iter().chain(current).min()
        });
        let start = if self.open_from == i64::MIN { oldest.min() } else { Some(self.open_from) };
        let Some(start) = start.filter(|&start| start < end) else { return Vec::new() };
        self.open_from = self.open_from.max(end);
        let mut wanted = Vec::new();
        for slot in 0..self.series.len() {
            self.series[slot].settle();
            wanted.push((slot, start, end));
        }
        let mut frames = Vec::new();
        self.give(&wanted, &mut |frame| frames.push(frame));
        frames
    }

    /// Finishes everything and gives the remaining frames one at a time, oldest first. Between a
    /// series' first and last event intervals without events are given as empty frames: silence
    /// is known to be silence. Where sparse events would make those too many, the width grows.
    pub fn finish(&mut self, emit: &mut dyn FnMut(Frame)) {
        self.series.iter_mut().for_each(|bins| _ = bins.settle());
        while !self.may_fill(&self.spans()) && self.widen() {}
        let wanted = self.spans();
        let end = wanted.iter().map(|&(_, _, end)| end).max();
        self.open_from = self.open_from.max(end.unwrap_or(i64::MIN));
        self.give(&wanted, emit);
    }

    /// Every series with its first interval held and the one after its last.
    fn spans(&self) -> Vec<(usize, i64, i64)> {
        let span = |(slot, bins): (usize, &Bins)| {
            let mut numbers = bins.intervals.keys();
            let &first = numbers.next()?;
            Some((slot, first, numbers.next_back().unwrap_or(&first).saturating_add(1)))
        };
        self.series.iter().enumerate().filter_map(span).collect()
    }

    /// Whether the intervals of these stretches are few enough to give all of them.
    fn may_fill(&self, wanted: &[(usize, i64, i64)]) -> bool {
        let all = wanted
            .iter()
            .fold(0, |all: usize, &(_, start, end)| all.saturating_add(intervals_in(start, end)));
        let longest = wanted.iter().map(|&(_, start, end)| intervals_in(start, end)).max();
        longest.unwrap_or(0) <= self.limits.max_intervals
            && (all <= Binner::MOST_FILLED || wanted.len() == 1)
    }

    /// Gives the intervals `start..end` of some series, oldest first, with an empty frame for each
    /// that had no event; but should sparse events make those too many, only the intervals with
    /// events.
    fn give(&mut self, wanted: &[(usize, i64, i64)], emit: &mut dyn FnMut(Frame)) {
        let fill = self.may_fill(wanted);
        let mut order: Vec<(i64, &Series, usize)> = Vec::new();
        for &(slot, start, end) in wanted {
            let bins = &self.series[slot];
            if fill {
                order.extend((start..end).map(|number| (number, &bins.series, slot)));
            } else {
                let known = bins.intervals.range(start..end);
                order.extend(known.map(|(&number, _)| (number, &bins.series, slot)));
            }
        }
        order.sort_unstable_by(|one, two| (one.0, one.1).cmp(&(two.0, two.1)));
        let order: Vec<(i64, usize)> =
            order.into_iter().map(|(number, _, slot)| (number, slot)).collect();
        for (number, slot) in order {
            let settled = self.series[slot].intervals.remove(&number);
            emit(self.frame(slot, number, settled.map_or_else(Bin::new, |settled| settled.bin())));
        }
        self.cells = self.series.iter().map(Bins::len).sum();
        let held = self.series.iter().flat_map(|bins| bins.intervals.values());
        self.bytes = held.map(Settled::bytes).sum();
    }

    fn frame(&self, slot: usize, number: i64, bin: Bin) -> Frame {
        let width = i64::try_from(self.width.as_nanos()).unwrap_or(i64::MAX);
        let start = Timestamp::new(number.saturating_mul(width));
        Frame {
            series: self.series[slot].series.clone(),
            start,
            end: start.plus(self.width),
            counts: bin.into_histogram(),
            quality: Quality::Complete,
        }
    }
}

fn intervals_in(start: i64, end: i64) -> usize {
    usize::try_from(end.abs_diff(start)).unwrap_or(usize::MAX)
}
