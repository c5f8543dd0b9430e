//! The thread that hands on what was seen of sessions.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use isotherm_formats::Message;
use isotherm_formats::oraclepoll::PollReader;

use crate::oracle::SessionError;
use crate::oracle::kept_session::KeptSession;
use crate::oracle::poll_request::PollRequest;
use crate::oracle::remote::RequestError;

use super::{IDLE, Looks, Reader};

/// What is known from look to look, whatever becomes of the connection.
pub(crate) struct Sampler {
    wanted: PollRequest,
    reader: Reader,
}

impl Sampler {
    pub(crate) fn new(wanted: PollRequest, reader: PollReader) -> Sampler {
        Sampler { wanted, reader: Arc::new(Mutex::new(reader)) }
    }

    /// Looks until it is stopped or cannot go on.
    pub(crate) fn run(self, mut kept: KeptSession) {
        let (began, mut looks) = (Instant::now(), 0_u64);
        let failure = kept.keep(|kept| self.look(kept, &mut looks));
        // A driver that hangs does not hold it: it is taken only while an answer is read.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner).finish(&mut kept.outbox);
        if looks > 0 {
            let rate = looks as f64 / began.elapsed().as_secs_f64().max(1e-9);
            kept.say(format!("{looks} polls of sessions, {rate:.0} per second"));
        }
        kept.end(failure);
    }

    /// Looks until something goes wrong, which is what it gives.
    fn look(&self, kept: &mut KeptSession, looks: &mut u64) -> RequestError {
        let begun = self.idle(kept).and_then(|idle| {
            kept.remote.begin_looks(Looks::new(&self.wanted, Arc::clone(&self.reader), idle))
        });
        if let Err(failure) = begun {
            return failure;
        }
        while !kept.outbox.stopped().is_set() {
            match kept.remote.seen() {
                Ok(messages) => {
                    let records =
                        messages.iter().filter(|one| matches!(one, Message::Record)).count();
                    *looks += records as u64;
                    if records > 0 {
                        kept.works();
                    }
                    for message in messages {
                        kept.outbox.keep(message);
                    }
                    kept.outbox.flush();
                }
                Err(failure) => return refused(failure),
            }
        }
        RequestError::Stopped
    }

    /// The idle events, which are left out unless events are named.
    fn idle(&self, kept: &mut KeptSession) -> Result<Vec<String>, RequestError> {
        if !self.wanted.events.is_empty() {
            return Ok(Vec::new());
        }
        match kept.remote.lines(IDLE, 300) {
            Ok(answer) => Ok(answer.text.lines().map(str::to_owned).collect()),
            Err(RequestError::Session(SessionError::Sql { .. })) => {
                kept.say(
                    "idle wait events cannot be distinguished from others: all are shown".into(),
                );
                Ok(Vec::new())
            }
            Err(failure) => Err(failure),
        }
    }
}

/// A look that cannot be made once will not be made a second time.
fn refused(failure: RequestError) -> RequestError {
    match failure {
        RequestError::Session(SessionError::Sql { message, .. }) => {
            SessionError::Refused(message).into()
        }
        other => other,
    }
}
