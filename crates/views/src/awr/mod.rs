//! AWR reports as rows: a table for people, columns for spreadsheets and programs.

mod charts;
mod csv;
mod printed;
mod slob;
mod table;

use std::io::{self, Write};

use isotherm_oracle::awr::NamedReport;
use serde_json::json;

pub use charts::{slob_chart, slob_sheet};
pub use csv::awr_csv;
pub use slob::slob_table;
pub use table::awr_table;

/// Writes everything that was read as one object. Fails only when `out` does.
pub fn awr_json(
    reports: &[NamedReport],
    warnings: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = |read: &NamedReport| json!({ "file": read.file, "summary": read.summary, "report": read.report });
    let reports: Vec<_> = reports.iter().map(report).collect();
    let whole = json!({ "reports": reports, "warnings": warnings });
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}
