//! Tables of rows that are read together: the rows of an interval may be in several of them.

use std::io::{BufRead, BufReader};

use isotherm_formats::Bytes;
use isotherm_frame::{Account, Frame};
use isotherm_pipeline::Input;
use isotherm_recording::rows::{RowTable, UnreadableTable};

use super::exported::unreadable;
use crate::failure::{Code, Failure};
use crate::screen;

/// Tables of rows, added up.
pub(super) struct RowTables {
    open: Vec<OpenTable>,
    sums: RowTable,
}

struct OpenTable {
    input: Input,
    bytes: BufReader<Bytes>,
}

impl RowTables {
    /// So many are read side by side: each takes a file and what unpacks it.
    const MOST_OPEN: usize = 64;

    /// Their rows take about so much memory.
    pub(super) fn new(most_bytes: usize) -> RowTables {
        RowTables { open: Vec::new(), sums: RowTable::new(most_bytes) }
    }

    /// Takes a table, to be read later; says whether those that are open must be read first.
    pub(super) fn add(&mut self, input: &Input, bytes: BufReader<Bytes>) -> bool {
        self.open.push(OpenTable { input: input.clone(), bytes });
        self.open.len() >= RowTables::MOST_OPEN
    }

    /// Reads all that are open; gives what was counted of their inputs.
    pub(super) fn read(&mut self, take: &mut dyn FnMut(Frame)) -> Result<Account, Failure> {
        let mut open = std::mem::take(&mut self.open);
        let mut inputs: Vec<&mut (dyn BufRead + Send)> = Vec::new();
        for table in &mut open {
            inputs.push(&mut table.bytes);
        }
        let read = self.sums.read(inputs, take);
        let imported = read.map_err(|UnreadableTable { place, error }| match open.get(place) {
            Some(table) => unreadable(&table.input, &error),
            None => Failure::new(Code::Runtime, error.to_string()),
        })?;
        for OpenTable { input, bytes } in &open {
            if let Some(message) = bytes.get_ref().message() {
                screen::warn(&format!("{}: {message}", input.address));
            }
        }
        Ok(imported.account)
    }

    /// Hands on what is left of their rows.
    pub(super) fn finish(self, take: &mut dyn FnMut(Frame)) -> Result<(), Failure> {
        self.sums.finish(take).map_err(|error| Failure::new(Code::Runtime, error.to_string()))
    }
}
