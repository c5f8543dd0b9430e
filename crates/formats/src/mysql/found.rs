//! The rows of a table, and what it says of one series.

use isotherm_frame::{Histogram, Series};

/// The values of a row; `None` for SQL's null.
pub type Cells<'a> = [Option<&'a str>];

/// The name of the series of all statements.
pub(super) const STATEMENTS: &str = "statements";

/// The totals of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What they are of.
    pub series: Series,
    /// The totals, or why they cannot be read.
    pub total: Result<Histogram, String>,
    /// How many statements were counted, as far as it was read.
    pub events: u64,
}
