//! The thread that polls a server.

use std::thread;
use std::time::{Duration, Instant};

use isotherm_formats::{Note, Sink};
use isotherm_frame::{Mark, Nanos};

use super::counters::Counters;
use super::server::{PollError, Polled};
use crate::feed::{Ending, FeedError, OpenError, Outbox, Running};
use crate::pace::{Pace, SteadyClock, beyond_interval};

/// The first pause before connecting again, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// Asks a server again and again.
struct Poller<P> {
    server: P,
    outbox: Outbox,
    counters: Counters,
    clock: SteadyClock,
}

/// Starts the thread, over a connection that is there already.
pub(crate) fn start<P: Polled>(
    name: &str,
    server: P,
    session: P::Session,
    outbox: Outbox,
    interval: Nanos,
) -> Result<Running, OpenError>
where
    P::Session: 'static,
{
    let counters = Counters::default();
    let poller = Poller { server, outbox, counters, clock: SteadyClock::new() };
    let worker = thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || poller.run(session, interval))
        .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
    let polling = worker.thread().clone();
    Ok(Running { wake: Box::new(move || polling.unpark()), worker })
}

impl<P: Polled> Poller<P> {
    /// Polls until it is stopped or cannot go on.
    fn run(mut self, mut session: P::Session, interval: Nanos) {
        let mut failure = None;
        while failure.is_none() && !self.outbox.stopped().is_set() {
            match self.poll(&mut session, interval) {
                Err(PollError::Lost(why)) => match self.connect_again(&why) {
                    Ok(Some(again)) => session = again,
                    Ok(None) => {}
                    Err(why) => failure = Some(why),
                },
                Err(PollError::Refused(why)) => failure = Some(why),
                Ok(()) => {}
            }
        }
        let stopped = self.outbox.stopped().is_set();
        let failure = failure.filter(|_| !stopped).map(FeedError::Server);
        let status = if failure.is_some() { "the server refused" } else { "stopped" }.to_owned();
        self.outbox.end(Ending { error: failure, status, stderr_tail: Vec::new() });
    }

    /// Polls over one connection until it is stopped.
    fn poll(&mut self, session: &mut P::Session, interval: Nanos) -> Result<(), PollError> {
        let rate_hz = 1e9 / interval.as_nanos().max(1) as f64;
        let mut pace = Pace::new(rate_hz, Instant::now());
        while !self.outbox.stopped().is_set() {
            let asked = Instant::now();
            if asked < pace.due() {
                thread::park_timeout(pace.due() - asked);
                continue;
            }
            let found = self.server.poll(session)?;
            let at = self.clock.read(asked + asked.elapsed() / 2);
            self.counters.take(at, found, &mut self.outbox);
            if pace.advance(Instant::now()) {
                let said = beyond_interval("polling", "polls", interval, "--interval ");
                self.outbox.note(Note::Said(said.into()));
            }
            self.outbox.flush();
        }
        Ok(())
    }

    /// Connects again, with longer pauses each time; `None` if it is stopped.
    fn connect_again(&mut self, why: &str) -> Result<Option<P::Session>, String> {
        self.mark("connection lost");
        self.outbox.warn(format!("{why}; trying to connect again"));
        self.outbox.flush();
        let mut pause = FIRST;
        let mut next = Instant::now() + pause;
        while !self.outbox.stopped().is_set() {
            let now = Instant::now();
            if now < next {
                thread::park_timeout(next - now);
                continue;
            }
            match self.server.connect() {
                Ok(session) => {
                    self.mark("connected again");
                    return Ok(Some(session));
                }
                Err(PollError::Lost(_)) => pause = (pause * 2).min(LONGEST),
                Err(PollError::Refused(why)) => return Err(why),
            }
            next = Instant::now() + pause;
        }
        Ok(None)
    }

    fn mark(&mut self, text: &str) {
        let at = self.clock.read(Instant::now());
        self.outbox.note(Note::Mark(Mark { at, text: text.to_owned() }));
    }
}
