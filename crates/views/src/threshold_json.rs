//! What conditions of `--fail-if` came to, for programs.

use schemars::JsonSchema;
use serde::Serialize;

/// What a condition of --fail-if came to: one object for each line that is printed of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Threshold")]
pub struct ThresholdJson {
    /// The condition, as it was written.
    pub condition: String,
    /// Whether it makes the command fail.
    pub verdict: ThresholdVerdict,
    /// What it was asked of: a series, or a run; null where there was no event.
    pub of: Option<String>,
    /// What was found, as it is printed; null where nothing is known.
    pub value: Option<String>,
    /// The least and the greatest value that are possible, both included, in nanoseconds, events per
    /// second or per cent; null where nothing is known, and the second null where there is no bound.
    pub range: Option<[Option<f64>; 2]>,
}

/// What a condition comes to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThresholdVerdict {
    /// It does not hold.
    Pass,
    /// It holds.
    Fail,
    /// Nobody can tell, which fails, too.
    Unsure,
}
