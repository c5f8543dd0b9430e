//! What is warned of while several inputs are read: what many have in common is one line.

use isotherm_frame::{Account, IdleWaits};

use crate::input;
use crate::{idle, screen};

/// What is to be said of one input.
#[derive(Debug, Default)]
pub struct InputWarnings {
    pub texts: Vec<String>,
    /// Idle waits that take no part, where there are several inputs.
    pub idle: Vec<IdleWaits>,
}

/// What is to be said of all of them.
#[derive(Debug, Default)]
pub struct Warnings {
    /// Each text, with the inputs that it is about.
    texts: Vec<(String, Vec<String>)>,
    idle: Account,
    /// How many inputs there are.
    inputs: usize,
}

impl Warnings {
    /// Takes what is to be said of this input.
    pub fn add(&mut self, name: &str, of_it: InputWarnings) {
        self.inputs += 1;
        for text in of_it.texts {
            match self.texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name.to_owned()),
                None => self.texts.push((text, vec![name.to_owned()])),
            }
        }
        for waits in of_it.idle {
            self.idle.leave_out(waits);
        }
    }

    /// Says it: each text once, with the inputs that it is about if there are several.
    pub fn say(&self) {
        for (text, names) in &self.texts {
            if self.inputs > 1 {
                screen::warn(&format!("{}: {text}", input::title(names)));
            } else {
                screen::warn(text);
            }
        }
        if let Some(text) = idle::message(&self.idle) {
            screen::warn(&text);
        }
    }
}
