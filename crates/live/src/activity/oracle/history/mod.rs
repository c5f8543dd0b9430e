//! The samples of active sessions that the database takes once a second and keeps for about an hour
//! (`V$ACTIVE_SESSION_HISTORY`, with the Diagnostics Pack).

mod numbering;
mod rounds;
mod rows;
mod sql;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use isotherm_frame::{Nanos, Timestamp};

use self::numbering::{LAG, Numbering, PollClock};
use self::rounds::Rounds;
use self::rows::Reading;
use self::sql::VIEW;
use super::link::Link;
use super::names::{self, Names};
use super::scope::Scope;
use crate::activity::look::{KeptSamples, Look, LookError, Looked};
use crate::feed::{OpenError, Stopped};
use crate::oracle::{OracleAddress, SessionError, connection, instances};
use crate::pace::SteadyClock;

/// How far what is seen is behind: polls are a second apart.
pub(in crate::activity) const BEHIND: Nanos = Nanos::new(LAG.as_nanos() + Nanos::SECOND.as_nanos());
/// The time that a statement may take is twice this; that of a long history takes longer.
const PATIENCE: Nanos = Nanos::from_millis(15_000);
/// The time that each poll reads anew, at least: it is doubled until it reaches back to the last poll.
const LEAST_SECONDS: u64 = 5;
/// Rows that one round trip brings at first.
const ROWS: u32 = 5_000;
/// Users that one question is about.
const USERS: usize = 500;

/// Reads the history of an instance, or of all of them.
struct History {
    link: Link,
    clock: SteadyClock,
    connected: Timestamp,
    /// How far back to begin.
    length: Nanos,
    /// When it was last polled.
    asked: Option<Timestamp>,
    rows: u32,
    numbering: Numbering,
    rounds: Rounds,
    names: Names,
    users: HashMap<u64, Arc<str>>,
}

/// Reads the history of the database at `address`, from `length` ago on.
fn history(address: &OracleAddress, length: Nanos) -> Result<History, OpenError> {
    let scope = Scope::of(instances(address)?);
    let mut warning = None;
    let stopped = Stopped::default();
    let connect = connection(address, PATIENCE, &stopped, &mut |text| warning = Some(text))?;
    Ok(History::new(Link::new(connect, scope, warning), length))
}

pub(in crate::activity) fn looker(
    address: &OracleAddress,
    length: Nanos,
) -> Result<Box<dyn Look>, OpenError> {
    Ok(Box::new(history(address, length)?))
}

/// Reads the last `length` once.
pub(in crate::activity) fn read(
    address: &OracleAddress,
    length: Nanos,
) -> Result<KeptSamples, OpenError> {
    let mut history = history(address, length)?;
    history.read().map_err(|error| match error {
        LookError::Lost(why) | LookError::Refused(why) => OpenError::Server(why),
    })
}

/// What is asked, each with something that stands for any.
pub(in crate::activity) fn statements(
    address: &OracleAddress,
    length: Nanos,
) -> Result<Vec<String>, OpenError> {
    let scope = Scope::of(instances(address)?);
    let first = sql::samples(&scope, first_seconds(length), true);
    let later = sql::samples(&scope, LEAST_SECONDS, false);
    let [texts, blockers] = names::statements(&scope);
    Ok(vec![first, later, sql::users(&[104]), texts, blockers, sql::PACKS.to_owned()])
}

fn first_seconds(length: Nanos) -> u64 {
    let nanos = u128::from(length.as_nanos()) + u128::from(BEHIND.as_nanos());
    u64::try_from(nanos.div_ceil(1_000_000_000)).unwrap_or(u64::MAX)
}

impl History {
    fn new(link: Link, length: Nanos) -> History {
        History {
            link,
            clock: SteadyClock::new(),
            connected: Timestamp::default(),
            length,
            asked: None,
            rows: ROWS,
            numbering: Numbering::default(),
            rounds: Rounds::default(),
            names: Names::default(),
            users: HashMap::new(),
        }
    }

    fn failed(&self, error: SessionError) -> LookError {
        self.link.failed(error, VIEW)
    }

    /// The last `length`, up to now.
    fn read(&mut self) -> Result<KeptSamples, LookError> {
        self.connect()?;
        let (mut looked, poll) = self.poll()?;
        let until = poll.horizon();
        let from = until.minus(self.length);
        looked.samples.retain(|sample| sample.at > from);
        self.link.warnings.extend(self.numbering.begun_after(from.plus(BEHIND), until));
        let mut warnings = Vec::new();
        while let Some(warning) = self.warning() {
            warnings.push(warning);
        }
        Ok(KeptSamples { looked, until, warnings })
    }

    /// How many of the last seconds to read.
    fn seconds(&self, now: Timestamp) -> u64 {
        let Some(asked) = self.asked else { return first_seconds(self.length) };
        let needed =
            now.since(asked).as_nanos() / 1_000_000_000 + BEHIND.as_nanos() / 1_000_000_000;
        let mut seconds = LEAST_SECONDS;
        while seconds <= needed {
            seconds *= 2;
        }
        seconds
    }

    /// Reads what is new.
    fn poll(&mut self) -> Result<(Looked, PollClock), LookError> {
        let is_first = self.asked.is_none();
        let now = self.clock.read(Instant::now());
        let seconds = self.seconds(now);
        // After a longer silence than usual samples may have been overwritten.
        let with_kept = is_first || seconds > LEAST_SECONDS;
        let statement = |scope: &Scope| sql::samples(scope, seconds, with_kept);
        let answer = self.link.ask_scope(VIEW, self.rows, &statement);
        let answer = answer.map_err(|error| self.failed(error))?;
        let took_ns = (answer.answered - answer.asked).as_nanos();
        let took_ns = u64::try_from(took_ns).unwrap_or(u64::MAX);
        let asked = self.clock.read(answer.asked);
        let mut reading = rows::reading(&answer.text).map_err(LookError::Refused)?;
        let from = asked.minus(Nanos::new(seconds.saturating_mul(1_000_000_000)));
        let poll = PollClock { asked, now: reading.now, from };
        if is_first && reading.kept.is_empty() && reading.samples.is_empty() {
            let warning = self.nothing_kept();
            self.link.warnings.push_back(warning);
        }
        if is_first {
            self.link.warnings.extend(numbering::clock_warnings(&reading));
        }
        self.leave_out_own(&mut reading, &poll);
        self.name_users(&mut reading).map_err(|error| self.failed(error))?;
        (self.asked, self.rows) = (Some(asked), answer.rows.saturating_add(answer.rows / 4 + 100));
        let news = self.numbering.advance(reading, &poll);
        self.link.warnings.extend(news.warnings);
        let (instances, known) = (self.numbering.instances(), self.numbering.known_until());
        let mut samples = self.rounds.add(news.samples, instances, known);
        if is_first {
            // What one instance does not keep is not known of all.
            samples.retain(|sample| sample.at >= self.numbering.kept_from());
        }
        for sample in &mut samples {
            sample.took_ns = took_ns;
        }
        self.names.add(&mut samples, &mut self.link).map_err(|error| self.failed(error))?;
        Ok((Looked { samples, skipped: news.skipped }, poll))
    }

    /// What is asked here is not what the database is busy with. Before, another session had our number.
    fn leave_out_own(&self, reading: &mut Reading, poll: &PollClock) {
        for sample in reading.samples.values_mut() {
            if poll.at(sample.time) >= self.connected {
                sample.sessions.retain(|session| session.id != reading.own);
            }
        }
    }

    /// Gives sessions the names of their users.
    fn name_users(&mut self, reading: &mut Reading) -> Result<(), SessionError> {
        let sessions = || reading.samples.values().flat_map(|sample| &sample.sessions);
        let mut wanted: Vec<u64> = sessions().filter_map(|session| session.user).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|id| !self.users.contains_key(id));
        for ids in wanted.chunks(USERS) {
            // A user of another container has no name here.
            self.users.extend(ids.iter().map(|id| (*id, format!("user {id}").into())));
            match self.link.ask(&sql::users(ids), self.rows) {
                Ok(answer) => self.users.extend(answer.text.lines().filter_map(user)),
                Err(SessionError::Sql { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        for session in reading.samples.values_mut().flat_map(|sample| &mut sample.sessions) {
            if let Some(name) = session.user.and_then(|id| self.users.get(&id)) {
                session.session.user = Arc::clone(name);
            }
        }
        Ok(())
    }

    /// Why there may be no sample at all.
    fn nothing_kept(&mut self) -> String {
        let view = self.link.scope.view(VIEW).to_uppercase();
        let packs = self.link.ask(sql::PACKS, 1).ok();
        let packs = packs.map(|answer| answer.text.trim().to_owned()).unwrap_or_default();
        match packs.as_str() {
            "NONE" => format!(
                "{view} has no rows: CONTROL_MANAGEMENT_PACK_ACCESS is NONE, so that Oracle takes no \
                 samples"
            ),
            _ if matches!(self.link.scope, Scope::Some(_)) => {
                format!("{view} has no rows of the instances that inst= names: do they run?")
            }
            "" => format!("{view} has no rows: is CONTROL_MANAGEMENT_PACK_ACCESS set to NONE?"),
            packs => format!(
                "{view} has no rows, though CONTROL_MANAGEMENT_PACK_ACCESS is {packs}: no session has \
                 been active since the instance started"
            ),
        }
    }
}

impl Look for History {
    fn connect(&mut self) -> Result<(), LookError> {
        self.link.connect().map_err(|error| self.failed(error))?;
        self.connected = self.clock.read(Instant::now());
        Ok(())
    }

    fn look(&mut self) -> Result<Looked, LookError> {
        self.poll().map(|(looked, _)| looked)
    }

    fn misses_samples(&self) -> bool {
        false
    }

    fn warning(&mut self) -> Option<String> {
        self.link.warnings.pop_front()
    }
}

/// `104|APP`
fn user(line: &str) -> Option<(u64, Arc<str>)> {
    let (id, name) = line.split_once('|')?;
    Some((id.parse().ok()?, name.into()))
}
