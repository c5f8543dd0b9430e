//! The frames of a run, kept in bounded memory.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Nanos, Quality, Series, TimeWaited, Timestamp};

use crate::Span;
use crate::compact::{Compact, joined};
use crate::packed_frames::PackedFrames;

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
    latest: Option<Timestamp>,
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
            latest: None,
        }
    }

    /// Keeps everything, in about so much memory: in longer intervals the more there is.
    pub fn of_everything(most_bytes: usize) -> History {
        History { holds_all: true, ..History::new(most_bytes) }
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Frame) {
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

    /// Adds the frames kept in a history of a later time, and its totals.
    pub fn append(&mut self, later: History) {
        self.latest = self.latest.max(later.latest);
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
        true
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

    /// The start of the earliest frame kept.
    pub fn earliest(&self) -> Option<Timestamp> {
        self.series.values().filter_map(|kept| kept.frames.front().map(|frame| frame.start)).min()
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

    /// The frames of a series that overlap `from..to`, oldest first.
    pub fn frames(&self, series: &Series, from: Timestamp, to: Timestamp) -> Vec<Frame> {
        self.each(series, from, to).collect()
    }

    /// The frames of a series that overlap `from..to`, oldest first, made one at a time: what is
    /// to be used for many of them.
    pub fn each<'a>(
        &'a self,
        series: &'a Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Frame> + 'a {
        self.packed(series, from, to).map(move |frame| frame.frame(series))
    }

    /// Where the intervals of a series that overlap `from..to` begin and end, oldest first.
    pub fn spans<'a>(
        &'a self,
        series: &Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Span> + use<'a> {
        self.packed(series, from, to).map(span_of)
    }

    /// The same with the time waited in each; of those about which nothing is known there is none.
    pub fn waits<'a>(
        &'a self,
        series: &Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = (Span, TimeWaited)> + use<'a> {
        let known = |frame: &&Compact| !matches!(frame.quality, Quality::Gap(_));
        let frames = self.packed(series, from, to).filter(known);
        frames.map(|frame| (span_of(frame), frame.time_waited()))
    }

    /// The packed frames of a series that overlap `from..to`, oldest first.
    pub(crate) fn packed<'a>(
        &'a self,
        series: &Series,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = &'a Compact> + use<'a> {
        let kept = self.series.get(series).map(|kept| &kept.frames);
        let after = kept.map(|frames| frames.ending_after(from));
        after.into_iter().flatten().take_while(move |frame| frame.start < to)
    }
}

fn span_of(frame: &Compact) -> Span {
    Span {
        start: frame.start,
        end: frame.end,
        filled: frame.cells() > 0,
        amends: frame.quality == Quality::Amendment,
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Scheme};

    use super::*;

    fn frame(series: &str, second: i64, micros: &[u64]) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for &us in micros {
            counts.record(Nanos::from_micros(us));
        }
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        let (series, quality) = (Series::named(series), Quality::Complete);
        Frame { series, start: at(second), end: at(second + 1), counts, quality }
    }

    fn all(history: &History, series: &str) -> Vec<Frame> {
        let ends = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        history.frames(&Series::named(series), ends.0, ends.1)
    }

    fn events(frames: &[Frame]) -> u64 {
        frames.iter().map(|frame| frame.counts.events()).sum()
    }

    #[test]
    fn everything_is_kept_in_longer_intervals_where_it_takes_too_much() {
        let mut history = History::of_everything(100_000);
        for second in 0..20_000 {
            history.push(&frame("a", second, &[100, 3_000]));
            history.push(&frame("b", second, if second % 10 == 0 { &[500] } else { &[] }));
        }
        let (a, b) = (all(&history, "a"), all(&history, "b"));
        assert_eq!((events(&a), events(&b), history.dropped()), (40_000, 2_000, 0));
        assert!(history.bytes <= 100_000);
        let column = history.joined_to().unwrap();
        assert!(column > Nanos::SECOND);
        for frames in [&a, &b] {
            assert!(frames.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(frames.first().unwrap().start, Timestamp::new(0));
            assert_eq!(frames.last().unwrap().end, Timestamp::new(20_000_000_000_000));
        }
        assert!(a.iter().all(|frame| frame.length() <= column));
    }

    #[test]
    fn rare_events_between_long_silences_are_kept_too() {
        let mut history = History::of_everything(100_000);
        for second in 0..40_000 {
            for number in 0..10 {
                let speaks = second % 100 == number;
                let series = format!("s{number}");
                history.push(&frame(&series, second, if speaks { &[100] } else { &[] }));
            }
        }
        let held: u64 = (0..10).map(|number| events(&all(&history, &format!("s{number}")))).sum();
        assert_eq!((held, history.dropped()), (4_000, 0));
        assert!(history.bytes <= 100_000);
    }

    #[test]
    fn the_oldest_goes_where_only_the_latest_is_kept() {
        let mut history = History::new(100_000);
        (0..20_000).for_each(|second| history.push(&frame("a", second, &[100])));
        let kept = all(&history, "a");
        assert_eq!(kept.len() as u64 + history.dropped(), 20_000);
        assert_eq!(kept.last().unwrap().end, Timestamp::new(20_000_000_000_000));
        assert!(history.bytes <= 100_000 && kept.len() > 300);
        assert_eq!(history.total(&Series::named("a")).unwrap().events, 20_000);
    }

    #[test]
    fn silence_takes_one_frame() {
        let mut history = History::new(usize::MAX);
        (0..1_000).for_each(|second| history.push(&frame("a", second, &[])));
        history.push(&frame("a", 1_000, &[100]));
        history.push(&frame("a", 1_002, &[]));
        let seconds = |frame: &Frame| frame.length().as_nanos() / 1_000_000_000;
        let kept: Vec<u64> = all(&history, "a").iter().map(seconds).collect();
        assert_eq!(kept, [1_000, 1, 1]);
    }
}
