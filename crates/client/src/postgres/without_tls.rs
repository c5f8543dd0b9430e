//! TLS in a build without it: there is none.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use super::address::Logon;

/// Never made.
#[derive(Debug)]
pub enum Tls {}

impl Tls {
    /// Says that this build has none.
    pub fn begin(_socket: BorrowedFd<'_>, _logon: &Logon) -> Result<Tls, String> {
        Err("this isotherm was built without the feature 'tls'".to_owned())
    }

    /// Never called.
    pub fn receive(
        &mut self,
        _socket: BorrowedFd<'_>,
        _into: &mut [u8],
        _flags: RecvFlags,
    ) -> Result<usize, Errno> {
        match *self {}
    }

    /// Never called.
    pub fn send(
        &mut self,
        _socket: BorrowedFd<'_>,
        _bytes: &[u8],
        _flags: SendFlags,
    ) -> Result<usize, Errno> {
        match *self {}
    }

    /// Never called.
    pub fn is_behind(&mut self, _socket: BorrowedFd<'_>) -> Result<bool, Errno> {
        match *self {}
    }
}
