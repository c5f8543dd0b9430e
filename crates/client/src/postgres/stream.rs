//! A socket to a server: waited for, or not.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, sockopt};

use super::address::{Logon, Place};
use super::raw;
#[cfg(feature = "tls")]
use super::tls::Tls;
#[cfg(not(feature = "tls"))]
use super::without_tls::Tls;

/// A connection's bytes.
#[derive(Debug)]
pub struct Stream {
    socket: OwnedFd,
    tls: Option<Box<Tls>>,
    /// The port on our side of TCP, by which the server's process can be distinguished from others.
    port: Option<u16>,
    /// Whether the server is on this machine.
    is_local: bool,
}

impl Stream {
    /// Connects. Each address of a host may take `timeout`.
    pub fn connect(place: &Place, timeout: Duration) -> io::Result<Stream> {
        match place {
            Place::Socket(path) => {
                let socket = UnixStream::connect(path)?.into();
                Ok(Stream { socket, tls: None, port: None, is_local: true })
            }
            Place::Host(host, port) => {
                let socket = dial(host, *port, timeout)?;
                let ours = socket.local_addr().ok();
                let port = ours.map(|address| address.port());
                let is_local = match (ours, socket.peer_addr()) {
                    (Some(ours), Ok(theirs)) => {
                        theirs.ip().is_loopback() || ours.ip() == theirs.ip()
                    }
                    _ => false,
                };
                socket.set_nodelay(true)?;
                let socket = OwnedFd::from(socket);
                sockopt::set_socket_keepalive(&socket, true)?;
                Ok(Stream { socket, tls: None, port, is_local })
            }
        }
    }

    /// The port on our side; `None` for a unix socket.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether nobody else can read what is said: it is encrypted, or does not leave this machine.
    pub fn is_private(&self) -> bool {
        self.is_local || self.tls.is_some()
    }

    /// The longest that [`Stream::read`] and [`Stream::write_all`] wait.
    pub fn patience(&self, most: Duration) -> io::Result<()> {
        sockopt::set_socket_timeout(&self.socket, sockopt::Timeout::Recv, Some(most))?;
        Ok(sockopt::set_socket_timeout(&self.socket, sockopt::Timeout::Send, Some(most))?)
    }

    /// Waits for bytes; 0 is the end. `WouldBlock` when patience ran out.
    #[inline]
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize, Errno> {
        self.receive(into, RecvFlags::empty())
    }

    /// Takes what has arrived; `Errno::AGAIN` when nothing has.
    #[inline]
    pub fn read_now(&mut self, into: &mut [u8]) -> Result<usize, Errno> {
        self.receive(into, RecvFlags::DONTWAIT)
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
        match &mut self.tls {
            None => raw::receive(self.socket.as_fd(), into, flags),
            Some(tls) => tls.receive(self.socket.as_fd(), into, flags),
        }
    }

    /// Hands over as much as goes without waiting; 0 when nothing does.
    #[inline]
    pub fn write_now(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        let sent = match &mut self.tls {
            None => raw::send(self.socket.as_fd(), bytes, SendFlags::DONTWAIT),
            Some(tls) => tls.send(self.socket.as_fd(), bytes, SendFlags::DONTWAIT),
        };
        if sent == Err(Errno::AGAIN) { Ok(0) } else { sent }
    }

    /// Hands over all bytes, waiting where need be.
    #[inline]
    pub fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), Errno> {
        while !bytes.is_empty() {
            let sent = match &mut self.tls {
                None => raw::send(self.socket.as_fd(), bytes, SendFlags::empty())?,
                Some(tls) => tls.send(self.socket.as_fd(), bytes, SendFlags::empty())?,
            };
            bytes = bytes.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    /// Whether bytes that were taken are still to be sent, as far as that goes without waiting.
    pub fn is_behind(&mut self) -> Result<bool, Errno> {
        match &mut self.tls {
            None => Ok(false),
            Some(tls) => tls.is_behind(self.socket.as_fd()),
        }
    }

    /// From here on everything is encrypted.
    pub fn encrypt(&mut self, logon: &Logon) -> Result<(), String> {
        self.tls = Some(Box::new(Tls::begin(self.socket.as_fd(), logon)?));
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Tries each address of a host.
fn dial(host: &str, port: u16, timeout: Duration) -> io::Result<TcpStream> {
    let mut why = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(socket) => return Ok(socket),
            Err(error) => why = error,
        }
    }
    Err(why)
}
