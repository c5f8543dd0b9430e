//! What is to be fitted to a sweep.

use crate::model::Model;

/// How often a sweep is drawn anew unless something else is asked for.
pub const RESAMPLES: usize = 1_000;

/// What is to be fitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitRequest {
    /// The models; all that apply to the sweep if none is named. One of the other kind is fitted
    /// only when named, and marked.
    pub models: Vec<Model>,
    /// The same seed gives the same intervals.
    pub seed: u64,
    /// How often the sweep is drawn anew; fewer than 20 give no intervals.
    pub resamples: usize,
}

impl Default for FitRequest {
    fn default() -> FitRequest {
        FitRequest { models: Vec::new(), seed: 1, resamples: RESAMPLES }
    }
}
