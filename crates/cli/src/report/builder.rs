//! One input, read to its end and kept for the report.

use std::num::NonZero;
use std::path::Path;

use isotherm_analysis::{FrameTotals, History, Metrics, WaitedBounds, side_by_side_on};
use isotherm_frame::{Account, Event, Mark, TimeRange, Timestamp, shown_name, visible};
use isotherm_live::Address;
use isotherm_pipeline::{Collector, MemoryBudget};
use isotherm_recording::{About, Reader};
use isotherm_report::{FileDigest, ReportInput};
use isotherm_views::InputAccount;

use super::digest::Digesting;
use super::warnings::{InputWarnings, Warnings};
use crate::describe::BINNING;
use crate::failure::Failure;
use crate::idle;
use crate::input;
use crate::input_args::InputArgs;
use crate::range::Part;
use crate::range_args::RangeArgs;
use crate::screen;
use crate::when::Span;

/// One input, read to its end.
pub struct ReportBuilder {
    label: String,
    source: String,
    about: Option<About>,
    file: Option<FileDigest>,
    input: InputAccount,
    marks: Vec<Mark>,
    history: History,
    /// What was waited in series that are not wanted.
    left_out: WaitedBounds,
}

/// The recordings of a sweep.
pub struct SweepRecordings {
    /// What to call them.
    pub label: String,
    /// What was loaded, without secrets.
    pub source: String,
    /// The files, in the order of time.
    pub paths: Vec<String>,
    /// A mark for each step.
    pub marks: Vec<Mark>,
}

/// How inputs are read, and what of them is wanted.
#[derive(Copy, Clone)]
pub struct BuilderOptions<'a> {
    pub input: &'a InputArgs,
    /// Only series with this text.
    pub series: Option<&'a str>,
    /// How many there are: of several, warnings say of which they are, and each has its share of the
    /// memory.
    pub inputs: usize,
}

impl ReportBuilder {
    /// Reads what each of `names` stands for: a file, a directory as one, standard input.
    pub fn read_each(
        names: &[String],
        wanted: BuilderOptions<'_>,
    ) -> Result<Vec<ReportBuilder>, Failure> {
        let threads = input::threads(wanted.input);
        // As many threads altogether, whether for one input or for several at a time.
        let each = NonZero::new(threads / names.len().clamp(1, threads));
        let input = InputArgs { threads: each, ..wanted.input.clone() };
        let wanted = BuilderOptions { input: &input, ..wanted };
        let read = side_by_side_on(threads, names, |name| {
            let mut warnings = InputWarnings::default();
            (ReportBuilder::read(name, wanted, &mut warnings), warnings)
        });
        let mut warnings = Warnings::default();
        let mut builders = Vec::with_capacity(read.len());
        for (name, (builder, of_it)) in names.iter().zip(read) {
            warnings.add(name, of_it);
            builders.push(builder);
        }
        warnings.say();
        builders.into_iter().collect()
    }

    /// Reads what `name` stands for.
    fn read(
        name: &str,
        wanted: BuilderOptions<'_>,
        warnings: &mut InputWarnings,
    ) -> Result<ReportBuilder, Failure> {
        let address = wanted.input.oracle.address(name)?;
        let path = match &address {
            Address::File(path) => Some(path.as_path()),
            _ => None,
        };
        let digesting = Digesting::begin(path);
        let names = [name.to_owned()];
        let (memory, several) = (wanted.input.memory.shared_by(wanted.inputs), wanted.inputs > 1);
        let gather = || Collector::new(wanted.series, (memory.history(), FrameTotals::default()));
        let mut collector = gather();
        let mut warn = |text: &str| warnings.texts.push(text.to_owned());
        let mut account = input::read_all(&names, wanted.input, BINNING, &mut |event| {
            if let Some(text) = collector.take(event) {
                warn(&text);
            }
        })?;
        match collector.unmatched() {
            Some(text) if !several => return Err(Failure::unmatched(text)),
            Some(text) => warn(&text),
            None => {}
        }
        if let Some(metrics) = Metrics::of_summaries(&collector.kept.1.by_time_waited()) {
            warn(&screen::of_one_metric(&metrics));
            // What was read from a pipe cannot be read again: then all metrics are in the report.
            if path.is_some() {
                collector = gather().of_metrics(metrics);
                account = input::read_all(&names, wanted.input, BINNING, &mut |event| {
                    let _ = collector.take(event);
                })?;
            }
        }
        let left_out = collector.left_out();
        let (history, totals) = collector.kept;
        if let Some(text) = memory.message(&history) {
            warn(&text);
        }
        if let Some(idle) = idle::message(&account).filter(|_| several) {
            warnings.texts.retain(|text| *text != idle);
            warnings.idle.clone_from(&account.idle);
        }
        let about = path.filter(|path| isotherm_pipeline::is_recording(path)).and_then(about);
        Ok(ReportBuilder {
            label: label(name, path),
            source: source(name, about.as_ref()),
            about,
            file: digesting.finish(),
            input: InputAccount::new(&account, &totals),
            marks: collector.marks,
            history,
            left_out,
        })
    }

    /// Takes what this program made itself, and what a recording of it says about it.
    pub fn of_events(
        about: About,
        events: impl Iterator<Item = Event>,
        account: &Account,
    ) -> ReportBuilder {
        let mut collector = Collector::<(History, FrameTotals)>::default();
        for text in events.filter_map(|event| collector.take(event)) {
            screen::warn(&text);
        }
        let (history, totals) = collector.kept;
        ReportBuilder {
            label: about.source.clone(),
            source: about.source.clone(),
            about: Some(about),
            file: None,
            input: InputAccount::new(account, &totals),
            marks: collector.marks,
            history,
            left_out: WaitedBounds::default(),
        }
    }

    /// Reads recordings, one after the other in time, as one.
    pub fn of_sweep(
        sweep: SweepRecordings,
        memory: MemoryBudget,
    ) -> Result<ReportBuilder, Failure> {
        let mut collector = Collector::new(None, (memory.history(), FrameTotals::default()));
        collector.marks = sweep.marks;
        let account =
            input::read_all(&sweep.paths, &InputArgs::default(), BINNING, &mut |event| {
                // Steps are marked by the run table.
                let is_mark = matches!(event, Event::Mark(_));
                if !is_mark && let Some(text) = collector.take(event) {
                    screen::warn(&text);
                }
            })?;
        let (history, totals) = collector.kept;
        memory.message(&history).into_iter().for_each(|text| screen::warn(&text));
        let about = sweep.paths.first().and_then(|path| about(Path::new(path)));
        Ok(ReportBuilder {
            label: sweep.label,
            source: sweep.source,
            about,
            file: None,
            input: InputAccount::new(&account, &totals),
            marks: collector.marks,
            history,
            left_out: WaitedBounds::default(),
        })
    }

    /// What was waited in series that are not wanted, over all time that was read.
    pub fn left_out(&self) -> WaitedBounds {
        self.left_out
    }

    /// The part of it that the user wants to see.
    pub fn part(&self, stretch: &RangeArgs) -> Result<Part, Failure> {
        stretch.within(self.input.span.map(Span::from), &self.label)
    }

    /// What the report is made of, in the time the user wants to see.
    pub fn given(&self, range: TimeRange) -> ReportInput<'_> {
        let TimeRange { from, to } = self.history.between_intervals(range);
        let from_or = from.unwrap_or(Timestamp::new(i64::MIN));
        let to_or = to.unwrap_or(Timestamp::new(i64::MAX));
        let inside = |mark: &&Mark| from_or <= mark.at && mark.at < to_or;
        let about = self.about.as_ref();
        let known = |text: &String| (!text.is_empty()).then(|| text.clone());
        ReportInput {
            label: self.label.clone(),
            source: self.source.clone(),
            host: about.and_then(|about| known(&about.host)),
            command: about.and_then(|about| known(&about.command_line)),
            isotherm_version: about.and_then(|about| known(&about.isotherm_version)),
            file: self.file.clone(),
            input: self.input.clone(),
            marks: self.marks.iter().filter(inside).cloned().collect(),
            device: None,
            history: &self.history,
            span: (from.is_some() || to.is_some()).then_some((from_or, to_or)),
            series: Vec::new(),
        }
    }
}

/// What a recording says about itself.
fn about(path: &Path) -> Option<About> {
    Reader::open(path).ok().map(|reader| reader.about().clone())
}

/// What to call an input: the name of its file, not where that lies on this machine.
pub fn label(name: &str, path: Option<&Path>) -> String {
    let file = path.and_then(Path::file_name).map(|file| file.to_string_lossy().into_owned());
    match file {
        Some(file) => shown_name(&file),
        None if name == "-" => "standard input".to_owned(),
        None => visible(&crate::redact::redacted(name)).into_owned(),
    }
}

/// Where the latencies were measured: what a recording says, else the address.
fn source(name: &str, about: Option<&About>) -> String {
    let recorded = about.map(|about| about.source.clone()).filter(|source| !source.is_empty());
    recorded.unwrap_or_else(|| crate::redact::redacted(name))
}
