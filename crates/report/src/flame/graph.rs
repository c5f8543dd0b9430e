//! What a flame graph is made of.

use isotherm_flame::{FunctionChange, HeatMap, Stacks, changes_of_functions};
use isotherm_views::section::Section;

use super::input::FlameInput;

/// Stacks with what stands around their picture.
#[derive(Debug)]
pub struct FlameGraph<'a> {
    /// What it is called.
    pub title: String,
    /// What was read: one input, or A and B.
    pub inputs: Vec<FlameInput>,
    /// What is to be known of the picture beyond what follows from the inputs.
    pub remarks: Vec<String>,
    /// The stacks; of a comparison with the counts of B.
    pub stacks: &'a Stacks,
    /// Of a comparison the count of A of each stack.
    pub before: Option<&'a [u64]>,
    /// The samples by second and offset, if they are drawn.
    pub heat: Option<&'a HeatMap>,
    /// What stands below the picture in a page, such as row sources.
    pub sections: Vec<Section>,
    /// The command that makes it again, without secrets.
    pub command: String,
}

impl FlameGraph<'_> {
    /// The sum of all counts; of a comparison those of B.
    pub fn total(&self) -> u64 {
        self.stacks.total()
    }

    /// The sum of A's counts.
    pub(super) fn total_before(&self) -> u64 {
        self.before.unwrap_or_default().iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Of a comparison the count of A in stacks that B does not have.
    pub(super) fn gone(&self) -> u64 {
        let before = self.before.unwrap_or_default();
        let gone = self.stacks.iter().zip(before).filter(|((.., count), _)| *count == 0);
        gone.fold(0, |sum, (_, &before)| sum.saturating_add(before))
    }

    /// Of a comparison what each function costs in A and B.
    pub(super) fn changes(&self) -> Option<Vec<FunctionChange>> {
        self.before.map(|before| changes_of_functions(self.stacks, before))
    }

    pub(super) fn is_time(&self) -> bool {
        self.inputs.iter().all(FlameInput::is_time)
    }
}
