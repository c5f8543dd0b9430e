//! The intervals of some series placed on a regular axis of time: what everything that looks at
//! latencies over time is computed from.

use isotherm_frame::{Frame, Histogram, Nanos, Scheme, TimeWaited, Timestamp};

use crate::columns::place;
use crate::{Column, ColumnState};

/// A regular axis of time: columns of one length, the last one ending at `end`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The end of the last column.
    pub end: Timestamp,
    /// The length of time of one column.
    pub column: Nanos,
    /// The number of columns.
    pub columns: usize,
}

/// Latencies over time: what is known of each column of a [`Grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The columns, oldest first.
    pub columns: Vec<Column>,
    /// The length of time of one column.
    pub column: Nanos,
    /// All events of all columns, in buckets that split none of the source's.
    pub total: Histogram,
    /// Events of the frames given that lie outside all columns.
    pub outside: u64,
}

impl Grid {
    /// An axis of at most `most` columns that covers all frames. A column is a whole number of the
    /// usual interval, and columns begin where usual intervals do, at multiples of their own width:
    /// so an interval is not smeared over two columns, and the same interval lies in the same
    /// column whatever else is looked at. `None` without frames.
    pub fn covering(frames: &[Frame], most: usize) -> Option<Grid> {
        Grid::covering_spans(&frames.iter().map(Span::of).collect::<Vec<Span>>(), most)
    }

    /// The same for intervals of which no more is known than where they lie.
    pub fn covering_spans(spans: &[Span], most: usize) -> Option<Grid> {
        let start = spans.iter().map(|span| span.start).min()?;
        let end = spans.iter().map(|span| span.end).max()?;
        let (length, most) = (end.since(start).as_nanos(), most.max(1));
        let usual = usual_length(spans);
        let phase = usual_phase(spans, usual);
        let mut together = length.div_ceil(usual).div_ceil(most as u64).max(1);
        loop {
            let column = usual.saturating_mul(together);
            let first = aligned(start, column, phase);
            let columns = end.since(first).as_nanos().div_ceil(column).max(1);
            if columns <= most as u64 || column == u64::MAX {
                let columns = usize::try_from(columns).map_or(most, |c| c.min(most));
                let length = Nanos::new(column.saturating_mul(columns as u64));
                return Some(Grid { end: first.plus(length), column: Nanos::new(column), columns });
            }
            together += 1;
        }
    }

    /// The start of the first column.
    pub fn start(self) -> Timestamp {
        self.end.minus(self.length())
    }

    /// The length of time of all columns.
    pub fn length(self) -> Nanos {
        Nanos::new(self.column.as_nanos().saturating_mul(self.columns as u64))
    }
}

/// Where an interval lies, and whether anything ended in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: Timestamp,
    /// Where it ends.
    pub end: Timestamp,
    /// Whether it holds events or time.
    pub filled: bool,
    /// Whether it only adds time to other intervals.
    pub amends: bool,
}

impl Span {
    fn of(frame: &Frame) -> Span {
        let (start, end) = (frame.start, frame.end);
        Span { start, end, filled: !frame.counts.is_empty(), amends: frame.is_amendment() }
    }

    fn length(&self) -> u64 {
        self.end.since(self.start).as_nanos()
    }
}

/// The median length of intervals, in nanoseconds; at least one. Long silences are one interval:
/// where there are events, only intervals with events count.
fn usual_length(spans: &[Span]) -> u64 {
    let usual = |counts: &dyn Fn(&Span) -> bool| {
        let counted = spans.iter().filter(|span| !span.amends && counts(span));
        let mut lengths: Vec<u64> = counted.map(Span::length).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied()
    };
    usual(&|span| span.filled).or(usual(&|_| true)).unwrap_or(1).max(1)
}

/// By how much intervals of the usual length begin after multiples of it, in nanoseconds.
fn usual_phase(spans: &[Span], usual: u64) -> i64 {
    let width = i64::try_from(usual).unwrap_or(i64::MAX);
    let regular = spans.iter().filter(|span| span.length() == usual);
    let mut phases: Vec<i64> =
        regular.map(|span| span.start.as_nanos().rem_euclid(width)).collect();
    phases.sort_unstable();
    phases.get(phases.len() / 2).copied().unwrap_or(0)
}

/// The last multiple of the width of a column, moved by a phase, at or before a moment.
pub(crate) fn aligned(at: Timestamp, column: u64, phase: i64) -> Timestamp {
    let width = i64::try_from(column).unwrap_or(i64::MAX).max(1);
    let after = at.as_nanos().saturating_sub(phase).rem_euclid(width);
    at.minus(Nanos::new(after.unsigned_abs()))
}

/// By how much intervals of frames that have the usual length begin after multiples of it.
pub(crate) fn usual_phase_of(frames: &[Frame], usual: u64) -> i64 {
    usual_phase(&frames.iter().map(Span::of).collect::<Vec<Span>>(), usual)
}

/// The usual length of the intervals of frames.
pub(crate) fn usual_length_of(frames: &[Frame]) -> u64 {
    usual_length(&frames.iter().map(Span::of).collect::<Vec<Span>>())
}

impl Timeline {
    /// Places frames, of one series or of several taken together. A frame longer than a column,
    /// or lying across two, is divided between them in proportion to time in whole events, so that
    /// the events of the columns and [`Timeline::outside`] add up to the events given.
    pub fn place(frames: &[Frame], grid: Grid) -> Timeline {
        let (columns, outside) = place(frames, grid);
        let latencies = columns.iter().filter_map(|column| column.latencies.as_ref());
        let total =
            Histogram::merged(latencies).unwrap_or_else(|| Histogram::empty(Scheme::log_linear()));
        Timeline { columns, column: grid.column, total, outside }
    }

    /// The columns about which the source said something, oldest first.
    pub fn known(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.state == ColumnState::Data)
    }

    /// The time about which the source said something, in seconds.
    pub fn covered_s(&self) -> f64 {
        self.columns.iter().map(|column| column.covered_s).sum()
    }

    /// All time waited; exact only if it is so in every column.
    pub fn waited(&self) -> TimeWaited {
        TimeWaited {
            seconds: self.columns.iter().map(|column| column.waited.seconds).sum(),
            exact: self.columns.iter().all(|column| column.waited.exact),
        }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Quality, Series};

    use super::*;

    fn frame(start_ms: i64, end_ms: i64, events: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_micros(100)));
        Frame {
            series: Series::named("read"),
            start: Timestamp::new(start_ms * 1_000_000),
            end: Timestamp::new(end_ms * 1_000_000),
            counts,
            quality: Quality::Complete,
        }
    }

    #[test]
    fn a_covering_axis_has_whole_intervals_to_a_column() {
        let frames: Vec<Frame> = (0..10).map(|s| frame(s * 1_000, (s + 1) * 1_000, 1)).collect();
        let grid = Grid::covering(&frames, 4).unwrap();
        assert_eq!((grid.column, grid.columns), (Nanos::from_millis(3_000), 4));
        assert_eq!((grid.start(), grid.end), (frames[0].start, Timestamp::new(12_000_000_000)));
        let all = Grid::covering(&frames, 100).unwrap();
        assert_eq!((all.column, all.columns), (Nanos::SECOND, 10));
        assert_eq!(Grid::covering(&[], 4), None);
    }

    #[test]
    fn short_intervals_cover_all_of_long_columns() {
        let frames: Vec<Frame> =
            (0..600).map(|s| frame(s * 1_000 + 300, s * 1_000 + 1_300, 1)).collect();
        let grid = Grid {
            end: Timestamp::new(600_000_000_000),
            column: Nanos::new(60_000_000_000),
            columns: 10,
        };
        let timeline = Timeline::place(&frames, grid);
        for column in &timeline.columns[1..] {
            assert!((column.covered_s - 60.0).abs() < 1e-9, "{}", column.covered_s);
        }
        assert!((timeline.covered_s() - 599.7).abs() < 1e-9);
    }

    #[test]
    fn what_is_placed_and_what_is_outside_is_everything() {
        let frames = [frame(0, 1_000, 7), frame(500, 2_500, 11), frame(9_000, 9_500, 3)];
        let grid = Grid { end: Timestamp::new(2_000_000_000), column: Nanos::SECOND, columns: 2 };
        let timeline = Timeline::place(&frames, grid);
        let placed: u64 = timeline.columns.iter().map(|column| column.events).sum();
        assert_eq!(placed + timeline.outside, 21);
        assert_eq!(timeline.total.events(), placed);
        assert!((timeline.covered_s() - 2.0).abs() < 1e-9);
        assert_eq!(timeline.known().count(), 2);
    }
}
