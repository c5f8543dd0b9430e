//! What is wanted of an input.

use crate::counts::Counts;
use crate::stacks::Stacks;

/// What is wanted of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The event to show, where samples of several were taken, or the map of stacks; the first met if it
    /// is not given.
    pub event: Option<String>,
    /// The part of time to show.
    pub part: Part,
    /// Whether the time of each sample is kept.
    pub keeps_times: bool,
    /// What counts are of, where the input does not say.
    pub counts: Option<Counts>,
    /// How many bytes stacks and their names may take; [`Stacks::MEMORY`](crate::Stacks::MEMORY) if it is not given.
    pub memory: Option<usize>,
}

impl ReadOptions {
    /// No stacks yet, and the room for them.
    pub(crate) fn stacks(&self) -> Stacks {
        Stacks::within(self.memory.unwrap_or(Stacks::MEMORY))
    }
}

/// A part of the time of an input, in nanoseconds since its first sample.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its beginning.
    pub from_ns: u64,
    /// Its end, which is not in it; `None` for the end of the input.
    pub to_ns: Option<u64>,
}

impl Part {
    /// Whether it is less than everything.
    pub fn is_limited(self) -> bool {
        self.from_ns > 0 || self.to_ns.is_some()
    }

    pub(crate) fn contains(self, ns: u64) -> bool {
        ns >= self.from_ns && self.to_ns.is_none_or(|to_ns| ns < to_ns)
    }
}
