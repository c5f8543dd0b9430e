//! The thread that samples.

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::talk::Talk;
use isotherm_formats::dbstats::SampleTimes;
use isotherm_formats::{Message, Note, Sink};
use isotherm_frame::numbers::grouped;
use isotherm_frame::{Clock, Mark, percent};

use super::averages::Averages;
use super::blocking::{BLOCKERS, Blocking};
use super::history::History;
use super::monitor::Monitor;
use super::prepared::Prepared;
use super::row::{LOCKS, Sample, sample};
use super::sampled::sessions;
use super::waits::Waits;
use crate::feed::{Ending, FeedError, Outbox};
use crate::pace::{Pace, SteadyClock, below_rate};

/// The longest that a look may take.
const LATE: Duration = Duration::from_secs(10);
/// The pause before connecting again.
const PAUSE: Duration = Duration::from_secs(2);

/// Looks at sessions again and again.
pub(super) struct Sampler {
    logon: Logon,
    /// Looks a second.
    rate_hz: f64,
    work: Work,
    outbox: Outbox,
    clock: SteadyClock,
    looks: u32,
    /// Looks that were due while another went on.
    skipped: u64,
    /// Whether it is reported that looks take too long for their rate.
    is_slow: bool,
    spent: Duration,
    /// How long there was a connection.
    connected: Duration,
}

/// What is looked at.
pub(super) enum Work {
    /// What sessions wait for.
    Waits(Box<Waits>),
    /// A statistics view.
    Averages(Averages),
    /// What another sampled.
    History(History),
    /// How many sessions are active, by what they wait for.
    Sessions(SampleTimes, Prepared),
    /// Histograms of statements.
    Monitor(Monitor),
}

impl Work {
    /// Looks once; whether anything was found.
    fn look(
        &mut self,
        control: &mut Control<'_>,
        (clock, outbox): (&mut SteadyClock, &mut Outbox),
    ) -> Result<Option<Duration>, PgError> {
        let asked = Instant::now();
        let mut middle = |took: Duration| clock.read(asked + took / 2);
        match self {
            Work::Waits(waits) => {
                let Some(found) = look(control, &mut waits.question, &mut waits.blocking)? else {
                    return Ok(None);
                };
                let took = asked.elapsed();
                let at = middle(took);
                waits.take(at, found, outbox);
                // What ended since the last look is reported with this one.
                outbox.take(Message::Alive(at));
                Ok(Some(took))
            }
            Work::Monitor(monitor) => {
                let rows = control.rows(Monitor::query())?;
                monitor.take(&rows, outbox);
                Ok(Some(asked.elapsed()))
            }
            Work::Sessions(moments, prepared) => {
                let seen = sessions(prepared.rows(control)?);
                let took = asked.elapsed();
                moments.add(middle(took), &seen, outbox);
                Ok(Some(took))
            }
            Work::History(history) => {
                let rows = control.rows(&History::query())?;
                history.take(&rows, outbox);
                Ok(Some(asked.elapsed()))
            }
            Work::Averages(averages) => {
                let rows = control.rows(averages.query())?;
                let took = asked.elapsed();
                averages.take(middle(took), &rows, outbox);
                Ok(Some(took))
            }
        }
    }

    /// There is a new connection.
    fn connected(&mut self) {
        match self {
            Work::Waits(waits) => waits.question.forget(),
            Work::Sessions(_, prepared) => prepared.forget(),
            Work::Averages(_) | Work::History(_) | Work::Monitor(_) => {}
        }
    }

    fn forget(&mut self, outbox: &mut Outbox) {
        match self {
            Work::Waits(waits) => waits.forget(outbox),
            Work::Averages(averages) => averages.forget(),
            Work::Sessions(moments, _) => moments.forget(outbox),
            // What is there when the connection is back is read then.
            Work::History(_) | Work::Monitor(_) => {}
        }
    }

    fn finish(&mut self, outbox: &mut Outbox) {
        match self {
            Work::Waits(waits) => waits.finish(outbox),
            Work::Monitor(monitor) => monitor.finish(outbox),
            Work::Averages(_) | Work::History(_) | Work::Sessions(..) => {}
        }
    }
}

impl Sampler {
    pub(super) fn new(logon: Logon, rate_hz: f64, work: Work, outbox: Outbox) -> Sampler {
        let clock = SteadyClock::new();
        let (spent, connected) = (Duration::ZERO, Duration::ZERO);
        let (skipped, is_slow) = (0, false);
        Sampler {
            logon,
            rate_hz,
            work,
            outbox,
            clock,
            looks: 0,
            skipped,
            is_slow,
            spent,
            connected,
        }
    }

    /// Samples until it is stopped or cannot go on.
    pub(super) fn run(mut self) {
        let logon = self.logon.clone();
        let mut failure = None;
        let mut lost = false;
        self.outbox.note(Note::Clock(Clock::Epoch));
        while failure.is_none() && !self.outbox.stopped().is_set() {
            let connected = Talk::open(&logon).map(|talk| Control::over(talk, &logon, LATE));
            let ended = connected.and_then(|mut control| {
                if std::mem::take(&mut lost) {
                    self.mark("connected again");
                }
                let began = Instant::now();
                let ended = self.sample(&mut control);
                self.connected += began.elapsed();
                ended
            });
            failure = match ended {
                Ok(()) => None,
                // A server that is away or starting may come back.
                Err(error) if may_pass(&error) => {
                    self.lost(&error, &logon, std::mem::replace(&mut lost, true));
                    None
                }
                Err(error) => Some(FeedError::Server(connecting(&error, &logon))),
            };
        }
        self.end(failure);
    }

    /// Samples over one connection until it is stopped.
    fn sample(&mut self, control: &mut Control<'_>) -> Result<(), PgError> {
        let mut pace = Pace::new(self.rate_hz, Instant::now());
        self.work.connected();
        while !self.outbox.stopped().is_set() {
            let asked = Instant::now();
            if asked < pace.due() {
                thread::park_timeout(pace.due() - asked);
                continue;
            }
            if let Some(took) = self.work.look(control, (&mut self.clock, &mut self.outbox))? {
                self.spent += took;
                self.looks = self.looks.saturating_add(1);
            }
            let skipped = pace.skipped();
            pace.advance(Instant::now());
            self.skipped = self.skipped.saturating_add(pace.skipped() - skipped);
            if !self.is_slow && takes_longer(self.spent, self.looks, self.rate_hz) {
                self.is_slow = true;
                let said = below_rate("sampling", "samples", self.rate_hz, "?hz=");
                self.outbox.note(Note::Said(said.into()));
            }
            self.outbox.flush();
        }
        Ok(())
    }

    /// Waits before connecting again.
    fn lost(&mut self, error: &PgError, logon: &Logon, again: bool) {
        if !again {
            self.work.forget(&mut self.outbox);
            self.mark("connection lost");
            let words = format!("{logon}: {error}; trying to connect again");
            self.outbox.warn(words);
            self.outbox.flush();
        }
        let until = Instant::now() + PAUSE;
        while Instant::now() < until && !self.outbox.stopped().is_set() {
            thread::park_timeout(until.saturating_duration_since(Instant::now()));
        }
    }

    fn mark(&mut self, text: &str) {
        let at = self.clock.read(Instant::now());
        self.outbox.note(Note::Mark(Mark { at, text: text.to_owned() }));
    }

    fn end(mut self, failure: Option<FeedError>) {
        self.work.finish(&mut self.outbox);
        if self.looks > 0 {
            let mean = self.spent / self.looks;
            let connected_s = self.connected.as_secs_f64().max(self.spent.as_secs_f64());
            let share = self.spent.as_secs_f64() / connected_s.max(f64::MIN_POSITIVE);
            let mut words = format!(
                "a sample took {:.2} ms on average: one connection was busy {} of the time",
                mean.as_secs_f64() * 1e3,
                percent(share)
            );
            if self.skipped > 0 {
                let due = u64::from(self.looks).saturating_add(self.skipped);
                let (skipped, due) = (grouped(self.skipped), grouped(due));
                let _ = write!(words, "; {skipped} of {due} samples were skipped");
            }
            self.outbox.note(Note::Said(words.into()));
        }
        let stopped = self.outbox.stopped().is_set();
        let error = failure.filter(|_| !stopped);
        let status = if error.is_some() { "the server refused" } else { "stopped" }.to_owned();
        self.outbox.end(Ending { error, status, stderr_tail: Vec::new() });
    }
}

/// Whether looks take longer on average than the time between two of them. One alone may be late because
/// the machine was busy, and the first also prepares its statement.
fn takes_longer(spent: Duration, looks: u32, rate_hz: f64) -> bool {
    const FEW: u32 = 3;
    looks >= FEW && spent.as_secs_f64() * rate_hz > f64::from(looks)
}

/// Why there is no connection, and what to do about it.
pub(crate) fn connecting(error: &PgError, to: &Logon) -> String {
    format!("cannot log on to {to}: {error}{}", error.next_step())
}

/// Looks once. The locks are looked at a moment after the sessions.
fn look(
    control: &mut Control<'_>,
    question: &mut Prepared,
    blocking: &mut Blocking,
) -> Result<Option<Sample>, PgError> {
    let asked = Instant::now();
    let Some(mut found) = sample(&question.rows(control)?) else { return Ok(None) };
    if found.has_lock_waits() {
        found.add_locks(&control.rows(LOCKS)?);
        if blocking.is_due(asked) {
            blocking.take(&control.rows(BLOCKERS)?, &found);
        }
    }
    blocking.mark(&mut found);
    Ok(Some(found))
}

/// Whether it may be otherwise in a while: the connection is lost, or the server starts or ends.
pub(crate) fn may_pass(error: &PgError) -> bool {
    matches!(error, PgError::Lost(_) | PgError::Late(_)) || error.is("57P")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_too_slow_when_they_take_longer_than_the_time_between_two() {
        let ms = Duration::from_millis;
        // 3.2 ms each at 10 a second, of which one took 200 ms.
        assert!(!takes_longer(ms(200 + 32 * 20 / 10), 21, 10.0));
        assert!(!takes_longer(ms(900), 10, 10.0));
        assert!(takes_longer(ms(1_100), 10, 10.0));
        // The first alone also prepares its statement.
        assert!(!takes_longer(ms(150), 1, 10.0));
    }
}
