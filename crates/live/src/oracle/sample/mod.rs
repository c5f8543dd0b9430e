//! Waits of sessions, looked at as often as a round trip allows.

mod sampler;
mod sql;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use isotherm_formats::oraclepoll::PollReader;
use isotherm_formats::{Message, Sink};
use isotherm_frame::{Frame, Place, Reading};

use crate::pace::SteadyClock;

use super::answer::Answer;
use super::pattern::Pattern;
use super::poll_request::PollRequest;
use super::{Session, SessionError};

pub(super) use sampler::Sampler;

use sql::IDLE;

/// The state of the looks, shared with whoever ends them.
pub(super) type Reader = Arc<Mutex<PollReader>>;

/// Looks at sessions, one after the other without a pause.
#[derive(Debug)]
pub(super) struct Looks {
    plain: String,
    /// With the history of each session.
    full: String,
    reader: Reader,
    filter: Filter,
    clock: SteadyClock,
    place: Place,
    rows: u32,
}

/// Which events are reported of.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    wanted: Vec<Pattern>,
    unwanted: Vec<String>,
    known: HashMap<String, bool>,
}

/// How often what was seen is handed on.
const HAND_ON: Duration = Duration::from_millis(25);

impl Looks {
    pub(super) fn new(wanted: &PollRequest, reader: Reader, idle: Vec<String>) -> Looks {
        let which = wanted.sessions.clone().unwrap_or_default();
        // A table of numbered waits needs no history beside it.
        let history = !which.table;
        Looks {
            plain: sql::look(&which, false),
            full: sql::look(&which, history),
            reader,
            filter: Filter { wanted: wanted.events.clone(), unwanted: idle, known: HashMap::new() },
            clock: SteadyClock::new(),
            place: Place { line: 1, byte: 0 },
            rows: 64,
        }
    }

    /// Looks until the connection fails, which is what it gives, or nobody takes any more.
    pub(super) fn run(
        &mut self,
        session: &mut dyn Session,
        take: &mut dyn FnMut(Vec<Message>) -> bool,
    ) -> Option<SessionError> {
        let (mut messages, mut handed_on) = (Vec::new(), Instant::now());
        loop {
            let ended = self.look(session, &mut messages);
            if ended.is_err() || handed_on.elapsed() >= HAND_ON {
                handed_on = Instant::now();
                messages.push(Message::Alive(self.clock.read(handed_on)));
                if !take(std::mem::take(&mut messages)) {
                    return None;
                }
            }
            if let Err(error) = ended {
                return Some(error);
            }
        }
    }

    /// Looks once. A session that has gone from wait to wait is looked at with its history.
    fn look(
        &mut self,
        session: &mut dyn Session,
        messages: &mut Vec<Message>,
    ) -> Result<(), SessionError> {
        let history = lock(&self.reader).wants_history();
        let sql = if history { &self.full } else { &self.plain };
        let answer = Answer::to(sql, self.rows, session)?;
        let at = self.clock.read(answer.middle());
        self.rows = self.rows.max(answer.rows.saturating_add(answer.rows / 4 + 8));
        let mut sink = Chosen { messages, filter: &mut self.filter };
        lock(&self.reader).answer(&mut self.place, at, &answer.text, &mut sink);
        Ok(())
    }
}

fn lock(reader: &Reader) -> MutexGuard<'_, PollReader> {
    reader.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Filter {
    fn takes(&mut self, event: &str) -> bool {
        if let Some(known) = self.known.get(event) {
            return *known;
        }
        let takes = if self.wanted.is_empty() {
            !self.unwanted.iter().any(|unwanted| unwanted == event)
        } else {
            self.wanted.iter().any(|wanted| wanted.matches(event))
        };
        self.known.insert(event.to_owned(), takes);
        takes
    }
}

/// Collects what is reported of the events wanted.
struct Chosen<'a> {
    messages: &'a mut Vec<Message>,
    filter: &'a mut Filter,
}

impl Sink for Chosen<'_> {
    fn take(&mut self, message: Message) {
        let is_wanted = match &message {
            Message::Reading(
                Reading::Event { series, .. }
                | Reading::Sampled { series, .. }
                | Reading::Cumulative { series, .. }
                | Reading::Delta(Frame { series, .. }),
            ) => self.filter.takes(series.name()),
            Message::Reading(Reading::Unselected { .. }) => false,
            _ => true,
        };
        if is_wanted {
            self.messages.push(message);
        }
    }
}
