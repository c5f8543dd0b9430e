//! What a disk or file can do, found out in minutes: an adaptive schedule of short loads, each
//! chosen by what came of those before.

mod bench;
mod cache;
mod calibrate_io;
mod calibration;
mod figure;
mod limit;
mod live;
mod objective;
mod ramp;
mod schedule;
#[cfg(test)]
mod simulated_device;
mod step;
mod streams;
mod terms;
#[cfg(test)]
mod tests;
mod warnings;
mod working_set;
mod writes;

use isotherm_load::LoadError;

pub use bench::{Bench, Order};
pub use cache::{CacheGuess, CacheSeen};
pub use calibrate_io::CalibrateIo;
pub use calibration::Calibration;
pub use figure::{Figure, Latency, QUANTILES, Quantile};
pub use limit::LatencyLimit;
pub use live::Live;
pub use step::{Figures, RampEnded, Step};
pub use terms::{Phase, Terms};
pub use warnings::device_reads_per_operation;

use ramp::knee;
use schedule::{Broken, Schedule};

/// Does the whole calibration. When it is stopped, or cannot go on, what was measured until then
/// is the result; fails if that is nothing.
pub fn calibrate(terms: &Terms, bench: &mut dyn Bench) -> Result<Calibration, LoadError> {
    let bytes = bench.bytes();
    let begun = bench.spent();
    let mut schedule = Schedule::new(terms, bench);
    let mut figures = Figures::default();
    let incomplete = match parts(&mut schedule, &mut figures) {
        Ok(()) => None,
        Err(Broken::Stopped) => Some("it was asked to stop".to_owned()),
        Err(Broken::Failed(error)) if schedule.steps.is_empty() => return Err(error),
        Err(Broken::Failed(error)) => Some(error.to_string()),
    };
    let steps = schedule.steps;
    // Of a ramp that was broken off the highest rate is no maximum.
    if figures.ramp_ended != RampEnded::Early {
        figures.maximum = ramp::highest(&steps).cloned();
    }
    let spent = bench.spent().checked_sub(begun).unwrap_or_default();
    let mut calibration = Calibration {
        format: 1,
        target: terms.target.clone(),
        bytes,
        block: terms.block,
        large_block: terms.large_block,
        limit: terms.limit,
        disks: terms.disks,
        device: terms.device.map(|device| device.to_string()),
        budget_s: terms.budget.as_secs_f64(),
        spent_s: spent.as_secs_f64(),
        incomplete,
        facts: steps.first().map(|step| step.run.facts.clone()).unwrap_or_default(),
        cache: cache::guess(&steps, &figures, bytes),
        calibrate_io: CalibrateIo::of(&steps, &figures, terms.limit),
        knee_in_flight: knee(&steps),
        figures,
        verdicts: Vec::new(),
        steps,
    };
    calibration.verdicts = warnings::warnings(&calibration);
    Ok(calibration)
}

/// The parts in their order.
fn parts(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    for (phase, _) in schedule.terms.plan() {
        schedule.enter(phase);
        match phase {
            Phase::Floor => ramp::floor(schedule, figures)?,
            Phase::Ramp => ramp::ramp(schedule, figures)?,
            Phase::Maximum => ramp::maximum(schedule)?,
            Phase::Limit => objective::within_limit(schedule, figures)?,
            Phase::Sequential => streams::sequential(schedule, figures)?,
            Phase::WorkingSet => working_set::working_set(schedule, figures)?,
            Phase::Writes => writes::writes(schedule, figures)?,
        }
    }
    Ok(())
}
