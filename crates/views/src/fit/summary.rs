//! What is shown of a fit.

use isotherm_queueing::{Study, WhatIf};
use schemars::JsonSchema;
use serde::Serialize;

/// Everything there is to show of a fit.
#[derive(Clone, Debug)]
pub struct FitSummary<'a> {
    /// Where the points come from.
    pub source: String,
    /// What was fitted.
    pub study: &'a Study,
    /// What is to be known of the input: repeats, what was passed over, and why.
    pub remarks: Vec<String>,
    /// A limit of latency, if one was asked for.
    pub limit: Option<FitLimit>,
    /// What would be if something changed.
    pub what_if: Option<WhatIf>,
    /// The seed of the resamples.
    pub seed: u64,
}

/// Which loads keep a limit of latency.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FitLimit {
    /// The limit as it was written: p99<5ms.
    #[serde(rename = "condition")]
    pub text: String,
    /// The largest load that keeps it; null if none does.
    #[serde(rename = "largest_load")]
    pub largest: Option<f64>,
    /// The smallest load that does not keep it; null if all do.
    #[serde(rename = "broken_at")]
    pub broken: Option<f64>,
}
