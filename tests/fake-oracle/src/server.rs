//! The server: a port, and a thread for each connection.

use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use crate::conversation;
use crate::request::Logon;
use crate::room::{Room, lock};
use crate::script::Script;

/// A server on this machine's loopback address. It ends when it is dropped.
pub struct FakeOracle {
    port: u16,
    room: Arc<Room>,
}

impl FakeOracle {
    /// Starts a server on a free port.
    pub fn start(script: Script) -> io::Result<FakeOracle> {
        FakeOracle::start_on(0, script)
    }

    /// Starts a server on this port; 0 is any free one.
    pub fn start_on(port: u16, script: Script) -> io::Result<FakeOracle> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let room = Arc::new(Room::new(script));
        let shared = room.clone();
        thread::Builder::new().name("fake-oracle".to_owned()).spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if shared.closed.load(Ordering::Acquire) {
                    return;
                }
                meet(shared.clone(), stream);
            }
        })?;
        Ok(FakeOracle { port, room })
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> usize {
        lock(&self.room.seen).connections
    }

    /// How many calls were answered, or left without an answer, after logons: a statement with
    /// all its rows is one if the client asked for enough of them at once.
    pub fn round_trips(&self) -> u64 {
        self.room.round_trips.load(Ordering::Acquire)
    }

    /// How many of the statements executed were sent as text, to be parsed, and not as a cursor to
    /// be executed again.
    pub fn parses(&self) -> u64 {
        self.room.parses.load(Ordering::Acquire)
    }

    /// The statements that were executed, in order.
    pub fn statements(&self) -> Vec<String> {
        lock(&self.room.seen).statements.clone()
    }

    /// The values bound to each of them, in order, as they were sent: see
    /// [`whole_number`](crate::whole_number).
    pub fn bound(&self) -> Vec<Vec<Vec<u8>>> {
        lock(&self.room.seen).bound.clone()
    }

    /// Who logged on, in order.
    pub fn logons(&self) -> Vec<Logon> {
        lock(&self.room.seen).logons.clone()
    }

    /// What clients had V$SESSION show: modules, actions and the like, in order.
    pub fn attributes(&self) -> Vec<String> {
        lock(&self.room.seen).attributes.clone()
    }

    /// Breaks every connection there is, as a restart or a firewall does.
    pub fn break_connections(&self) {
        self.room.break_connections();
    }
}

impl Drop for FakeOracle {
    fn drop(&mut self) {
        self.room.closed.store(true, Ordering::Release);
        // Wakes the thread that waits for connections; if it cannot be reached it is gone.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        self.room.break_connections();
    }
}

/// Talks with a client in a thread of its own.
fn meet(room: Arc<Room>, stream: TcpStream) {
    let Ok(handle) = stream.try_clone() else { return };
    room.met(handle);
    // Without a thread the connection is dropped, which a client survives.
    let _ = thread::Builder::new().name("fake-oracle session".to_owned()).spawn(move || {
        // An error is a client that went away, which clients may do at any time.
        let _ = conversation::hold(&stream, &room);
        let _ = stream.shutdown(Shutdown::Both);
    });
}
