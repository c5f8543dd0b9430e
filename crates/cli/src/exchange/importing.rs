//! Inputs of any kind, read into a recording or to a table.

use std::collections::BTreeSet;
use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;

use isotherm_formats::Bytes;
use isotherm_frame::{Account, BinnerLimits, Clock, Event, Frame, Nanos, TimeRange};
use isotherm_live::{Address, open_bytes};
use isotherm_pipeline::{Binning, FrameSums, Input, MemoryBudget, ReadOptions};
use isotherm_recording::rows::{self, ObservedPart};
use isotherm_recording::{RecordedMark, Writer, import};

use super::exported::{Form, form, read_csv, unreadable};
use super::frame_warnings::FrameWarnings;
use super::row_tables::RowTables;
use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;
use crate::output::Broken;
use crate::range::Part;
use crate::{describe, screen, unmatched_where};

/// Events of a file are kept at a second's resolution, as a live recording would, or at what the
/// user asks for: wider intervals only where memory does not hold the others.
fn binning(memory: MemoryBudget) -> Binning {
    let max_bytes = memory.packed();
    let limits = BinnerLimits { max_bytes, ..BinnerLimits::cells(1 << 22) };
    Binning::new(Nanos::SECOND, limits)
}

/// Whether series are told apart by event, so that idle waits are in series of their own.
fn keeps_events_apart(by: &[String]) -> bool {
    by.is_empty() || by.iter().any(|name| name == "event")
}

/// Where frames go.
pub(super) enum Target<'o> {
    /// Into a recording.
    Recording(Box<Writer>),
    /// To a table of rows.
    Rows(&'o mut dyn Write),
}

/// Why no more can be taken.
pub(super) enum Stopped {
    /// The table's output takes no more.
    Output(io::Error),
    /// Something else.
    Failed(Failure),
}

impl<T: Into<Failure>> From<T> for Stopped {
    fn from(failure: T) -> Stopped {
        Stopped::Failed(failure.into())
    }
}

impl From<Stopped> for Broken {
    fn from(stopped: Stopped) -> Broken {
        match stopped {
            Stopped::Output(error) => Broken::Output(error),
            Stopped::Failed(failure) => Broken::Other(failure),
        }
    }
}

impl Target<'_> {
    fn write(&mut self, frames: &[Frame]) -> Result<(), Stopped> {
        match self {
            Target::Recording(writer) => Ok(writer.write(frames)?),
            Target::Rows(out) => {
                let mut rows = frames.iter();
                rows.try_for_each(|frame| rows::write_rows(frame, out)).map_err(Stopped::Output)
            }
        }
    }

    /// How much was observed of intervals of which a table has all; a recording has them as they were observed.
    fn observed(&mut self, parts: &BTreeSet<ObservedPart>) -> Result<(), Stopped> {
        match self {
            Target::Recording(_) => Ok(()),
            Target::Rows(out) => {
                let mut parts = parts.iter();
                parts.try_for_each(|part| rows::write_observed(part, out)).map_err(Stopped::Output)
            }
        }
    }

    /// Marks have no place in a table.
    fn mark(&mut self, mark: &RecordedMark) -> Result<(), Stopped> {
        match self {
            Target::Recording(writer) => Ok(writer.mark(mark)?),
            Target::Rows(_) => Ok(()),
        }
    }

    fn account(&mut self, account: &Account) -> Result<(), Stopped> {
        match self {
            Target::Recording(writer) => Ok(writer.add_account(account)?),
            Target::Rows(out) => rows::write_account(account, out).map_err(Stopped::Output),
        }
    }

    fn clock(&mut self, clock: Clock) -> Result<(), Stopped> {
        match self {
            Target::Recording(writer) => Ok(writer.set_clock(clock)?),
            Target::Rows(_) => Ok(()),
        }
    }
}

/// Why a range of an export is not read.
fn unranged(input: &Input) -> Failure {
    Failure::usage(format!(
        "{}: a range of an export or of a table of rows is not read by itself: read the whole file",
        input.address
    ))
}

/// How inputs are taken together.
#[derive(Copy, Clone, Debug)]
pub(super) struct Together {
    /// Whether equal intervals are added up.
    pub adds_up: bool,
    /// How many are read at the same time; as many as there are threads if not given.
    pub at_once: Option<NonZeroUsize>,
}

/// Inputs that are read into one target.
pub(super) struct Importing<'o> {
    target: Target<'o>,
    /// The part of the inputs that is kept.
    part: Part,
    /// What is added up: several inputs, or the short intervals in which a part of one is read. A single one
    /// is written as it is read.
    sums: Option<FrameSums>,
    /// Tables of rows, which are added up before anything else: only together have they whole intervals.
    rows: Option<RowTables>,
    batch: Vec<Frame>,
    warnings: FrameWarnings,
    /// Whether anything comes from tables or exports, which no decoder has looked at.
    has_exports: bool,
    /// Whether no frame came.
    is_empty: bool,
    clock: Option<Clock>,
    problem: Option<Stopped>,
    /// The width of the intervals that are added up.
    width: Nanos,
    binning: Binning,
    memory: MemoryBudget,
    at_once: Option<NonZeroUsize>,
}

impl<'o> Importing<'o> {
    /// Frames that are written together.
    const BATCH: usize = 1_024;

    /// For a part of the inputs, of which equal intervals are added up or not; a part of one is read in
    /// short intervals, which are added up in any case.
    pub(super) fn new(
        target: Target<'o>,
        part: Part,
        (Together { adds_up, at_once }, args): (Together, &InputArgs),
    ) -> Importing<'o> {
        let is_cut = part.range != TimeRange::default();
        let adds_up = adds_up || is_cut;
        // What is added up is held beside the events of the inputs that are being read.
        let halves = if adds_up { 2 } else { 1 };
        let memory = args.memory.shared_by(halves);
        let mut binning =
            binning(args.memory.shared_by(halves * at_once.map_or(1, NonZeroUsize::get)));
        let width = args.interval.unwrap_or(binning.interval);
        let sums = match &target {
            Target::Recording(_) => FrameSums::new(width, memory.packed()),
            Target::Rows(_) if is_cut => FrameSums::of_stretch(width, memory.packed()),
            // Rows of other inputs must meet those of this one.
            Target::Rows(_) => FrameSums::of_whole_intervals(width, memory.packed()),
        };
        let sums = adds_up.then_some(sums);
        if is_cut {
            // A part begins and ends where every other command says that it does.
            binning.interval = describe::BINNING.interval;
        }
        let (batch, clock, problem) = (Vec::new(), None, None);
        Importing {
            target,
            part,
            sums,
            rows: None,
            batch,
            warnings: FrameWarnings::default(),
            has_exports: false,
            is_empty: true,
            clock,
            problem,
            width,
            binning,
            memory,
            at_once,
        }
    }

    /// Reads all inputs: exports of ours, and whatever a decoder reads.
    pub(super) fn all(&mut self, inputs: Vec<Input>, args: &InputArgs) -> Result<(), Stopped> {
        let (mut others, mut empty) = (Vec::new(), Vec::new());
        let (inputs, said) = isotherm_pipeline::read_once(inputs, args.again)?;
        for text in said {
            screen::warn(&text);
        }
        let all = inputs.len();
        for input in inputs {
            if let Address::Live(_) = &input.address {
                others.push(input);
                continue;
            }
            if input.found_in.is_some() && input.is_empty() {
                empty.push(input);
                continue;
            }
            let mut bytes = open_bytes(&input.address)?;
            match form(&mut bytes)? {
                Some(_) if input.range.is_some() => return Err(unranged(&input).into()),
                Some(form) => self.export(&input, BufReader::new(bytes), form)?,
                None if input.can_be_read_again() || input.range.is_some() => others.push(input),
                None => self.others(args, |options, binning, take| {
                    Ok(isotherm_pipeline::read_opened((&input, bytes), options, binning, take)?)
                })?,
            }
        }
        if self.has_exports
            && let Some(first) = empty.first()
        {
            let (passed, first) = (empty.len(), &first.address);
            screen::warn(&format!(
                "{passed} of {all} files skipped: '{first}' is empty: there is nothing to read"
            ));
        } else {
            others.append(&mut empty);
        }
        if !others.is_empty() {
            self.others(args, |options, binning, take| {
                Ok(isotherm_pipeline::read_all(&others, options, binning, take)?)
            })?;
        }
        self.write_rest()
    }

    /// Reads one input from bytes of it that are open.
    pub(super) fn opened(
        &mut self,
        input: &Input,
        bytes: Bytes,
        args: &InputArgs,
    ) -> Result<(), Stopped> {
        self.others(args, |options, binning, take| {
            Ok(isotherm_pipeline::read_opened((input, bytes), options, binning, take)?)
        })?;
        self.write_rest()
    }

    /// Writes what is left once all inputs are read.
    fn write_rest(&mut self) -> Result<(), Stopped> {
        self.rows_to_their_end()?;
        let rest = self.sums.as_mut().map_or_else(Vec::new, FrameSums::take);
        self.problem.take().map_or(Ok(()), Err)?;
        self.write_batch()?;
        for frame in rest {
            self.batch.push(frame);
            if self.batch.len() >= Importing::BATCH {
                self.write_batch()?;
            }
        }
        self.write_batch()?;
        let observed = self.sums.as_mut().map(FrameSums::take_observed).unwrap_or_default();
        self.target.observed(&observed)?;
        for text in self.warnings.messages() {
            screen::warn(&text);
        }
        self.target.clock(self.clock.unwrap_or_default())
    }

    /// Takes what a decoder reads.
    fn others(
        &mut self,
        args: &InputArgs,
        read: impl FnOnce(&ReadOptions, Binning, &mut dyn FnMut(Event)) -> Result<Account, Failure>,
    ) -> Result<(), Stopped> {
        // A recording keeps everything; who looks at it is asked again.
        let mut wanted = args.clone();
        wanted.oracle.idle |= keeps_events_apart(&wanted.by);
        // All inputs together were looked at for files that are the same.
        wanted.again = true;
        let options = input::options(&wanted)?.with_at_once(self.at_once);
        let binning = self.binning;
        let is_table = matches!(self.target, Target::Rows(_));
        let binning = binning.with_widest(is_table.then_some(self.width));
        let account = read(&options, binning, &mut |event| self.take(event))?;
        let account = input::conclude(account, &wanted, &mut |event| self.take(event))?;
        self.clock.get_or_insert(account.clock);
        self.target.account(&account)
    }

    /// Fails when nothing of the inputs is what `--where` asks for, or lies between `--from` and `--to`.
    pub(super) fn found(&self, names: &[String], args: &InputArgs) -> Result<(), Stopped> {
        if let Some(nothing) = self.part.nothing().filter(|_| self.is_empty) {
            return Err(nothing.into());
        }
        if args.only.is_empty() || !self.is_empty {
            return Ok(());
        }
        Err(unmatched_where::no_events(names, args).into())
    }

    /// Closes a recording.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self.target {
            Target::Recording(writer) => Ok(writer.finish()?),
            Target::Rows(_) => Ok(()),
        }
    }

    fn export(
        &mut self,
        input: &Input,
        mut bytes: BufReader<Bytes>,
        form: Form,
    ) -> Result<(), Stopped> {
        let (memory, range) = (self.memory, self.part.range);
        self.has_exports = true;
        let take = &mut |frame| self.exported(frame);
        let imported = match form {
            Form::Jsonl => {
                let read = import::read_jsonl(&mut bytes, take);
                read.map_err(|error| unreadable(input, &error))?
            }
            Form::Rows => return self.table_of_rows(input, bytes),
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
            self.target.mark(mark)?;
        }
        self.target.account(&imported.account)
    }

    /// Takes a table of rows.
    fn table_of_rows(&mut self, input: &Input, bytes: BufReader<Bytes>) -> Result<(), Stopped> {
        self.clock.get_or_insert_default();
        let most_bytes = self.memory.rows();
        let rows = self.rows.get_or_insert_with(|| RowTables::new(most_bytes));
        if rows.add(input, bytes) { self.open_rows() } else { Ok(()) }
    }

    /// Reads the tables of rows that are open.
    fn open_rows(&mut self) -> Result<(), Stopped> {
        let Some(mut rows) = self.rows.take() else { return Ok(()) };
        let account = rows.read(&mut |frame| self.exported(frame))?;
        self.rows = Some(rows);
        self.target.account(&account)
    }

    /// Reads the tables of rows that are open, and takes what is left of them.
    fn rows_to_their_end(&mut self) -> Result<(), Stopped> {
        self.open_rows()?;
        let Some(rows) = self.rows.take() else { return Ok(()) };
        Ok(rows.finish(&mut |frame| self.exported(frame))?)
    }

    fn take(&mut self, event: Event) {
        let Some(event) = self.part.event(event) else { return };
        match event {
            Event::Frame(frame) => self.frame(frame),
            Event::Mark(mark) => {
                let mark = RecordedMark::new(&mark, "input");
                let marked = self.target.mark(&mark).err();
                self.problem = self.problem.take().or(marked);
            }
            Event::Message(text) => screen::warn(&text),
            Event::Anomaly(anomaly) => screen::warn(&anomaly.to_string()),
        }
    }

    /// Takes a frame of a table or an export.
    fn exported(&mut self, frame: Frame) {
        let frame = self.warnings.without_contradiction(frame);
        self.part.range.keep(frame).into_iter().for_each(|frame| self.frame(frame));
    }

    fn frame(&mut self, frame: Frame) {
        self.is_empty = false;
        match &mut self.sums {
            Some(sums) => {
                let was_split = sums.is_split();
                sums.add(frame);
                // Rows of parts of an interval are added up by whoever reads them.
                if sums.is_split() && !was_split && matches!(self.target, Target::Recording(_)) {
                    screen::warn(FrameSums::TOO_MANY);
                }
                if sums.is_full() {
                    self.batch.extend(sums.hand_on());
                    let observed = sums.take_observed();
                    let written = self.target.observed(&observed).err();
                    self.problem = self.problem.take().or(written);
                }
            }
            None => self.batch.push(frame),
        }
        if self.batch.len() >= Importing::BATCH {
            let written = self.write_batch().err();
            self.problem = self.problem.take().or(written);
        }
    }

    /// Writes what has come. Of a recording that is added up, or made of exports, it is noticed where
    /// intervals overlap; of others a decoder says so.
    fn write_batch(&mut self) -> Result<(), Stopped> {
        let batch = std::mem::take(&mut self.batch);
        let is_recording = matches!(self.target, Target::Recording(_));
        if is_recording && (self.sums.is_some() || self.has_exports) {
            for frame in &batch {
                self.warnings.written(frame);
            }
        }
        self.target.write(&batch)
    }
}
