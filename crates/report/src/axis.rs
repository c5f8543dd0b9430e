//! The finest columns of time that an entry can be drawn in.

use isotherm_analysis::{Grid, Span};
use isotherm_frame::{Nanos, Series, Timestamp};

use crate::input::ReportInput;

/// The most finest columns: sparse intervals far apart must not cost memory for what lies between.
pub(crate) const MOST_FINEST: u64 = 1 << 17;

/// The finest columns of an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// The start of the first column.
    pub start: Timestamp,
    /// The length of one.
    pub native: Nanos,
    /// Their number, at least one.
    pub columns: u64,
}

impl Axis {
    /// The axis of these series in the time shown; `None` without intervals.
    pub fn of(given: &ReportInput, members: &[(Series, u64)]) -> Option<Axis> {
        let range = given.shown();
        let spans = members.iter();
        let spans = spans.flat_map(|(series, _)| given.history.spans_within(series, range));
        let spans: Vec<Span> = spans.collect();
        let grid =
            Grid::covering_spans(&spans, usize::try_from(MOST_FINEST).unwrap_or(usize::MAX))?;
        let columns = u64::try_from(grid.columns).unwrap_or(u64::MAX);
        Some(Axis { start: grid.start(), native: grid.column, columns })
    }

    /// The fewest finest columns to make one of at most `most`.
    pub fn factor_for(self, most: u64) -> u64 {
        self.columns.div_ceil(most.max(1)).max(1)
    }

    /// The number of columns when `factor` of the finest make one.
    pub fn columns_at(self, factor: u64) -> u64 {
        self.columns.div_ceil(factor.max(1))
    }

    /// The start of a finest column.
    fn at(self, column: u64) -> Timestamp {
        self.start.plus(Nanos::new(self.native.as_nanos().saturating_mul(column)))
    }

    /// The grid of the finest columns from `first` on.
    pub fn grid(self, first: u64, columns: u64) -> Grid {
        let count = usize::try_from(columns).unwrap_or(usize::MAX);
        Grid { end: self.at(first + columns), column: self.native, columns: count }
    }
}
