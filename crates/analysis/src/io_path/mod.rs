//! The path of each I/O: which system call belongs to which wait, and which block request to which
//! system call.

mod nest;
mod steps;

use isotherm_frame::{TimeRange, Timestamp};

pub use self::nest::PathInput;
pub use self::steps::{IoPath, PathTotal, PlacedStep, UnplacedRequests};

impl IoPath {
    /// Puts the steps of each input together, and keeps those of which a part, or a part of a step in them,
    /// lies in the range. What a step took, and what of that is its own, is that of all of it.
    pub fn of(inputs: Vec<PathInput>, range: TimeRange) -> IoPath {
        let mut path = IoPath::default();
        for (number, input) in inputs.into_iter().enumerate() {
            nest::place(number, input, &range, &mut path);
        }
        path.put_in_order();
        path.range = range;
        path.span = path.steps.iter().fold(None, |span, placed| {
            let (start, end) = (placed.step.asked(), placed.step.end());
            Some(span.map_or((start, end), |(from, to): (Timestamp, Timestamp)| {
                (from.min(start), to.max(end))
            }))
        });
        path
    }
}

#[cfg(test)]
mod tests;
