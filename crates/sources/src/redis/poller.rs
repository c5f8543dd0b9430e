//! The thread that polls a server.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use isotherm_frame::{Clock, Histogram, Mark, Nanos, Place, Reading, Series, Timestamp};

use super::address::RedisAddress;
use super::answer::{Totals, totals};
use super::session::{RedisError, Session};
use crate::feed::{Ending, FeedError, Item, Outbox};
use crate::probe::{Pace, SteadyClock};
use crate::sink::reject;
use crate::{Note, Sink};

/// The first pause before connecting again, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
const PLACE: Place = Place { line: 1, byte: 0 };

/// Asks a server again and again.
pub(super) struct Poller {
    pub(super) address: RedisAddress,
    pub(super) password: Option<String>,
    pub(super) outbox: Outbox,
    pub(super) counters: Counters,
    pub(super) clock: SteadyClock,
}

impl Poller {
    /// Polls until it is stopped or cannot go on.
    pub(super) fn run(mut self, mut session: Session, interval: Nanos) {
        let mut failure = None;
        while failure.is_none() && !self.outbox.stopped().is_set() {
            match self.poll(&mut session, interval) {
                Err(RedisError::Lost(why)) => match self.connect_again(&why) {
                    Ok(Some(again)) => session = again,
                    Ok(None) => {}
                    Err(why) => failure = Some(why),
                },
                Err(RedisError::Refused(why) | RedisError::Password(why)) => failure = Some(why),
                Ok(()) => {}
            }
        }
        let stopped = self.outbox.stopped().is_set();
        let failure = failure.filter(|_| !stopped).map(FeedError::Server);
        let status = if failure.is_some() { "the server refused" } else { "stopped" }.to_owned();
        self.outbox.end(Ending { error: failure, status, stderr_tail: Vec::new() });
    }

    /// Polls over one connection until it is stopped.
    fn poll(&mut self, session: &mut Session, interval: Nanos) -> Result<(), RedisError> {
        let rate_hz = 1e9 / interval.as_nanos().max(1) as f64;
        let mut pace = Pace::new(rate_hz, Instant::now());
        while !self.outbox.stopped().is_set() {
            let asked = Instant::now();
            if asked < pace.due() {
                thread::park_timeout(pace.due() - asked);
                continue;
            }
            let found = session.poll(totals)?;
            let at = self.clock.read(asked + asked.elapsed() / 2);
            self.counters.take(at, found, &mut self.outbox);
            if pace.advance(Instant::now()) {
                let said = "polls take longer than the interval: those due meanwhile are skipped";
                self.outbox.note(Note::Said(said.into()));
            }
            self.outbox.flush();
        }
        Ok(())
    }

    /// Connects again, with longer pauses each time; `None` if it is stopped.
    fn connect_again(&mut self, why: &str) -> Result<Option<Session>, String> {
        self.mark("connection lost");
        self.outbox.push(Item::Warning(format!("{why}; trying to connect again")));
        self.outbox.flush();
        let mut pause = FIRST;
        let mut next = Instant::now() + pause;
        while !self.outbox.stopped().is_set() {
            let now = Instant::now();
            if now < next {
                thread::park_timeout(next - now);
                continue;
            }
            match Session::open(&self.address, self.password.as_deref()) {
                Ok(session) => {
                    self.mark("connected again");
                    return Ok(Some(session));
                }
                Err(RedisError::Lost(_)) => pause = (pause * 2).min(LONGEST),
                Err(RedisError::Refused(why) | RedisError::Password(why)) => return Err(why),
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

/// What is known of the counters from poll to poll.
#[derive(Debug, Default)]
pub(super) struct Counters {
    known: BTreeMap<String, Histogram>,
    run: String,
    last: Option<Timestamp>,
    /// When the counters were first seen after they began anew.
    epoch: Option<Timestamp>,
}

impl Counters {
    /// Takes what one poll found.
    ///
    /// All commands share one beginning: `CONFIG RESETSTAT` and a new start of the server forget
    /// them all. A command that is missing or fell shows that it happened, also for those that have
    /// counted beyond their last total since.
    pub(super) fn take(&mut self, at: Timestamp, mut found: Totals, sink: &mut dyn Sink) {
        let reset = self.last.is_some() && self.began_anew(&found);
        if reset || self.epoch.is_none() {
            self.epoch = Some(at);
        }
        if std::mem::take(&mut found.inexact) {
            let said = "INFO commandstats counts other calls than LATENCY HISTOGRAM: the time of \
                        some commands is estimated";
            sink.note(Note::Said(said.into()));
        }
        sink.note(Note::Clock(Clock::Epoch));
        if let Some(last) = self.last.filter(|_| !reset) {
            self.stood_at_zero(last, &found, sink);
        }
        for (name, total) in found.commands {
            match total {
                Ok(total) => self.command(at, name, total, sink),
                Err((why, calls)) => reject(sink, PLACE, format!("{name}: {why}"), calls),
            }
        }
        (self.run, self.last) = (found.run, Some(at));
    }

    fn began_anew(&mut self, found: &Totals) -> bool {
        let fell = |(name, before): (&String, &Histogram)| match found.commands.get(name) {
            Some(Ok(now)) => now.since(before).is_err(),
            Some(Err(_)) => false,
            None => true,
        };
        let anew = found.run != self.run || self.known.iter().any(fell);
        if anew {
            // Those that are gone appear again as new ones.
            self.known.retain(|name, _| found.commands.contains_key(name));
        }
        anew
    }

    /// Every command that was ever called is there: those that are new stood at zero at the `last` poll.
    /// That is told before anything of this poll, or the others would be missing at the moment between.
    fn stood_at_zero(&self, last: Timestamp, found: &Totals, sink: &mut dyn Sink) {
        for (name, total) in &found.commands {
            let Some(total) = total.as_ref().ok().filter(|_| !self.known.contains_key(name)) else {
                continue;
            };
            let (series, epoch) = (Series::named(name.clone()), self.epoch);
            let total = total.cleared().with_sum(total.sum().map(|_| Nanos::ZERO));
            sink.reading(Reading::Cumulative { at: last, series, total, epoch });
        }
    }

    fn command(&mut self, at: Timestamp, name: String, total: Histogram, sink: &mut dyn Sink) {
        sink.record();
        let (series, epoch) = (Series::named(name.clone()), self.epoch);
        self.known.insert(name, total.clone());
        sink.reading(Reading::Cumulative { at, series, total, epoch });
    }
}
