//! A connection to a server, over TCP or a socket in the file system.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::place::Place;

/// How long a server may take to take a connection, or to answer while nothing is measured.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The longest that a whole answer may take, however much the server says meanwhile.
pub const ANSWER: Duration = Duration::from_secs(30);

/// Why a password is not sent.
const CLEAR_TEXT: &str = "the password would be sent in clear text, since isotherm speaks no TLS to Redis: use a \
    tunnel (ssh -L 6379:127.0.0.1:6379 HOST) and redis://127.0.0.1, or, where nobody can listen, add \
    ?clear_text=yes to the address";

/// An address that is resolved, so that connecting again asks no name server.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// TCP.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

/// A connection.
pub enum Stream {
    /// TCP, without Nagle's delay.
    Tcp(TcpStream),
    /// A socket in the file system.
    Unix(UnixStream),
}

impl Stream {
    /// Connects to the first address of `place` that answers, waits for it.
    pub fn connect(place: &Place) -> io::Result<(Stream, Endpoint)> {
        match place {
            Place::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                Ok((Stream::Unix(stream), Endpoint::Unix(path.clone())))
            }
            Place::Tcp { host, port } => {
                let mut failed = io::Error::other("the name has no address");
                for address in (host.as_str(), *port).to_socket_addrs()? {
                    match Stream::connect_tcp(address) {
                        Ok(stream) => return Ok((stream, Endpoint::Tcp(address))),
                        Err(error) => failed = error,
                    }
                }
                Err(failed)
            }
        }
    }

    fn connect_tcp(address: SocketAddr) -> io::Result<Stream> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Stream::Tcp(stream))
    }

    /// Begins to connect. What is written before that is done would block.
    pub fn begin(endpoint: &Endpoint) -> io::Result<Stream> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let open = |family| socket_with(family, SocketType::STREAM, flags, None);
        match endpoint {
            Endpoint::Tcp(address) => {
                let family =
                    if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
                let socket = open(family)?;
                begun(connect(&socket, address))?;
                let stream = TcpStream::from(socket);
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Endpoint::Unix(path) => {
                let socket: OwnedFd = open(AddressFamily::UNIX)?;
                begun(connect(&socket, &SocketAddrUnix::new(path)?))?;
                Ok(Stream::Unix(UnixStream::from(socket)))
            }
        }
    }

    /// From now on nothing waits.
    pub fn never_wait(&self) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.set_nonblocking(true),
            Stream::Unix(stream) => stream.set_nonblocking(true),
        }
    }

    /// Whether a password may be sent, which is always in clear text: to a server on this machine, or where
    /// the address allows it.
    pub fn takes_password(&self, is_allowed: bool) -> Result<(), &'static str> {
        if is_allowed || self.is_local() { Ok(()) } else { Err(CLEAR_TEXT) }
    }

    /// Whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Stream::Unix(_) => true,
            Stream::Tcp(stream) => match (stream.local_addr(), stream.peer_addr()) {
                (Ok(ours), Ok(theirs)) => theirs.ip().is_loopback() || ours.ip() == theirs.ip(),
                _ => false,
            },
        }
    }
}

fn begun(result: Result<(), Errno>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(to),
            Stream::Unix(stream) => stream.read(to),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(from),
            Stream::Unix(stream) => stream.write(from),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Tcp(stream) => stream.as_fd(),
            Stream::Unix(stream) => stream.as_fd(),
        }
    }
}
