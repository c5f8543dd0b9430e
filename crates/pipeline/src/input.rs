//! What is read to its end: files, directories, recordings, standard input.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use isotherm_formats::{ByteRange, Bytes, Context, DecodeError, ReadError, Source, decode_bytes};
use isotherm_frame::{Account, BinnerLimits, Event, Nanos, Place, Rejection, span};
use isotherm_live::{Address, OpenError, decode_all};
use isotherm_recording::{Reader, RecordingError};

use crate::clock::now;
use crate::intake::{AtOnce, Intake, TakeEvent, WholeInput};
use crate::{PipelineError, idle, slob_runs};

/// One input to be read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is.
    pub address: Address,
    /// The directory it was found in; what nobody knows there is skipped, not an error.
    pub found_in: Option<PathBuf>,
    /// The range of the file that is read; none for all of it.
    pub range: Option<ByteRange>,
}

impl Input {
    /// Whether it gives its bytes as often as it is opened: a pipe does not.
    pub fn can_be_read_again(&self) -> bool {
        matches!(&self.address, Address::File(path) if path.is_file())
    }

    /// A range of a file.
    pub fn of_range(path: &Path, range: ByteRange) -> Input {
        Input { address: Address::File(path.to_owned()), found_in: None, range: Some(range) }
    }

    /// Whether it is a file without a byte.
    pub fn is_empty(&self) -> bool {
        self.path().and_then(|path| path.metadata().ok()).is_some_and(|about| about.len() == 0)
    }

    /// Where its file is, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.address {
            Address::File(path) => Some(path.as_path()),
            _ => None,
        }
    }
}

/// The inputs that these addresses stand for, in the order given; the files of a directory by name, and
/// after them those in the directories below it.
pub fn expand(addresses: Vec<Address>) -> Result<Vec<Input>, PipelineError> {
    let mut inputs = Vec::new();
    for address in addresses {
        match &address {
            Address::File(path) if path.is_dir() => inputs.extend(files_in(path)?),
            _ => inputs.push(Input { address, found_in: None, range: None }),
        }
    }
    Ok(inputs)
}

/// The files in a directory and in those below it, hidden ones left out.
fn files_in(directory: &Path) -> Result<Vec<Input>, PipelineError> {
    let mut files = Vec::new();
    add_files(directory, &mut files)?;
    if files.is_empty() {
        let message = format!("'{}': there is no file in this directory", directory.display());
        return Err(PipelineError::System(message));
    }
    let found_in = Some(directory.to_owned());
    let input =
        |path| Input { address: Address::File(path), found_in: found_in.clone(), range: None };
    Ok(files.into_iter().map(input).collect())
}

/// The files of a directory by name, the reports of SLOB's runs in it, then what is in the directories below.
/// A link to a directory is not followed: it may lead back.
fn add_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), PipelineError> {
    let failed = |error: std::io::Error| {
        PipelineError::System(format!("cannot read '{}': {error}", directory.display()))
    };
    let (mut own, mut below) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What Spark and Hadoop leave beside their results, and what is in the root of a file system.
        if name.starts_with('.') || matches!(&*name, "_SUCCESS" | "_temporary" | "lost+found") {
            continue;
        }
        if entry.file_type().map_err(failed)?.is_dir() {
            if !slob_runs::is_run(&path) {
                below.push(path);
            }
        } else if path.is_file() {
            own.push(path);
        }
    }
    slob_runs::leave_out(directory, &mut own);
    own.sort_unstable();
    below.sort_unstable();
    files.append(&mut own);
    files.extend(slob_runs::reports_below(directory));
    below.iter().try_for_each(|directory| add_files(directory, files))
}

/// How finely and how much to bin single events.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub struct Binning {
    /// The width of intervals to begin with.
    pub interval: Nanos,
    /// When to make them wider.
    pub limits: BinnerLimits,
    /// How wide they may become, if that is limited, as it is for a table, whose rows must add up with those
    /// of other inputs and parts of them: more of them than can be kept are an error.
    pub widest: Option<Nanos>,
}

impl Binning {
    /// Intervals of a second, and longer ones only where there are too many of them to keep.
    pub const SECONDS: Binning = Binning::new(Nanos::SECOND, BinnerLimits::cells(1 << 14));

    /// Intervals of this width, and wider ones where the limits ask for them.
    pub const fn new(interval: Nanos, limits: BinnerLimits) -> Binning {
        Binning { interval, limits, widest: None }
    }

    /// Intervals that are never wider than this: those of a table.
    #[must_use]
    pub const fn with_widest(self, widest: Option<Nanos>) -> Binning {
        Binning { widest, ..self }
    }
}

/// How inputs are read.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What decoders are given.
    pub context: Context,
    /// The source that the input is of; recognised by its content otherwise.
    pub source: Option<&'static dyn Source>,
    /// The width of the intervals of single events, if it is not to be chosen.
    pub interval: Option<Nanos>,
    /// Whether idle waits of recordings count.
    pub idle: bool,
    /// Whether a file that is named twice is read twice.
    pub again: bool,
    /// The most inputs read at the same time; as many as there are threads if not given.
    pub at_once: Option<NonZeroUsize>,
}

impl ReadOptions {
    /// What decoders are given; the rest is chosen by what is read.
    pub fn new(context: Context) -> ReadOptions {
        ReadOptions { context, ..ReadOptions::default() }
    }

    /// The source that the input is of, if it is not to be recognised.
    #[must_use]
    pub fn with_source(self, source: Option<&'static dyn Source>) -> ReadOptions {
        ReadOptions { source, ..self }
    }

    /// The width of the intervals of single events, if it is not to be chosen.
    #[must_use]
    pub fn with_interval(self, interval: Option<Nanos>) -> ReadOptions {
        ReadOptions { interval, ..self }
    }

    /// Whether idle waits of recordings count.
    #[must_use]
    pub fn with_idle(self, idle: bool) -> ReadOptions {
        ReadOptions { idle, ..self }
    }

    /// Whether a file that is named twice is read twice.
    #[must_use]
    pub fn with_again(self, again: bool) -> ReadOptions {
        ReadOptions { again, ..self }
    }

    /// The most inputs read at the same time. What is read does not depend on it.
    #[must_use]
    pub fn with_at_once(self, at_once: Option<NonZeroUsize>) -> ReadOptions {
        ReadOptions { at_once, ..self }
    }
}

/// The most series distinguished where each is no more than a few counts: some 100 MB.
const MOST_SERIES: usize = 1 << 18;

/// How reading one input ended.
pub(crate) enum Read {
    Done(Box<Account>),
    /// A file that is no input, and why.
    Skipped(String),
}

/// An input that is read to its end.
pub(crate) struct Whole<'a> {
    pub input: &'a Input,
    /// Its bytes, if they are open already.
    pub opened: Option<Bytes>,
    /// Whether there are others.
    pub several: bool,
}

/// Reads one input and hands on what happened.
pub(crate) fn read_one(
    Whole { input, opened, several }: Whole<'_>,
    options: &ReadOptions,
    binning: Binning,
    (events, take): (Option<&mut TakeEvent<'_>>, &mut dyn FnMut(Event)),
) -> Result<Read, PipelineError> {
    if opened.is_none()
        && let Address::File(path) = &input.address
        && begins(path, isotherm_recording::is_database)
    {
        return match read_recording(path, options.idle, take) {
            Err(error) if input.found_in.is_some() && !is_recording(path) => {
                Ok(Read::Skipped(error.to_string()))
            }
            read => read.map(|account| Read::Done(Box::new(account))),
        };
    }
    let interval = options.interval.unwrap_or(binning.interval);
    let most_series = events.is_some().then_some(MOST_SERIES);
    let keeps_attributes = events.is_some();
    let attributes = slob_runs::attributes(&input.address);
    let context = Context { most_series, keeps_attributes, attributes, ..options.context.clone() };
    let out = AtOnce { take: &mut *take, events };
    let mut intake = Intake::whole(out, interval, binning.limits, binning.widest);
    let decoded = match opened {
        Some(bytes) => {
            decode_bytes(bytes, &context, options.source, &mut intake).map_err(OpenError::from)
        }
        None => decode_all(&input.address, &context, options.source, &mut intake),
    };
    match decoded {
        Ok(()) => {
            let whole = intake.end();
            if let Some(text) = nothing_usable(input, &whole.account) {
                return without_events(text, several);
            }
            for text in remarks(&input.address, options, (interval, binning.widest), &whole)? {
                take(Event::Message(text));
            }
            Ok(Read::Done(Box::new(whole.account)))
        }
        Err(OpenError::Read(error @ (ReadError::NotRecognised(_) | ReadError::Empty(_))))
            if input.found_in.is_some() =>
        {
            Ok(Read::Skipped(error.to_string()))
        }
        Err(OpenError::Read(ReadError::Decode(error))) => unusable(input, error, several),
        Err(error) => Err(error.into()),
    }
}

/// What there is to say of an input that was read; fails where its intervals had to be wider than they
/// may be.
pub(crate) fn remarks(
    name: &dyn Display,
    options: &ReadOptions,
    (asked, widest): (Nanos, Option<Nanos>),
    whole: &WholeInput,
) -> Result<Vec<String>, PipelineError> {
    let mut remarks: Vec<String> = whole.in_the_future(now()).into_iter().collect();
    let width = whole.width;
    let of_stamps = whole.stamps.filter(|unit| asked < *unit);
    if let (Some(unit), true) = (of_stamps, options.interval.is_some()) {
        remarks.push(format!(
            "events are in intervals of {width} instead of {asked}: their times are whole multiples of {unit}"
        ));
        return Ok(remarks);
    }
    if widest.is_some() {
        remarks.extend(whole.coarse_stamps.clone());
    }
    if let Some(widest) = widest.filter(|widest| width > *widest && of_stamps.is_none()) {
        return Err(PipelineError::Request(format!(
            "{name}: it has too many intervals of {widest}: choose longer ones with --interval, {}or give more \
             --memory",
            if options.at_once.is_some_and(|inputs| inputs.get() > 1) {
                "a smaller -j, "
            } else {
                ""
            }
        )));
    }
    if options.interval.is_some() && width > asked {
        remarks.push(format!(
            "events are in intervals of {width} instead of {asked}: there are too many intervals to keep"
        ));
    }
    Ok(remarks)
}

/// An input that a decoder gave up: one of several is skipped where nothing in it could be used.
fn unusable(input: &Input, error: DecodeError, several: bool) -> Result<Read, PipelineError> {
    let text = format!("{}: {error}", input.address);
    match PipelineError::from(error) {
        PipelineError::NoEvents(_) => without_events(text, several),
        PipelineError::Request(_) if several => Ok(Read::Skipped(text)),
        PipelineError::Request(_) => Err(PipelineError::Request(text)),
        error => Err(error),
    }
}

/// An input without a single event: one of several is skipped.
fn without_events(text: String, several: bool) -> Result<Read, PipelineError> {
    if several { Ok(Read::Skipped(text)) } else { Err(PipelineError::NoEvents(text)) }
}

/// The message about an input of which everything was rejected.
fn nothing_usable(input: &Input, account: &Account) -> Option<String> {
    if account.records > 0 || account.rejected == 0 {
        return None;
    }
    let first = account.rejections.first().map(|rejection| format!(": {rejection}"));
    Some(format!(
        "{}: nothing in it can be used, {} rejected{}",
        input.address,
        account.rejected,
        first.unwrap_or_default()
    ))
}

/// Whether a file is a recording of ours.
pub fn is_recording(path: &Path) -> bool {
    begins(path, isotherm_recording::is_recording)
}

/// Whether the beginning of a file is what is looked for. Of a pipe it could not be read again.
pub(crate) fn begins(path: &Path, looks_like: fn(&[u8]) -> bool) -> bool {
    use std::io::Read as _;
    if !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map(|file| file.take(128));
    file.and_then(|mut file| file.read_to_end(&mut head)).is_ok() && looks_like(&head)
}

/// Reads a recording. A frame that is damaged is a rejection and the next ones are read.
fn read_recording(
    path: &Path,
    with_idle: bool,
    take: &mut dyn FnMut(Event),
) -> Result<Account, PipelineError> {
    let reader = Reader::open(path)?;
    let mut account = reader.account();
    if let Some(text) = let_go(path, &reader)? {
        take(Event::Message(text));
    }
    for mark in reader.marks()? {
        take(Event::Mark(mark.into()));
    }
    let (mut whole, mut damaged) = (0_u64, 0_u64);
    for frame in reader.frames(None, None)? {
        whole += u64::from(frame.is_ok());
        match frame {
            Ok(frame) => match idle::of_recording(&frame).filter(|_| !with_idle) {
                Some(waits) => account.leave_out(waits),
                None => take(Event::Frame(frame)),
            },
            Err(error @ RecordingError::Damaged { .. }) => {
                damaged += 1;
                let (place, reason) = (Place::default(), error.to_string());
                if account.rejections.len() < Account::SHOWN {
                    take(Event::Message(reason.clone()));
                }
                account.reject(Rejection { place, reason: reason.into(), events: 0 });
            }
            Err(error) => return Err(error.into()),
        }
    }
    if whole == 0 && damaged > 0 {
        return Err(none_readable(path, damaged));
    }
    Ok(account)
}

/// The error about a recording all of whose frames are damaged.
pub(crate) fn none_readable(path: &Path, damaged: u64) -> PipelineError {
    let path = path.display();
    PipelineError::Damaged(format!("{path}: none of its frames can be read, {damaged} are damaged"))
}

/// The message about a recording that keeps only its latest.
pub(crate) fn let_go(path: &Path, reader: &Reader) -> Result<Option<String>, RecordingError> {
    let gone = reader.let_go()?.filter(|gone| gone.frames > 0);
    Ok(gone.map(|gone| {
        format!(
            "{} keeps the last {}: {} older frames with {} events were dropped",
            path.display(),
            span(gone.keep),
            gone.frames,
            gone.events
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(names: &[&str]) -> Vec<Address> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn a_directory_stands_for_its_files_by_name() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["b.trc", "a.trc", ".hidden"] {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        for name in ["deeper/still", ".git", "_temporary", "empty"] {
            std::fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        for name in ["deeper/0.trc", "deeper/still/c.trc", ".git/config", "_temporary/part-0"] {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(directory.path(), directory.path().join("deeper/up")).unwrap();
        let name = directory.path().to_str().unwrap().to_owned();
        let inputs = expand(addresses(&["-", &name, "other.trc"])).unwrap();
        let below = |input: &Input| {
            let shown = input.address.to_string();
            shown.strip_prefix(&format!("{name}/")).unwrap_or(&shown).to_owned()
        };
        let shown: Vec<String> = inputs.iter().map(below).collect();
        let expected = ["-", "a.trc", "b.trc", "deeper/0.trc", "deeper/still/c.trc", "other.trc"];
        assert_eq!(shown, expected);
        assert!(inputs[5].found_in.is_none());
        assert!(inputs[1].found_in.is_some() && inputs[4].found_in.is_some());
    }

    #[test]
    fn an_empty_directory_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().to_str().unwrap().to_owned();
        assert!(
            expand(addresses(&[&name]))
                .unwrap_err()
                .to_string()
                .contains("no file in this directory")
        );
    }
}
