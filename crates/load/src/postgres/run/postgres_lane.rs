//! One lane: a thread's connections, watched together.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;

use super::super::explained::Explained;
use super::super::watch::Backends;
use super::reconnect::{Came, Reconnector};
use super::session::{InFlight, Link, Received, Session};
use super::statements::Statements;
use crate::clock::now_ns;
use crate::log_on::unless_stopped;
use crate::{Broken, Done, Engine, LoadError, Operation, Slot, Wait};
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::wire::write;

/// How long to wait for answers before looking for connections that came about anew.
const WHILE_DOWN_NS: u64 = 10_000_000;
/// How long before looking for operations that will not be answered any more.
const WHILE_UP_NS: u64 = 1_000_000_000;
/// An operation not answered for so long is given up along with its connection: longer than the
/// server lets a statement take.
const GIVEN_UP_NS: u64 = 75_000_000_000;
/// With one connection only and so long to wait at least, it is read rather than watched. Reading
/// waits half as long at a time.
const WORTH_READING_NS: u64 = 100_000_000;
/// Bytes read at once.
const ROOM: usize = 16 << 10;

/// What all lanes share.
#[derive(Debug)]
pub struct Workers {
    /// How to log on.
    pub logon: Arc<Logon>,
    /// What is executed.
    pub statements: Statements,
    /// Bytes that an operation moves.
    pub bytes: u32,
    /// The server's processes.
    pub backends: Backends,
}

/// One lane.
pub struct PostgresLane {
    workers: Arc<Workers>,
    epoll: OwnedFd,
    sessions: Vec<Session>,
    events: Vec<epoll::Event>,
    room: Box<[u8]>,
    out: Vec<u8>,
    /// Operations that ended, to be reported with the next reaping.
    ended: Vec<Done>,
    reconnector: Option<Reconnector>,
    /// Connections that are lost and not yet replaced.
    down: u32,
    /// The clock, as last looked at.
    now: u64,
    /// When to look next for operations that will not be answered.
    next_look: u64,
}

impl PostgresLane {
    /// Connects every slot, unless `left` is set before that.
    pub fn open(
        workers: &Arc<Workers>,
        slots: u32,
        left: &AtomicBool,
    ) -> Result<PostgresLane, LoadError> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)
            .map_err(|error| LoadError::Failed(format!("cannot watch connections: {error}")))?;
        let mut sessions = Vec::new();
        for slot in 0..slots {
            let logon = Arc::clone(&workers.logon);
            let connect = move || Link::open(&logon).map_err(|error| error.connecting(&logon));
            let link = unless_stopped(left, connect)?;
            watch(&epoll, &link, slot)
                .map_err(|error| LoadError::Failed(format!("cannot watch: {error}")))?;
            workers.backends.joined(&link);
            sessions.push(Session::new(link, workers.statements.len()));
        }
        let now = now_ns();
        Ok(PostgresLane {
            workers: Arc::clone(workers),
            epoll,
            events: Vec::with_capacity(sessions.len().max(1)),
            sessions,
            room: vec![0; ROOM].into_boxed_slice(),
            out: Vec::with_capacity(512),
            ended: Vec::new(),
            reconnector: None,
            down: 0,
            now,
            next_look: now + WHILE_UP_NS,
        })
    }

    /// A connection is gone: its operation ends as a fault, and another connection is wanted.
    fn lost(&mut self, slot: Slot, words: Cow<'static, str>) -> Result<(), Broken> {
        let Some(session) = place(&mut self.sessions, slot) else { return Ok(()) };
        let Some(link) = session.link.take() else { return Ok(()) };
        self.workers.backends.left(link.process);
        if session.flight.take().is_some() {
            self.ended.push(Done { slot, at_ns: 0, result: Err(words) });
        }
        self.down += 1;
        if self.reconnector.is_none() {
            let started = Reconnector::start(&self.workers.logon);
            let broken = |error| Broken(format!("cannot start a thread to reconnect: {error}"));
            self.reconnector = Some(started.map_err(broken)?);
        }
        if let Some(reconnector) = &self.reconnector {
            reconnector.want(slot);
        }
        Ok(())
    }

    /// Takes connections that came about anew.
    fn reconnected(&mut self) -> Result<(), Broken> {
        while let Some(came) = self.reconnector.as_ref().and_then(Reconnector::came) {
            match came {
                Came::Linked(slot, link) => self.linked(slot, link)?,
                Came::Failed(words) => self.unreachable(&words),
            }
        }
        Ok(())
    }

    fn linked(&mut self, slot: Slot, link: Link) -> Result<(), Broken> {
        let Some(session) = place(&mut self.sessions, slot) else { return Ok(()) };
        let watched = watch(&self.epoll, &link, slot);
        watched.map_err(|error| Broken(format!("cannot watch a connection: {error}")))?;
        self.workers.backends.joined(&link);
        session.relink(link);
        self.down = self.down.saturating_sub(1);
        self.send(slot)
    }

    /// Operations that wait for a connection end when it does not come about.
    fn unreachable(&mut self, words: &str) {
        for (slot, session) in (0..).zip(&mut self.sessions) {
            if session.link.is_none() && session.flight.take().is_some() {
                let words = Cow::Owned(format!("cannot connect: {words}"));
                self.ended.push(Done { slot, at_ns: 0, result: Err(words) });
            }
        }
    }

    #[inline]
    fn send(&mut self, slot: Slot) -> Result<(), Broken> {
        let Some(session) = place(&mut self.sessions, slot) else { return Ok(()) };
        let Err(error) = session.send(&self.workers.statements, &mut self.out) else {
            return Ok(());
        };
        // Nobody takes it any more: what was said before the end tells why.
        match session.hear(&self.workers.statements, &mut self.room, false) {
            Received::Lost(words) => self.lost(slot, words),
            _ => self.lost(slot, PgError::from(error).words()),
        }
    }

    /// Reads what a connection has to say.
    #[inline]
    fn hear(&mut self, slot: Slot, wait: bool) -> Result<(), Broken> {
        let Some(session) = place(&mut self.sessions, slot) else { return Ok(()) };
        match session.hear(&self.workers.statements, &mut self.room, wait) {
            Received::Nothing => {}
            Received::Ended(result) => {
                session.flight = None;
                let result = result.map(|()| self.workers.bytes);
                self.ended.push(Done { slot, at_ns: 0, result });
            }
            Received::Lost(words) => self.lost(slot, words)?,
        }
        Ok(())
    }

    /// Waits until this moment of the clock at most, and reads what arrived.
    fn listen(&mut self, until: u64) -> Result<(), Broken> {
        let span = until.saturating_sub(self.now);
        if self.alone() && span >= WORTH_READING_NS {
            return self.hear(0, true);
        }
        let timeout = Timespec {
            tv_sec: i64::try_from(span / 1_000_000_000).unwrap_or(0),
            tv_nsec: i64::try_from(span % 1_000_000_000).unwrap_or(0),
        };
        self.events.clear();
        let events = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.epoll, events, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Broken(format!("cannot wait for connections: {error}"))),
        }
        for at in 0..self.events.len() {
            let Some(event) = self.events.get(at) else { break };
            let slot = Slot::try_from(event.data.u64()).unwrap_or(Slot::MAX);
            self.hear(slot, false)?;
        }
        Ok(())
    }

    /// Whether there is one connection only, to be waited for by reading it: one call into the
    /// system less.
    fn alone(&self) -> bool {
        matches!(&self.sessions[..], [Session { link: Some(_), flight: Some(_), .. }])
    }

    /// Gives up operations that will not be answered any more.
    fn give_up(&mut self) -> Result<(), Broken> {
        if self.now < self.next_look {
            return Ok(());
        }
        self.next_look = self.now + WHILE_UP_NS;
        let late = |flight: InFlight| self.now.saturating_sub(flight.since_ns) > GIVEN_UP_NS;
        let slots = (0..).zip(&self.sessions);
        let late: Vec<Slot> =
            slots.filter(|(_, s)| s.flight.is_some_and(late)).map(|(slot, _)| slot).collect();
        late.into_iter().try_for_each(|slot| self.lost(slot, Cow::Borrowed("no answer in time")))
    }

    /// Moves what has ended to `done`, with the time it was known.
    fn report(&mut self, done: &mut Vec<Done>) {
        for mut ended in self.ended.drain(..) {
            ended.at_ns = self.now;
            done.push(ended);
        }
    }
}

impl Engine for PostgresLane {
    #[inline]
    fn submit(&mut self, slot: Slot, operation: Operation) -> Result<(), Broken> {
        let Some(session) = place(&mut self.sessions, slot) else {
            return Err(Broken(format!("slot {slot} is not one of this lane")));
        };
        session.flight = Some(InFlight { operation, since_ns: self.now });
        // Without a connection it waits for one.
        self.send(slot)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        let until = match wait {
            Wait::No => 0,
            Wait::One => u64::MAX,
            Wait::Until(moment) => moment,
        };
        self.now = now_ns();
        loop {
            if self.down > 0 {
                self.reconnected()?;
            }
            let longest = if self.down > 0 { WHILE_DOWN_NS } else { WHILE_UP_NS };
            let until = if self.ended.is_empty() { until } else { 0 };
            self.listen(until.min(self.now.saturating_add(longest)))?;
            self.now = now_ns();
            self.give_up()?;
            if !self.ended.is_empty() || self.now >= until {
                self.report(done);
                return Ok(());
            }
        }
    }
}

impl Drop for PostgresLane {
    fn drop(&mut self) {
        let mut goodbye = Vec::new();
        write::terminate(&mut goodbye);
        for link in self.sessions.iter_mut().filter_map(|session| session.link.as_mut()) {
            self.workers.backends.left(link.process);
            let _ = link.stream.write_now(&goodbye);
        }
    }
}

#[inline]
fn place(sessions: &mut [Session], slot: Slot) -> Option<&mut Session> {
    sessions.get_mut(usize::try_from(slot).ok()?)
}

fn watch(epoll: &OwnedFd, link: &Link, slot: Slot) -> rustix::io::Result<()> {
    let data = epoll::EventData::new_u64(slot.into());
    // Notified once of what arrives: an answer is read to its end. Otherwise the kernel would look at
    // each connection once more to find that nothing is left.
    epoll::add(epoll, &link.stream, data, epoll::EventFlags::IN | epoll::EventFlags::ET)
}
