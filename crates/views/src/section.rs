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
    /// Where the names in its tables lead to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
}

/// Where a name leads to: cells of its tables that are this text are links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Link")]
pub struct Link {
    /// What the cell says.
    pub text: String,
    /// The address, relative to the page.
    pub href: String,
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
