//! The columns of a report that grows: they stay where they are while new ones are added.

use isotherm_analysis::{Grid, History, Span};
use isotherm_frame::{Nanos, Timestamp};

use crate::axis::{Axis, MOST_FINEST};

/// Where the columns of all entries of a recording begin, and how long they are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LiveGrid {
    /// The usual length of an interval of the source: the finest column.
    pub interval: Nanos,
    /// By how much columns begin after multiples of their length, in nanoseconds.
    phase_ns: i64,
    /// How many of the finest columns make one.
    factor: u64,
}

/// A number of columns of a grid.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LiveWindow {
    grid: LiveGrid,
    start: Timestamp,
    columns: u64,
}

impl LiveGrid {
    /// The most of the finest columns when a grid is made.
    pub const MOST_FINEST: u64 = MOST_FINEST;

    /// The grid of the usual intervals of what is kept; `None` before there is anything.
    pub fn of(history: &History) -> Option<LiveGrid> {
        let (from, to) = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        let spans = history.series().flat_map(|series| history.spans(series, from, to));
        let spans: Vec<Span> = spans.collect();
        let most = usize::try_from(MOST_FINEST).unwrap_or(usize::MAX);
        let grid = Grid::covering_spans(&spans, most)?;
        let length = i64::try_from(grid.column.as_nanos()).unwrap_or(i64::MAX).max(1);
        let phase_ns = grid.start().as_nanos().rem_euclid(length);
        Some(LiveGrid { interval: grid.column, phase_ns, factor: 1 })
    }

    /// The same with so many of the finest columns to one.
    #[must_use]
    pub fn with_factor(self, factor: u64) -> LiveGrid {
        LiveGrid { factor: factor.max(1), ..self }
    }

    /// How many of the finest columns make one.
    pub fn factor(self) -> u64 {
        self.factor
    }

    /// How many of the finest columns must make one for a stretch of time to have at most so many.
    pub fn factor_for(self, length: Nanos, most: u64) -> u64 {
        let finest = length.as_nanos().div_ceil(self.interval.as_nanos().max(1));
        finest.div_ceil(most.max(1)).max(1)
    }

    /// The length of a column.
    pub fn width(self) -> Nanos {
        Nanos::new(self.interval.as_nanos().max(1).saturating_mul(self.factor))
    }

    /// Whether intervals lie in these columns as they do in those of another grid: off by less than
    /// what a clock that is read late is off.
    pub fn is_like(self, other: LiveGrid) -> bool {
        let length = i64::try_from(self.interval.as_nanos()).unwrap_or(i64::MAX).max(1);
        let off = self.phase_ns.saturating_sub(other.phase_ns).rem_euclid(length);
        self.interval == other.interval && off.min(length - off) <= length / 50
    }

    /// The whole columns that hold `from..to`, at least one.
    pub fn window(self, from: Timestamp, to: Timestamp) -> LiveWindow {
        let width = i64::try_from(self.width().as_nanos()).unwrap_or(i64::MAX);
        let after = from.as_nanos().saturating_sub(self.phase_ns).rem_euclid(width);
        let start = Timestamp::new(from.as_nanos().saturating_sub(after));
        let columns = to.since(start).as_nanos().div_ceil(self.width().as_nanos()).max(1);
        LiveWindow { grid: self, start, columns }
    }
}

impl LiveWindow {
    /// The grid the columns are of.
    pub fn grid(self) -> LiveGrid {
        self.grid
    }

    /// Where the first column begins and the last one ends.
    pub fn span(self) -> (Timestamp, Timestamp) {
        let length = self.grid.width().as_nanos().saturating_mul(self.columns);
        (self.start, self.start.plus(Nanos::new(length)))
    }

    /// The finest columns.
    pub(crate) fn axis(self) -> Axis {
        let columns = self.columns.saturating_mul(self.grid.factor);
        Axis { start: self.start, native: self.grid.interval, columns }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Histogram, Quality, Scheme, Series};

    use super::*;

    fn history(starts_ms: impl Iterator<Item = i64>) -> History {
        let mut history = History::new(usize::MAX);
        for start in starts_ms {
            let mut counts = Histogram::empty(Scheme::log_linear());
            counts.record(Nanos::from_micros(100));
            let at = |ms: i64| Timestamp::new(ms * 1_000_000);
            let (series, quality) = (Series::named("read"), Quality::Complete);
            history.push(&Frame {
                series,
                start: at(start),
                end: at(start + 1_000),
                counts,
                quality,
            });
        }
        history
    }

    #[test]
    fn columns_begin_where_intervals_do_and_stay_there() {
        let grid = |count: i64| LiveGrid::of(&history((0..count).map(|s| s * 1_000 + 370)));
        let grid = |count| grid(count).unwrap();
        assert_eq!((grid(1).width(), grid(1)), (Nanos::SECOND, grid(600)));
        let at = |ms: i64| Timestamp::new(ms * 1_000_000);
        let fine = grid(9).window(at(5_370), at(9_000));
        assert_eq!(fine.span(), (at(5_370), at(9_370)));
        // Five of them to one: at multiples of five, wherever the window begins.
        let coarse = grid(9).with_factor(5);
        for from in [5_400, 7_000, 10_369] {
            assert_eq!(
                coarse.window(at(from), at(10_370)).span(),
                (at(5_370), at(10_370)),
                "{from}"
            );
        }
        assert_eq!(coarse.window(at(10_370), at(10_371)).span(), (at(10_370), at(15_370)));
        assert_eq!(LiveGrid::of(&history(std::iter::empty())), None);
    }

    #[test]
    fn a_window_of_an_hour_has_as_few_columns_as_asked_for() {
        let grid = LiveGrid::of(&history((0..3).map(|s| s * 1_000))).unwrap();
        let hour = Nanos::from_millis(3_600_000);
        assert_eq!(grid.factor_for(hour, 3_600), 1);
        assert_eq!(grid.factor_for(hour, 1_000), 4);
        assert_eq!(grid.factor_for(Nanos::ZERO, 1_000), 1);
    }

    #[test]
    fn a_grid_that_is_off_by_little_is_the_same() {
        let grid = |ms: i64| LiveGrid::of(&history((0..9).map(|s| s * 1_000 + ms))).unwrap();
        assert!(grid(370).is_like(grid(380)) && grid(995).is_like(grid(3)));
        assert!(!grid(370).is_like(grid(470)));
    }
}
