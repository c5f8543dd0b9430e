//! Bytes in and out of a socket.

use std::io;

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

/// Takes bytes; 0 is the end.
#[inline]
pub fn receive(socket: BorrowedFd<'_>, into: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
    loop {
        match rustix::net::recv(socket, &mut *into, flags) {
            Err(Errno::INTR) => {}
            other => return other.map(|(read, _)| read),
        }
    }
}

/// Hands bytes over; gives how many were taken.
#[inline]
pub fn send(socket: BorrowedFd<'_>, bytes: &[u8], flags: SendFlags) -> Result<usize, Errno> {
    loop {
        match rustix::net::send(socket, bytes, flags | SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

/// A socket as the standard library reads and writes, with the flags of this moment.
#[derive(Debug)]
pub struct Raw<'a> {
    /// The socket.
    pub socket: BorrowedFd<'a>,
    /// How to read.
    pub receive: RecvFlags,
    /// How to write.
    pub send: SendFlags,
}

impl io::Read for Raw<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(receive(self.socket, into, self.receive)?)
    }
}

impl io::Write for Raw<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(self.socket, bytes, self.send)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
