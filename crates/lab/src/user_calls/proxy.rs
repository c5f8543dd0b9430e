//! A proxy on loopback for one connection, which counts what is said.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

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
    /// A proxy of the server on this port of loopback.
    pub fn start(server: u16) -> io::Result<Proxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let wire = Arc::new(Mutex::new(Wire::default()));
        let shared = Arc::clone(&wire);
        let forwarding = thread::Builder::new().name("proxy".to_owned()).spawn(move || {
            // A connection that fails is seen by the client.
            let _ = forward(&listener, server, &shared);
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

fn forward(listener: &TcpListener, server: u16, wire: &Mutex<Wire>) -> io::Result<()> {
    let (client, _) = listener.accept()?;
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    thread::scope(|scope| {
        scope.spawn(|| pump(&client, &server, |bytes| locked(wire).client_says(bytes)));
        pump(&server, &client, |bytes| locked(wire).server_says(bytes));
    });
    Ok(())
}

/// Forwards one direction until it ends. Bytes are counted before they are forwarded: who has an
/// answer finds it counted.
fn pump(mut from: &TcpStream, mut to: &TcpStream, mut count: impl FnMut(&[u8])) {
    let mut piece = [0; PIECE];
    loop {
        let bytes = match from.read(&mut piece) {
            Ok(read) if read > 0 => piece.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            _ => break,
        };
        count(bytes);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    // Ends both directions, and with them the other pump: neither side talks to itself.
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
