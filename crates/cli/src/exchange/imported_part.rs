//! The part of its inputs that an import keeps.

use std::io::BufReader;

use isotherm_frame::{Ends, Frame, Timestamp};
use isotherm_pipeline::Input;
use isotherm_recording::{import, rows};
use isotherm_sources::Bytes;

use super::exported::{Form, can_be_read_again, form, read_csv, unreadable};
use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::input;
use crate::range::{self, Part};
use crate::when::Span;

/// The part that is asked for. The inputs are read for when they begin and end.
pub fn of(args: &ImportArgs, inputs: &[Input]) -> Result<Part, Failure> {
    if !args.stretch.is_given() {
        return Ok(Part::default());
    }
    if inputs.iter().any(|input| !can_be_read_again(input)) {
        return Err(Failure::usage(range::READ_TWICE));
    }
    let mut ends = Ends::default();
    let reach = &mut |start, end| ends.reach(start, end);
    let mut others = Vec::new();
    for input in inputs {
        let mut bytes = Bytes::open(&input.address)?;
        match form(&mut bytes)? {
            Some(form) => export((input, form), args, BufReader::new(bytes), reach)?,
            None => others.push(input.clone()),
        }
    }
    range::ends_of(others, &args.input, reach)?;
    args.stretch.within(ends.get().map(Span::from), &input::title(&args.inputs))?.some()
}

/// Reads an export for when its frames begin and end.
fn export(
    (input, form): (&Input, Form),
    args: &ImportArgs,
    mut bytes: BufReader<Bytes>,
    reach: &mut dyn FnMut(Timestamp, Timestamp),
) -> Result<(), Failure> {
    let mut frames = |frame: Frame| {
        if !frame.is_gap() {
            reach(frame.start, frame.end);
        }
    };
    match form {
        Form::Jsonl => {
            let read = import::read_jsonl(&mut bytes, &mut frames);
            read.map(|_| ()).map_err(|error| unreadable(input, &error))
        }
        Form::Rows => {
            let most_bytes = args.input.memory.packed();
            let read = rows::read_rows(&mut bytes, most_bytes, &mut frames);
            read.map(|_| ()).map_err(|error| unreadable(input, &error))
        }
        Form::Csv => read_csv(input, &mut bytes, args.input.memory, &mut frames).map(|_| ()),
    }
}
