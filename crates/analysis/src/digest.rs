//! The whole course of every series in bounded memory, more coarsely the longer it is.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Nanos, Series, Timestamp};

use crate::amend::parts;
use crate::compact::Compact;
use crate::grid::aligned;
use crate::resample::{grid, interval};
use crate::{Beginning, Circumstances, Findings, Timeline, UnseenStart};

/// The frames of every series from the first to the last. When there are too many, neighbours are
/// merged: twice as many to one each time. Nothing is dropped but resolution in time.
#[derive(Debug)]
pub struct Digest {
    series: BTreeMap<Series, Vec<Entry>>,
    /// How many counts may be kept in all.
    most_cells: usize,
    cells: usize,
    /// How many frames make one entry.
    together: usize,
    /// Frames within one interval of this length make one entry, where the span of all of them is
    /// known; zero if it is not.
    column_ns: u64,
    /// Whether there are events in shorter frames: then silences are as long as they lasted.
    is_fine: bool,
    /// Frames that do not touch cannot be merged: there were too many of them.
    full: bool,
    /// From when on ends were counted.
    beginning: Beginning,
}

#[derive(Debug)]
struct Entry {
    frame: Compact,
    /// How many frames it is made of.
    parts: usize,
}

impl Entry {
    /// Takes in the next frame if it follows without a gap and there is room for it.
    fn take(&mut self, next: &Entry, together: usize) -> bool {
        let fits = self.parts + next.parts <= together;
        let merged = fits && self.frame.extend(&next.frame);
        self.parts += if merged { next.parts } else { 0 };
        merged
    }

    /// What it costs to keep.
    fn cells(&self) -> usize {
        self.frame.cells() + 8
    }
}

/// Adds time to the entries in which it was waited, in proportion to how long it was in each.
fn amend(entries: &mut [Entry], frame: &Frame) {
    let first = entries.partition_point(|entry| entry.frame.span().1 <= frame.start);
    let past = entries.partition_point(|entry| entry.frame.span().0 < frame.end);
    // What no entry covers belongs to the nearest one.
    let first = first.min(entries.len() - 1);
    let touched = &mut entries[first..past.max(first + 1)];
    let ends: Vec<Timestamp> = touched.iter().map(|entry| entry.frame.span().1).collect();
    for (entry, part) in touched.iter_mut().zip(parts(frame, &ends)) {
        entry.frame.amend(&part);
    }
}

/// Divides entries in which nothing ended where an amendment begins and ends: silence is one entry
/// however long it lasts, and the time was not waited in all of it.
fn divide(entries: &mut Vec<Entry>, amendment: &Frame) {
    for edge in [amendment.start, amendment.end] {
        let index = entries.partition_point(|entry| entry.frame.span().1 <= edge);
        let Some(entry) = entries.get(index).filter(|entry| entry.frame.is_cut_at(edge)) else {
            continue;
        };
        let whole = entry.frame.frame(&amendment.series);
        if !whole.is_divisible() {
            continue;
        }
        let (parts, places) = (entry.parts, [(whole.start, edge), (edge, whole.end)]);
        let part = |place| Entry { frame: Compact::new(&whole.clone().part(place)), parts };
        entries.splice(index..=index, places.map(part));
    }
}

/// Whether one interval follows another at once and lies in the same column.
fn within(one: (Timestamp, Timestamp), next: (Timestamp, Timestamp), column_ns: u64) -> bool {
    let cell = aligned(one.0, column_ns, 0);
    let same = cell == aligned(next.0, column_ns, 0) && next.1.since(cell).as_nanos() <= column_ns;
    same && one.1 == next.0
}

/// Whether nothing ended and nothing waited.
fn is_silence(frame: &Frame) -> bool {
    let is_empty = frame.counts.events() == 0 && frame.counts.time_waited().seconds <= 0.0;
    is_empty && !frame.is_gap() && !frame.is_amendment()
}

/// The frames of a series, those within one interval of the findings taken together.
fn merged(series: &Series, entries: &[Entry], column_ns: u64) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for entry in entries {
        let next = entry.frame.frame(series);
        let fits = |last: &Frame| {
            let (one, two) = ((last.start, last.end), (next.start, next.end));
            within(one, two, column_ns) && last.quality == next.quality && !next.is_gap()
        };
        match frames.last_mut().filter(|last| fits(last)) {
            Some(last) => {
                last.counts.add(&next.counts);
                last.end = next.end;
            }
            None => frames.push(next),
        }
    }
    frames
}

impl Digest {
    /// Keeps at most about so many counts, of 8 bytes each.
    pub fn new(most_cells: usize) -> Digest {
        Digest {
            series: BTreeMap::new(),
            most_cells,
            cells: 0,
            together: 1,
            column_ns: 0,
            is_fine: false,
            full: false,
            beginning: Beginning::default(),
        }
    }

    /// The same of frames of which it is known that they lie in this span: no finer than findings need
    /// them.
    pub fn of_span(most_cells: usize, (start, end): (Timestamp, Timestamp)) -> Digest {
        let column_ns = interval(end.since(start).as_nanos());
        Digest { column_ns, ..Digest::new(most_cells) }
    }

    /// A frame from before the time looked at: it only says whether ends were counted then.
    pub fn pass_over(&mut self, frame: &Frame) {
        self.beginning.add(frame);
    }

    /// It is known already how all begins, of which this is a part.
    pub fn begin_as(&mut self, beginning: &Beginning) {
        self.beginning = beginning.of_all();
    }

    /// The time at the beginning in which no ends were counted.
    pub fn unseen_start(&self) -> Option<UnseenStart> {
        self.beginning.unseen()
    }

    /// Adds a frame. Those of a series come in the order of time.
    pub fn push(&mut self, frame: &Frame) {
        self.beginning.add(frame);
        let is_short = frame.end.since(frame.start).as_nanos() < self.column_ns;
        self.is_fine |= is_short && !is_silence(frame);
        if !(self.is_fine && is_silence(frame)) {
            return self.add(frame);
        }
        // A silence may be longer than an interval of the findings; these begin where they begin.
        let mut start = frame.start;
        while start < frame.end {
            let next = aligned(start, self.column_ns, 0).plus(Nanos::new(self.column_ns));
            let end = next.min(frame.end);
            self.add(&Frame { start, end, ..frame.clone() });
            start = end;
        }
    }

    fn add(&mut self, frame: &Frame) {
        if self.full {
            return;
        }
        if !self.series.contains_key(&frame.series) {
            self.series.insert(frame.series.clone(), Vec::new());
        }
        let Some(entries) = self.series.get_mut(&frame.series) else { return };
        if frame.is_amendment() && !entries.is_empty() {
            divide(entries, frame);
            amend(entries, frame);
            self.cells = self.series.values().flatten().map(Entry::cells).sum();
            return;
        }
        let next = Entry { frame: Compact::new(frame), parts: 1 };
        let before = entries.last().map_or(0, Entry::cells);
        let column_ns = self.column_ns;
        let joins = |last: &mut Entry| {
            within(last.frame.span(), next.frame.span(), column_ns)
                && last.frame.extend(&next.frame)
        };
        let joined = column_ns > 0 && entries.last_mut().is_some_and(joins);
        if joined || entries.last_mut().is_some_and(|last| last.take(&next, self.together)) {
            self.cells += entries.last().map_or(0, Entry::cells) - before;
        } else {
            self.cells += next.cells();
            entries.push(next);
        }
        while self.cells > self.most_cells && !self.full {
            self.coarsen();
        }
    }

    fn coarsen(&mut self) {
        let entries = |digest: &Digest| digest.series.values().map(Vec::len).sum::<usize>();
        let before = entries(self);
        self.together = self.together.saturating_mul(2);
        self.cells = 0;
        for entries in self.series.values_mut() {
            let mut coarse: Vec<Entry> = Vec::with_capacity(entries.len() / 2 + 1);
            for entry in std::mem::take(entries) {
                if !coarse.last_mut().is_some_and(|last| last.take(&entry, self.together)) {
                    coarse.push(entry);
                }
            }
            self.cells += coarse.iter().map(Entry::cells).sum::<usize>();
            *entries = coarse;
        }
        // Less than a tenth fewer is too little to go on: they do not touch each other.
        if entries(self) > before / 10 * 9 && self.cells > self.most_cells {
            self.full = true;
            self.series.clear();
        }
    }

    /// The course of a series; `None` if it is not known, or if there was too much of it that
    /// cannot be merged.
    pub fn timeline(&self, series: &Series) -> Option<Timeline> {
        let frames: Vec<Frame> =
            self.series.get(series)?.iter().map(|entry| entry.frame.frame(series)).collect();
        let timeline = Timeline::place(&frames, grid(&frames)?);
        Some(timeline.with_unseen_start(self.unseen_start()))
    }

    /// The frames of all series, no finer than findings need them; none if there were too many that
    /// cannot be merged.
    pub fn frames(&self) -> Vec<Frame> {
        let spans = || self.series.values().flatten().map(|entry| entry.frame.span());
        let start = spans().map(|(start, _)| start).min();
        let end = spans().map(|(_, end)| end).max();
        let length = start.zip(end).map_or(0, |(start, end)| end.since(start).as_nanos());
        let column = interval(length);
        let of = |(series, entries): (&Series, &Vec<Entry>)| merged(series, entries, column);
        self.series.iter().flat_map(of).collect()
    }

    /// The findings of a series, if its course is known.
    pub fn findings(&self, series: &Series, circumstances: &Circumstances) -> Option<Findings> {
        let timeline = self.timeline(series)?;
        if !series.is_other() {
            return Some(Findings::of(&timeline, circumstances));
        }
        // Several together begin where there were too many to tell apart: before that they were told.
        let first = timeline.known().find(|column| column.events > 0).map(|column| column.start);
        let since = timeline.without(|column| first.is_some_and(|first| column.start < first));
        Some(Findings::of(&since, circumstances))
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Gap, Histogram, Nanos, Quality, Scheme};

    use super::*;

    fn frame(second: i64, events: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| {
            counts.record(Nanos::from_micros(100 + 900 * second.rem_euclid(3).unsigned_abs()));
        });
        let start = Timestamp::new(second * 1_000_000_000);
        let end = start.plus(Nanos::SECOND);
        let quality = Quality::Complete;
        Frame { series: Series::named("read"), start, end, counts, quality }
    }

    #[test]
    fn what_is_merged_keeps_every_event_its_time_and_its_gaps() {
        let mut digest = Digest::new(2_000);
        for second in (0..1_000).filter(|second| !(300..310).contains(second)) {
            digest.push(&frame(second, 5));
        }
        let mut gap = frame(1_000, 0);
        gap.quality = Quality::Gap(Gap::Reset);
        digest.push(&gap);
        assert!(digest.cells <= 2_000 && digest.together > 1, "{digest:?}");
        let timeline = digest.timeline(&Series::named("read")).unwrap();
        assert_eq!(timeline.total.events() + timeline.outside, 990 * 5);
        assert!((timeline.covered_s() - 990.0).abs() < 1e-6);
        let by_hand = 990.0 / 3.0 * 5.0 * (100e-6 + 1_000e-6 + 1_900e-6);
        assert!((timeline.waited().seconds - by_hand).abs() < 1e-2);
        assert!(timeline.waited().exact);
    }

    /// Four that waited for 8 s in a minute in which nothing ended.
    #[test]
    fn time_lies_where_it_was_waited_in_a_long_silence() {
        let at = |second: i64| Timestamp::new(second * 1_000_000_000);
        let silence = Frame { end: at(64), ..frame(0, 0) };
        let times = (7, vec![32_000_000_000]);
        let counts = Histogram::empty(Scheme::log_linear()).with_waited_in(times, true).unwrap();
        let (start, end, quality) = (at(10), at(18), Quality::Amendment);
        let mut digest = Digest::new(100_000);
        digest.push(&silence);
        digest.push(&Frame { start, end, counts, quality, ..silence.clone() });
        let timeline = digest.timeline(&silence.series).unwrap();
        assert!((timeline.covered_s() - 64.0).abs() < 1e-9);
        for column in timeline.columns {
            let inside = end.min(column.end).since(start.max(column.start));
            let waited_s = 4.0 * inside.as_secs_f64();
            assert!((column.waited.seconds - waited_s).abs() < 1e-6, "{column:?}");
        }
    }

    #[test]
    fn frames_that_never_touch_do_not_grow_without_bound() {
        let mut digest = Digest::new(500);
        (0..10_000).for_each(|second| digest.push(&frame(2 * second, 1)));
        assert!(digest.full && digest.series.is_empty());
        assert_eq!(digest.timeline(&Series::named("read")), None);
    }
}
