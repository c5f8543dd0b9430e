//! What the connections of a server share: its script, and what clients did.

use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::request::Logon;
use crate::script::Script;

/// What the connections of a server share.
#[derive(Default)]
pub(crate) struct Room {
    pub(crate) script: Script,
    /// Calls answered after the logon; closing a connection is none.
    pub(crate) round_trips: AtomicU64,
    /// Statements that were sent as text to be parsed.
    pub(crate) parses: AtomicU64,
    pub(crate) closed: AtomicBool,
    pub(crate) seen: Mutex<Seen>,
    streams: Mutex<Vec<TcpStream>>,
}

/// What clients did, in order.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) connections: usize,
    pub(crate) statements: Vec<String>,
    pub(crate) bound: Vec<Vec<Vec<u8>>>,
    pub(crate) logons: Vec<Logon>,
    pub(crate) attributes: Vec<String>,
}

impl Room {
    /// Nobody was there yet.
    pub(crate) fn new(script: Script) -> Room {
        Room { script, ..Room::default() }
    }

    /// Counts a connection, which can be broken from now on.
    pub(crate) fn met(&self, stream: TcpStream) {
        lock(&self.streams).push(stream);
        lock(&self.seen).connections += 1;
    }

    pub(crate) fn executed(&self, sql: &str, binds: Vec<Vec<u8>>) {
        let mut seen = lock(&self.seen);
        seen.statements.push(sql.to_owned());
        seen.bound.push(binds);
    }

    pub(crate) fn logged_on(&self, logon: Logon) {
        lock(&self.seen).logons.push(logon);
    }

    pub(crate) fn keep_attributes(&self, attributes: Vec<String>) {
        lock(&self.seen).attributes.extend(attributes);
    }

    /// Breaks every connection there is.
    pub(crate) fn break_connections(&self) {
        for stream in lock(&self.streams).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// What a mutex holds, also after a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
