//! Two stretches of time beside each other, in numbers.

use isotherm_analysis::{Comparison, ShareShift};

use crate::selection::SelectedTime;

/// Two stretches of time of what is shown: A before, B after.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) a: SelectedTime,
    pub(super) b: SelectedTime,
    /// Whether A is what the user set, not the time before B.
    pub(super) baseline: bool,
    pub(super) comparison: Comparison,
    /// The rows of both that hold anything, longest latencies first.
    pub(super) rows: Vec<(String, ShareShift)>,
}
