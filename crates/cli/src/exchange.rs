//! `isotherm export`, `import` and `mark`.

mod exported;
mod imported_part;

use std::io::{BufReader, Write};
use std::path::Path;

use isotherm_frame::{Account, BinnerLimits, Clock, Event, Frame, Nanos, TimeRange};
use isotherm_pipeline::{Binning, FrameSums, Input, MemoryBudget, ReadOptions, SeriesFilter};
use isotherm_recording::{
    Durability, Reader, RecordedMark, RecordingError, Writer, export, export::Selection, import,
};
use isotherm_sources::{Address, Bytes};

use crate::args::{ExchangeFormat, ExportArgs, ImportArgs, MarkArgs};
use crate::failure::{Code, Failure};
use crate::input;
use crate::input_args::InputArgs;
use crate::output::{Broken, Destination, Kind};
use crate::range::Part;
use crate::when::Span;
use crate::{about, screen, story, when};
use exported::{Form, can_be_read_again, form, read_csv, unreadable};

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
    let at = match &args.at {
        Some(text) => {
            let reader = Reader::open(&args.recording)?;
            let now = isotherm_pipeline::now();
            let span = reader.span()?.unwrap_or((now, now));
            when::parse_in(&when::zone(args.utc), text, span.into())?
        }
        None => isotherm_pipeline::now(),
    };
    let mark = RecordedMark { at, text: args.text.clone(), origin: "isotherm mark".to_owned() };
    isotherm_recording::mark(&args.recording, &mark).map_err(Failure::from)
}

/// Events of a file are kept at a second's resolution, as a live recording would, or at what the
/// user asks for: wider intervals only where memory does not hold the others.
fn binning(memory: MemoryBudget) -> Binning {
    let max_bytes = memory.packed();
    let limits = BinnerLimits { max_bytes, ..BinnerLimits::cells(1 << 22) };
    Binning { interval: Nanos::SECOND, limits }
}

pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let inputs = input::expand(&args.inputs, &args.input.oracle)?;
    let part = imported_part::of(args, &inputs)?;
    let about = about::about(&args.inputs.join(" "));
    let writer = Writer::create(&args.output, &about, Durability::Normal)?;
    let mut importing = Importing::new(writer, part, (inputs.len() > 1, &args.input));
    let filled = importing.all(inputs, args).and_then(|()| importing.found(args));
    importing.writer.finish()?;
    if filled.is_err() {
        // Nothing of value is in a recording that could not be filled.
        let _ = std::fs::remove_file(&args.output);
    }
    filled
}

/// Whether series are told apart by event, so that idle waits are in series of their own.
fn keeps_events_apart(by: &[String]) -> bool {
    by.is_empty() || by.iter().any(|name| name == "event")
}

/// A recording that is being filled.
struct Importing {
    writer: Writer,
    /// The part of the inputs that is kept.
    part: Part,
    /// What is added up: several inputs, or the short intervals in which a part of one is read. A single one
    /// is written as it is read.
    sums: Option<FrameSums>,
    batch: Vec<Frame>,
    /// Whether no frame came.
    is_empty: bool,
    clock: Option<Clock>,
    problem: Option<RecordingError>,
    binning: Binning,
    memory: MemoryBudget,
}

impl Importing {
    fn new(writer: Writer, part: Part, (several, args): (bool, &InputArgs)) -> Importing {
        let is_cut = part.range != TimeRange::default();
        let adds_up = several || is_cut;
        // What is added up is held beside the events of the input that is being read.
        let memory = args.memory.shared_by(if adds_up { 2 } else { 1 });
        let mut binning = binning(memory);
        let width = args.interval.unwrap_or(binning.interval);
        let sums = adds_up.then(|| FrameSums::new(width, memory.packed()));
        if is_cut {
            // A part begins and ends where every other command says that it does.
            binning.interval = story::BINNING.interval;
        }
        let (batch, clock, problem) = (Vec::new(), None, None);
        Importing { writer, part, sums, batch, is_empty: true, clock, problem, binning, memory }
    }

    /// Reads all inputs: exports of ours, and whatever a decoder reads.
    fn all(&mut self, inputs: Vec<Input>, args: &ImportArgs) -> Result<(), Failure> {
        let mut others = Vec::new();
        for input in inputs {
            if let Address::Live(_) = &input.address {
                others.push(input);
                continue;
            }
            let mut bytes = Bytes::open(&input.address)?;
            match form(&mut bytes)? {
                Some(form) => self.export(&input, BufReader::new(bytes), form)?,
                None if can_be_read_again(&input) => others.push(input),
                None => self.others(args, |options, binning, take| {
                    Ok(isotherm_pipeline::read_opened((&input, bytes), options, binning, take)?)
                })?,
            }
        }
        if !others.is_empty() {
            self.others(args, |options, binning, take| {
                Ok(isotherm_pipeline::read_all(&others, options, binning, take)?)
            })?;
        }
        let rest = self.sums.as_mut().map_or_else(Vec::new, FrameSums::take);
        self.problem.take().map_or(Ok(()), Err)?;
        self.writer.write(&std::mem::take(&mut self.batch))?;
        for frames in rest.chunks(1_024) {
            self.writer.write(frames)?;
        }
        self.writer.set_clock(self.clock.unwrap_or_default()).map_err(Failure::from)
    }

    /// Takes what a decoder reads.
    fn others(
        &mut self,
        args: &ImportArgs,
        read: impl FnOnce(&ReadOptions, Binning, &mut dyn FnMut(Event)) -> Result<Account, Failure>,
    ) -> Result<(), Failure> {
        // A recording keeps everything; who looks at it is asked again.
        let mut wanted = args.input.clone();
        wanted.oracle.idle |= keeps_events_apart(&wanted.by);
        let (options, binning) = (input::options(&wanted)?, self.binning);
        let account = read(&options, binning, &mut |event| self.take(event))?;
        let account = input::conclude(account, &wanted, &mut |event| self.take(event))?;
        self.clock.get_or_insert(account.clock);
        self.writer.add_account(&account).map_err(Failure::from)
    }

    /// Fails when nothing of the inputs is what `--where` asks for, or lies between `--from` and `--to`.
    fn found(&self, args: &ImportArgs) -> Result<(), Failure> {
        if let Some(nothing) = self.part.nothing().filter(|_| self.is_empty) {
            return Err(nothing);
        }
        if args.input.only.is_empty() || !self.is_empty {
            return Ok(());
        }
        Err(Failure::unmatched(format!("{}: no events", input::title(&args.inputs))))
    }

    fn export(
        &mut self,
        input: &Input,
        mut bytes: BufReader<Bytes>,
        form: Form,
    ) -> Result<(), Failure> {
        let (memory, range) = (self.memory, self.part.range);
        let take = &mut |frame| range.keep(frame).into_iter().for_each(|frame| self.frame(frame));
        let imported = match form {
            Form::Jsonl => {
                let read = import::read_jsonl(&mut bytes, take);
                read.map_err(|error| unreadable(input, &error))?
            }
            Form::Csv => {
                let records = read_csv(input, &mut bytes, memory, take)?;
                let account = Account { records, ..Account::default() };
                import::Imported { account, ..import::Imported::default() }
            }
        };
        if let Some(message) = bytes.get_ref().message() {
            screen::warn(&format!("{}: {message}", input.address));
        }
        self.clock.get_or_insert(imported.clock);
        for mark in imported.marks.iter().filter(|mark| range.holds(mark.at)) {
            self.writer.mark(mark)?;
        }
        self.writer.add_account(&imported.account).map_err(Failure::from)
    }

    fn take(&mut self, event: Event) {
        let Some(event) = self.part.event(event) else { return };
        match event {
            Event::Frame(frame) => self.frame(frame),
            Event::Mark(mark) => {
                let mark = RecordedMark::new(&mark, "input");
                let marked = self.writer.mark(&mark).err();
                self.problem = self.problem.take().or(marked);
            }
            Event::Message(text) => screen::warn(&text),
            Event::Anomaly(anomaly) => screen::warn(&anomaly.to_string()),
        }
    }

    fn frame(&mut self, frame: Frame) {
        self.is_empty = false;
        match &mut self.sums {
            Some(sums) => {
                sums.add(frame);
                if sums.is_full() {
                    let (frames, first) = sums.hand_on();
                    self.batch.extend(frames);
                    if first {
                        screen::warn(FrameSums::TOO_MANY);
                    }
                }
            }
            None => self.batch.push(frame),
        }
        if self.batch.len() >= 1_024 {
            let written = self.writer.write(&std::mem::take(&mut self.batch)).err();
            self.problem = self.problem.take().or(written);
        }
    }
}
