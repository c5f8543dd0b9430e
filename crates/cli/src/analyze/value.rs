//! An analysis for programs: one JSON object, described by `docs/schema/analyze.schema.json`.

use isotherm_experiment::{Bend, Cell, Csv, CurvePoint, RunTable, Spread};
use isotherm_frame::Nanos;
use serde_json::{Map, Value, json};

use super::sentences;
use super::sweeps::{Named, Sweep};
use crate::failure::{Code, Failure};
use crate::report::command_line;

/// The version of the object's schema.
const SCHEMA_VERSION: u64 = 1;

/// Sweeps: what they come to, their curves, every run.
pub fn json(sweeps: &[Sweep], curves: &[Named], limits: &[Nanos]) -> Result<Vec<u8>, Failure> {
    let tables: Vec<(&str, &RunTable)> =
        sweeps.iter().map(|sweep| (sweep.name.as_str(), &sweep.table)).collect();
    let inputs = sweeps.iter().map(|sweep| {
        json!({
            "name": sweep.name,
            "target": sweep.targets(),
            "runs": sweep.table.latest().len(),
            "rejected_lines": sweep.table.rejected,
        })
    });
    whole(json!({
        "sweeps": inputs.collect::<Vec<Value>>(),
        "sentences": sentences::of(sweeps, curves, limits),
        "curves": curves.iter().map(|named| curve(named, limits)).collect::<Vec<Value>>(),
        "rows": rows(&Csv::of_runs(&tables)),
    }))
}

/// The object with what every one has, on one line.
pub fn whole(own: Value) -> Result<Vec<u8>, Failure> {
    let mut object = json!({
        "schema_version": SCHEMA_VERSION,
        "generator": format!("isotherm {}", env!("CARGO_PKG_VERSION")),
        "command": command_line(),
    });
    if let (Some(object), Value::Object(own)) = (object.as_object_mut(), own) {
        object.extend(own);
    }
    let failed = |error: serde_json::Error| Failure::new(Code::Runtime, error.to_string());
    let mut bytes = serde_json::to_vec(&object).map_err(failed)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The rows of the table for spreadsheets by their headings; what is not known is null.
pub fn rows(csv: &Csv) -> Vec<Value> {
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

fn curve(named: &Named, asked: &[Nanos]) -> Value {
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
        "verdicts": summary.verdicts(),
        "operations_per_s": spread(summary.throughput),
        "mb_per_s": spread(summary.megabytes),
        "mean_s": spread(summary.mean_s),
        "p50_s": spread(summary.p50_s),
        "p99_s": spread(summary.p99_s),
        "waited_s_per_s": spread(summary.waited),
        "cpu_s_per_operation": spread(summary.cpu_s),
    })
}
