//! `isotherm export`, `import` and `mark`.

use std::io::{BufReader, Chain, Cursor, Read, Write};
use std::path::Path;

use isotherm_frame::{BinnerLimits, Clock, Event, Frame, Nanos};
use isotherm_recording::{
    Durability, Reader, RecordedMark, RecordingError, Writer, export, import,
};
use isotherm_sources::{Address, Bytes};

use crate::args::{ExchangeFormat, ExportArgs, ImportArgs, MarkArgs};
use crate::failure::{Code, Failure};
use crate::input;
use crate::output::{Broken, Destination, Kind};
use crate::{about, screen, when};
use isotherm_pipeline::Input;
use isotherm_pipeline::SeriesFilter;
use isotherm_pipeline::{Binning, FrameSums};

pub fn export(args: &ExportArgs) -> Result<(), Failure> {
    let reader = Reader::open(&args.recording)?;
    let (kind, write): (Kind, Writing) = match args.format {
        ExchangeFormat::Csv => (Kind::ExportCsv, export::write_csv),
        ExchangeFormat::Jsonl => (Kind::ExportJsonl, export::write_jsonl),
        ExchangeFormat::Pylatencymap => (Kind::PyLatencyMap, export::write_pylatencymap),
    };
    let output = args.output.as_deref().unwrap_or(Path::new("-"));
    let destination = Destination::to(output, kind, args.force, &[&args.recording])?;
    let filter = SeriesFilter::new(args.series.as_deref());
    let wanted = |series: &isotherm_frame::Series| filter.matches(series);
    let written = destination.write_by(&mut |out| {
        write(&reader, &wanted, out).map_err(|error| match error {
            export::ExportError::Io(error) => Broken::Output(error),
            other => Broken::Other(Failure::new(Code::Runtime, other.to_string())),
        })
    });
    filter.unmatched().into_iter().for_each(|text| screen::warn(&text));
    written.map(drop)
}

/// Writes a recording in another form.
type Writing =
    fn(&Reader, &dyn Fn(&isotherm_frame::Series) -> bool, &mut dyn Write) -> ExportResult;

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
const BINNING: Binning = Binning {
    interval: Nanos::SECOND,
    limits: BinnerLimits { max_bytes: 256 << 20, ..BinnerLimits::cells(1 << 22) },
};

pub fn import(args: &ImportArgs) -> Result<(), Failure> {
    let inputs = input::expand(&args.inputs, &args.input.oracle)?;
    let about = about::about(&args.inputs.join(" "));
    let writer = Writer::create(&args.output, &about, Durability::Normal)?;
    let width = args.input.interval.unwrap_or(BINNING.interval);
    let mut importing = Importing::new(writer, inputs.len() > 1, width);
    let filled = importing.all(inputs, args);
    importing.writer.finish()?;
    if filled.is_err() {
        // Nothing of value is in a recording that could not be filled.
        let _ = std::fs::remove_file(&args.output);
    }
    filled
}

/// The bytes of an export: its beginning, and what follows.
type Export = BufReader<Chain<Cursor<Vec<u8>>, Bytes>>;

/// The form of an export.
#[derive(Copy, Clone, Debug)]
enum Form {
    Jsonl,
    Csv,
}

/// The bytes of an export without their compression, and its form; `None` if a file does not begin
/// like one.
fn export_in(input: &Input) -> Option<(Export, Form)> {
    let Address::File(_) = &input.address else { return None };
    let mut bytes = Bytes::open(&input.address).ok()?;
    let mut head = Vec::new();
    bytes.by_ref().take(256).read_to_end(&mut head).ok()?;
    let form = if import::is_jsonl(&head) {
        Form::Jsonl
    } else if import::is_csv(&head) {
        Form::Csv
    } else {
        return None;
    };
    Some((BufReader::new(Cursor::new(head).chain(bytes)), form))
}

/// Reads CSV, which takes reading it twice. What can be read only once is held in memory.
fn read_csv(
    input: &Input,
    bytes: &mut Export,
    frames: &mut dyn FnMut(Frame),
) -> Result<(), import::ImportError> {
    let io = |source| import::ImportError::Io { line: 0, source };
    if let Address::File(path) = &input.address
        && path.is_file()
    {
        let again =
            Bytes::open(&input.address).map_err(|error| io(std::io::Error::other(error)))?;
        return import::read_csv((bytes, &mut BufReader::new(again)), frames);
    }
    let mut held = Vec::new();
    bytes.read_to_end(&mut held).map_err(io)?;
    import::read_csv((&mut held.as_slice(), &mut held.as_slice()), frames)
}

/// Whether series are told apart by event, so that idle waits are in series of their own.
fn keeps_events_apart(by: &[String]) -> bool {
    by.is_empty() || by.iter().any(|name| name == "event")
}

/// A recording that is being filled.
struct Importing {
    writer: Writer,
    /// What is added up over several inputs; a single one is written as it is read.
    sums: Option<FrameSums>,
    batch: Vec<Frame>,
    clock: Option<Clock>,
    problem: Option<RecordingError>,
}

impl Importing {
    fn new(writer: Writer, several: bool, width: Nanos) -> Importing {
        let sums = several.then(|| FrameSums::of_width(width));
        Importing { writer, sums, batch: Vec::new(), clock: None, problem: None }
    }

    /// Reads all inputs: exports of ours, and whatever a decoder reads.
    fn all(&mut self, inputs: Vec<Input>, args: &ImportArgs) -> Result<(), Failure> {
        let mut others = Vec::new();
        for input in inputs {
            match export_in(&input) {
                Some((bytes, form)) => self.export(&input, bytes, form)?,
                None => others.push(input),
            }
        }
        if !others.is_empty() {
            // A recording keeps everything; who looks at it is asked again.
            let mut wanted = args.input.clone();
            wanted.oracle.idle |= keeps_events_apart(&wanted.by);
            let account = input::read_inputs(&others, &wanted, BINNING, &mut |event| {
                self.take(event);
            })?;
            self.clock.get_or_insert(account.clock);
            self.writer.add_account(&account)?;
        }
        let rest = self.sums.as_mut().map_or_else(Vec::new, FrameSums::take);
        self.problem.take().map_or(Ok(()), Err)?;
        self.writer.write(&std::mem::take(&mut self.batch))?;
        for frames in rest.chunks(1_024) {
            self.writer.write(frames)?;
        }
        self.writer.set_clock(self.clock.unwrap_or_default()).map_err(Failure::from)
    }

    fn export(&mut self, input: &Input, mut bytes: Export, form: Form) -> Result<(), Failure> {
        let take = &mut |frame| self.frame(frame);
        let imported = match form {
            Form::Jsonl => import::read_jsonl(&mut bytes, take),
            Form::Csv => read_csv(input, &mut bytes, take).map(|()| import::Imported::default()),
        };
        let imported = imported
            .map_err(|error| Failure::new(Code::Runtime, format!("{}: {error}", input.address)))?;
        if let Some(told) = bytes.get_ref().get_ref().1.told() {
            screen::warn(&format!("{}: {told}", input.address));
        }
        self.clock.get_or_insert(imported.clock);
        for mark in &imported.marks {
            self.writer.mark(mark)?;
        }
        self.writer.add_account(&imported.account).map_err(Failure::from)
    }

    fn take(&mut self, event: Event) {
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
