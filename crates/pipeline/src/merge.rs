//! Several recordings, read at the same time and given in the order of time.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use isotherm_frame::{Account, Clock, Event, Place, Rejection, Timestamp};
use isotherm_recording::Reader;

use crate::PipelineError;
use crate::read_ahead::{Chunk, ReadRequest, TimedEvents, read_ahead};

/// So many events are given at once.
const AT_ONCE: usize = 1_024;

const STOPPED: &str = "reading a recording stopped before its end, for a reason that is not known: \
    replay it again";

/// A recording of which nothing has been read yet.
pub struct Unread {
    /// Its place among the inputs: what happened at the same moment is given in their order.
    pub place: usize,
    pub path: PathBuf,
    /// The earliest moment of its frames and marks.
    pub start: Timestamp,
    /// It, if it is open already.
    pub reader: Option<Reader>,
}

/// What came of waiting for more.
pub enum Merged {
    /// What happened next, in the order of time.
    Events(TimedEvents),
    NothingYet,
    /// The end, with the account of all recordings, and why one of them could not be read at all.
    Ended(Box<Account>, Option<PipelineError>),
}

/// A recording that is being read.
struct Open {
    place: usize,
    waiting: VecDeque<(Timestamp, Event)>,
    /// Where more of it comes from, while there is any.
    more: Option<Receiver<Chunk>>,
}

/// Recordings merged by time. Each is begun when its time comes and let go of at its end, and a few
/// thousand frames are kept of each in between.
pub struct Merge {
    /// Those to be begun, the earliest first.
    unread: VecDeque<Unread>,
    open: Vec<Open>,
    request: ReadRequest,
    /// Messages that are due.
    messages: Vec<String>,
    account: Account,
    clock: Clock,
    error: Option<PipelineError>,
}

impl Merge {
    /// Merges recordings whose moments count from this clock.
    pub fn new(
        mut unread: Vec<Unread>,
        (clock, messages): (Clock, Vec<String>),
        request: ReadRequest,
    ) -> Merge {
        unread.sort_by_key(|recording| (recording.start, recording.place));
        Merge {
            unread: unread.into(),
            open: Vec::new(),
            request,
            messages,
            account: Account::default(),
            clock,
            error: None,
        }
    }

    /// Waits up to `timeout` for what happened next.
    pub fn next(&mut self, timeout: Duration) -> Merged {
        let deadline = Instant::now() + timeout;
        let mut events = TimedEvents::new();
        loop {
            let from = self.request.range.0;
            let messages = std::mem::take(&mut self.messages).into_iter();
            events.extend(messages.map(|text| (from, Event::Message(text))));
            let patience = deadline.saturating_duration_since(Instant::now());
            let patience = if events.is_empty() { patience } else { Duration::ZERO };
            if events.len() >= AT_ONCE || !self.fill(patience) {
                return if events.is_empty() { Merged::NothingYet } else { Merged::Events(events) };
            }
            let Some((at, earliest)) = self.earliest() else {
                if self.begin_next() {
                    continue;
                }
                if !events.is_empty() {
                    return Merged::Events(events);
                }
                self.account.clock = self.clock;
                let account = Box::new(std::mem::take(&mut self.account));
                return Merged::Ended(account, self.error.take());
            };
            if self.unread.front().is_some_and(|next| next.start <= at) {
                self.begin_next();
                continue;
            }
            events.extend(self.open.get_mut(earliest).and_then(|open| open.waiting.pop_front()));
        }
    }

    /// Waits until something is known of each open recording, or that it has ended; whether it is.
    fn fill(&mut self, patience: Duration) -> bool {
        for open in &mut self.open {
            while open.waiting.is_empty()
                && let Some(more) = &open.more
            {
                match more.recv_timeout(patience) {
                    Ok(Chunk::Events(events)) => open.waiting.extend(events),
                    Ok(Chunk::Ended(account, error)) => {
                        self.account.add(*account);
                        self.error = self.error.take().or(error);
                        open.more = None;
                    }
                    Err(RecvTimeoutError::Timeout) => return false,
                    Err(RecvTimeoutError::Disconnected) => {
                        let stopped = || PipelineError::System(STOPPED.to_owned());
                        self.error.get_or_insert_with(stopped);
                        open.more = None;
                    }
                }
            }
        }
        self.open.retain(|open| open.more.is_some() || !open.waiting.is_empty());
        true
    }

    /// The moment of what happened next, and which of the open recordings has it.
    fn earliest(&self) -> Option<(Timestamp, usize)> {
        let fronts = self
            .open
            .iter()
            .enumerate()
            .filter_map(|(index, open)| Some((open.waiting.front()?.0, open.place, index)));
        fronts.min().map(|(at, _, index)| (at, index))
    }

    /// Begins to read the next recording; `false` if there is none.
    fn begin_next(&mut self) -> bool {
        let Some(Unread { place, path, reader, .. }) = self.unread.pop_front() else {
            return false;
        };
        let reader = reader.map_or_else(|| Reader::open(&path).map_err(PipelineError::from), Ok);
        match reader.and_then(|reader| read_ahead(&path, reader, self.request)) {
            Ok(more) => {
                self.open.push(Open { place, waiting: VecDeque::new(), more: Some(more) });
            }
            Err(error) => {
                let reason = error.to_string();
                self.messages.push(reason.clone());
                let place = Place::default();
                self.account.reject(Rejection { place, reason: reason.into(), events: 0 });
                self.error.get_or_insert(error);
            }
        }
        true
    }
}
