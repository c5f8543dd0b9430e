//! One input, read to its end and kept for the report.

use std::path::Path;

use isotherm_analysis::{Account, History, ScriptMaps, WantedMark};
use isotherm_frame::{Frame, Series, Timestamp, shown_name, visible};
use isotherm_recording::{About, Reader};
use isotherm_report::{FileDigest, Given};
use isotherm_sources::{Address, Tally};
use isotherm_views::InputAccount;

use super::digest::Digesting;
use crate::failure::Failure;
use crate::idle;
use crate::input;
use crate::input_args::InputArgs;
use crate::intake::Happening;
use crate::memory::Memory;
use crate::series_filter::SeriesFilter;
use crate::story::BINNING;
use crate::{screen, when};

/// One input, read to its end.
pub struct Gathered {
    label: String,
    source: String,
    about: Option<About>,
    file: Option<FileDigest>,
    input: InputAccount,
    marks: Vec<WantedMark>,
    history: History,
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
    pub marks: Vec<WantedMark>,
}

/// How inputs are read, and what of them is wanted.
#[derive(Copy, Clone)]
pub struct Wanted<'a> {
    pub input: &'a InputArgs,
    /// Only series with this text.
    pub series: Option<&'a str>,
    /// Whether there are several, so that warnings must say of which they are.
    pub several: bool,
}

impl Gathered {
    /// Reads what `name` stands for: a file, a directory as one, standard input.
    pub fn read(name: &str, wanted: Wanted<'_>) -> Result<Gathered, Failure> {
        let address = wanted.input.oracle.address(name)?;
        let path = match &address {
            Address::File(path) => Some(path.as_path()),
            _ => None,
        };
        let digesting = Digesting::begin(path);
        let mut frames = Frames::new(wanted.input.memory);
        let filter = SeriesFilter::new(wanted.series);
        let names = [name.to_owned()];
        let mut read = input::read_all(&names, wanted.input, BINNING, &mut |happening| {
            if let Some(said) = frames.take(happening, &filter) {
                warn(name, wanted.several, &said);
            }
        })?;
        if let Some(said) = filter.unmatched() {
            warn(name, wanted.several, &said);
        }
        if let Some(maps) = ScriptMaps::of_summaries(&frames.account.by_time_waited()) {
            warn(name, wanted.several, &screen::of_one_map(&maps));
            // What was read from a pipe cannot be read again: then all maps are in the report.
            if path.is_some() {
                frames = Frames { maps: Some(maps), ..Frames::new(wanted.input.memory) };
                read = input::read_all(&names, wanted.input, BINNING, &mut |happening| {
                    let _ = frames.take(happening, &filter);
                })?;
            }
        }
        if let Some(text) = wanted.input.memory.told(&frames.history) {
            warn(name, wanted.several, &text);
        }
        let about = path.filter(|path| input::is_recording(path)).and_then(about);
        Ok(Gathered {
            label: label(name, path),
            source: source(name, about.as_ref()),
            about,
            file: digesting.finish(),
            input: input_account(&read.tally, &frames.account),
            marks: frames.marks,
            history: frames.history,
        })
    }

    /// Reads recordings, one after the other in time, as one. Of the two times of operations of an
    /// open loop those that users wait are kept: both would count each operation twice.
    pub fn of_sweep(sweep: SweepRecordings) -> Result<Gathered, Failure> {
        let mut frames = Frames { marks: sweep.marks, ..Frames::new(Memory::default()) };
        let all = SeriesFilter::new(None);
        let read =
            input::read_all(&sweep.paths, &InputArgs::default(), BINNING, &mut |happening| {
                let passed = match &happening {
                    Happening::Frame(frame) => is_service(&frame.series),
                    // Steps are marked by the run table.
                    Happening::Mark { .. } => true,
                    _ => false,
                };
                if !passed && let Some(said) = frames.take(happening, &all) {
                    screen::warn(&said);
                }
            })?;
        if let Some(text) = Memory::default().told(&frames.history) {
            screen::warn(&text);
        }
        let about = sweep.paths.first().and_then(|path| about(Path::new(path)));
        Ok(Gathered {
            label: sweep.label,
            source: sweep.source,
            about,
            file: None,
            input: input_account(&read.tally, &frames.account),
            marks: frames.marks,
            history: frames.history,
        })
    }

    /// What the report is made of, in the time the user wants to see: from when, to when.
    pub fn given(&self, time: (Option<&str>, Option<&str>)) -> Result<Given<'_>, Failure> {
        let start = self.input.span.map_or(Timestamp::new(0), |(start, _)| start);
        let moment = |text: Option<&str>| text.map(|text| when::parse(text, start)).transpose();
        let (from, to) = (moment(time.0)?, moment(time.1)?);
        let from_or = from.unwrap_or(Timestamp::new(i64::MIN));
        let to_or = to.unwrap_or(Timestamp::new(i64::MAX));
        if from_or >= to_or {
            return Err(Failure::usage("--from must be before --to"));
        }
        let inside = |mark: &&WantedMark| from_or <= mark.at && mark.at < to_or;
        let about = self.about.as_ref();
        let known = |text: &String| (!text.is_empty()).then(|| text.clone());
        Ok(Given {
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
        })
    }
}

/// Whether these are the service times beside response times.
fn is_service(series: &Series) -> bool {
    series.attributes().any(|attribute| attribute == ("time", "service"))
}

/// What is kept of an input while it is read.
struct Frames {
    history: History,
    account: Account,
    marks: Vec<WantedMark>,
    /// The maps of a script of which only one is kept.
    maps: Option<ScriptMaps>,
}

impl Frames {
    fn new(memory: Memory) -> Frames {
        let (account, marks) = (Account::default(), Vec::new());
        let history = History::of_everything(memory.packed());
        Frames { history, account, marks, maps: None }
    }

    /// Keeps what happened; gives what there is to tell the user.
    fn take(&mut self, happening: Happening, filter: &SeriesFilter<'_>) -> Option<String> {
        let holds = |frame: &Frame| {
            filter.matches(&frame.series)
                && self.maps.as_ref().is_none_or(|maps| maps.holds(&frame.series))
        };
        match happening {
            Happening::Frame(frame) if holds(&frame) => {
                self.account.add(&frame);
                self.history.push(&frame);
                None
            }
            Happening::Frame(_) => None,
            Happening::Mark { at, text } => {
                self.marks.push(WantedMark { at, text });
                None
            }
            Happening::Said(text) => Some(text),
            Happening::Anomaly(anomaly) => Some(anomaly.to_string()),
        }
    }
}

/// Tells the user something about one input, and about which if there are several.
fn warn(name: &str, several: bool, said: &str) {
    if several {
        screen::warn(&format!("{}: {said}", crate::redact::redacted(name)));
    } else {
        screen::warn(said);
    }
}

fn input_account(tally: &Tally, account: &Account) -> InputAccount {
    InputAccount {
        records: tally.records,
        rejected: tally.rejected,
        rejected_events: tally.rejected_events,
        lost: tally.lost.saturating_add(account.lost),
        ignored_lines: tally.ignored_lines,
        resets: account.resets,
        gaps: account.gaps,
        events: account.events,
        clock: tally.clock,
        span: account.span,
        idle: idle::shown(tally),
        assumed: tally.assumed.iter().map(ToString::to_string).collect(),
        windows: account.windows(),
    }
}

/// What a recording says about itself.
fn about(path: &Path) -> Option<About> {
    Reader::open(path).ok().map(|reader| reader.about().clone())
}

/// What to call an input: the name of its file, not where that lies on this machine.
fn label(name: &str, path: Option<&Path>) -> String {
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
