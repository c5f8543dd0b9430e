//! What is summed up while it is watched, for the conditions of `--fail-if` and for `--series`.

use isotherm_analysis::{Digest, FrameTotals, Threshold};
use isotherm_pipeline::Collector;

use crate::failure::Failure;
use crate::thresholds;

/// The sums of what passed.
pub struct WatchSums<'a> {
    conditions: &'a [Threshold],
    /// Collects the series that count: their sums if there are conditions, and what is described at
    /// the end if that is wanted.
    pub collector: Collector<'a, (Option<FrameTotals>, Option<Digest>)>,
}

impl<'a> WatchSums<'a> {
    pub fn new(conditions: &'a [Threshold], series: Option<&'a str>) -> WatchSums<'a> {
        let totals = (!conditions.is_empty()).then(FrameTotals::default);
        WatchSums { conditions, collector: Collector::new(series, (totals, None)) }
    }

    /// Keeps what is described at the end, too.
    pub fn with_digest(mut self, digest: Option<Digest>) -> WatchSums<'a> {
        self.collector.kept.1 = digest;
        self
    }

    /// A failure because there was nothing to look at is also that of every condition, unless
    /// something passed before.
    pub fn or_unsure<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        let passed = self.collector.kept.0.as_ref().is_some_and(|totals| totals.events > 0);
        if passed { result } else { thresholds::or_unsure(self.conditions, result) }
    }

    /// Fails when series passed and none of them was one that counts.
    pub fn some_matched(&self) -> Result<(), Failure> {
        let unmatched = self.collector.unmatched().map(Failure::unmatched);
        thresholds::or_unsure(self.conditions, unmatched.map_or(Ok(()), Err))
    }

    /// Fails when a condition holds for what passed.
    pub fn judge(&self) -> Result<(), Failure> {
        let Some(totals) = &self.collector.kept.0 else { return Ok(()) };
        thresholds::of_totals(self.conditions, totals, self.collector.left_out()).conclude()
    }
}
