//! Whether throughput was steady, as it is kept with a run.

use isotherm_load::{IntervalOutcome, Steadiness};

use crate::Steady;

/// Judges throughput over the measured time by [`Steadiness`].
pub fn steady(intervals: &[IntervalOutcome]) -> Steady {
    Steadiness::of(intervals).map_or_else(Steady::default, |found| Steady {
        steady: found.is_steady(),
        drift: found.drift,
        deviation: found.deviation,
    })
}
