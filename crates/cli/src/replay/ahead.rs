//! A recording that is read while it is shown, a little ahead of that.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use isotherm_frame::{Clock, Frame, Series, Timestamp};
use isotherm_recording::{Mark, Reader, RecordingError};
use isotherm_sources::{Place, Rejection, Tally};

use crate::failure::{Code, Failure};
use crate::intake::Happening;
use crate::{idle, input};

/// So many frames are read before the first of them are shown: time that became known only later
/// is put where it was waited, as far back as that.
const AHEAD: usize = 8_192;
/// So many batches wait to be shown.
const BATCHES: usize = 4;

/// What happened, by the moment it did.
pub type Moments = Vec<(Timestamp, Happening)>;

/// What the thread that reads says.
pub enum Batch {
    Happened(Moments),
    /// The end, with the account of the recording.
    Ended(Tally),
}

/// A recording being read.
pub struct Ahead {
    pub batches: Receiver<Batch>,
    pub clock: Clock,
    pub start: Timestamp,
    path: PathBuf,
}

impl Ahead {
    /// Opens a recording; `None` if there is nothing in it.
    pub fn open(path: &Path) -> Result<Option<(Ahead, Begin)>, Failure> {
        let reader = Reader::open(path)?;
        let Some((start, _)) = reader.span()? else { return Ok(None) };
        let (sender, batches) = sync_channel(BATCHES);
        let ahead = Ahead { batches, clock: reader.about().clock, start, path: path.to_owned() };
        Ok(Some((ahead, Begin { reader, sender })))
    }

    /// Begins to read what happened from one moment to another; idle waits only if they are wanted.
    pub fn begin(
        &self,
        begin: Begin,
        (from, to): (Timestamp, Timestamp),
        with_idle: bool,
    ) -> Result<(), Failure> {
        let Begin { reader, sender } = begin;
        let said = input::let_go(&self.path, &reader)?;
        let mut reading = Reading {
            tally: input::recorded_tally(&reader),
            range: (from, to),
            with_idle,
            window: Vec::new(),
            marks: reader.marks()?,
            sender,
        };
        reading.marks.retain(|mark| mark.at >= from && mark.at <= to);
        let thread = std::thread::Builder::new().name("isotherm-replay".into());
        let read = move || {
            let said = said.map(|text| (from, Happening::Said(text)));
            if reading.give(said.into_iter().collect()) {
                reading.all(&reader);
            }
        };
        thread
            .spawn(read)
            .map(drop)
            .map_err(|error| Failure::new(Code::Runtime, format!("cannot start to read: {error}")))
    }
}

impl Begin {
    /// The series there are.
    pub fn series(&self) -> Result<Vec<Series>, Failure> {
        Ok(self.reader.series()?)
    }
}

/// What reading begins with.
pub struct Begin {
    reader: Reader,
    sender: SyncSender<Batch>,
}

struct Reading {
    tally: Tally,
    range: (Timestamp, Timestamp),
    with_idle: bool,
    /// Frames that were read and are not given yet.
    window: Vec<Frame>,
    /// Marks that are not given yet, oldest first.
    marks: Vec<Mark>,
    sender: SyncSender<Batch>,
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
            Err(error) => drop(self.said(error.to_string())),
        }
        if self.pass_on(0) {
            let _ = self.sender.send(Batch::Ended(self.tally));
        }
    }

    /// Takes a frame; `false` once nobody wants any more.
    fn take(&mut self, frame: Result<Frame, RecordingError>) -> bool {
        match frame {
            Ok(frame) => match idle::of_recording(&frame).filter(|_| !self.with_idle) {
                Some(waits) => self.tally.leave_out(waits),
                None if frame.end > self.range.1 => {}
                None => self.window.push(frame),
            },
            Err(error) => {
                let reason = error.to_string();
                let is_new = self.tally.examples.len() < Tally::SHOWN;
                let rejection =
                    Rejection { place: Place::default(), reason: reason.clone().into(), events: 0 };
                self.tally.reject(rejection);
                if is_new && !self.said(reason) {
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
        let marks = marks.map(|mark| (mark.at, Happening::Mark { at: mark.at, text: mark.text }));
        let frames = frames.into_iter().map(|frame| (frame.end, Happening::Frame(frame)));
        let mut moments: Moments = frames.chain(marks).collect();
        moments.sort_by_key(|(at, _)| *at);
        self.give(moments)
    }

    fn said(&self, text: String) -> bool {
        let at = self.window.last().map_or(self.range.0, |frame| frame.end);
        self.give(vec![(at, Happening::Said(text))])
    }

    fn give(&self, moments: Moments) -> bool {
        moments.is_empty() || self.sender.send(Batch::Happened(moments)).is_ok()
    }
}
