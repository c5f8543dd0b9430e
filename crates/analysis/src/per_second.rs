//! What a map divides by the seconds of a column.

use crate::{Column, ColumnState};

/// What a map shows of a column: an amount, and the seconds that it is divided by.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PerSecond {
    pub(crate) amount: fn(&Column) -> f64,
    pub(crate) length_s: fn(&Column) -> f64,
}

impl PerSecond {
    pub(crate) const EVENTS: PerSecond =
        PerSecond { amount: |column| column.events as f64, length_s: Column::counted_or_covered_s };
    pub(crate) const WAITED: PerSecond =
        PerSecond { amount: |column| column.waited.seconds, length_s: |column| column.covered_s };

    /// Whether a column is no sliver.
    fn is_whole(self, column: &Column) -> bool {
        column.is_known_for((self.length_s)(column))
    }

    /// The largest of the sums of columns; those of slivers only if there is nothing else.
    pub(crate) fn most(self, sums: &[f64], columns: &[Column]) -> f64 {
        let sums = sums.iter().zip(self.whole(columns)).filter(|(_, is_whole)| *is_whole);
        sums.map(|(sum, _)| *sum).fold(0.0, f64::max)
    }

    /// Of each column whether it is no sliver; all are none if there is nothing else.
    pub(crate) fn whole(self, columns: &[Column]) -> Vec<bool> {
        let any_whole = columns.iter().any(|column| self.is_whole(column));
        columns.iter().map(|column| !any_whole || self.is_whole(column)).collect()
    }

    /// The sum of the last column that is no sliver; of the last one with data if there is nothing else.
    pub(crate) fn at_last(self, sums: &[f64], columns: &[Column]) -> f64 {
        let last = columns.iter().rposition(|column| self.is_whole(column));
        let last = last.or(columns.iter().rposition(|column| column.state == ColumnState::Data));
        last.and_then(|column| sums.get(column)).copied().unwrap_or_default()
    }
}

/// The cells of these columns.
pub(crate) fn whole_cells(cells: &[f64], whole: &[bool]) -> Vec<f64> {
    let in_columns = cells.iter().zip(whole.iter().cycle());
    in_columns.filter(|(_, is_whole)| **is_whole).map(|(cell, _)| *cell).collect()
}
