//! Small writes, where what is there may be overwritten.

use isotherm_load::Pattern;

use super::schedule::{Broken, Schedule, Want};
use super::step::Figures;
use super::terms::Phase;

/// The writes that are held in flight, until they no longer become more.
const IN_FLIGHT: [u32; 4] = [1, 8, 32, 128];

/// Writes as a database's log has them, then random ones: one at a time, then more.
pub fn writes(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let random = |schedule: &Schedule, in_flight: u32| {
        let reads = Want::reads(Phase::Writes, in_flight, schedule.terms);
        Want { writes: true, ..reads }
    };
    let log = Want { pattern: Pattern::Sequential, dsync: true, ..random(schedule, 1) };
    let step = schedule.step(&log, IN_FLIGHT.len())?;
    figures.log_write = schedule.figure(step).cloned();
    let mut best = None;
    for (done, in_flight) in IN_FLIGHT.into_iter().enumerate() {
        let step = schedule.step(&random(schedule, in_flight), IN_FLIGHT.len() - 1 - done)?;
        let figure = schedule.figure(step).cloned();
        if in_flight == 1 {
            figures.write_floor.clone_from(&figure);
        }
        if best.is_some_and(|best| !schedule.has_grown(best, step)) {
            break;
        }
        (best, figures.write_maximum) = (Some(step), figure);
    }
    Ok(())
}
