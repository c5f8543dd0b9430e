//! What Oracle's own procedure would have said of the same device.

use isotherm_frame::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limit::LatencyLimit;
use super::step::{Figures, Step};

/// What `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` would have said: three whole numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrateIo {
    /// The mean latency it allows, milliseconds.
    pub max_latency_ms: u64,
    /// The most reads a second whose mean latency is within that.
    pub max_iops: u64,
    /// The most megabytes a second.
    pub max_mbps: u64,
    /// The mean latency at the most reads a second, whole milliseconds.
    pub latency_ms: u64,
}

/// The mean latency it allows by default.
const DEFAULT_LATENCY: Nanos = Nanos::from_millis(20);

impl CalibrateIo {
    /// The most reads a second of any number held in flight whose mean latency is within the
    /// limit, if that is one of the mean, else within the procedure's own default of 20 ms.
    pub(super) fn of(
        steps: &[Step],
        figures: &Figures,
        limit: LatencyLimit,
    ) -> Option<CalibrateIo> {
        let limit = if limit.is_mean() { limit } else { LatencyLimit::mean(DEFAULT_LATENCY) };
        let best = steps
            .iter()
            .filter(|step| limit.is_met(&step.run.outcome.response()))
            .filter_map(|step| step.on_curve().map(|(figure, _)| figure))
            .max_by(|one, other| one.per_second.total_cmp(&other.per_second))?;
        Some(CalibrateIo {
            max_latency_ms: limit.bound().as_nanos() / 1_000_000,
            max_iops: rounded(best.per_second),
            max_mbps: rounded(figures.streams.as_ref()?.megabytes_per_second),
            latency_ms: rounded(best.latency.mean_ns / 1e6),
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float becomes the nearest whole number there is"
)]
fn rounded(value: f64) -> u64 {
    value.round() as u64
}
