//! Writing what happens to a recording, without ever disturbing the view.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use isotherm_frame::numbers::counted;
use isotherm_frame::{Account, Clock, Event, Frame, Mark, Nanos, span};
use isotherm_recording::{
    About, Durability, Reader, RecordedMark, RecordingError, Refused, Silence, Writer,
};

use crate::RecordedIn;

/// A recording being written.
pub struct Recorder {
    path: PathBuf,
    keep: Option<Nanos>,
    writer: Writer,
    silence: Silence,
    /// Frames that could not be written.
    lost_frames: u64,
    /// Frames and events that are in the file.
    written: (u64, u64),
    /// Whether it was reported that intervals overlap earlier ones.
    overlap_reported: bool,
    /// Whether the file was begun by this recorder.
    begun: bool,
    /// Files that were recorded into and are no longer where they were.
    left: Vec<String>,
    /// The last error that was reported.
    message: Option<String>,
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

/// What is recorded, and how.
#[derive(Copy, Clone, Debug)]
pub struct Recording<'a> {
    /// The file.
    pub path: &'a Path,
    /// What the recording says about itself.
    pub about: &'a About,
    /// Whether to go on with one that is there.
    pub append: bool,
    /// Whether every interval is on the disk before the next one is taken.
    pub durable: bool,
    /// How much to keep, if not everything.
    pub keep: Option<Nanos>,
}

impl Recorder {
    /// Begins a recording, or goes on at the end of an existing one.
    pub fn open(recording: &Recording) -> Result<Recorder, RecordingError> {
        let Recording { path, about, append, durable, keep } = *recording;
        let durability = if durable { Durability::Full } else { Durability::Normal };
        // One that lets go of what is old has no end to be protected.
        let begun = !((append || keep.is_some()) && path.exists());
        let mut writer = if begun {
            Writer::create(path, about, durability)?
        } else {
            Writer::append_to(path, durability)?
        };
        keep.map_or(Ok(()), |length| writer.keep(length))?;
        let (reader, last_mark) = marks_of(path);
        Ok(Recorder {
            path: path.to_owned(),
            keep,
            writer,
            silence: Silence::default(),
            lost_frames: 0,
            written: (0, 0),
            overlap_reported: false,
            begun,
            left: Vec::new(),
            message: None,
            clock: Clock::Epoch,
            reader,
            last_mark,
            looked: Instant::now(),
        })
    }

    /// Where and how much.
    pub fn recorded_in(&self) -> RecordedIn {
        RecordedIn { path: self.path.clone(), keep: self.keep }
    }

    /// Writes frames. What goes wrong is returned once, to be shown; writing is tried again with
    /// the next frames, so that a recording goes on when a full disk has room again.
    pub fn write<'a>(&mut self, frames: impl IntoIterator<Item = &'a Frame>) -> Option<String> {
        let frames = self.silence.join(frames);
        self.write_now(&frames)
    }

    fn write_now(&mut self, frames: &[Frame]) -> Option<String> {
        if frames.is_empty() {
            return None;
        }
        let mut moved = None;
        let mut written = self.writer.write_what_fits(frames);
        if let Err(error @ RecordingError::Lost { .. }) = written {
            written = match self.go_on_beside(&error) {
                Ok(message) => {
                    moved = Some(message);
                    self.writer.write_what_fits(frames)
                }
                Err(_) => Err(error),
            };
        }
        match written {
            Ok(refused) => {
                let said = [moved, self.account_for(frames, refused)];
                let said: Vec<String> = said.into_iter().flatten().collect();
                (!said.is_empty()).then(|| said.join("; ")).or_else(|| self.overlap(frames))
            }
            Err(error) => {
                self.lost_frames += frames.len() as u64;
                let text = format!("NOT RECORDING: {error}");
                let new = self.message.as_ref() != Some(&text);
                self.message = Some(text.clone());
                new.then_some(text)
            }
        }
    }

    /// Accounts for frames that were written, but for those refused; tells of these, and that
    /// recording goes on.
    fn account_for(&mut self, frames: &[Frame], refused: Option<Refused>) -> Option<String> {
        let left_out: &[usize] = refused.as_ref().map_or(&[], |refused| &refused.frames);
        let is_in = |(index, _): &(usize, &Frame)| left_out.binary_search(index).is_err();
        for (_, frame) in frames.iter().enumerate().filter(is_in) {
            self.written.0 += 1;
            self.written.1 = self.written.1.saturating_add(frame.counts.events());
        }
        self.lost_frames += left_out.len() as u64;
        let lost = self.lost_frames;
        let again = self.message.take();
        let again = again
            .map(|_| format!("recording again; {} could not be recorded", counted(lost, "frame")));
        let refused = refused.map(|refused| {
            let frames = counted(refused.frames.len() as u64, "frame");
            format!("{frames} not recorded: {}", refused.reason)
        });
        refused.or(again)
    }

    /// Tells, and marks, that what is written lies in time that was recorded before the recording
    /// was continued.
    fn overlap(&mut self, frames: &[Frame]) -> Option<String> {
        if self.overlap_reported || self.writer.overlapping() == 0 {
            return None;
        }
        self.overlap_reported = true;
        let at = frames.iter().map(|frame| frame.start).min().unwrap_or_default();
        let text = "intervals overlap those recorded before: their counts are added up";
        let marked = self.mark(&Mark { at, text: text.to_owned() });
        let message = format!("{text}; if the clock stepped back, record into another file");
        Some(marked.map_or(message.clone(), |failed| format!("{message}; {failed}")))
    }

    /// Goes on in another file, after this one is no longer where it was; tells so.
    fn go_on_beside(&mut self, error: &RecordingError) -> Result<String, RecordingError> {
        self.writer.go_on_beside()?;
        let next = self.writer.path().to_owned();
        let (frames, _) = std::mem::take(&mut self.written);
        let gone = format!("{error}, with {} recorded until then", counted(frames, "frame"));
        let message = format!("{gone}; recording goes on in {}", next.display());
        self.left.push(gone);
        (self.reader, self.last_mark) = marks_of(&next);
        (self.path, self.begun) = (next, true);
        Ok(message)
    }

    /// How much of what was recorded is in the file.
    pub fn account(&self) -> String {
        let ((frames, events), path) = (self.written, self.path.display());
        let written = format!("{} in {}", counted(events, "event"), counted(frames, "frame"));
        match self.keep {
            Some(keep) => {
                let keep = span(keep);
                format!("{written} recorded; {path} keeps the last {keep}")
            }
            None if self.begun => format!("{written} in {path}"),
            None => format!("{written} added to {path}"),
        }
    }

    /// Writes the silence that was held back: what is said of the recording after that holds.
    pub fn settle(&mut self) {
        let silent = self.silence.finish();
        // What goes wrong is in the account of what was lost.
        let _ = self.write_now(&silent);
    }

    /// Writes what happened. What goes wrong, and what other processes marked, has happened, too.
    pub fn keep(&mut self, events: &mut Vec<Event>) {
        let mut messages: Vec<String> =
            self.write(events.iter().filter_map(Event::frame)).into_iter().collect();
        for event in events.iter() {
            if let Event::Mark(mark) = event {
                messages.extend(self.mark(mark));
            }
        }
        events.extend(messages.into_iter().map(Event::Message));
        // What another process marked is in the recording already.
        events.extend(self.marked_elsewhere().into_iter().map(Event::Mark));
    }

    /// Writes a mark; gives what went wrong.
    pub fn mark(&mut self, mark: &Mark) -> Option<String> {
        let mark = RecordedMark::new(mark, OWN);
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
    fn marked_elsewhere(&mut self) -> Vec<Mark> {
        let Some(reader) = self.reader.as_ref().filter(|_| self.looked.elapsed() >= LOOK_EVERY)
        else {
            return Vec::new();
        };
        self.looked = Instant::now();
        let marks = reader.marks_after(self.last_mark).unwrap_or_default();
        self.last_mark = marks.iter().map(|(number, _)| *number).fold(self.last_mark, i64::max);
        marks
            .into_iter()
            .map(|(_, mark)| mark)
            .filter(|mark| mark.origin != OWN)
            .map(Mark::from)
            .collect()
    }

    /// The account of what could not be recorded, if anything.
    pub fn lost(&self) -> Option<String> {
        let mut lost = self.left.clone();
        if self.lost_frames > 0 {
            let path = self.path.display();
            let frames = counted(self.lost_frames, "frame");
            lost.push(format!("{frames} could not be recorded in {path}"));
        }
        (!lost.is_empty()).then(|| lost.join("; "))
    }

    /// Ends a recording that never got anything from its source: a file that was begun for it goes.
    pub fn give_up(mut self) {
        drop(self.reader.take());
        let nothing = self.begun && self.written == (0, 0) && self.lost_frames == 0;
        if self.writer.finish().is_ok() && nothing {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Ends the recording, leaving exactly one file.
    pub fn finish(mut self, account: &Account) -> Result<(), RecordingError> {
        // Only the last connection can fold the log into the file.
        drop(self.reader.take());
        self.settle();
        self.writer.add_account(account)?;
        self.writer.finish()
    }
}

/// A reader of the marks that other processes make, and the number of the last one there is.
fn marks_of(path: &Path) -> (Option<Reader>, i64) {
    let reader = Reader::open(path).ok();
    let marks = reader.as_ref().and_then(|reader| reader.marks_after(0).ok());
    let last = marks.into_iter().flatten().map(|(number, _)| number).max();
    (reader, last.unwrap_or(0))
}
