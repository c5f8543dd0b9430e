//! AWR reports as rows: a table for people, columns for spreadsheets and programs.

mod charts;
mod csv;
mod history;
mod key_figures;
mod printed;
mod slob;
mod table;

use std::io::{self, Write};

use isotherm_oracle::awr::NamedReport;
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::SchemaVersion;
use crate::threshold_json::ThresholdJson;

pub use charts::{slob_chart, slob_sheet};
pub use csv::awr_csv;
pub use history::{AwrHistoryDocument, TooManyIntervals};
pub use key_figures::awr_sections;
pub use slob::slob_table;
pub use table::awr_table;

/// Everything that was read of AWR reports, in the order of time, and what they come to. What a report
/// prints rounded has half of its last digit beside it. Keys may be added while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm awr --format json")]
pub struct AwrJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The reports.
    reports: &'a [NamedReport],
    /// Warnings about the reports together.
    warnings: &'a [String],
    /// What the conditions of --fail-if came to; left out without any.
    #[serde(skip_serializing_if = "<[ThresholdJson]>::is_empty")]
    thresholds: &'a [ThresholdJson],
}

impl<'a> AwrJson<'a> {
    /// The object of these reports.
    pub fn new(reports: &'a [NamedReport], warnings: &'a [String]) -> AwrJson<'a> {
        AwrJson { schema_version: SchemaVersion, reports, warnings, thresholds: &[] }
    }

    /// Writes the object. Fails only when `out` does.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> AwrJson<'a> {
        AwrJson { thresholds, ..self }
    }
}
