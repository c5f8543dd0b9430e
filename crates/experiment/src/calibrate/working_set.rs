//! Small random reads from a growing part of the target.

use super::ramp::knee;
use super::schedule::{Broken, Schedule, Want};
use super::step::Figures;
use super::streams::whole;
use super::terms::Phase;

/// The parts that are visited, in hundredths, smallest first: a small one stays in a cache while
/// the next is not yet there.
const PARTS: [u64; 5] = [1, 3, 10, 30, 100];
/// Blocks of the smallest part that says something.
const LEAST_BLOCKS: u64 = 64;

/// Reads from a growing part at the load where the curve bends; before that reads a few blocks
/// again and again, one at a time.
pub fn working_set(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let (bytes, block) = (schedule.bench.bytes(), schedule.terms.block);
    let least = block.saturating_mul(LEAST_BLOCKS).min(bytes);
    let again = Want { part: Some(least), ..Want::reads(Phase::WorkingSet, 1, schedule.terms) };
    let step = schedule.step(&again, PARTS.len())?;
    figures.read_again = schedule.figure(step).cloned();
    let in_flight = knee(&schedule.steps).unwrap_or(1);
    let mut before = 0;
    for (done, part) in PARTS.into_iter().enumerate() {
        let part = whole(bytes / 100 * part, block).max(least).min(bytes);
        let part = if done == PARTS.len() - 1 { bytes } else { part };
        if part == before {
            continue;
        }
        before = part;
        let want =
            Want { part: Some(part), ..Want::reads(Phase::WorkingSet, in_flight, schedule.terms) };
        schedule.step(&want, PARTS.len() - 1 - done)?;
    }
    Ok(())
}
