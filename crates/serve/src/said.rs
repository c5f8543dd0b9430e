//! What a source said lately, for pages that are opened later.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// So many messages of a source are kept.
const MOST: usize = 20;
/// How a message begins that says that nothing is recorded any more.
const NOT_RECORDING: &str = "NOT RECORDING";
/// Parts of messages that say that it is recorded again.
const RECORDING: [&str; 4] =
    ["recording again", "recording goes on in", "frame not recorded", "frames not recorded"];

/// The latest messages of a source.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// By the clock of the server, in microseconds.
    messages: VecDeque<(u64, String)>,
    not_recording: Option<String>,
}

impl Said {
    /// Adds a message of a moment of the clock, in microseconds.
    pub fn add(&mut self, at_us: u64, text: &str) {
        if text.starts_with(NOT_RECORDING) {
            self.not_recording = Some(text.to_owned());
        } else if RECORDING.iter().any(|part| text.contains(part)) {
            self.not_recording = None;
        }
        self.messages.push_back((at_us, text.to_owned()));
        if self.messages.len() > MOST {
            self.messages.pop_front();
        }
    }

    /// The latest messages, oldest first, each with its moment.
    pub fn latest(&self) -> Vec<Value> {
        let one = |(at_us, text): &(u64, String)| json!({ "at_us": at_us, "text": text });
        self.messages.iter().map(one).collect()
    }

    /// Why nothing is recorded any more, as long as that is so.
    pub fn not_recording(&self) -> Option<&str> {
        self.not_recording.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_nothing_is_recorded_holds_until_it_is_recorded_again() {
        let mut said = Said::default();
        let full = "NOT RECORDING: the disk is full";
        said.add(1, full);
        (0..100).for_each(|at| said.add(at, "the source sent a line that is none"));
        said.add(101, "the mark is not recorded: the disk is full");
        assert_eq!((said.not_recording(), said.latest().len()), (Some(full), MOST));
        assert_eq!(said.latest()[MOST - 1]["at_us"], 101);
        said.add(102, "recording again; 7 frames could not be recorded");
        assert_eq!(said.not_recording(), None);
    }
}
