//! A proxy on loopback for one connection, which counts what is said.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use isotherm_client::postgres::address::Place;
use isotherm_client::postgres::wire::WireError;

use super::wire::{Counts, Wire};

/// Bytes that are forwarded at once.
const PIECE: usize = 16_384;

/// A listener that forwards the first connection to a server.
#[derive(Debug)]
pub struct Proxy {
    /// The port of loopback that it listens on.
    pub port: u16,
    wire: Arc<Mutex<Wire>>,
    forwarding: Option<JoinHandle<()>>,
}

impl Proxy {
    /// A proxy of the server at this place.
    pub fn start(server: Place) -> io::Result<Proxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let wire = Arc::new(Mutex::new(Wire::default()));
        let shared = Arc::clone(&wire);
        let forwarding = thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            // A connection that fails is seen by the client.
            let _ = forward(&listener, &server, &shared);
        })?;
        Ok(Proxy { port, wire, forwarding: Some(forwarding) })
    }

    /// What was counted so far: with a client that waits for each answer, all that it sent.
    pub fn counts(&self) -> Result<Counts, WireError> {
        locked(&self.wire).counts()
    }
}

impl Drop for Proxy {
    /// After its client: a connection that lasts would be waited for.
    fn drop(&mut self) {
        // Where no client came, this is the one that is waited for; it leaves at once.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        if let Some(forwarding) = self.forwarding.take() {
            // A panic of the thread has been reported by itself.
            let _ = forwarding.join();
        }
    }
}

fn locked(wire: &Mutex<Wire>) -> std::sync::MutexGuard<'_, Wire> {
    wire.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forward(listener: &TcpListener, server: &Place, wire: &Mutex<Wire>) -> io::Result<()> {
    let (client, _) = listener.accept()?;
    client.set_nodelay(true)?;
    match server {
        Place::Socket(path) => relay(&client, &UnixStream::connect(path)?, wire),
        Place::Host(host, port) => {
            let server = TcpStream::connect((host.as_str(), *port))?;
            server.set_nodelay(true)?;
            relay(&client, &server, wire);
        }
    }
    Ok(())
}

/// Forwards both directions until one of them ends.
fn relay<S: Connection + Sync>(client: &TcpStream, server: &S, wire: &Mutex<Wire>)
where
    for<'a> &'a S: Read + Write,
{
    thread::scope(|scope| {
        scope.spawn(|| {
            pump::<TcpStream, S>(client, server, |bytes| locked(wire).client_says(bytes));
        });
        pump::<S, TcpStream>(server, client, |bytes| locked(wire).server_says(bytes));
    });
}

/// A connection that can be ended while somebody reads from it.
trait Connection {
    fn end(&self);
}

impl Connection for TcpStream {
    fn end(&self) {
        // It may have ended already.
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Connection for UnixStream {
    fn end(&self) {
        // It may have ended already.
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// Forwards one direction until it ends. Bytes are counted before they are forwarded: who has an
/// answer finds it counted.
fn pump<A: Connection, B: Connection>(from: &A, to: &B, mut count: impl FnMut(&[u8]))
where
    for<'a> &'a A: Read,
    for<'a> &'a B: Write,
{
    let (mut reader, mut writer) = (from, to);
    let mut piece = [0; PIECE];
    loop {
        let bytes = match reader.read(&mut piece) {
            Ok(read) if read > 0 => piece.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            _ => break,
        };
        count(bytes);
        if writer.write_all(bytes).is_err() {
            break;
        }
    }
    // Ends both directions, and with them the other pump: neither side talks to itself.
    from.end();
    to.end();
}
