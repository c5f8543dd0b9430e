//! A lane: connections of one thread, waited for together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;

use super::connection::{Asked, Connection, Ended, lost};
use super::keys::Commands;
use super::stream::{Endpoint, PATIENCE, Stream};
use crate::clock::now_ns;
use crate::{Broken, Done, Engine, Operation, Slot, Wait};

/// Where lanes connect to, and what they say first.
#[derive(Clone, Debug)]
pub struct Door {
    /// Where the server listens.
    pub endpoint: Endpoint,
    /// The greeting, and how many replies it brings.
    pub greeting: (Vec<u8>, usize),
}

/// Connections of one thread.
pub struct RedisLane {
    epoll: OwnedFd,
    connections: Vec<Connection>,
    commands: Commands,
    value_bytes: u32,
    door: Door,
    events: Vec<epoll::Event>,
    /// What has ended and was not reported yet.
    ended: Vec<Done>,
    in_flight: usize,
    /// Connections that are lost or being made, with an operation that waits for them.
    waiting: usize,
    misses: Arc<AtomicU64>,
}

impl RedisLane {
    /// A lane of connections that are logged on. Replies have at most `most` bytes.
    pub fn new(
        streams: Vec<Stream>,
        door: Door,
        (value_bytes, seed): (u32, u64),
        misses: Arc<AtomicU64>,
    ) -> std::io::Result<RedisLane> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let most = value_bytes as usize + (128 << 10);
        let mut connections = Vec::with_capacity(streams.len());
        for (slot, stream) in (0_u64..).zip(streams) {
            stream.never_wait()?;
            let data = epoll::EventData::new_u64(slot);
            epoll::add(&epoll, &stream, data, epoll::EventFlags::IN)?;
            connections.push(Connection::new(stream, most));
        }
        Ok(RedisLane {
            epoll,
            events: Vec::with_capacity(connections.len().clamp(1, 1_024)),
            connections,
            commands: Commands::new(value_bytes, seed),
            value_bytes,
            door,
            ended: Vec::new(),
            in_flight: 0,
            waiting: 0,
            misses,
        })
    }

    fn end(&mut self, slot: usize, result: Ended) {
        self.in_flight -= 1;
        let slot = Slot::try_from(slot).unwrap_or(Slot::MAX);
        self.ended.push(Done { slot, at_ns: now_ns(), result });
    }

    /// The operation of a connection that is of no use any more has failed.
    fn lose(&mut self, slot: usize, words: std::borrow::Cow<'static, str>) {
        let Some(connection) = self.connections.get_mut(slot) else { return };
        // Its due time is kept after a loss, but only while an operation waits does anyone look.
        let waited = connection.due_ns.is_some() && connection.asked.is_some();
        if connection.lose(now_ns()) {
            self.waiting -= usize::from(waited);
            self.end(slot, Err(words));
        }
    }

    /// What happened on one connection.
    fn serve(&mut self, slot: usize, flags: epoll::EventFlags) {
        let Some(connection) = self.connections.get_mut(slot) else { return };
        let was_waiting = connection.due_ns.is_some() && connection.asked.is_some();
        let mut outcome = Ok(None);
        if flags.contains(epoll::EventFlags::OUT) {
            outcome = connection.flush().map(|all| {
                if all && let Some(stream) = &connection.stream {
                    watch(&self.epoll, stream, slot, epoll::EventFlags::IN);
                }
                None
            });
        }
        if outcome.is_ok() && flags.intersects(!epoll::EventFlags::OUT) {
            outcome = connection.receive();
        }
        match outcome {
            Err(words) => self.lose(slot, words),
            Ok(None) => {}
            Ok(Some(result)) => {
                self.waiting -= usize::from(was_waiting);
                if connection.misses > 0 {
                    self.misses
                        .fetch_add(std::mem::take(&mut connection.misses), Ordering::Relaxed);
                }
                let is_out_of_step = connection.is_out_of_step();
                self.end(slot, result);
                if is_out_of_step {
                    self.lose(slot, "a reply that nobody asked for".into());
                }
            }
        }
    }

    /// Connects anew where that is due, gives up where it took too long.
    fn tend(&mut self) {
        let now = now_ns();
        for slot in 0..self.connections.len() {
            let Some(connection) = self.connections.get(slot) else { return };
            let is_due = connection.due_ns.is_some_and(|due| due <= now);
            match (is_due && connection.asked.is_some(), connection.stream.is_some()) {
                (true, true) => self.lose(slot, "connecting took too long".into()),
                (true, false) => self.connect(slot, now),
                _ => {}
            }
        }
    }

    fn connect(&mut self, slot: usize, now: u64) {
        let patience = u64::try_from(PATIENCE.as_nanos()).unwrap_or(u64::MAX);
        match Stream::begin(&self.door.endpoint) {
            Err(error) => self.lose(slot, lost(&error)),
            Ok(stream) => {
                let both = epoll::EventFlags::IN | epoll::EventFlags::OUT;
                let data = epoll::EventData::new_u64(slot as u64);
                if let Err(error) = epoll::add(&self.epoll, &stream, data, both) {
                    self.lose(slot, lost(&error.into()));
                } else if let Some(connection) = self.connections.get_mut(slot) {
                    connection.begin(stream, &self.door.greeting, now.saturating_add(patience));
                }
            }
        }
    }

    /// Until when to wait for the server: none is for as long as it takes.
    fn until(&self, wait: Wait) -> Option<u64> {
        let asked = match wait {
            _ if !self.ended.is_empty() => Some(0),
            Wait::No => Some(0),
            Wait::One => None,
            Wait::Until(moment) => Some(moment),
        };
        if self.waiting == 0 {
            return asked;
        }
        let waits = self.connections.iter().filter(|connection| connection.asked.is_some());
        waits.filter_map(|connection| connection.due_ns).chain(asked).min()
    }

    fn wait(&mut self, until: Option<u64>) -> Result<(), Broken> {
        let left = until.map(|moment| Duration::from_nanos(moment.saturating_sub(now_ns())));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        self.events.clear();
        let room = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.epoll, room, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Broken(format!("waiting for the server: {error}"))),
        }
    }
}

impl Engine for RedisLane {
    fn submit(&mut self, slot: Slot, operation: Operation) -> Result<(), Broken> {
        let index = slot as usize;
        let Some(connection) = self.connections.get_mut(index) else {
            return Err(Broken(format!("there is no slot {slot}")));
        };
        let (asked, command) = match operation.kind {
            0 => (Asked::Get, self.commands.get(operation.place)),
            _ => (Asked::Set(self.value_bytes), self.commands.set(operation.place)),
        };
        connection.asked = Some(asked);
        self.in_flight += 1;
        self.waiting += usize::from(connection.due_ns.is_some());
        match connection.send(command) {
            Ok(true) => {}
            Ok(false) => {
                if let Some(stream) = &connection.stream {
                    let both = epoll::EventFlags::IN | epoll::EventFlags::OUT;
                    watch(&self.epoll, stream, index, both);
                }
            }
            Err(words) => self.lose(index, words),
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        loop {
            if wait == Wait::One && self.in_flight == 0 && self.ended.is_empty() {
                return Ok(());
            }
            self.wait(self.until(wait))?;
            for index in 0..self.events.len() {
                let Some(event) = self.events.get(index) else { break };
                let (flags, data) = (event.flags, event.data);
                self.serve(usize::try_from(data.u64()).unwrap_or(usize::MAX), flags);
            }
            if self.waiting > 0 {
                self.tend();
            }
            let is_over = match wait {
                Wait::No => true,
                Wait::One => false,
                Wait::Until(moment) => now_ns() >= moment,
            };
            if is_over || !self.ended.is_empty() {
                done.append(&mut self.ended);
                return Ok(());
            }
        }
    }
}

/// From now on, notified of these. That fails only for a connection that is gone, which is reported of
/// anyway.
fn watch(epoll: &OwnedFd, stream: &Stream, slot: usize, flags: epoll::EventFlags) {
    let _ = epoll::modify(epoll, stream, epoll::EventData::new_u64(slot as u64), flags);
}
