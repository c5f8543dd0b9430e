//! A recording that is read while it is shown, a little ahead of that.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use isotherm_frame::{Account, Clock, Event, Frame, Place, Rejection, Series, Timestamp};
use isotherm_recording::{Reader, RecordedMark, RecordingError};

use crate::{PipelineError, idle, input};

/// So many frames are read before the first of them are shown: time that became known only later
/// is put where it was waited, as far back as that.
const AHEAD: usize = 8_192;
/// So many chunks wait to be shown.
const CHUNKS: usize = 4;

/// Events, each with the moment at which it is shown.
pub type TimedEvents = Vec<(Timestamp, Event)>;

/// What the thread that reads says.
pub enum Chunk {
    Events(TimedEvents),
    /// The end, with the account of the recording.
    Ended(Account),
}

/// A recording being read.
pub struct ReadAhead {
    pub chunks: Receiver<Chunk>,
    pub clock: Clock,
    pub start: Timestamp,
    path: PathBuf,
}

impl ReadAhead {
    /// Opens a recording; `None` if there is nothing in it.
    pub fn open(path: &Path) -> Result<Option<(ReadAhead, Begin)>, PipelineError> {
        let reader = Reader::open(path)?;
        let Some((start, _)) = reader.span()? else { return Ok(None) };
        let (sender, chunks) = sync_channel(CHUNKS);
        let ahead = ReadAhead { chunks, clock: reader.about().clock, start, path: path.to_owned() };
        Ok(Some((ahead, Begin { reader, sender })))
    }

    /// Begins to read what happened from one moment to another; idle waits only if they are wanted.
    pub fn begin(
        &self,
        begin: Begin,
        (from, to): (Timestamp, Timestamp),
        with_idle: bool,
    ) -> Result<(), PipelineError> {
        let Begin { reader, sender } = begin;
        let message = input::let_go(&self.path, &reader)?;
        let mut reading = Reading {
            account: reader.account(),
            range: (from, to),
            with_idle,
            window: Vec::new(),
            marks: reader.marks()?,
            sender,
        };
        reading.marks.retain(|mark| mark.at >= from && mark.at <= to);
        let thread = std::thread::Builder::new().name("isotherm-replay".into());
        let read = move || {
            let message = message.map(|text| (from, Event::Message(text)));
            if reading.give(message.into_iter().collect()) {
                reading.all(&reader);
            }
        };
        thread
            .spawn(read)
            .map(drop)
            .map_err(|error| PipelineError::System(format!("cannot start to read: {error}")))
    }
}

impl Begin {
    /// The series there are.
    pub fn series(&self) -> Result<Vec<Series>, PipelineError> {
        Ok(self.reader.series()?)
    }
}

/// What reading begins with.
pub struct Begin {
    reader: Reader,
    sender: SyncSender<Chunk>,
}

struct Reading {
    account: Account,
    range: (Timestamp, Timestamp),
    with_idle: bool,
    /// Frames that were read and are not given yet.
    window: Vec<Frame>,
    /// Marks that are not given yet, oldest first.
    marks: Vec<RecordedMark>,
    sender: SyncSender<Chunk>,
}

impl Reading {
    fn all(mut self, reader: &Reader) {
        let (from, to) = self.range;
        match reader.frames(Some(from), Some(to)) {
            Ok(frames) => {
                for frame in frames {
                    if !self.take(frame) {
                        return;
                    }
                }
            }
            Err(error) => drop(self.message(error.to_string())),
        }
        if self.pass_on(0) {
            let _ = self.sender.send(Chunk::Ended(self.account));
        }
    }

    /// Takes a frame; `false` once nobody wants any more.
    fn take(&mut self, frame: Result<Frame, RecordingError>) -> bool {
        match frame {
            Ok(frame) => match idle::of_recording(&frame).filter(|_| !self.with_idle) {
                Some(waits) => self.account.leave_out(waits),
                None if frame.end > self.range.1 => {}
                None => self.window.push(frame),
            },
            Err(error) => {
                let reason = error.to_string();
                let is_new = self.account.rejections.len() < Account::SHOWN;
                let rejection =
                    Rejection { place: Place::default(), reason: reason.clone().into(), events: 0 };
                self.account.reject(rejection);
                if is_new && !self.message(reason) {
                    return false;
                }
            }
        }
        self.window.len() < 2 * AHEAD || self.pass_on(AHEAD)
    }

    /// Gives all but the latest frames, with the marks among them.
    fn pass_on(&mut self, keep: usize) -> bool {
        let mut frames = isotherm_analysis::amend(std::mem::take(&mut self.window));
        frames.sort_by_key(|frame| frame.end);
        self.window = frames.split_off(frames.len().saturating_sub(keep));
        let until = self.window.first().map_or(self.range.1, |frame| frame.end);
        let later = self.marks.partition_point(|mark| mark.at <= until);
        let rest = self.marks.split_off(later);
        let marks = std::mem::replace(&mut self.marks, rest).into_iter();
        let marks = marks.map(|mark| (mark.at, Event::Mark(mark.into())));
        let frames = frames.into_iter().map(|frame| (frame.end, Event::Frame(frame)));
        let mut events: TimedEvents = frames.chain(marks).collect();
        events.sort_by_key(|(at, _)| *at);
        self.give(events)
    }

    fn message(&self, text: String) -> bool {
        let at = self.window.last().map_or(self.range.0, |frame| frame.end);
        self.give(vec![(at, Event::Message(text))])
    }

    fn give(&self, events: TimedEvents) -> bool {
        events.is_empty() || self.sender.send(Chunk::Events(events)).is_ok()
    }
}
