//! Bytes in and out of a socket.

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
