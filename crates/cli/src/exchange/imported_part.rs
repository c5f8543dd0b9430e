//! The part of its inputs that an import keeps.

use std::io::BufReader;

use isotherm_formats::Bytes;
use isotherm_frame::Frame;
use isotherm_live::open_bytes;
use isotherm_pipeline::Input;
use isotherm_recording::{import, rows};

use super::exported::{Form, form, read_csv, unreadable};
use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;
use crate::range::{self, Intervals, Part};
use crate::range_args::RangeArgs;

/// The part that is asked for. The inputs are read for when they begin and end.
pub fn of(
    wanted: &RangeArgs,
    (names, inputs): (&[String], &[Input]),
    args: &InputArgs,
) -> Result<Part, Failure> {
    if !wanted.is_given() {
        return Ok(Part::default());
    }
    if let Some(input) = inputs.iter().find(|input| input.range.is_some()) {
        return Err(unknown_ends(input));
    }
    if inputs.iter().any(|input| !input.can_be_read_again()) {
        return Err(Failure::usage(range::READ_TWICE));
    }
    let mut intervals = Intervals::default();
    let mut others = Vec::new();
    for input in inputs {
        let mut bytes = open_bytes(&input.address)?;
        match form(&mut bytes)? {
            Some(form) => export((input, form), args, BufReader::new(bytes), &mut intervals)?,
            None => others.push(input.clone()),
        }
    }
    intervals.read(others, args, None)?;
    intervals.part(wanted, &input::title(names))
}

/// Why a part of the time is not taken from a range of a file.
fn unknown_ends(input: &Input) -> Failure {
    Failure::usage(format!(
        "{}: --from and --to may be counted from when a file begins and ends, which a range of it does not say: \
         give them to isotherm merge, choose rows by start_ns, or read the whole file",
        input.address
    ))
}

/// Reads an export for its intervals.
fn export(
    (input, form): (&Input, Form),
    args: &InputArgs,
    mut bytes: BufReader<Bytes>,
    intervals: &mut Intervals,
) -> Result<(), Failure> {
    let mut frames = |frame: Frame| intervals.take(&frame);
    match form {
        Form::Jsonl => {
            let read = import::read_jsonl(&mut bytes, &mut frames);
            read.map(|_| ()).map_err(|error| unreadable(input, &error))
        }
        Form::Rows => {
            let most_bytes = args.memory.rows();
            let read = rows::read_rows(&mut bytes, most_bytes, &mut frames);
            read.map(|_| ()).map_err(|error| unreadable(input, &error))
        }
        Form::Csv => read_csv(input, &mut bytes, args.memory, &mut frames).map(|_| ()),
    }
}
