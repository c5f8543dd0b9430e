//! What a calibration is done on.

use isotherm_frame::Nanos;
use isotherm_load::{Job, LoadError};

use super::terms::Phase;
use crate::Run;

/// One load to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The part of the calibration it belongs to.
    pub phase: Phase,
    /// What it is, in words: `8 in flight`, `12000 a second`.
    pub label: String,
    /// The load.
    pub job: Job,
}

/// Something that can be put under load again and again: a device, or in tests a simulated one
/// whose truth is known.
pub trait Bench {
    /// Bytes there are: the working set of 100 per cent. A multiple of the small block.
    fn bytes(&self) -> u64;

    /// Time of load spent so far, all in all.
    fn spent(&self) -> Nanos;

    /// Whether it was asked to stop.
    fn stopped(&self) -> bool;

    /// Makes the load. What was measured before it was asked to stop is a result, too.
    fn run(&mut self, order: &Order) -> Result<Run, LoadError>;
}
