//! The thread that polls.

use std::time::Instant;

use crate::feed::Outbox;
use crate::oracle::SessionError;
use crate::oracle::answer::Answer;
use crate::oracle::kept_session::KeptSession;
use crate::oracle::poll_request::PollRequest;
use crate::oracle::remote::RequestError;
use crate::oracle::survey::{Way, survey};
use crate::pace::{Pace, SteadyClock, beyond_interval};
use isotherm_formats::oraclepoll::PollReader;
use isotherm_frame::{Nanos, Place};

/// What is known from poll to poll, whatever becomes of the connection.
pub(crate) struct Poller {
    wanted: PollRequest,
    interval: Nanos,
    reader: PollReader,
    place: Place,
    /// Why the last poll was missed, so that it is not said again and again.
    missed: String,
}

impl Poller {
    pub(crate) fn new(wanted: PollRequest, interval: Nanos, reader: PollReader) -> Poller {
        let place = Place { line: 1, byte: 0 };
        Poller { wanted, interval, reader, place, missed: String::new() }
    }

    /// Polls until it is stopped or cannot go on.
    pub(crate) fn run(mut self, mut kept: KeptSession) {
        let failure = kept.keep(|kept| match survey(&kept.remote, &kept.name, &self.wanted) {
            Ok(way) => self.poll(kept, way),
            Err(failure) => failure,
        });
        self.reader.finish(&mut kept.outbox);
        kept.end(failure);
    }

    /// Polls in one way until something goes wrong, which is what it gives.
    fn poll(&mut self, kept: &mut KeptSession, way: Way) -> RequestError {
        let Way { query, said, first: mut answer } = way;
        kept.works();
        for said in said {
            kept.say(said);
        }
        if !self.wanted.events.is_empty() && !answer.text.contains("H|") {
            let text = "no session has waited for an event of this name yet";
            kept.outbox.warn(text.into());
        }
        if !query.idle_known && query.events.is_empty() {
            self.reader.leave_out_idle();
        }
        let sql = query.select();
        let mut pace = Pace::new(1e9 / self.interval.as_nanos().max(1) as f64, answer.asked);
        loop {
            if pace.advance(answer.answered) {
                kept.say(beyond_interval("polling", "polls", self.interval, "?interval="));
            }
            self.tell(&answer, &mut kept.clock, &mut kept.outbox);
            let rows = answer.rows.saturating_add(answer.rows / 4 + 16);
            answer = match self.next(kept, &sql, rows, &mut pace) {
                Ok(answer) => answer,
                Err(failure) => return failure,
            };
        }
    }

    /// The next poll that succeeds. A statement that fails on a good connection is a poll missed.
    fn next(
        &mut self,
        kept: &mut KeptSession,
        sql: &str,
        rows: u32,
        pace: &mut Pace,
    ) -> Result<Answer, RequestError> {
        loop {
            if kept.outbox.stopped().is_set() {
                return Err(RequestError::Stopped);
            }
            kept.remote.wait_until(pace.due())?;
            match kept.remote.lines(sql, rows) {
                Err(RequestError::Session(SessionError::Sql { message, .. })) => {
                    pace.advance(Instant::now());
                    if self.missed != message {
                        kept.warn(format!("a poll is missed: {message}"));
                        self.missed = message;
                    }
                }
                other => return other,
            }
        }
    }

    fn tell(&mut self, answer: &Answer, clock: &mut SteadyClock, outbox: &mut Outbox) {
        self.missed.clear();
        let at = clock.read(answer.middle());
        self.reader.answer(&mut self.place, at, &answer.text, outbox);
        outbox.flush();
    }
}
