//! The frames of a run, kept in bounded memory.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Nanos, Quality, Series, TimeRange, TimeWaited, Timestamp};

use crate::compact::{Compact, joined};
use crate::packed_frames::PackedFrames;
use crate::{Beginning, Span, UnseenStart};

/// The latest frames of every series, compact, and the totals of everything ever pushed.
///
/// When they take more memory than they may the oldest frames are dropped; the totals still include
/// them, and [`History::dropped`] says how many. Or, if the history is to hold everything,
/// neighbouring frames become one, of twice as much time whenever the memory is full: then nothing
/// is dropped but resolution in time. A clone shares the counts with the original.
#[derive(Clone, Debug)]
pub struct History {
    series: BTreeMap<Series, SeriesHistory>,
    /// The memory that frames may take.
    most_bytes: usize,
    bytes: usize,
    /// Whether frames are joined rather than dropped when the memory is full.
    holds_all: bool,
    /// Frames within one interval of this length, in nanoseconds, are joined; zero for none.
    column_ns: u64,
    dropped: u64,
    /// Frames before this moment were dropped: those that are left do not tell all of that time.
    dropped_until: Option<Timestamp>,
    latest: Option<Timestamp>,
    /// How everything ever pushed begins.
    beginning: Beginning,
}

/// What was seen of one series since the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesTotal {
    /// Events counted.
    pub events: u64,
    /// Time waited.
    pub waited: TimeWaited,
    /// Frames that are gaps.
    pub gaps: u64,
}

#[derive(Clone, Debug)]
struct SeriesHistory {
    frames: PackedFrames,
    total: SeriesTotal,
}

impl SeriesTotal {
    fn add(&mut self, more: &SeriesTotal) {
        self.events = self.events.saturating_add(more.events);
        self.waited.seconds += more.waited.seconds;
        self.waited.exact &= more.waited.exact;
        self.gaps = self.gaps.saturating_add(more.gaps);
    }
}

impl History {
    /// Keeps the latest frames, in about so much memory.
    pub fn new(most_bytes: usize) -> History {
        History {
            series: BTreeMap::new(),
            most_bytes,
            bytes: 0,
            holds_all: false,
            column_ns: 0,
            dropped: 0,
            dropped_until: None,
            latest: None,
            beginning: Beginning::default(),
        }
    }

    /// Keeps everything, in about so much memory: in longer intervals the more there is.
    pub fn of_everything(most_bytes: usize) -> History {
        History { holds_all: true, ..History::new(most_bytes) }
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Frame) {
        self.beginning.add(frame);
        let compact = Compact::new(frame);
        self.latest = self.latest.max(Some(frame.end));
        let total =
            SeriesTotal { events: 0, waited: TimeWaited { seconds: 0.0, exact: true }, gaps: 0 };
        let kept = self
            .series
            .entry(frame.series.clone())
            .or_insert_with(|| SeriesHistory { frames: PackedFrames::default(), total });
        let waited = frame.counts.time_waited();
        kept.total.events = kept.total.events.saturating_add(frame.counts.events());
        kept.total.waited.seconds += waited.seconds;
        kept.total.waited.exact &= waited.exact;
        kept.total.gaps += u64::from(frame.is_gap());
        // Several inputs may overlap: what is asked for by time is found by time.
        if let Some(last) = kept.frames.back_mut()
            && last.start <= compact.start
        {
            let before = last.bytes();
            if last.extend_silence(&compact) || joined(last, &compact, self.column_ns) {
                self.bytes = self.bytes + last.bytes() - before;
                return self.fit();
            }
        }
        self.bytes += compact.bytes();
        kept.frames.insert(compact);
        self.fit();
    }

    /// Makes room where too much memory is taken.
    fn fit(&mut self) {
        while self.bytes > self.most_bytes {
            let joined = self.holds_all && self.coarsen();
            if !joined && !self.drop_oldest() {
                return;
            }
        }
    }

    /// Joins the frames within intervals of twice the length, and twice that, until it helps; `false`
    /// when no length does. Rare events between long silences need long ones.
    fn coarsen(&mut self) -> bool {
        let before = self.bytes;
        let span =
            self.earliest().zip(self.latest).map_or(0, |(from, to)| to.since(from).as_nanos());
        while self.column_ns <= span {
            self.join_twice_as_long();
            if self.bytes < before - before / 10 {
                return true;
            }
        }
        false
    }

    fn join_twice_as_long(&mut self) {
        let longest = self.series.values().max_by_key(|kept| kept.frames.len());
        let mut lengths: Vec<u64> = longest.map_or_else(Vec::new, |kept| {
            let observed = kept.frames.iter().filter(|frame| !frame.is_silent());
            observed.map(|frame| frame.end.since(frame.start).as_nanos()).collect()
        });
        lengths.sort_unstable();
        let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(1);
        self.column_ns = self.column_ns.max(usual).saturating_mul(2);
        self.bytes = 0;
        for kept in self.series.values_mut() {
            for frame in std::mem::take(&mut kept.frames).into_iter() {
                let last = kept.frames.back_mut();
                if !last.is_some_and(|last| joined(last, &frame, self.column_ns)) {
                    kept.frames.push_back(frame);
                }
            }
            self.bytes += kept.frames.iter().map(Compact::bytes).sum::<usize>();
        }
    }

    /// Adds the frames kept in a history of a later time, and its totals. What that one dropped is
    /// taken to be here.
    pub fn append(&mut self, later: History) {
        if self.series.is_empty() {
            self.dropped_until = later.dropped_until;
        }
        self.latest = self.latest.max(later.latest);
        self.beginning.append(&later.beginning);
        self.dropped = self.dropped.saturating_add(later.dropped);
        self.bytes = self.bytes.saturating_add(later.bytes);
        for (series, more) in later.series {
            match self.series.get_mut(&series) {
                Some(kept) => {
                    kept.total.add(&more.total);
                    more.frames.into_iter().for_each(|frame| kept.frames.push_back(frame));
                }
                None => drop(self.series.insert(series, more)),
            }
        }
        self.fit();
    }

    /// Drops what is oldest: the frames of a sixty-fourth of the time that is kept, so that not
    /// every new frame looks for what to drop. Each series keeps its last frame.
    fn drop_oldest(&mut self) -> bool {
        let ends = self.series.values().filter(|kept| kept.frames.len() > 1);
        let ends = ends.filter_map(|kept| kept.frames.front().map(|frame| frame.end));
        let Some((first, latest)) = ends.min().zip(self.latest) else { return false };
        let until = first.plus(Nanos::new(latest.since(first).as_nanos() / 64));
        for kept in self.series.values_mut() {
            while kept.frames.len() > 1
                && let Some(frame) = kept.frames.pop_front_if(|frame| frame.end <= until)
            {
                self.bytes = self.bytes.saturating_sub(frame.bytes());
                self.dropped += 1;
            }
        }
        self.dropped_until = self.dropped_until.max(Some(until));
        true
    }

    /// A frame that is not kept: it only says whether ends were counted when it was measured.
    pub fn pass_over(&mut self, frame: &Frame) {
        self.beginning.add(frame);
    }

    /// How everything begins that was ever pushed or passed over.
    pub fn beginning(&self) -> &Beginning {
        &self.beginning
    }

    /// The time at the beginning in which no ends were counted.
    pub fn unseen_start(&self) -> Option<UnseenStart> {
        self.beginning.unseen()
    }

    /// How many frames were dropped to stay within the limit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The length that intervals were joined to, if they had to be.
    pub fn joined_to(&self) -> Option<Nanos> {
        (self.column_ns > 0).then_some(Nanos::new(self.column_ns))
    }

    /// The end of the latest frame.
    pub fn latest(&self) -> Option<Timestamp> {
        self.latest
    }

    /// From when on everything is kept: the start of the earliest frame, or the moment up to which
    /// frames were dropped.
    pub fn earliest(&self) -> Option<Timestamp> {
        let starts = self.series.values().filter_map(|kept| kept.frames.front());
        let first = starts.map(|frame| frame.start).min()?;
        Some(self.dropped_until.map_or(first, |until| first.max(until)))
    }

    /// Every series with what was seen of it since the beginning, most time waited first.
    pub fn by_time_waited(&self) -> Vec<(Series, SeriesTotal)> {
        let mut all: Vec<(Series, SeriesTotal)> =
            self.series.iter().map(|(series, kept)| (series.clone(), kept.total.clone())).collect();
        all.sort_by(|one, two| two.1.waited.seconds.total_cmp(&one.1.waited.seconds));
        all
    }

    /// Every series, in the order of their names.
    pub fn series(&self) -> impl Iterator<Item = &Series> {
        self.series.keys()
    }

    /// The start of the earliest frame kept of a series.
    pub fn earliest_of(&self, series: &Series) -> Option<Timestamp> {
        self.series.get(series)?.frames.front().map(|frame| frame.start)
    }

    /// Whether a frame of this series was ever pushed.
    pub fn knows(&self, series: &Series) -> bool {
        self.series.contains_key(series)
    }

    /// What was seen of a series since the beginning.
    pub fn total(&self, series: &Series) -> Option<&SeriesTotal> {
        self.series.get(series).map(|kept| &kept.total)
    }

    /// The frames of a series that overlap `from..to`, oldest first. Silence is one frame however long
    /// it lasts: of that, the part between `from` and `to`. There are none of before
    /// [`History::earliest`].
    pub fn frames(&self, series: &Series, from: Timestamp, to: Timestamp) -> Vec<Frame> {
        self.each(series, from, to).collect()
    }

    /// The same, made one at a time: what is to be used for many of them.
    pub fn each<'a>(
        &'a self,
        series: &'a Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Frame> + 'a {
        let from = self.kept_from(from);
        self.packed(series, from, to).map(move |packed| {
            let (start, end) = packed.span_within(from, to);
            Frame { start, end, ..packed.frame(series) }
        })
    }

    /// The frames of a series in a range of time that overlap `from..to`, oldest first: each in the
    /// range it belongs to (see [`TimeRange::keep`]).
    pub fn placed<'a>(
        &'a self,
        series: &'a Series,
        range: TimeRange,
        (from, to): (Timestamp, Timestamp),
    ) -> impl Iterator<Item = Frame> + 'a {
        let range = self.kept_of(range);
        let placed = move |packed: &'a Compact| {
            let place = packed.placed(series, &range)?;
            Some(packed.frame(series).part(place))
        };
        self.packed(series, from, to).filter_map(placed)
    }

    /// All frames of a series in a range of time, oldest first.
    pub fn within<'a>(
        &'a self,
        series: &'a Series,
        range: TimeRange,
    ) -> impl Iterator<Item = Frame> + 'a {
        let ends = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        self.placed(series, range, (range.from.unwrap_or(ends.0), range.to.unwrap_or(ends.1)))
    }

    /// Where these begin and end.
    pub fn spans_within<'a>(
        &'a self,
        series: &'a Series,
        range: TimeRange,
    ) -> impl Iterator<Item = Span> + 'a {
        let ends = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        let (from, to) = (range.from.unwrap_or(ends.0), range.to.unwrap_or(ends.1));
        let range = self.kept_of(range);
        let span = move |packed: &Compact| {
            let (start, end) = packed.placed(series, &range)?;
            Some(Span { start, end, ..span_of(packed, ends) })
        };
        self.packed(series, from, to).filter_map(span)
    }

    /// The same range with its ends between intervals (see [`TimeRange::between`]).
    pub fn between_intervals(&self, range: TimeRange) -> TimeRange {
        range.between(&|moment| {
            let after = moment.plus(Nanos::new(1));
            let cut = self.series.keys().flat_map(|series| {
                let frames = self.packed(series, moment, after);
                frames.filter(|frame| frame.is_cut_at(moment)).map(move |frame| (series, frame))
            });
            let whole = cut.filter(|(series, frame)| !frame.frame(series).is_divisible());
            whole.map(|(_, frame)| frame.span()).min_by_key(|(start, end)| end.since(*start))
        })
    }

    /// Where the intervals of a series that overlap `from..to` begin and end, oldest first, and the
    /// part of silence that lies there.
    pub fn spans<'a>(
        &'a self,
        series: &Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Span> + use<'a> {
        let from = self.kept_from(from);
        self.packed(series, from, to).map(move |frame| span_of(frame, (from, to)))
    }

    /// The same with the time waited in each; of those about which nothing is known there is none.
    pub fn waits<'a>(
        &'a self,
        series: &Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = (Span, TimeWaited)> + use<'a> {
        let known = |frame: &&Compact| !matches!(frame.quality, Quality::Gap(_));
        let from = self.kept_from(from);
        let frames = self.packed(series, from, to).filter(known);
        frames.map(move |frame| (span_of(frame, (from, to)), frame.time_waited()))
    }

    /// The packed frames of a series that overlap `from..to`, oldest first.
    pub(crate) fn packed<'a>(
        &'a self,
        series: &Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = &'a Compact> + use<'a> {
        let from = self.kept_from(from);
        let kept = self.series.get(series).map(|kept| &kept.frames);
        let after = kept.map(|frames| frames.ending_after(from)).into_iter().flatten();
        let before = move |frame: &&Compact| frame.start < to && from < to;
        after.take_while(before).filter(move |frame| frame.end > from)
    }

    /// The part of a range of which everything is kept.
    fn kept_of(&self, range: TimeRange) -> TimeRange {
        TimeRange { from: range.from.max(self.dropped_until), ..range }
    }

    /// The later of a moment and the one up to which frames were dropped.
    fn kept_from(&self, from: Timestamp) -> Timestamp {
        self.dropped_until.map_or(from, |until| from.max(until))
    }
}

fn span_of(frame: &Compact, (from, to): (Timestamp, Timestamp)) -> Span {
    let (start, end) = frame.span_within(from, to);
    Span { start, end, filled: frame.cells() > 0, amends: frame.quality == Quality::Amendment }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
