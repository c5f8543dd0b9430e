//! A recording that is read while it is shown, a little ahead of that.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use isotherm_frame::{Account, Event, Frame, Place, Rejection, TimeRange, Timestamp};
use isotherm_recording::{Reader, RecordedMark, RecordingError};

use crate::{PipelineError, idle, input};

/// So many chunks wait to be shown.
const CHUNKS: usize = 4;

/// Events, each with the moment at which it is shown.
pub type TimedEvents = Vec<(Timestamp, Event)>;

/// What the thread that reads says.
pub enum Chunk {
    Events(TimedEvents),
    /// The end, with the account of the recording; an error if none of its frames can be read.
    Ended(Box<Account>, Option<PipelineError>),
}

/// What is read of a recording, and how.
#[derive(Copy, Clone)]
pub struct ReadRequest {
    /// From which moment up to which one.
    pub range: (Timestamp, Timestamp),
    /// Whether idle waits count.
    pub with_idle: bool,
    /// How many frames are read before the first of them are shown: time that became known only
    /// later is put where it was waited, as far back as that.
    pub ahead: usize,
}

/// Begins to read a recording in a thread of its own; it waits where nobody takes what it read.
pub fn read_ahead(
    path: &Path,
    reader: Reader,
    request: ReadRequest,
) -> Result<Receiver<Chunk>, PipelineError> {
    let (sender, chunks) = sync_channel(CHUNKS);
    let (from, to) = request.range;
    let message = input::let_go(path, &reader)?;
    let mut reading = Reading {
        account: reader.account(),
        path: path.to_owned(),
        request,
        window: Vec::new(),
        whole: 0,
        damaged: 0,
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
    let spawned = thread.spawn(read);
    spawned.map_err(|error| PipelineError::System(format!("cannot start to read: {error}")))?;
    Ok(chunks)
}

struct Reading {
    account: Account,
    path: PathBuf,
    request: ReadRequest,
    /// Frames that were read and are not given yet.
    window: Vec<Frame>,
    /// How many frames could be read.
    whole: u64,
    /// How many could not.
    damaged: u64,
    /// Marks that are not given yet, oldest first.
    marks: Vec<RecordedMark>,
    sender: SyncSender<Chunk>,
}

impl Reading {
    fn all(mut self, reader: &Reader) {
        let (from, to) = self.request.range;
        let mut failed = None;
        match reader.frames(Some(from), Some(to)) {
            Ok(frames) => {
                for frame in frames {
                    if !self.take(frame) {
                        return;
                    }
                }
            }
            Err(error) => {
                let _ = self.message(error.to_string());
                failed = Some(PipelineError::from(error));
            }
        }
        if self.pass_on(0) {
            let none_readable = (self.whole == 0 && self.damaged > 0)
                .then(|| input::none_readable(&self.path, self.damaged));
            let error = failed.or(none_readable);
            let _ = self.sender.send(Chunk::Ended(Box::new(self.account), error));
        }
    }

    /// Takes a frame; `false` once nobody wants any more.
    fn take(&mut self, frame: Result<Frame, RecordingError>) -> bool {
        match frame {
            Ok(frame) => {
                self.whole += 1;
                let idle = idle::of_recording(&frame).filter(|_| !self.request.with_idle);
                if let Some(waits) = idle {
                    self.account.leave_out(waits);
                } else {
                    let (from, to) = self.request.range;
                    let range = TimeRange { from: Some(from), to: Some(to) };
                    self.window.extend(range.keep(frame));
                }
            }
            Err(error) => {
                self.damaged += 1;
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
        let ahead = self.request.ahead;
        self.window.len() < 2 * ahead || self.pass_on(ahead)
    }

    /// Gives all but the latest frames, with the marks among them.
    fn pass_on(&mut self, keep: usize) -> bool {
        let mut frames = isotherm_analysis::amend(std::mem::take(&mut self.window));
        frames.sort_by_key(|frame| frame.end);
        self.window = frames.split_off(frames.len().saturating_sub(keep));
        let until = self.window.first().map_or(self.request.range.1, |frame| frame.end);
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
        let at = self.window.last().map_or(self.request.range.0, |frame| frame.end);
        self.give(vec![(at, Event::Message(text))])
    }

    fn give(&self, events: TimedEvents) -> bool {
        events.is_empty() || self.sender.send(Chunk::Events(events)).is_ok()
    }
}
