//! The report for programs: one JSON object, described by `docs/schema/report.schema.json`.

use std::io::Write;

use isotherm_analysis::{Column, ColumnState};
use isotherm_frame::{Histogram, Nanos};
use serde_json::{Value, json};

use isotherm_views::generator;

use crate::error::ReportError;
use crate::raster::{MOST_COLUMNS, Raster};
use crate::report::{Entry, Report};
use crate::{header, sections};

/// The version of the object's schema.
pub const REPORT_SCHEMA_VERSION: u64 = 1;

/// Writes the report as one JSON object on one line; with what every column of time holds if
/// `columns` says so.
pub fn json(report: &Report, columns: bool, out: &mut dyn Write) -> Result<(), ReportError> {
    let entries: Vec<Value> =
        report.entries.iter().map(|entry| self::entry(report, entry, columns)).collect();
    let object = json!({
        "schema_version": REPORT_SCHEMA_VERSION,
        "generator": generator(),
        "title": report.title,
        "command": report.command,
        "recordings": report.given.iter().map(header::recording).collect::<Vec<Value>>(),
        "sections": sections::json(&report.sections),
        "entries": entries,
        "not_drawn": report.not_drawn.iter().map(header::not_drawn).collect::<Vec<Value>>(),
    });
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")?;
    Ok(())
}

fn entry(report: &Report, entry: &Entry, columns: bool) -> Value {
    let mut value = header::numbers(entry);
    value.insert("buckets".to_owned(), buckets(&entry.latencies));
    if columns {
        let factor = entry.axis.factor_for(MOST_COLUMNS);
        let raster = Raster::of(&report.given[entry.recording], entry, factor, &mut []);
        let columns = raster.timeline.columns.iter().map(column).collect();
        value.insert("columns".to_owned(), Value::Array(columns));
    }
    Value::Object(value)
}

fn column(column: &Column) -> Value {
    let state = match column.state {
        ColumnState::Data => "data",
        ColumnState::NoData => "no data",
        ColumnState::Reset => "reset",
    };
    json!({
        "start_ns": column.start.as_nanos(),
        "end_ns": column.end.as_nanos(),
        "state": state,
        "covered_s": column.covered_s,
        "events": column.events,
        "waited_s": column.waited.seconds,
        "unplaced_s": column.unplaced_s,
        "exact": column.waited.exact,
        "buckets": column.latencies.as_ref().map(buckets),
    })
}

/// The buckets that hold events.
fn buckets(latencies: &Histogram) -> Value {
    let bucket = |(bucket, count): (isotherm_frame::Bucket, u64)| {
        json!({
            "lo_ns": bucket.lo.as_nanos(),
            "hi_ns": bucket.hi.map(Nanos::as_nanos),
            "count": count,
        })
    };
    latencies.non_zero().map(bucket).collect()
}
