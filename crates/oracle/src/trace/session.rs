//! Whose waits they are: what the labels and statements before a wait said.

use std::cell::Cell;
use std::collections::HashMap;

use super::head::names_process;
use super::writer::Writer;
use super::{Cursor, Parsing, Stamp};

/// The label that says which container the session is in.
pub(super) const CONTAINER: &[u8] = b"CONTAINER ID";
/// The label that says which session writes: `SID.SERIAL#`.
pub(super) const SESSION: &[u8] = b"SESSION ID";

/// The state of the session that a trace is of at a place in it.
#[derive(Debug, Default)]
pub struct Session {
    /// By label, such as `MODULE NAME`: what it said last.
    labels: HashMap<Vec<u8>, Vec<u8>>,
    /// By number.
    containers: HashMap<Vec<u8>, Container>,
    process: Vec<u8>,
    /// By writer and cursor: cursors of several sessions may have the same number.
    statements: HashMap<(usize, Cursor), Statement>,
    writer: Writer,
}

/// What a container is called. It keeps the name it had when it was first asked for, so that it is
/// one series wherever its name stands and wherever only its number does.
#[derive(Debug)]
struct Container {
    name: Vec<u8>,
    asked: Cell<bool>,
}

/// The statement of a cursor.
#[derive(Debug)]
pub struct Statement {
    /// `sqlid`, or `hv` where there is none.
    pub id: Box<[u8]>,
    /// Its recursion depth.
    pub depth: u32,
}

impl Session {
    /// The most statements remembered; when there are more, all are forgotten.
    const STATEMENTS: usize = 1 << 16;

    /// The most containers told apart by name: as many as a database can have.
    const CONTAINERS: usize = 1 << 12;

    /// The longest label and value remembered.
    const LONGEST: usize = 4_096;

    /// The statement of a cursor.
    pub fn statement(&self, cursor: Cursor) -> Option<&Statement> {
        self.statements.get(&(self.writer.number(), cursor))
    }

    /// What a label, such as `MODULE NAME`, said last.
    pub fn label(&self, label: &[u8]) -> Option<&[u8]> {
        self.labels.get(label).map(Vec::as_slice)
    }

    /// The container's name, or its number where only that was known when it was first met.
    pub fn container(&self) -> Option<&[u8]> {
        let number = self.label(CONTAINER)?;
        let called = self.containers.get(number).filter(|_| !number.is_empty());
        called.map(|container| {
            container.asked.set(true);
            container.name.as_slice()
        })
    }

    /// The number of the process that wrote the lines.
    pub fn process(&self) -> &[u8] {
        &self.process
    }

    /// A statement was parsed into a cursor.
    pub fn parsed(&mut self, parsing: &Parsing<'_>) {
        if self.statements.len() >= Session::STATEMENTS {
            self.statements.clear();
        }
        let hash = || parsing.hash.map(|hash| hash.to_string().into_bytes());
        let id = parsing.sql_id.map(<[u8]>::to_vec).or_else(hash).unwrap_or_default();
        let statement = Statement { id: id.into(), depth: parsing.depth };
        self.statements.insert((self.writer.number(), parsing.cursor), statement);
    }

    /// A label was written.
    pub fn labelled(&mut self, label: &[u8], value: &[u8]) {
        let value = value.get(..value.len().min(Session::LONGEST)).unwrap_or_default();
        if label == SESSION {
            self.writer.session(value);
        }
        if label == CONTAINER
            && !self.containers.contains_key(value)
            && self.containers.len() < Session::CONTAINERS
        {
            let container = Container { name: value.to_vec(), asked: Cell::new(false) };
            self.containers.insert(value.to_vec(), container);
        }
        if let Some(known) = self.labels.get_mut(label) {
            known.clear();
            known.extend_from_slice(value);
        } else if self.labels.len() < 64 && label.len() <= 64 {
            self.labels.insert(label.to_vec(), value.to_vec());
        }
    }

    /// A moment was written, perhaps with the container.
    pub fn stamped(&mut self, stamp: &[u8]) {
        let Some((name, number)) = Stamp::container(stamp) else { return };
        self.labelled(CONTAINER, number);
        if let Some(known) = self.containers.get_mut(number).filter(|known| !known.asked.get()) {
            name.clone_into(&mut known.name);
        }
    }

    /// A line of a header: that of the process is `815` or `815, image: oracle@host`.
    pub fn header(&mut self, key: &[u8], value: &[u8]) {
        if !names_process(key) {
            return;
        }
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = value.get(..digits.min(19)).unwrap_or_default();
        self.process = digits.to_vec();
        self.writer.process(digits);
    }
}
