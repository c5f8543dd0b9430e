//! Large sequential reads: one stream, then several.

use isotherm_load::{Arrival, Pattern};

use super::schedule::{Broken, Schedule, Want};
use super::step::Figures;
use super::terms::Phase;

/// The streams that are tried, until megabytes a second no longer grow.
const STREAMS: [u32; 5] = [1, 2, 4, 8, 16];

/// Reads large blocks one after the other, from more and more places at once.
pub fn sequential(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let (mut best, mut flat) = (None, 0);
    let room = schedule.bench.bytes() / schedule.terms.large_block.max(1);
    for (done, streams) in STREAMS.into_iter().enumerate() {
        if u64::from(streams) > room {
            break;
        }
        let step = schedule.step(&want(schedule, streams), STREAMS.len() - 1 - done)?;
        let figure = schedule.figure(step).cloned();
        if streams == 1 {
            figures.single_stream.clone_from(&figure);
        }
        let grown = best.is_none_or(|best| schedule.has_grown(best, step));
        if grown {
            (best, flat, figures.streams) = (Some(step), 0, figure);
        } else {
            flat += 1;
        }
        if flat == 2 {
            break;
        }
    }
    Ok(())
}

fn want(schedule: &Schedule, streams: u32) -> Want {
    Want {
        phase: Phase::Sequential,
        arrival: Arrival::Closed { in_flight: streams, think: None },
        part: Some(whole(schedule.bench.bytes(), schedule.terms.large_block)),
        block: schedule.terms.large_block,
        pattern: Pattern::Sequential,
        writes: false,
        dsync: false,
        threads: Some(streams),
    }
}

/// The largest multiple of `block` in so many bytes, at least one block.
pub fn whole(bytes: u64, block: u64) -> u64 {
    (bytes / block.max(1)).max(1).saturating_mul(block)
}
