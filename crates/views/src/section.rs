//! Parts of a report beside its maps: charts, tables, sentences.

use schemars::JsonSchema;
use serde::Serialize;

use crate::chart::Chart;
use crate::heat_grid::HeatGrid;
use crate::stacked_bars::StackedBars;

/// A part of a report with a heading of its own, shown above the maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What there is to say, one sentence or paragraph each.
    pub sentences: Vec<String>,
    /// Charts, side by side where there is room.
    pub charts: Vec<Chart>,
    /// Bars made of parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<StackedBars>,
    /// Amounts over time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grids: Vec<HeatGrid>,
    /// Tables below them.
    pub tables: Vec<Table>,
    /// What is shown when it is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// Where the rows of its first table lead to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<RowLinks>,
}

/// Where the rows of a table lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RowLinks")]
pub struct RowLinks {
    /// The column whose cells are the links.
    pub column: usize,
    /// The address of each row, relative to the page; null where a row leads nowhere.
    pub rows: Vec<Option<String>>,
}

impl RowLinks {
    /// The address that a cell leads to.
    pub fn href(&self, row: usize, column: usize) -> Option<&str> {
        if column != self.column {
            return None;
        }
        self.rows.get(row)?.as_deref()
    }
}

/// A part of a section that opens when it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Detail {
    /// What it is about, in one line.
    pub summary: String,
    /// What there is to say, one sentence or paragraph each.
    pub sentences: Vec<String>,
    /// Tables.
    pub tables: Vec<Table>,
    /// What opens in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Table")]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Headings of its columns.
    pub head: Vec<String>,
    /// Its rows, as many cells each as there are headings. Cells that begin with a digit, a sign
    /// or `≈` stand to the right.
    pub rows: Vec<Vec<String>>,
}
