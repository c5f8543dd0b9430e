//! The intervals of some series placed on a regular axis of time: what everything that looks at
//! latencies over time is computed from.

use std::borrow::Borrow;

use isotherm_frame::{Frame, Histogram, Nanos, Scheme, TimeWaited};

use crate::columns::place;
use crate::{Beginning, Column, ColumnState, Grid, UnseenStart};

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
    /// Whether it is known how long any interval was; not of totals that were read once.
    pub has_length: bool,
}

impl Timeline {
    /// Places frames, of one series or of several taken together. A frame longer than a column,
    /// or lying across two, is divided between them in proportion to time in whole events, so that
    /// the events of the columns and [`Timeline::outside`] add up to the events given.
    pub fn place(frames: &[Frame], grid: Grid) -> Timeline {
        // In their order, so that time which several series cover is counted once.
        let mut ordered: Vec<&Frame> = frames.iter().collect();
        ordered.sort_by_key(|frame| frame.start);
        Timeline::of_ordered(ordered, grid)
    }

    /// The same of frames that come in the order of their starts.
    pub fn of_ordered(frames: impl IntoIterator<Item: Borrow<Frame>>, grid: Grid) -> Timeline {
        let (mut has_length, mut beginning) = (false, Beginning::default());
        let frames = frames.into_iter().inspect(|frame| {
            has_length |= frame.borrow().has_length();
            beginning.add(frame.borrow());
        });
        let (columns, outside) = place(frames, grid);
        let latencies = columns.iter().filter_map(|column| column.latencies.as_ref());
        let total =
            Histogram::merged(latencies).unwrap_or_else(|| Histogram::empty(Scheme::log_linear()));
        let timeline = Timeline { columns, column: grid.column, total, outside, has_length };
        timeline.with_unseen_start(beginning.unseen())
    }

    /// The same of a part of what was measured: in this time at the beginning of all no ends were
    /// counted.
    #[must_use]
    pub fn with_unseen_start(mut self, unseen: Option<UnseenStart>) -> Timeline {
        for column in &mut self.columns {
            let (from, to) = (column.start, column.end);
            let within = unseen.map_or(0.0, |one| one.seconds_between(from, to));
            let more = unseen.map_or(0.0, |one| one.more_between(from, to));
            column.counted_s = (column.covered_s - within).max(0.0) + more;
        }
        self
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
    use isotherm_frame::{Quality, Series, Timestamp};

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
    fn jobs_side_by_side_are_one_interval() {
        // They end together, as those of a report do, and ran for 11.99 to 12.02 s.
        let frames = [frame(20, 12_030, 3), frame(40, 12_030, 4), frame(10, 12_030, 5)];
        let grid = Grid::covering(&frames, 600).unwrap();
        let all = (frames[2].start, Timestamp::new(12_030_000_000));
        assert_eq!((grid.start(), grid.end, grid.columns), (all.0, all.1, 1));
        let timeline = Timeline::place(&frames, grid);
        assert_eq!(timeline.columns[0].events, 12);
        // Without a moment in common, or with little of it, there is a course over time.
        let apart = [frame(0, 1_000, 1), frame(900, 4_000, 1)];
        assert!(Grid::covering(&apart, 600).unwrap().columns > 1);
    }

    #[test]
    fn time_waited_is_exact_only_if_it_is_so_in_every_column() {
        let exact = || [frame(0, 1_000, 5), frame(1_000, 2_000, 7)];
        let grid = Grid { end: Timestamp::new(2_000_000_000), column: Nanos::SECOND, columns: 2 };
        let waited = |frames: &[Frame]| Timeline::place(frames, grid).waited();
        assert!(waited(&exact()).exact);
        assert!((waited(&exact()).seconds - 12.0 * 100e-6).abs() < 1e-12);
        for estimated in 0..2 {
            let mut frames = exact();
            frames[estimated].counts = frames[estimated].counts.clone().with_sum(None);
            assert!(!waited(&frames).exact, "{estimated}");
        }
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
    fn what_was_waited_before_its_event_ended_covers_no_time() {
        // A wait of half a second to 4 s, of which the time comes between the intervals.
        let wait = Frame { quality: Quality::Amendment, ..frame(500, 4_000, 0) };
        let frames = [frame(0, 1_000, 3), wait, frame(1_000, 2_000, 3), frame(2_000, 4_000, 3)];
        let grid = Grid { end: Timestamp::new(4_000_000_000), column: Nanos::SECOND, columns: 4 };
        let timeline = Timeline::place(&frames, grid);
        let covered: Vec<f64> = timeline.columns.iter().map(|column| column.covered_s).collect();
        assert_eq!(covered, [1.0; 4]);
        assert_eq!(crate::gaps(&timeline), None);
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
