//! `isotherm export`, `import` and `mark`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use isotherm_frame::{BinnerLimits, Frame, Nanos};
use isotherm_recording::{Durability, Mark, Reader, Writer, export, import};

use crate::args::{ExchangeFormat, ExportArgs, ImportArgs, MarkArgs};
use crate::failure::{Code, Failure};
use crate::input::{self, Binning};
use crate::intake::Happening;
use crate::recorder;
use crate::{screen, when};

pub fn export(args: &ExportArgs) -> Result<(), Failure> {
    let reader = Reader::open(&args.recording)?;
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) if path != Path::new("-") => {
            Box::new(BufWriter::new(File::create(path).map_err(|error| unwritable(path, &error))?))
        }
        _ => Box::new(screen::output()),
    };
    let wanted = |series: &isotherm_frame::Series| screen::matches(args.series.as_deref(), series);
    let report = match args.to {
        ExchangeFormat::Csv => export::write_csv(&reader, &wanted, &mut out),
        ExchangeFormat::Jsonl => export::write_jsonl(&reader, &wanted, &mut out),
        ExchangeFormat::Pylatencymap => export::write_pylatencymap(&reader, &wanted, &mut out),
    };
    match report {
        Err(export::ExportError::Io(error)) => screen::written(Err(error)),
        Err(other) => Err(Failure::new(Code::Runtime, other.to_string())),
        Ok(()) => screen::written(out.flush()),
    }
}

pub fn mark(args: &MarkArgs) -> Result<(), Failure> {
    let at = match &args.at {
        Some(text) => {
            let reader = Reader::open(&args.recording)?;
            let start = reader.span()?.map_or_else(when::now, |(start, _)| start);
            when::parse(text, start)?
        }
        None => when::now(),
    };
    let mark = Mark { at, text: args.text.clone(), origin: "isotherm mark".to_owned() };
    isotherm_recording::mark(&args.recording, &mark).map_err(Failure::from)
}

/// Events of a file are kept at a second's resolution, as a live recording would.
const BINNING: Binning = Binning { interval: Nanos::SECOND, limits: BinnerLimits::cells(8_192) };

pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let path = Path::new(args.inputs.first().map_or("-", String::as_str));
    let one = args.inputs.len() == 1;
    let about = recorder::about(&args.inputs.join(" "));
    let mut writer = Writer::create(&args.output, &about, Durability::Normal)?;
    let filled = if one && exported(path, import::is_jsonl) {
        import_export(path, import::read_jsonl, &mut writer)
    } else if one && exported(path, import::is_csv) {
        import_export(path, import::read_csv, &mut writer)
    } else {
        import_any(args, &mut writer)
    };
    writer.finish()?;
    if filled.is_err() {
        // Nothing of value is in a recording that could not be filled.
        let _ = std::fs::remove_file(&args.output);
    }
    filled
}

/// Whether a file begins like an export.
fn exported(path: &Path, begins: fn(&[u8]) -> bool) -> bool {
    use std::io::Read as _;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(256).read_to_end(&mut head));
    read.is_ok() && begins(&head)
}

/// How an export is read.
type Read = fn(&mut dyn std::io::BufRead) -> Result<import::Imported, import::ImportError>;

fn import_export(path: &Path, read: Read, writer: &mut Writer) -> Result<(), Failure> {
    let failed =
        |error: String| Failure::new(Code::Runtime, format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let imported = read(&mut BufReader::new(file)).map_err(|error| failed(error.to_string()))?;
    writer.set_clock(imported.clock)?;
    writer.write(&imported.frames)?;
    for mark in &imported.marks {
        writer.mark(mark)?;
    }
    writer.add_tally(&imported.tally).map_err(Failure::from)
}

/// Whether series are told apart by event, so that idle waits are in series of their own.
fn keeps_events_apart(by: &[String]) -> bool {
    by.is_empty() || by.iter().any(|name| name == "event")
}

/// Imports whatever a decoder reads.
fn import_any(args: &ImportArgs, writer: &mut Writer) -> Result<(), Failure> {
    let mut problem = None;
    let mut batch: Vec<Frame> = Vec::new();
    // A recording keeps everything; who looks at it is asked again.
    let mut wanted = args.input.clone();
    wanted.oracle.idle |= keeps_events_apart(&wanted.by);
    let read = input::read_all(&args.inputs, &wanted, BINNING, &mut |happening| {
        match happening {
            Happening::Frame(frame) => batch.push(frame),
            Happening::Mark { at, text } => {
                let mark = Mark { at, text, origin: "input".to_owned() };
                problem = problem.take().or(writer.mark(&mark).err());
            }
            Happening::Said(text) => screen::warn(&text),
            Happening::Anomaly(anomaly) => screen::warn(&anomaly.to_string()),
        }
        if batch.len() >= 1_024 {
            problem = problem.take().or(writer.write(&std::mem::take(&mut batch)).err());
        }
    })?;
    problem.map_or(Ok(()), Err)?;
    writer.write(&batch)?;
    writer.set_clock(read.tally.clock)?;
    writer.add_tally(&recorder::recorded(&read.tally)).map_err(Failure::from)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Code::Runtime, format!("{}: {error}", path.display()))
}
