//! What was read of an input.

use crate::account::Account;
use crate::counts::Counts;
use crate::format::Format;
use crate::stacks::{StackId, Stacks};

/// Stacks with their counts, and what is known of them.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What the input is.
    pub format: Format,
    /// The stacks.
    pub stacks: Stacks,
    /// What was read and what could not be.
    pub account: Account,
    /// What the counts are of.
    pub counts: Counts,
    /// The event that was sampled, where the input says.
    pub event: Option<String>,
    /// Samples per second of a processor that is busy: as the header says, or from the period of a clock.
    pub rate_hz: Option<f64>,
    /// When, where the input says.
    pub times: Option<Times>,
    /// The time of each sample in nanoseconds since the first, with its stack, if they are kept.
    pub samples: Vec<(u64, StackId)>,
}

/// From when to when samples were taken, on the clock of the input, in nanoseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// The first sample that is shown.
    pub first_ns: u64,
    /// The last.
    pub last_ns: u64,
}

impl Times {
    /// How long, in seconds.
    pub fn length_s(&self) -> f64 {
        self.last_ns.saturating_sub(self.first_ns) as f64 / 1e9
    }
}
