//! What was read of an input, whatever it is.

use isotherm_flame::{Capture, StackId, Stacks};
use isotherm_report::FlameInput;
use isotherm_views::section::Section;

/// What was read of an input.
pub struct Read {
    /// Where it comes from and what was read.
    pub input: FlameInput,
    /// The stacks.
    pub stacks: Stacks,
    /// When samples were taken, if that is wanted.
    pub samples: Vec<(u64, StackId)>,
    /// What is to be known of the picture.
    pub remarks: Vec<String>,
    /// What stands below it in a page.
    pub sections: Vec<Section>,
}

impl Read {
    /// What was captured, under this name.
    pub fn of(name: &str, capture: Capture) -> Read {
        let input = FlameInput::of(name, &capture);
        Read {
            input,
            stacks: capture.stacks,
            samples: capture.samples,
            remarks: Vec::new(),
            sections: Vec::new(),
        }
    }
}
