//! A calibration for programs: one JSON object, described by `docs/schema/calibrate.schema.json`.

use std::io::{self, Write};

use serde_json::{Value, json as object};

use super::{CalibrationSheet, sentences};
use crate::generator::generator;

/// The version of the object's schema.
pub const CALIBRATION_SCHEMA_VERSION: u64 = 1;

/// Writes the object on one line: what there is to say, and the calibration with every run behind
/// it. Fails only when `out` does.
pub fn json(sheet: &CalibrationSheet, calibration: &Value, out: &mut dyn Write) -> io::Result<()> {
    let whole = object!({
        "schema_version": CALIBRATION_SCHEMA_VERSION,
        "generator": generator(),
        "sentences": sentences(sheet),
        "calibration": calibration,
    });
    serde_json::to_writer(&mut *out, &whole)?;
    out.write_all(b"\n")
}
