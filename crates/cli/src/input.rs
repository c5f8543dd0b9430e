//! Reading what the command line names to its end: recordings, files, standard input.

use std::collections::HashSet;
use std::path::Path;

use isotherm_frame::{BinnerLimits, Nanos};
use isotherm_recording::{Reader, RecordingError};
use isotherm_sources::{
    Address, Columns, Context, DecodeError, OpenError, Place, Rejection, SOURCES, Source, Tally,
    Temporality, decode_all,
};

use crate::args::{InputArgs, TemporalityChoice};
use crate::failure::{Code, Failure};
use crate::idle;
use crate::inputs::{self, Input, Together};
use crate::intake::{Happening, Intake, TakeEvent, Through};
use crate::overflow::Overflow;
use crate::when;

/// How finely and how much to bin single events.
#[derive(Copy, Clone, Debug)]
pub struct Binning {
    /// The width of intervals to begin with.
    pub interval: Nanos,
    /// When to make them wider.
    pub limits: BinnerLimits,
}

/// The most series told apart where each is no more than a few counts: some 100 MB.
const MOST_SERIES: usize = 1 << 18;

/// The account of an input read to its end.
#[derive(Debug, Default)]
pub struct Account {
    pub tally: Tally,
}

/// Reads whole inputs, one after the other, and hands on what happened, in the order of each.
/// Totals are never subtracted across inputs, and intervals are binned for each.
pub fn read_all(
    names: &[String],
    args: &InputArgs,
    binning: Binning,
    take: &mut dyn FnMut(Happening),
) -> Result<Account, Failure> {
    read_each(&inputs::expand(names, &args.oracle)?, args, binning, (None, take))
}

/// The same for inputs that are already known.
pub fn read_inputs(
    inputs: &[Input],
    args: &InputArgs,
    binning: Binning,
    take: &mut dyn FnMut(Happening),
) -> Result<Account, Failure> {
    read_each(inputs, args, binning, (None, take))
}

/// Reads whole inputs as [`read_all`] does, but hands on single events as they are instead of
/// intervals of them, and tells apart many more series.
pub fn read_events(
    names: &[String],
    args: &InputArgs,
    binning: Binning,
    (event, take): (&mut TakeEvent<'_>, &mut dyn FnMut(Happening)),
) -> Result<Account, Failure> {
    read_each(&inputs::expand(names, &args.oracle)?, args, binning, (Some(event), take))
}

fn read_each(
    inputs: &[Input],
    args: &InputArgs,
    binning: Binning,
    (mut event, take): (Option<&mut TakeEvent<'_>>, &mut dyn FnMut(Happening)),
) -> Result<Account, Failure> {
    let several = inputs.len() > 1;
    let mut together = Together::default();
    let mut said = HashSet::new();
    let mut overflow = Overflow::default();
    for input in inputs {
        let mut tell = |happening| match happening {
            Happening::Frame(frame) => {
                overflow.add(&frame);
                take(Happening::Frame(frame));
            }
            Happening::Said(text) if several => {
                if said.insert(text.clone()) {
                    take(Happening::Said(format!("{}: {text}", input.address)));
                }
            }
            other => take(other),
        };
        match read_one(input, several, args, binning, (event.as_deref_mut(), &mut tell))? {
            Read::Done(tally) => together.add(tally),
            Read::PassedOver(reason) => together.pass_over(reason),
        }
    }
    together.told()?.into_iter().for_each(|text| take(Happening::Said(text)));
    overflow.told().for_each(|text| take(Happening::Said(text)));
    if let Some(text) = idle::told(&together.tally) {
        take(Happening::Said(text));
    }
    strict(args, &together.tally)?;
    Ok(Account { tally: together.tally })
}

/// How reading one input ended.
enum Read {
    Done(Tally),
    /// A file that is no input, and why.
    PassedOver(String),
}

fn read_one(
    input: &Input,
    several: bool,
    args: &InputArgs,
    binning: Binning,
    (events, take): (Option<&mut TakeEvent<'_>>, &mut dyn FnMut(Happening)),
) -> Result<Read, Failure> {
    if let Address::File(path) = &input.address
        && begins(path, isotherm_recording::is_database)
    {
        return match read_recording(path, args.oracle.idle, take) {
            Err(failure) if input.found_in.is_some() && !is_recording(path) => {
                Ok(Read::PassedOver(failure.message))
            }
            read => read.map(Read::Done),
        };
    }
    let interval = args.interval.unwrap_or(binning.interval);
    let intake = Intake::whole(interval, binning.limits);
    let most_series = events.is_some().then_some(MOST_SERIES);
    let context = Context { most_series, ..context(args) };
    let mut sink = Through { intake, take: &mut *take, events };
    match decode_all(&input.address, &context, source_named(args)?, &mut sink) {
        Ok(_) => {
            let intake = sink.finish();
            if let Some(text) = intake.in_the_future(when::now()) {
                take(Happening::Said(text));
            }
            if args.interval.is_some() && intake.interval() > interval {
                take(Happening::Said(format!(
                    "events are in intervals of {} instead of {interval}: there are too many \
                     intervals to keep",
                    intake.interval()
                )));
            }
            Ok(Read::Done(intake.tally))
        }
        Err(error @ (OpenError::NotRecognised(_) | OpenError::Empty(_)))
            if input.found_in.is_some() =>
        {
            Ok(Read::PassedOver(error.to_string()))
        }
        Err(OpenError::Decode(error @ DecodeError::Nothing(_))) => {
            let text = format!("{}: {error}", input.address);
            if several { Ok(Read::PassedOver(text)) } else { Err(Failure::nothing(text)) }
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether a file is a recording of ours.
pub fn is_recording(path: &Path) -> bool {
    begins(path, isotherm_recording::is_recording)
}

/// Whether the beginning of a file is what is looked for.
fn begins(path: &Path, looks_like: fn(&[u8]) -> bool) -> bool {
    use std::io::Read as _;
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map(|file| file.take(128));
    file.and_then(|mut file| file.read_to_end(&mut head)).is_ok() && looks_like(&head)
}

/// Reads a recording. A frame that is damaged is a rejection and the next ones are read.
fn read_recording(
    path: &Path,
    with_idle: bool,
    take: &mut dyn FnMut(Happening),
) -> Result<Tally, Failure> {
    let reader = Reader::open(path)?;
    let mut tally = recorded_tally(&reader);
    if let Some(text) = let_go(path, &reader)? {
        take(Happening::Said(text));
    }
    for mark in reader.marks()? {
        take(Happening::Mark { at: mark.at, text: mark.text });
    }
    let (mut whole, mut damaged) = (0_u64, 0_u64);
    for frame in reader.frames(None, None)? {
        whole += u64::from(frame.is_ok());
        match frame {
            Ok(frame) => match idle::of_recording(&frame).filter(|_| !with_idle) {
                Some(waits) => tally.leave_out(waits),
                None => take(Happening::Frame(frame)),
            },
            Err(error @ RecordingError::Damaged { .. }) => {
                damaged += 1;
                let (place, reason) = (Place::default(), error.to_string());
                if tally.examples.len() < Tally::SHOWN {
                    take(Happening::Said(reason.clone()));
                }
                tally.reject(Rejection { place, reason: reason.into(), events: 0 });
            }
            Err(error) => return Err(error.into()),
        }
    }
    if whole == 0 && damaged > 0 {
        let text = format!("{}: no frame of it can be read, {damaged} damages", path.display());
        return Err(Failure::new(Code::BadData, text));
    }
    Ok(tally)
}

/// What to tell of a recording that keeps only its latest.
pub fn let_go(path: &Path, reader: &Reader) -> Result<Option<String>, Failure> {
    let gone = reader.let_go()?.filter(|gone| gone.frames > 0);
    Ok(gone.map(|gone| {
        format!(
            "{} keeps the last {}: {} older frames with {} events were let go of",
            path.display(),
            isotherm_views::span(gone.keep),
            gone.frames,
            gone.events
        )
    }))
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
        most_series: None,
        only: args.only.clone(),
        leave_out_idle: !args.oracle.idle,
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
    let examples = tally.examples.iter().map(Rejection::to_string);
    let lines: Vec<String> = std::iter::once(head).chain(examples).collect();
    Err(Failure::new(Code::BadData, lines.join("\n  ")))
}
