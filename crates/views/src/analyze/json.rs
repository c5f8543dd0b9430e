//! An analysis for programs: one JSON object, described by `docs/schema/analyze.schema.json`.

use std::io::{self, Write};

use isotherm_experiment::{Bend, Cell, Csv, CurvePoint, RunTable, Spread};
use isotherm_frame::Nanos;
use serde_json::{Map, Value, json};

use super::sentences;
use super::sheet::{AnalyzeSheet, NamedCurve};
use crate::generator::generator;

/// The version of the object's schema.
pub const ANALYZE_SCHEMA_VERSION: u64 = 1;

/// What there is of sweeps: what they come to, their curves, every run.
pub(super) fn of(sheet: &AnalyzeSheet<'_>) -> Value {
    let AnalyzeSheet { sweeps, curves, limits } = sheet;
    let tables: Vec<(&str, &RunTable)> =
        sweeps.iter().map(|sweep| (sweep.name.as_str(), &sweep.table)).collect();
    let inputs = sweeps.iter().map(|sweep| {
        json!({
            "name": sweep.name,
            "target": sweep.target,
            "runs": sweep.table.latest().len(),
            "rejected_lines": sweep.table.rejected,
        })
    });
    json!({
        "sweeps": inputs.collect::<Vec<Value>>(),
        "sentences": sentences::of(sheet),
        "curves": curves.iter().map(|named| curve(named, limits)).collect::<Vec<Value>>(),
        "rows": table_rows(&Csv::of_runs(&tables)),
    })
}

/// Writes the object with what every analysis has, made by this command, on one line. Fails only
/// when `out` does.
pub fn analyze_json(own: Value, command: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut object = json!({
        "schema_version": ANALYZE_SCHEMA_VERSION,
        "generator": generator(),
        "command": command,
    });
    if let (Some(object), Value::Object(own)) = (object.as_object_mut(), own) {
        object.extend(own);
    }
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")
}

/// The rows of the table for spreadsheets by their headings; what is not known is null.
pub fn table_rows(csv: &Csv) -> Vec<Value> {
    let cell = |cell: &Cell| match cell {
        Cell::Empty => Value::Null,
        Cell::Text(text) => text.clone().into(),
        Cell::Number(number) => json!(number),
        Cell::Count(count) => json!(count),
    };
    let row = |row: &Vec<Cell>| {
        let named = csv.heads.iter().cloned().zip(row.iter().map(cell));
        Value::Object(named.collect::<Map<String, Value>>())
    };
    csv.rows.iter().map(row).collect()
}

fn curve(named: &NamedCurve<'_>, asked: &[Nanos]) -> Value {
    let curve = &named.curve;
    let limits = if asked.is_empty() { curve.limits() } else { asked.to_vec() };
    let limits = limits.iter().map(|&limit| {
        json!({
            "p99_s": limit.as_secs_f64(),
            "load": curve.within(limit).map(|point| point.load),
        })
    });
    json!({
        "name": named.name,
        "loop": if curve.open { "open" } else { "closed" },
        "saturation": curve.bend().map(|bend| saturation(&bend)),
        "limits": limits.collect::<Vec<Value>>(),
        "points": curve.points.iter().map(point).collect::<Vec<Value>>(),
    })
}

fn saturation(bend: &Bend) -> Value {
    json!({
        "load": bend.at.load,
        "is_first": bend.is_first,
        "is_last": bend.is_last,
    })
}

fn point(point: &CurvePoint) -> Value {
    let summary = &point.summary;
    let spread = |spread: Option<Spread>| {
        spread.map(|one| json!({ "median": one.median, "low": one.low, "high": one.high }))
    };
    json!({
        "load": point.load,
        "label": summary.label,
        "runs": summary.runs.len(),
        "without_result": summary.unusable.len(),
        "doubtful": point.is_doubtful(),
        "verdicts": summary.verdicts().iter().map(|one| one.code).collect::<Vec<&str>>(),
        "operations_per_s": spread(summary.throughput),
        "mb_per_s": spread(summary.megabytes),
        "mean_s": spread(summary.mean_s),
        "p50_s": spread(summary.p50_s),
        "p99_s": spread(summary.p99_s),
        "waited_s_per_s": spread(summary.waited),
        "cpu_s_per_operation": spread(summary.cpu_s),
    })
}
