//! What is shown of a fit.

use isotherm_queueing::{Study, WhatIf};

/// Everything there is to show of a fit.
#[derive(Clone, Debug)]
pub struct FitSheet<'a> {
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
#[derive(Clone, Debug, PartialEq)]
pub struct FitLimit {
    /// The limit as it was written: `p99<5ms`.
    pub text: String,
    /// The largest load that keeps it; `None` if none does.
    pub largest: Option<f64>,
    /// The smallest load that does not keep it; `None` if all do.
    pub broken: Option<f64>,
}
