//! The only place where single events become intervals.

mod bin;
mod going_on;
mod grid;
mod observed;
mod series;
mod spread;
mod stamps;
mod table;
mod widths;
mod window;

use std::collections::BTreeMap;

use crate::{Frame, LogLinear, Nanos, Quality, Series, Timestamp};

use grid::Near;
use series::{Bins, Run};
use spread::Spread;
use stamps::Stamps;
use window::Window;

/// Turns single events into frames: for each series and interval of time one histogram in
/// [`LogLinear::EVENTS`], with the exact total of time.
///
/// An event is counted in the interval it ends in. Its time is spread over all intervals it was
/// waited in: from its end back by its latency. So the time waited in an interval never exceeds the
/// number of those who wait times its length. Where ends are stamped with whole seconds or minutes
/// ([`Binner::place_by`]) they are taken to lie in the middle of those.
///
/// Intervals are aligned to multiples of their width; the first and the last are cut to the time
/// that was observed. Events may come in any order; one whose interval
/// was given already is counted in the earliest open one, unless it is so late that the clock must
/// have stepped back ([`Recorded::behind`]). Memory is bounded: when more intervals than
/// [`BinnerLimits::max_cells`] allows are open, the width doubles and pairs of intervals are merged,
/// which loses resolution in time and no event.
#[derive(Debug)]
pub struct Binner {
    width: Nanos,
    limits: BinnerLimits,
    /// How wide the intervals of a table may become; nothing if what is given is no table.
    widest_of_table: Option<Nanos>,
    series: Vec<Bins>,
    index: BTreeMap<Series, usize>,
    /// The series and interval of the last event: most often the next one's too.
    recent: Option<(usize, i64)>,
    /// The interval that the last event ended in.
    near: Near,
    /// Intervals before this one are finished and will not be reopened.
    open_from: i64,
    /// The time that is observed.
    window: Window,
    /// How finely events are stamped.
    stamps: Stamps,
    /// Whether intervals become as wide as the unit of the stamps before they are given.
    fits_stamps: bool,
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
    /// The most series distinguished; the events of all others are those of [`Series::other`].
    pub max_series: usize,
}

impl BinnerLimits {
    /// The most series that are distinguished where nothing else is said.
    pub const MOST_SERIES: usize = 10_000;

    /// At most so many histograms, whatever they take.
    pub const fn cells(max_cells: usize) -> BinnerLimits {
        let (max_bytes, max_series) = (usize::MAX, BinnerLimits::MOST_SERIES);
        BinnerLimits { max_cells, max_intervals: max_cells, max_bytes, max_series }
    }
}

impl Default for BinnerLimits {
    /// 8,192 histograms: as frames 21 MB.
    fn default() -> BinnerLimits {
        BinnerLimits::cells(8_192)
    }
}

/// What became of an event.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Its own interval was already finished: it was counted in the earliest open one instead.
    pub late: bool,
    /// The part of its latency that lies before the time that is observed, and is not in any
    /// interval.
    pub outside: Nanos,
    /// That part was waited while measuring may have gone on already: only a day is looked back.
    pub is_cut: bool,
    /// There are too many series: it was counted in [`Series::other`].
    pub in_other: bool,
    /// The event is counted nowhere: its moment lies so far before the intervals that are still
    /// open that the clock must have stepped back. By how much, measured from the latest event.
    pub behind: Option<Nanos>,
}

impl Binner {
    /// So many series are looked through for the same handle before names are compared.
    const QUICK: usize = 16;
    /// Intervals with events that are given at once, about.
    const AT_ONCE: usize = 1 << 16;
    /// How late an event may be, in intervals and in time: the longer of both counts. Events that
    /// are later are not out of order: their clock has stepped back.
    const LATE_INTERVALS: i64 = 10;
    const LATE: Nanos = Nanos::new(10_000_000_000);

    /// Intervals of `width`, at least one nanosecond.
    pub fn new(width: Nanos, limits: BinnerLimits) -> Binner {
        Binner {
            width: width.max(Nanos::new(1)),
            limits,
            widest_of_table: None,
            series: Vec::new(),
            index: BTreeMap::new(),
            recent: None,
            near: Near::default(),
            open_from: i64::MIN,
            window: Window::default(),
            stamps: Stamps::default(),
            fits_stamps: false,
            cells: 0,
            bytes: 0,
        }
    }

    /// The present width of the intervals.
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// Counts one event that ended `at` a moment.
    pub fn record(&mut self, at: Timestamp, series: &Series, latency: Nanos) -> Recorded {
        self.record_within(at, series, latency, Nanos::ZERO)
    }

    /// Counts one event, whose true length may be so far from `latency`.
    pub fn record_within(
        &mut self,
        at: Timestamp,
        series: &Series,
        latency: Nanos,
        length_error: Nanos,
    ) -> Recorded {
        let printed_end = at;
        let (stamp, at) = self.placed(at, latency);
        let own = self.near.interval_of(at, self.width);
        if let Some(behind) = self.too_late(own, printed_end) {
            return Recorded { behind: Some(behind), ..Recorded::default() };
        }
        let interval = own.max(self.open_from);
        let slot = match self.recent {
            Some((slot, _)) if self.series[slot].series.is_same_handle(series) => slot,
            _ => self.slot(series),
        };
        self.recent = Some((slot, interval));
        let is_cut = self.window.is_cut(latency);
        let begin = self.window.take((printed_end, at), latency, stamp, true);
        self.stamps.take(printed_end, latency);
        let bucket = LogLinear::EVENTS.index_of(latency);
        let within = at.since(begin.max(self.start_of(own)));
        let counted_here = own == interval;
        let here = if counted_here { within.as_nanos() } else { 0 };
        let (bin, made, (grown, shrunk)) = self.series[slot].bin(interval);
        bin.record(bucket, latency, here);
        bin.cut(is_cut);
        bin.estimate(length_error);
        self.bytes = self.bytes + grown - shrunk;
        if begin < self.start_of(own) || !counted_here {
            self.spread(slot, bucket, (begin, at));
        }
        if made || self.bytes > self.limits.max_bytes {
            self.cells += usize::from(made);
            while self.is_full(slot) && self.coarsen() {}
        }
        let outside = latency.checked_sub(at.since(begin)).unwrap_or_default();
        let in_other = self.index.len() > self.limits.max_series
            && !self.series[slot].series.is_same_handle(series)
            && self.series[slot].series != *series;
        Recorded { late: !counted_here, outside, is_cut, in_other, behind: None }
    }

    /// How far an event is behind the latest one, if that is too far for it to be counted in the
    /// earliest open interval: a stretch of time that the clock shows twice would pile up there.
    fn too_late(&self, own: i64, at: Timestamp) -> Option<Nanos> {
        if own >= self.open_from {
            return None;
        }
        let by_time = at < self.start_of(self.open_from).minus(Binner::LATE);
        let by_intervals = self.open_from.saturating_sub(own) > Binner::LATE_INTERVALS;
        let latest = self.window.latest().filter(|_| by_time && by_intervals)?;
        Some(latest.since(at))
    }

    /// Spreads the time of a wait over the intervals before the one it ended in, and over that one
    /// if it was given already.
    fn spread(&mut self, slot: usize, bucket: usize, (begin, end): (Timestamp, Timestamp)) {
        let (first, own, open) = (self.interval_of(begin), self.interval_of(end), self.open_from);
        let head = self.start_of(first.saturating_add(1)).min(end).since(begin).as_nanos();
        let tail = end.since(self.start_of(own)).as_nanos();
        let bins = &mut self.series[slot];
        let entries = bins.spread.len() + bins.late.len();
        let part_of = |bins: &mut Bins, interval: i64, ns: u64| {
            let spread = if interval < open { &mut bins.late } else { &mut bins.spread };
            spread.add_part(interval, bucket, ns);
        };
        if first < own {
            part_of(bins, first, head);
            let whole = first.saturating_add(1)..own;
            bins.late.add_cover(whole.start..whole.end.min(open), bucket);
            bins.spread.add_cover(whole.start.max(open)..whole.end, bucket);
        }
        if own < open {
            part_of(bins, own, if first < own { tail } else { head });
        }
        let more = (bins.spread.len() + bins.late.len()).saturating_sub(entries);
        self.bytes += more * Spread::BYTES;
    }

    fn start_of(&self, interval: i64) -> Timestamp {
        grid::start_of(interval, self.width)
    }

    fn interval_of(&self, at: Timestamp) -> i64 {
        grid::interval_of(at, self.width)
    }

    fn is_full(&self, slot: usize) -> bool {
        self.cells > self.limits.max_cells
            || self.series[slot].len() > self.limits.max_intervals
            || self.bytes > self.limits.max_bytes
    }

    fn slot(&mut self, series: &Series) -> usize {
        let few = self.series.iter().take(Binner::QUICK);
        if let Some(slot) = few.map(|bins| &bins.series).position(|s| s.is_same_handle(series)) {
            return slot;
        }
        if let Some(&slot) = self.index.get(series) {
            return slot;
        }
        let other = Series::other();
        if self.index.len() >= self.limits.max_series && *series != other {
            return self.slot(&other);
        }
        let slot = self.series.len();
        self.series.push(Bins::new(series.clone()));
        self.index.insert(series.clone(), slot);
        slot
    }

    /// Finishes every interval that ends at or before `until` and gives its frames, oldest first:
    /// for each series known so far, empty where the series had no event. Time that turned out to
    /// have been waited in intervals given before comes as [`Quality::Amendment`].
    pub fn finish_until(&mut self, until: Timestamp) -> Vec<Frame> {
        let end = self.interval_of(until);
        let first = self.span().map(|(first, _)| self.first_open(first));
        let first = first.or((self.open_from > i64::MIN).then_some(self.open_from));
        let observed = self.window.from().filter(|_| !self.series.is_empty());
        let first = first.or_else(|| observed.map(|from| self.interval_of(from)));
        let Some(start) = first.filter(|&start| start < end) else { return self.late_time() };
        self.window.fix();
        let mut frames = Vec::new();
        self.give(start, end, &mut |frame| frames.push(frame));
        frames
    }

    /// Finishes everything and gives the remaining frames, oldest first. Of each series there is
    /// one for every interval that was observed, empty where nothing happened: silence is known to
    /// be silence. Many empty intervals in a row are one frame.
    pub fn finish(&mut self, emit: &mut dyn FnMut(Frame)) {
        let most = self.limits.max_intervals as u64;
        let too_long = |span: (i64, i64)| span.1 == i64::MAX || span.1.abs_diff(span.0) > most;
        while self.span().is_some_and(too_long) && self.widen() {}
        self.bound_waits();
        if self.is_too_wide() {
            return;
        }
        let is_table = self.widest_of_table.is_some();
        self.reach_to_the_last_end();
        if let Some((first, end)) = self.span().or_else(|| self.silent_end()) {
            let last = end.saturating_sub(1);
            let start = self.first_open(first);
            let first = self.window.first_end();
            self.window.close(first.map(|end| self.start_of(self.interval_of(end))));
            let edge = self.window.until.is_some_and(|until| until <= self.start_of(last));
            let end = if edge && start < last && !is_table {
                // What ended exactly at the edge was waited before it.
                self.series.iter_mut().for_each(|bins| bins.fold_back(last));
                last
            } else {
                self.window.extend_into(self.start_of(last), self.width);
                let until =
                    self.window.until.map_or(end, |u| self.interval_of(u.minus(Nanos::new(1))));
                end.max(until.saturating_add(1))
            };
            self.give(start, end, emit);
        }
    }

    /// The first interval to give: before the first event that is counted a source that was observed
    /// was silent.
    fn first_open(&self, first: i64) -> i64 {
        if self.open_from > i64::MIN {
            return self.open_from;
        }
        self.window.from().map_or(first, |from| self.interval_of(from).min(first))
    }

    /// The interval that the source has begun to measure, when nothing happened in it.
    fn silent_end(&self) -> Option<(i64, i64)> {
        let until = self.window.until.filter(|_| self.open_from > i64::MIN)?;
        (until > self.start_of(self.open_from))
            .then(|| (self.open_from, self.open_from.saturating_add(1)))
    }

    /// The first interval that holds anything, and the one after the last.
    fn span(&self) -> Option<(i64, i64)> {
        let spans = self.series.iter().filter_map(Bins::span);
        spans.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)))
    }

    /// Gives the frames of the intervals `start..end`, oldest first, each made when it is given. Of
    /// many intervals some at a time: what is given is held twice for a moment.
    fn give(&mut self, start: i64, end: i64, emit: &mut dyn FnMut(Frame)) {
        let parts = self.series.iter().map(Bins::len).sum::<usize>().div_ceil(Binner::AT_ONCE);
        let step = end.abs_diff(start).div_ceil(parts.max(1) as u64).max(1);
        let mut from = start;
        loop {
            let to = from.saturating_add_unsigned(step).min(end);
            self.give_part(from, to, emit);
            from = to;
            if from >= end {
                break;
            }
        }
        self.recent = None;
        self.count();
    }

    fn give_part(&mut self, start: i64, end: i64, emit: &mut dyn FnMut(Frame)) {
        let width = self.width;
        let mut runs: Vec<(usize, Run, Quality)> = Vec::new();
        for (slot, bins) in self.series.iter_mut().enumerate() {
            let late = bins.take_late(width).into_iter();
            runs.extend(late.map(|run| (slot, run, Quality::Amendment)));
            let own = bins.take(start..end, width).into_iter().flat_map(Run::singly);
            runs.extend(own.map(|run| (slot, run, Quality::Complete)));
        }
        self.open_from = self.open_from.max(end);
        runs.sort_by(|(one, first, _), (two, second, _)| {
            let key = |slot: usize, run: &Run| (self.begin(run), &self.series[slot].series);
            key(*one, first).cmp(&key(*two, second))
        });
        for (slot, run, quality) in runs {
            self.give_run(run, &mut |run| {
                self.frame(slot, run, quality).into_iter().for_each(&mut *emit);
            });
        }
    }

    /// Where a run of intervals begins, within the time that is observed.
    fn begin(&self, run: &Run) -> Timestamp {
        self.start_of(run.intervals.start).max(self.window.cut().0)
    }

    /// The frame of a run of intervals, cut to the time that is observed.
    fn frame(&self, slot: usize, run: Run, quality: Quality) -> Option<Frame> {
        let (_, until) = self.window.cut();
        let start = self.begin(&run);
        let end = self.start_of(run.intervals.end).min(until);
        let counts = run.bin.unwrap_or_default().into_histogram(run.waited_ns.into_iter());
        (start < end || !counts.is_blank()).then(|| Frame {
            series: self.series[slot].series.clone(),
            start,
            end: end.max(start.plus(Nanos::new(1))),
            counts,
            quality,
        })
    }
}
