//! A port that no other test takes.

use std::net::{Ipv4Addr, SocketAddrV4};

use rustix::fd::OwnedFd;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};

/// A port of 127.0.0.1 at which nobody listens. The kernel gives it to nobody else as long as this
/// lives; a server that is told its number, and sets `SO_REUSEADDR` as servers do, can listen there.
pub struct ReservedPort {
    pub number: u16,
    _socket: OwnedFd,
}

impl ReservedPort {
    pub fn new() -> ReservedPort {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        set_socket_reuseaddr(&socket, true).unwrap();
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = SocketAddrV4::try_from(getsockname(&socket).unwrap()).unwrap();
        ReservedPort { number: address.port(), _socket: socket }
    }
}
