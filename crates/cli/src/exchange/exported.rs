//! Exports that are read back: which form they have, and how they are read twice.

use std::io::{BufReader, Read};

use isotherm_formats::Bytes;
use isotherm_frame::Frame;
use isotherm_live::open_bytes;
use isotherm_pipeline::{Input, MemoryBudget};
use isotherm_recording::{import, rows};

use crate::failure::{Code, Failure};

/// The form of an export.
#[derive(Copy, Clone, Debug)]
pub(super) enum Form {
    Jsonl,
    Csv,
    /// The rows of `isotherm frames`, or what another engine made of them.
    Rows,
}

/// The form of an export, if bytes begin like one.
pub(super) fn form(bytes: &mut Bytes) -> Result<Option<Form>, Failure> {
    let head = bytes.head(256)?;
    let csv = || import::is_csv(&head).then_some(Form::Csv);
    let rows = || rows::are_rows(&head).then_some(Form::Rows);
    Ok(import::is_jsonl(&head).then_some(Form::Jsonl).or_else(csv).or_else(rows))
}

/// Reads CSV, which takes reading it twice; gives the number of rows. What can be read only once is
/// held in memory.
pub(super) fn read_csv(
    input: &Input,
    bytes: &mut BufReader<Bytes>,
    memory: MemoryBudget,
    frames: &mut dyn FnMut(Frame),
) -> Result<u64, Failure> {
    if !input.can_be_read_again() {
        let held = held(input, bytes, memory)?;
        let read = import::read_csv((&mut held.as_slice(), &mut held.as_slice()), frames);
        return read.map_err(|error| unreadable(input, &error));
    }
    let mut again = BufReader::new(open_bytes(&input.address)?);
    import::read_csv((bytes, &mut again), frames).map_err(|error| unreadable(input, &error))
}

/// All bytes of an export, unless they take too much memory.
fn held(
    input: &Input,
    bytes: &mut BufReader<Bytes>,
    memory: MemoryBudget,
) -> Result<Vec<u8>, Failure> {
    let (mut held, most) = (Vec::new(), memory.packed());
    let read = bytes.take(most as u64 + 1).read_to_end(&mut held);
    read.map_err(|error| unreadable(input, &error))?;
    if held.len() > most {
        return Err(Failure::usage(format!(
            "{}: an export as CSV is read twice, and a pipe can be read twice only \
                 up to {} MiB: save it to a file first, export as jsonl, or give more \
                 --memory",
            input.address,
            most >> 20
        )));
    }
    Ok(held)
}

pub(super) fn unreadable(input: &Input, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Code::Runtime, format!("{}: {error}", input.address))
}
