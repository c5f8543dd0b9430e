//! Whose waits they are: what the labels and statements before a wait said.

use std::collections::HashMap;

use isotherm_oracle::trace::{Cursor, Parsing, Stamp};

/// The state of the session that a trace is of at a place in it.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// By label, such as `MODULE NAME`: what it said last.
    labels: HashMap<Vec<u8>, Vec<u8>>,
    /// The container's name, where stamps tell it.
    container: Vec<u8>,
    process: Vec<u8>,
    /// By process and cursor: trcsess joins sessions whose cursors may have the same number.
    statements: HashMap<(u64, Cursor), Statement>,
    process_number: u64,
}

/// The statement of a cursor.
#[derive(Debug)]
pub(super) struct Statement {
    /// `sqlid`, or `hv` where there is none.
    pub id: Box<[u8]>,
    pub depth: u32,
}

impl Session {
    /// The most statements remembered; when there are more, all are forgotten.
    const STATEMENTS: usize = 1 << 16;

    /// The longest label and value remembered.
    const LONGEST: usize = 4_096;

    pub(super) fn statement(&self, cursor: Cursor) -> Option<&Statement> {
        self.statements.get(&(self.process_number, cursor))
    }

    pub(super) fn label(&self, label: &[u8]) -> Option<&[u8]> {
        self.labels.get(label).map(Vec::as_slice)
    }

    /// The container's name, or its number where only that is known.
    pub(super) fn container(&self) -> Option<&[u8]> {
        let named = Some(self.container.as_slice()).filter(|name| !name.is_empty());
        named.or_else(|| self.label(b"CONTAINER ID"))
    }

    pub(super) fn process(&self) -> &[u8] {
        &self.process
    }

    pub(super) fn parsed(&mut self, parsing: &Parsing<'_>) {
        if self.statements.len() >= Session::STATEMENTS {
            self.statements.clear();
        }
        let hash = || parsing.hash.map(|hash| hash.to_string().into_bytes());
        let id = parsing.sql_id.map(<[u8]>::to_vec).or_else(hash).unwrap_or_default();
        let statement = Statement { id: id.into(), depth: parsing.depth };
        self.statements.insert((self.process_number, parsing.cursor), statement);
    }

    pub(super) fn labelled(&mut self, label: &[u8], value: &[u8]) {
        let value = value.get(..value.len().min(Session::LONGEST)).unwrap_or_default();
        if let Some(known) = self.labels.get_mut(label) {
            known.clear();
            known.extend_from_slice(value);
        } else if self.labels.len() < 64 && label.len() <= 64 {
            self.labels.insert(label.to_vec(), value.to_vec());
        }
    }

    pub(super) fn stamped(&mut self, stamp: &[u8]) {
        if let Some(container) = Stamp::container(stamp) {
            self.container.clear();
            self.container.extend_from_slice(container);
        }
    }

    /// `815` or `815, image: oracle@host`.
    pub(super) fn process_is(&mut self, text: &[u8]) {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = text.get(..digits.min(19)).unwrap_or_default();
        self.process = digits.to_vec();
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        self.process_number = number.unwrap_or(0);
    }
}
