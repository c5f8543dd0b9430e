//! A calibration for programs.

use isotherm_experiment::calibrate::Calibration;
use schemars::JsonSchema;
use serde::Serialize;

use super::sentences;
use crate::generator::generator;
use crate::json::SchemaVersion;
use crate::threshold_json::ThresholdJson;

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
    /// What the conditions of --fail-if came to; left out without any.
    #[serde(skip_serializing_if = "<[ThresholdJson]>::is_empty")]
    thresholds: &'a [ThresholdJson],
}

impl<'a> CalibrationJson<'a> {
    /// The object.
    pub fn new(calibration: &'a Calibration) -> CalibrationJson<'a> {
        CalibrationJson {
            schema_version: SchemaVersion,
            generator: generator(),
            sentences: sentences(calibration),
            calibration,
            thresholds: &[],
        }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> CalibrationJson<'a> {
        CalibrationJson { thresholds, ..self }
    }
}
