//! The account of several inputs.

use isotherm_frame::{Account, Clock, MissingAttribute};

use crate::PipelineError;

/// The account of several inputs.
#[derive(Debug, Default)]
pub struct CombinedAccount {
    /// The account of all.
    pub account: Account,
    /// How many have been read.
    read: usize,
    /// Files that nobody knows, or with nothing in them, and why the first of them is unknown.
    skipped: usize,
    first_reason: Option<String>,
    clocks: Vec<Clock>,
}

/// The message about an attribute that no wait has.
fn without_attribute(missing: &MissingAttribute) -> String {
    let MissingAttribute { name, known } = missing;
    format!("no wait has the attribute '{name}'; there are {}", known.join(", "))
}

impl CombinedAccount {
    /// Adds the account of one input.
    pub fn add(&mut self, account: Account) {
        if !self.clocks.contains(&account.clock) {
            self.clocks.push(account.clock);
        }
        self.read += 1;
        self.account.add(account);
    }

    /// A file of a directory was skipped.
    pub fn skip(&mut self, reason: String) {
        self.skipped += 1;
        self.first_reason.get_or_insert(reason);
    }

    /// The messages at the end; an error if there was nothing to read at all.
    pub fn messages(&self) -> Result<Vec<String>, PipelineError> {
        let mut messages = Vec::new();
        if let Some(reason) = &self.first_reason {
            let (passed, all) = (self.skipped, self.skipped + self.read);
            let text = format!("{passed} of {all} files skipped: {reason}");
            if self.read == 0 {
                return Err(PipelineError::System(text));
            }
            messages.push(text);
        }
        for missing in &self.account.missing_attributes {
            let same =
                self.account.missing_attributes.iter().filter(|other| other.name == missing.name);
            if same.count() >= self.read {
                return Err(PipelineError::Request(without_attribute(missing)));
            }
            let text = format!("some inputs have no wait with the attribute '{}'", missing.name);
            if !messages.contains(&text) {
                messages.push(text);
            }
        }
        if self.clocks.len() > 1 {
            let clocks: Vec<String> = self.clocks.iter().map(Clock::to_string).collect();
            messages.push(format!(
                "the inputs do not share a clock ({}): their times cannot be compared",
                clocks.join(", ")
            ));
        }
        Ok(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_and_files_skipped_are_reported() {
        let mut combined = CombinedAccount::default();
        combined.add(Account { records: 3, clock: Clock::Epoch, ..Account::default() });
        combined.add(Account { records: 4, clock: Clock::Arbitrary, ..Account::default() });
        combined.skip("x is binary".to_owned());
        let messages = combined.messages().unwrap();
        assert_eq!(messages[0], "1 of 3 files skipped: x is binary");
        assert!(messages[1].contains("(epoch, arbitrary)"), "{}", messages[1]);
        assert_eq!(combined.account.records, 7);
        let mut none = CombinedAccount::default();
        none.skip("x is binary".to_owned());
        assert!(none.messages().is_err());
    }
}
