//! What comes again and again.

use isotherm_frame::{Nanos, Timestamp};

use crate::Timeline;

/// Waits that come at regular intervals.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Period {
    /// From one to the next; as exact as a column divided by the number of cycles.
    pub every: Nanos,
    /// The middle of the busy part of the first cycle.
    pub first: Timestamp,
    /// The number of cycles seen, at least four.
    pub cycles: usize,
    /// The busy part of a cycle, as a share of it, 0 to 1.
    pub busy: f64,
    /// The share of the time waited that falls in the busy part, 0 to 1.
    pub time_share: f64,
}

/// The period of the time waited; `None` if there is none.
pub fn period(_timeline: &Timeline) -> Option<Period> {
    None
}
