//! The only place where single events become intervals.

use std::collections::BTreeMap;

use crate::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};

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
}

/// How much a [`Binner`] may hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BinnerLimits {
    /// The largest number of histograms (series x intervals) held at once; each takes 2.6 KB.
    pub max_cells: usize,
}

impl Default for BinnerLimits {
    /// 8,192 histograms: 21 MB.
    fn default() -> BinnerLimits {
        BinnerLimits { max_cells: 8_192 }
    }
}

#[derive(Debug)]
struct Bins {
    series: Series,
    /// Open intervals by number: interval `i` covers `[i * width, (i + 1) * width)`.
    intervals: BTreeMap<i64, Bin>,
    /// The interval being filled, kept out of the map because nearly every event belongs to it.
    current: Option<(i64, Bin)>,
}

#[derive(Debug)]
struct Bin {
    counts: Box<[u64]>,
    /// The exact total in nanoseconds.
    sum_ns: u128,
}

impl Bin {
    fn new() -> Bin {
        Bin { counts: vec![0; Scheme::log_linear().buckets()].into(), sum_ns: 0 }
    }

    fn absorb(&mut self, other: &Bin) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum_ns += other.sum_ns;
    }

    fn into_histogram(self) -> Histogram {
        let sum = u64::try_from(self.sum_ns).ok().map(Nanos::new);
        let scheme = Scheme::log_linear();
        let empty = Histogram::empty(scheme.clone());
        Histogram::new(scheme, self.counts.into_vec(), sum).unwrap_or(empty)
    }
}

impl Bins {
    /// The bin of `interval`, made if it is not there; says whether it was made.
    fn bin(&mut self, interval: i64) -> (&mut Bin, bool) {
        if self.current.as_ref().is_none_or(|(number, _)| *number != interval) {
            self.settle();
            let found = self.intervals.remove(&interval);
            let made = found.is_none();
            let (_, bin) = self.current.insert((interval, found.unwrap_or_else(Bin::new)));
            return (bin, made);
        }
        let (_, bin) = self.current.get_or_insert_with(|| (interval, Bin::new()));
        (bin, false)
    }

    /// Puts the current interval back among the others.
    fn settle(&mut self) {
        if let Some((number, bin)) = self.current.take() {
            self.intervals.insert(number, bin);
        }
    }
}

impl Binner {
    /// So many series are looked through for the same handle before names are compared.
    const QUICK: usize = 16;

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
        let (bin, made) = self.series[slot].bin(interval);
        bin.counts[Scheme::log_linear_index(latency)] += 1;
        bin.sum_ns += u128::from(latency.as_nanos());
        if made {
            self.cells += 1;
            while self.cells > self.limits.max_cells && self.coarsen() {}
        }
        own < interval
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
        let Some(width) = self.width.checked_add(self.width) else { return false };
        let before = self.cells;
        self.width = width;
        self.open_from = self.open_from.div_euclid(2);
        self.recent = None;
        self.cells = 0;
        for bins in &mut self.series {
            bins.settle();
            let mut coarse: BTreeMap<i64, Bin> = BTreeMap::new();
            for (number, bin) in std::mem::take(&mut bins.intervals) {
                coarse
                    .entry(number.div_euclid(2))
                    .and_modify(|pair| pair.absorb(&bin))
                    .or_insert(bin);
            }
            self.cells += coarse.len();
            bins.intervals = coarse;
        }
        self.cells < before || self.series.len() < before
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
        let mut frames = Vec::new();
        for slot in 0..self.series.len() {
            self.take(slot, start, end, &mut frames);
        }
        self.cells = self.series.iter().map(|bins| bins.intervals.len()).sum();
        oldest_first(frames)
    }

    /// Finishes everything and gives the remaining frames, oldest first. Between a series' first
    /// and last event intervals without events are given as empty frames.
    pub fn finish(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        for slot in 0..self.series.len() {
            self.series[slot].settle();
            let mut numbers = self.series[slot].intervals.keys();
            let Some(&first) = numbers.next() else { continue };
            let end = numbers.next_back().unwrap_or(&first).saturating_add(1);
            self.open_from = self.open_from.max(end);
            self.take(slot, first, end, &mut frames);
        }
        self.cells = 0;
        oldest_first(frames)
    }

    /// Takes the intervals `start..end` of one series, with an empty frame for each that had no
    /// event; but should sparse events make those too many, only the intervals with events.
    fn take(&mut self, slot: usize, start: i64, end: i64, frames: &mut Vec<Frame>) {
        self.series[slot].settle();
        let intervals = &mut self.series[slot].intervals;
        let later = intervals.split_off(&end);
        let mut taken = std::mem::replace(intervals, later);
        let span = usize::try_from(end.abs_diff(start)).unwrap_or(usize::MAX);
        if span <= self.limits.max_cells {
            for number in start..end {
                taken.entry(number).or_insert_with(Bin::new);
            }
        }
        frames.extend(taken.into_iter().map(|(number, bin)| self.frame(slot, number, bin)));
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

fn oldest_first(mut frames: Vec<Frame>) -> Vec<Frame> {
    frames.sort_by(|one, two| (one.start, &one.series).cmp(&(two.start, &two.series)));
    frames
}
