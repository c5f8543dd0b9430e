//! Writing what happens to a recording, without ever disturbing the view.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use isotherm_frame::{Clock, Frame, Nanos, Timestamp};
use isotherm_recording::{About, Durability, Mark, Reader, RecordingError, Writer};
use isotherm_sources::Tally;

use crate::failure::Failure;
use crate::intake::Happening;
use crate::pulse::Recorded;
use crate::redact;
use crate::when;

/// A recording being written.
pub struct Recorder {
    path: PathBuf,
    keep: Option<Nanos>,
    writer: Writer,
    /// Frames that could not be written.
    lost_frames: u64,
    /// The last error that was told.
    told: Option<String>,
    clock: Clock,
    /// Reads the marks that other processes make.
    reader: Option<Reader>,
    last_mark: i64,
    looked: Instant,
}

/// What marks of our own are called.
const OWN: &str = "live";
/// How often to look for marks of other processes.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Which recording is wanted.
#[derive(Copy, Clone, Debug)]
pub struct Wanted<'a> {
    pub path: &'a Path,
    pub source: &'a str,
    /// Whether to go on with one that is there.
    pub append: bool,
    pub durable: bool,
    /// How much to keep, if not everything.
    pub keep: Option<Nanos>,
}

impl Recorder {
    /// Begins a recording, or goes on at the end of an existing one.
    pub fn open(wanted: &Wanted) -> Result<Recorder, Failure> {
        Recorder::try_open(wanted).map_err(Failure::from)
    }

    /// The same, telling what went wrong in the recording's own terms.
    pub fn try_open(wanted: &Wanted) -> Result<Recorder, RecordingError> {
        let Wanted { path, source, append, durable, keep } = *wanted;
        let durability = if durable { Durability::Full } else { Durability::Normal };
        // One that lets go of what is old has no end to be protected.
        let mut writer = if (append || keep.is_some()) && path.exists() {
            Writer::append_to(path, durability)?
        } else {
            Writer::create(path, &about(source), durability)?
        };
        keep.map_or(Ok(()), |length| writer.keep(length))?;
        let reader = Reader::open(path).ok();
        let marks = reader.as_ref().and_then(|reader| reader.marks_after(0).ok());
        let last_mark = marks.into_iter().flatten().map(|(number, _)| number).max().unwrap_or(0);
        Ok(Recorder {
            path: path.to_owned(),
            keep,
            writer,
            lost_frames: 0,
            told: None,
            clock: Clock::Epoch,
            reader,
            last_mark,
            looked: Instant::now(),
        })
    }

    /// Where and how much.
    pub fn recorded(&self) -> Recorded {
        Recorded { path: self.path.clone(), keep: self.keep }
    }

    /// Writes frames. What goes wrong is returned once, to be shown; writing is tried again with
    /// the next frames, so that a recording goes on when a full disk has room again.
    pub fn write(&mut self, frames: &[Frame]) -> Option<String> {
        if frames.is_empty() {
            return None;
        }
        match self.writer.write(frames) {
            Ok(()) => self.told.take().map(|_| {
                let lost = self.lost_frames;
                format!("recording again; {lost} frame(s) could not be recorded")
            }),
            Err(error) => {
                self.lost_frames += frames.len() as u64;
                let text = format!("NOT RECORDING: {error}");
                let new = self.told.as_ref() != Some(&text);
                self.told = Some(text.clone());
                new.then_some(text)
            }
        }
    }

    /// Writes what happened. What goes wrong, and what other processes marked, has happened, too.
    pub fn keep(&mut self, happened: &mut Vec<Happening>) {
        let frames: Vec<Frame> = happened
            .iter()
            .filter_map(|happening| match happening {
                Happening::Frame(frame) => Some(frame.clone()),
                _ => None,
            })
            .collect();
        let mut said: Vec<String> = self.write(&frames).into_iter().collect();
        for happening in happened.iter() {
            if let Happening::Mark { at, text } = happening {
                said.extend(self.mark(*at, text));
            }
        }
        happened.extend(said.into_iter().map(Happening::Said));
        // What another process marked is in the recording already.
        let marked = self.marked_elsewhere().into_iter();
        happened.extend(marked.map(|mark| Happening::Mark { at: mark.at, text: mark.text }));
    }

    /// Writes a mark.
    pub fn mark(&mut self, at: Timestamp, text: &str) -> Option<String> {
        let mark = Mark { at, text: text.to_owned(), origin: OWN.to_owned() };
        self.writer.mark(&mark).err().map(|error| format!("the mark is not recorded: {error}"))
    }

    /// Says what the timestamps count from, when that changes.
    pub fn set_clock(&mut self, clock: Clock) -> Option<String> {
        if clock == self.clock {
            return None;
        }
        self.clock = clock;
        self.writer.set_clock(clock).err().map(|error| error.to_string())
    }

    /// The marks that other processes have made since the last call, looked for twice a second.
    pub fn marked_elsewhere(&mut self) -> Vec<Mark> {
        let Some(reader) = self.reader.as_ref().filter(|_| self.looked.elapsed() >= LOOK_EVERY)
        else {
            return Vec::new();
        };
        self.looked = Instant::now();
        let marks = reader.marks_after(self.last_mark).unwrap_or_default();
        self.last_mark = marks.iter().map(|(number, _)| *number).fold(self.last_mark, i64::max);
        marks.into_iter().map(|(_, mark)| mark).filter(|mark| mark.origin != OWN).collect()
    }

    /// The account of what could not be recorded, if anything.
    pub fn lost(&self) -> Option<String> {
        (self.lost_frames > 0).then(|| {
            format!(
                "{} frame(s) could not be recorded in {}",
                self.lost_frames,
                self.path.display()
            )
        })
    }

    /// Ends the recording, leaving exactly one file.
    pub fn finish(mut self, tally: &Tally) -> Result<(), Failure> {
        // Only the last connection can fold the log into the file.
        drop(self.reader.take());
        self.writer.add_tally(&recorded(tally))?;
        self.writer.finish().map_err(Failure::from)
    }
}

/// The account of an input as it is recorded.
pub fn recorded(tally: &Tally) -> isotherm_recording::Tally {
    isotherm_recording::Tally {
        records: tally.records,
        rejected: tally.rejected,
        rejected_events: tally.rejected_events,
        lost: tally.lost,
        ignored_lines: tally.ignored_lines,
    }
}

/// The name of this host.
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// What a recording says about itself.
pub fn about(source: &str) -> About {
    let own = std::env::args_os().next().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = redact::arguments().map(|argument| redact::redacted(&argument));
    let command_line: Vec<String> = std::iter::once(own).chain(arguments).collect();
    About {
        source: crate::redact::redacted(source),
        command_line: command_line.join(" "),
        host: host(),
        isotherm_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: when::now(),
        ..About::default()
    }
}
