//! The points of a sweep for programs: one JSON object, described by
//! `docs/schema/sweep.schema.json`.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{SweepPoint, SweepRange, SweepSheet};

/// The version of the object's schema.
pub const SWEEP_SCHEMA_VERSION: u64 = 1;

/// The JSON object.
#[derive(Copy, Clone, Debug)]
pub struct SweepJson;

impl SweepJson {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn render(self, sheet: &SweepSheet, out: &mut dyn Write) -> io::Result<()> {
        let doubts = sheet.doubts.iter().map(|doubt| {
            json!({
                "code": doubt.code,
                "serious": doubt.serious,
                "first_at": doubt.label,
                "runs": doubt.runs,
                "words": doubt.words,
            })
        });
        let stopped = sheet.stopped.iter();
        let stopped = stopped.map(|stopped| json!({ "label": stopped.label, "why": stopped.why }));
        let object = json!({
            "schema_version": SWEEP_SCHEMA_VERSION,
            "target": sheet.target,
            "points": sheet.points.iter().map(point).collect::<Vec<Value>>(),
            "doubts": doubts.collect::<Vec<Value>>(),
            "stopped": stopped.collect::<Vec<Value>>(),
            "runs_left": sheet.left,
        });
        serde_json::to_writer(&mut *out, &object)?;
        out.write_all(b"\n")
    }
}

/// Seconds and counts, shares from 0 to 1.
fn point(point: &SweepPoint) -> Value {
    let (steady, known) = point.steady;
    let verdicts = point.verdicts.iter();
    let verdicts: Vec<Value> =
        verdicts.map(|(code, serious)| json!({ "code": code, "serious": serious })).collect();
    json!({
        "point": point.point,
        "label": point.label,
        "runs": point.runs,
        "unusable_runs": point.unusable,
        "operations_per_s": range(point.throughput),
        "megabytes_per_s": range(point.megabytes),
        "mean_s": range(point.mean_s),
        "p50_s": range(point.p50_s),
        "p99_s": if point.p99_withheld { Value::Null } else { range(point.p99_s) },
        "waited_s_per_s": range(point.waited),
        "cpu_per_operation_s": range(point.cpu_s),
        "failed_share": range(point.failed_share),
        "steady_runs": steady,
        "judged_runs": known,
        "verdicts": verdicts,
    })
}

fn range(range: Option<SweepRange>) -> Value {
    range.map_or(
        Value::Null,
        |range| json!({ "median": range.median, "low": range.low, "high": range.high }),
    )
}
