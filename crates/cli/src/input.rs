//! Opening what the command line names: a recording, a file, or standard input, read to its end.

use std::path::Path;

use isotherm_frame::{BinnerLimits, Nanos};
use isotherm_recording::Reader;
use isotherm_sources::{
    Address, Columns, Context, Rejection, SOURCES, Source, Tally, Temporality, decode_all,
};

use crate::args::{InputArgs, TemporalityChoice};
use crate::failure::{Code, Failure};
use crate::intake::{Happening, Intake, Through};

/// How finely and how much to bin single events.
#[derive(Copy, Clone, Debug)]
pub struct Binning {
    /// The width of intervals to begin with.
    pub interval: Nanos,
    /// When to make them wider.
    pub limits: BinnerLimits,
}

/// The account of an input read to its end.
#[derive(Debug, Default)]
pub struct Account {
    pub tally: Tally,
}

/// Reads a whole input and hands on what happened, in order.
pub fn read_all(
    input: &str,
    args: &InputArgs,
    binning: Binning,
    take: &mut dyn FnMut(Happening),
) -> Result<Account, Failure> {
    let address: Address = input.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    if let Address::File(path) = &address
        && is_recording(path)
    {
        return read_recording(path, take);
    }
    let intake = Intake::new(args.interval.unwrap_or(binning.interval), binning.limits);
    let mut sink = Through { intake, take };
    decode_all(&address, &context(args), source_named(args)?, &mut sink)?;
    let intake = sink.finish();
    strict(args, &intake.tally)?;
    Ok(Account { tally: intake.tally })
}

/// Whether a file is a recording of ours.
pub fn is_recording(path: &Path) -> bool {
    use std::io::Read as _;
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map(|file| file.take(128));
    file.and_then(|mut file| file.read_to_end(&mut head)).is_ok()
        && isotherm_recording::is_recording(&head)
}

fn read_recording(path: &Path, take: &mut dyn FnMut(Happening)) -> Result<Account, Failure> {
    let reader = Reader::open(path)?;
    for mark in reader.marks()? {
        take(Happening::Mark { at: mark.at, text: mark.text });
    }
    for frame in reader.frames(None, None)? {
        take(Happening::Frame(frame?));
    }
    Ok(Account { tally: recorded_tally(&reader) })
}

/// The account of the input that a recording was made from.
pub fn recorded_tally(reader: &Reader) -> Tally {
    let recorded = reader.tally();
    Tally {
        records: recorded.records,
        rejected: recorded.rejected,
        rejected_events: recorded.rejected_events,
        lost: recorded.lost,
        ignored_lines: recorded.ignored_lines,
        clock: reader.about().clock,
        ..Tally::default()
    }
}

/// What a decoder is told.
pub fn context(args: &InputArgs) -> Context {
    Context {
        unit: args.unit,
        time_unit: args.time_unit,
        temporality: match args.temporality {
            Some(TemporalityChoice::Cumulative) => Temporality::Cumulative,
            Some(TemporalityChoice::Delta) => Temporality::Delta,
            Some(TemporalityChoice::Auto) | None => Temporality::Auto,
        },
        interval: args.interval,
        columns: args.columns.clone().map(|names| Columns { names }),
        by: args.by.clone(),
        only: args.only.clone(),
        zone: args.zone.clone(),
        arrival: None,
    }
}

/// The source the user names, if any: with `--columns` it is a text of columns.
pub fn source_named(args: &InputArgs) -> Result<Option<&'static dyn Source>, Failure> {
    let columns = args.columns.as_ref().map(|_| "columns");
    let Some(name) = args.as_source.as_deref().or(columns) else { return Ok(None) };
    let found = SOURCES.iter().copied().find(|source| source.meta().name == name);
    let names = || SOURCES.iter().map(|source| source.meta().name).collect::<Vec<_>>().join(", ");
    found.map(Some).ok_or_else(|| {
        Failure::usage(format!("--as {name}: there is no such source; there are {}", names()))
    })
}

/// Fails when something was rejected and the user wants that to be fatal.
pub fn strict(args: &InputArgs, tally: &Tally) -> Result<(), Failure> {
    if !args.strict || tally.rejected == 0 {
        return Ok(());
    }
    let head = format!("{} rejection(s) in the input, and --strict is set:", tally.rejected);
    let line = |rejection: &Rejection| format!("{}: {}", rejection.place, rejection.reason);
    let lines: Vec<String> = std::iter::once(head).chain(tally.examples.iter().map(line)).collect();
    Err(Failure::new(Code::BadData, lines.join("\n  ")))
}
