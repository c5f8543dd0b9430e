//! A calibration for programs.

use isotherm_experiment::calibrate::Calibration;
use schemars::JsonSchema;
use serde::Serialize;

use super::sentences;
use crate::generator::generator;
use crate::json::SchemaVersion;

/// What a disk or file can do: every rate with its latencies. Keys may be added while
/// `schema_version` stays 1; none changes its meaning or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm calibrate --format json")]
pub struct CalibrationJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// What it comes to, most important first.
    sentences: Vec<String>,
    /// The calibration with every run behind it.
    calibration: &'a Calibration,
}

impl<'a> CalibrationJson<'a> {
    /// The object.
    pub fn new(calibration: &'a Calibration) -> CalibrationJson<'a> {
        CalibrationJson {
            schema_version: SchemaVersion,
            generator: generator(),
            sentences: sentences(calibration),
            calibration,
        }
    }
}
