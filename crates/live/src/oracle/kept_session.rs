//! A connection that is made again whenever it is lost.
//!
//! While a server is away nothing is known and nothing is reported. When it is back and its counters
//! have gone on, because the instance was not started anew, the next totals give one long
//! interval with everything that was counted meanwhile, marked as a late poll: that is more than a
//! gap would say, and no spike, because its rate is taken over its whole length. When the instance
//! was started anew the interval is a gap.

use isotherm_formats::{Note, Sink};
use isotherm_frame::Mark;
use std::time::{Duration, Instant};

use crate::feed::{Ending, FeedError, Outbox};
use crate::pace::SteadyClock;

use super::SessionError;
use super::remote::{Remote, RequestError};

/// A connection that is made again.
pub(super) struct KeptSession {
    pub(super) remote: Remote,
    pub(super) name: String,
    pub(super) outbox: Outbox,
    pub(super) clock: SteadyClock,
    /// Whether there ever was an answer.
    answered: bool,
    /// The pause before the last attempt to connect again.
    pause: Option<Duration>,
}

/// The first pause before connecting again.
const FIRST: Duration = Duration::from_secs(1);
/// The longest one.
const LONGEST: Duration = Duration::from_secs(30);

impl KeptSession {
    pub(super) fn new(remote: Remote, name: String, outbox: Outbox) -> KeptSession {
        let clock = SteadyClock::new();
        KeptSession { remote, name, outbox, clock, answered: false, pause: None }
    }

    /// Connects and works, again and again while connections are lost; gives what ends it.
    pub(super) fn keep(
        &mut self,
        mut work: impl FnMut(&mut KeptSession) -> RequestError,
    ) -> RequestError {
        loop {
            let failure = match self.remote.connect() {
                Ok(()) => work(self),
                Err(failure) => failure,
            };
            match failure {
                // What was never there may have the wrong name: that is for the user to see.
                RequestError::Session(SessionError::Lost(why)) if self.answered => {
                    if let Err(failure) = self.pause(&why) {
                        return failure;
                    }
                }
                failure => return failure,
            }
        }
    }

    /// To be called when there is an answer after connecting.
    pub(super) fn works(&mut self) {
        self.answered = true;
        if self.pause.take().is_some() {
            self.mark("connected again");
            self.warn(format!("{}: connected again", self.name));
        }
    }

    /// Waits before the next attempt, longer each time.
    fn pause(&mut self, why: &str) -> Result<(), RequestError> {
        let wait = self.pause.map_or(FIRST, |last| (last * 2).min(LONGEST));
        if self.pause.replace(wait).is_none() {
            self.mark("connection lost");
            // Some routes say themselves whom they connected to.
            let named = why.contains(&self.name);
            let whom = if named { String::new() } else { format!("{}: ", self.name) };
            self.warn(format!("{whom}{why}; trying to connect again"));
        }
        self.remote.wait_until(Instant::now() + wait)
    }

    fn mark(&mut self, text: &str) {
        let at = self.clock.read(Instant::now());
        self.outbox.note(Note::Mark(Mark { at, text: text.to_owned() }));
    }

    pub(super) fn warn(&mut self, text: String) {
        self.outbox.warn(text);
        self.outbox.flush();
    }

    pub(super) fn say(&mut self, text: String) {
        self.outbox.note(Note::Said(text.into()));
    }

    /// Ends the feed because of `failure`.
    pub(super) fn end(self, failure: RequestError) {
        let error = match failure {
            RequestError::Stopped => None,
            RequestError::Dead => Some(format!("{}: the driver has failed", self.name)),
            RequestError::Session(error) => Some(error.to_string()),
        };
        let status = if error.is_some() { "the server refused" } else { "stopped" }.to_owned();
        let error = error.map(FeedError::Server);
        self.outbox.end(Ending { error, status, stderr_tail: Vec::new() });
    }
}
