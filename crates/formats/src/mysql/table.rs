//! A table of which the rows come one after the other.

use super::buckets::Buckets;
use super::found::{Cells, Found};
use super::response_time::ResponseTimes;

/// A table that holds histograms.
pub enum Table {
    /// `QUERY_RESPONSE_TIME` and its kin.
    Times(ResponseTimes),
    /// `events_statements_histogram_global` and `_by_digest`.
    Buckets(Buckets),
}

impl Table {
    /// The table with these columns, if it is one of ours.
    pub fn of(columns: &[&str]) -> Option<Table> {
        let columns: Vec<String> = columns.iter().map(|name| name.to_ascii_uppercase()).collect();
        let times = || ResponseTimes::of(&columns).map(Table::Times);
        times().or_else(|| Buckets::of(&columns).map(Table::Buckets))
    }

    /// Takes a row. `false` if it begins the table anew and was not taken.
    pub fn row(&mut self, cells: &Cells<'_>) -> Result<bool, String> {
        match self {
            Table::Times(times) => times.row(cells),
            Table::Buckets(buckets) => buckets.row(cells),
        }
    }

    /// Whether no row is missing.
    pub fn is_complete(&self) -> bool {
        matches!(self, Table::Times(times) if times.is_complete())
    }

    /// What it said.
    pub fn found(self) -> Vec<Found> {
        match self {
            Table::Times(times) => times.found(),
            Table::Buckets(buckets) => buckets.found(),
        }
    }
}
