//! The columns of a time axis, chosen by the intervals of what is to be drawn.

use isotherm_frame::{Frame, Nanos, Timestamp};

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

impl Grid {
    /// An axis of at most `most` columns that covers all frames. A column is a whole number of the
    /// usual interval, and columns begin where usual intervals do, at multiples of their own width:
    /// so an interval is not smeared over two columns, and the same interval lies in the same
    /// column whatever else is looked at. `None` without frames.
    pub fn covering(frames: &[Frame], most: usize) -> Option<Grid> {
        Grid::covering_spans(&frames.iter().map(Span::of).collect::<Vec<Span>>(), most)
    }

    /// The same for intervals of which no more is known than where they lie.
    ///
    /// Intervals that all have most of their time in common are one: jobs that ran side by side, of
    /// which one took a little longer, have no course over time.
    pub fn covering_spans(spans: &[Span], most: usize) -> Option<Grid> {
        let start = spans.iter().map(|span| span.start).min()?;
        let end = spans.iter().map(|span| span.end).max()?;
        if is_one_interval(spans, (start, end)) {
            return Some(Grid { end, column: end.since(start), columns: 1 });
        }
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
    /// Where a frame lies.
    pub fn of(frame: &Frame) -> Span {
        let (start, end) = (frame.start, frame.end);
        Span { start, end, filled: !frame.counts.is_empty(), amends: frame.is_amendment() }
    }

    fn length(&self) -> u64 {
        self.end.since(self.start).as_nanos()
    }
}

/// Whether intervals of different lengths have at least half of the time from `start` to `end` in
/// common.
fn is_one_interval(spans: &[Span], (start, end): (Timestamp, Timestamp)) -> bool {
    let measured = || spans.iter().filter(|span| !span.amends);
    let latest_start = measured().map(|span| span.start).max();
    let earliest_end = measured().map(|span| span.end).min();
    let (Some(from), Some(to)) = (latest_start, earliest_end) else { return false };
    // All of one length are placed as usual: at multiples of it.
    let alike = from == start && to == end;
    !alike && from < to && to.since(from).as_nanos() >= end.since(start).as_nanos().div_ceil(2)
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
