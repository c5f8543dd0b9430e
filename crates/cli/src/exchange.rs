//! `isotherm export`, `import` and `mark`.

mod exported;
mod frame_warnings;
mod imported_part;
mod importing;
mod row_tables;

use std::io::Write;
use std::path::{Path, PathBuf};

use isotherm_formats::Bytes;
use isotherm_frame::TimeRange;
use isotherm_pipeline::{Input, SeriesFilter};
use isotherm_recording::{
    Durability, Reader, RecordedMark, Writer, export, export::Selection, rows,
};

use self::importing::{Importing, Stopped, Target, Together};
use crate::choices::ExchangeFormat;
use crate::exchange_args::{ExportArgs, FramesArgs, ImportArgs, MarkArgs, MergeArgs};
use crate::failure::{Code, Failure};
use crate::input;
use crate::input_args::InputArgs;
use crate::output::{Broken, Destination, Kind};
use crate::range::{Part, interval_at};
use crate::when::Span;
use crate::{about, output, screen, when};

pub fn export(args: &ExportArgs) -> Result<(), Failure> {
    let form = args.old_form().map_or_else(|| exported_form(args), Ok)?;
    let reader = Reader::open(&args.recording)?;
    let part = part(args, &reader)?;
    let (kind, write): (Kind, Writing) = match form {
        ExchangeFormat::Csv => (Kind::ExportCsv, export::write_csv),
        ExchangeFormat::Jsonl => (Kind::ExportJsonl, export::write_jsonl),
        ExchangeFormat::Pylatencymap => (Kind::PyLatencyMap, export::write_pylatencymap),
        ExchangeFormat::Hlog => (Kind::HdrLog, export::write_hlog),
    };
    has_series(args, &reader, &part)?;
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let destination = Destination::to(output, kind, args.force, &[&args.recording])?;
    let filter = SeriesFilter::new(args.series.as_deref());
    let wanted = |series: &isotherm_frame::Series| filter.matches(series);
    let selection = Selection { series: &wanted, range: part.range };
    let written = destination.write_by(&mut |out| {
        write(&reader, &selection, out).map_err(|error| match error {
            export::ExportError::Io(error) => Broken::Output(error),
            other => Broken::Other(Failure::new(Code::Runtime, other.to_string())),
        })
    });
    written?;
    if form == ExchangeFormat::Hlog {
        let remark = export::hlog_remark(&reader, &selection);
        let failed = |error: export::ExportError| Failure::new(Code::Runtime, error.to_string());
        remark.map_err(failed)?.iter().for_each(|text| screen::warn(text));
    }
    Ok(())
}

/// Fails where there are series and none of them is wanted.
fn has_series(args: &ExportArgs, reader: &Reader, part: &Part) -> Result<(), Failure> {
    let filter = SeriesFilter::new(args.series.as_deref());
    for frame in reader.frames(part.range.from, part.range.to)? {
        // What is damaged is reported where it is written.
        if frame.is_ok_and(|frame| filter.matches(&frame.series)) {
            break;
        }
    }
    Ok(filter.some()?)
}

/// The form that is asked for, or that the name of the file says.
fn exported_form(args: &ExportArgs) -> Result<ExchangeFormat, Failure> {
    let ending = args.output.as_deref().and_then(Path::extension).unwrap_or_default();
    let named = match ending.to_string_lossy().to_ascii_lowercase().as_str() {
        "csv" => Some(ExchangeFormat::Csv),
        "jsonl" | "ndjson" => Some(ExchangeFormat::Jsonl),
        "hlog" => Some(ExchangeFormat::Hlog),
        _ => None,
    };
    match (args.format, named) {
        (Some(format), Some(named)) if format != named => Err(Failure::usage(format!(
            "{}: the name and --format say different forms: leave out --format, or \
                 change the ending of the name",
            args.output.as_deref().unwrap_or(Path::new("-")).display()
        ))),
        (Some(form), _) | (None, Some(form)) => Ok(form),
        (None, None) => Err(Failure::usage(
            "say which form to write: --format csv, jsonl, hlog or pylatencymap, or \
                 a file that ends in .csv, .jsonl or .hlog",
        )),
    }
}

/// The part of a recording that is wanted; fails where nothing lies there.
fn part(args: &ExportArgs, reader: &Reader) -> Result<Part, Failure> {
    if args.old_form().is_some() {
        return Ok(Part::default());
    }
    let source = args.recording.display().to_string();
    let part = args.stretch.within(reader.span()?.map(Span::from), &source)?.some()?;
    let part = part.between(&|moment| interval_at(reader, moment));
    let Some(nothing) = part.nothing() else { return Ok(part) };
    let TimeRange { from, to } = part.range;
    let mut frames = reader.frames(from, to)?;
    let any = frames.any(|frame| frame.map_or(true, |frame| part.range.keep(frame).is_some()));
    if any { Ok(part) } else { Err(nothing) }
}

/// Writes a part of a recording in another form.
type Writing = fn(&Reader, &Selection<'_>, &mut dyn Write) -> ExportResult;

type ExportResult = Result<(), export::ExportError>;

pub fn mark(args: &MarkArgs) -> Result<(), Failure> {
    let reader = Reader::open(&args.recording)?;
    let (span, has_ended, now) = (reader.span()?, reader.has_ended()?, isotherm_pipeline::now());
    let at = match &args.at {
        Some(text) => {
            when::parse_in(&when::zone(args.utc), text, span.unwrap_or((now, now)).into())?
        }
        None => now,
    };
    drop(reader);
    let mark = RecordedMark { at, text: args.text.clone(), origin: "isotherm mark".to_owned() };
    isotherm_recording::mark(&args.recording, &mark)?;
    // One that is still written may come to a later moment.
    if let Some((from, _)) = span.filter(|(from, to)| at < *from || (at > *to && has_ended)) {
        let why = if at < from { "begins later" } else { "ended before that" };
        screen::warn(&format!(
            "the mark lies outside of the recording: {} {why}; no view shows it",
            args.recording.display()
        ));
    }
    Ok(())
}

pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let inputs = input::expand(&args.inputs, &args.input.oracle)?;
    let part = imported_part::of(&args.stretch, (&args.inputs, &inputs), &args.input)?;
    let together = Together { adds_up: inputs.len() > 1, at_once: None };
    let output = (args.output.as_path(), args.force);
    let read = |importing: &mut Importing| importing.all(inputs, &args.input);
    fill(output, &args.inputs, (part, together, &args.input), read)
}

/// Makes a recording of bytes that are made of these files; whether one that is there is replaced is given with
/// its name.
pub fn import_opened(
    output: (&Path, bool),
    (input, bytes): (&Input, Bytes),
    names: &[String],
) -> Result<(), Failure> {
    let args = InputArgs::default();
    let together = Together { adds_up: false, at_once: None };
    let read = |importing: &mut Importing| importing.opened(input, bytes, &args);
    fill(output, names, (Part::default(), together, &args), read)
}

pub fn merge(args: &MergeArgs) -> Result<(), Failure> {
    let inputs = input::expand(&args.inputs, &args.input.oracle)?;
    let part = imported_part::of(&args.stretch, (&args.inputs, &inputs), &args.input)?;
    let together = Together { adds_up: true, at_once: None };
    let output = (args.output.as_path(), args.force);
    let read = |importing: &mut Importing| importing.all(inputs, &args.input);
    fill(output, &args.inputs, (part, together, &args.input), read)
}

/// Makes a recording of inputs with these names, which `read` reads.
fn fill(
    (output, force): (&Path, bool),
    names: &[String],
    (part, together, args): (Part, Together, &InputArgs),
    read: impl FnOnce(&mut Importing<'_>) -> Result<(), Stopped>,
) -> Result<(), Failure> {
    let about = about::about(&names.join(" "));
    let replaces = force && output.exists();
    if replaces || output.symlink_metadata().is_err() {
        output::spare_inputs(output, names)?;
    }
    // One that is replaced stays until the new one is whole.
    let written = if replaces { output.with_added_extension("filling") } else { output.to_owned() };
    if replaces {
        isotherm_recording::discard(&written)?;
    }
    let writer = Writer::create(&written, &about, Durability::Normal);
    let writer = writer.map_err(Failure::of_recording)?;
    let target = Target::Recording(Box::new(writer));
    let mut importing = Importing::new(target, part, (together, args));
    let filled = read(&mut importing).and_then(|()| importing.found(names, args));
    importing.finish()?;
    if filled.is_err() {
        // Nothing of value is in a recording that could not be filled.
        let _ = std::fs::remove_file(&written);
    } else if replaces && let Err(error) = isotherm_recording::put_in_place(&written, output) {
        let _ = std::fs::remove_file(&written);
        return Err(error.into());
    }
    filled.map_err(|stopped| match Broken::from(stopped) {
        Broken::Other(failure) => failure,
        Broken::Output(error) => Failure::new(Code::Runtime, error.to_string()),
    })
}

pub fn frames(args: &FramesArgs) -> Result<(), Failure> {
    let inputs = input::expand_ranges(&args.inputs, &args.input.oracle)?;
    let part = imported_part::of(&args.stretch, (&args.inputs, &inputs), &args.input)?;
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let ranged = inputs.iter().filter(|input| input.range.is_some());
    let names = args.inputs.iter().cloned().chain(ranged.map(|input| input.address.to_string()));
    let files: Vec<PathBuf> = names.map(PathBuf::from).collect();
    let destination = Destination::to(output, Kind::ExportCsv, args.force, &files)?;
    let (mut inputs, mut part) = (Some(inputs), Some(part));
    let written = destination.write_by(&mut |out| {
        rows::write_head(out).map_err(Broken::Output)?;
        let inputs = inputs.take().unwrap_or_default();
        let together = Together { adds_up: true, at_once: Some(args.jobs) };
        let wanted = (together, &args.input);
        let mut importing =
            Importing::new(Target::Rows(out), part.take().unwrap_or_default(), wanted);
        let read = importing.all(inputs, &args.input);
        read.and_then(|()| importing.found(&args.inputs, &args.input)).map_err(Broken::from)
    })?;
    if let Some(text) = written {
        screen::warn(&text);
    }
    Ok(())
}
