//! Reading one request from a connection, in bounded memory and time.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::head::{Head, parse_head};
use super::limits::Limits;
use super::refusal::Refusal;

/// A request: its head, and the part of its body that came along.
pub struct Request {
    /// The head.
    pub head: Head,
    begun: Vec<u8>,
}

/// Reads the head of a request.
pub fn read_request(stream: &mut TcpStream, limits: &Limits) -> Result<Request, Refusal> {
    let deadline = Instant::now() + limits.head_time;
    let mut bytes = Vec::with_capacity(1_024);
    loop {
        if let Some((head, length)) = parse_head(&bytes)? {
            return Ok(Request { head, begun: bytes.split_off(length) });
        }
        if bytes.len() >= limits.head_bytes {
            return Err(Refusal::HeadTooLarge(limits.head_bytes));
        }
        let room = limits.head_bytes - bytes.len();
        read_some(stream, &mut bytes, room, deadline)?;
    }
}

impl Request {
    /// Reads the body, of at most as many bytes as are allowed.
    pub fn body(&mut self, stream: &mut TcpStream, limits: &Limits) -> Result<Vec<u8>, Refusal> {
        let length = self.head.content_length.ok_or(Refusal::NoLength)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > limits.body_bytes {
            return Err(Refusal::BodyTooLarge(limits.body_bytes));
        }
        let deadline = Instant::now() + limits.body_time;
        let mut body = std::mem::take(&mut self.begun);
        while body.len() < length {
            let room = length - body.len();
            read_some(stream, &mut body, room, deadline)?;
        }
        // What follows would be another request: each connection has one.
        body.truncate(length);
        Ok(body)
    }
}

/// Reads at most `room` bytes, or says why not.
fn read_some(
    stream: &mut TcpStream,
    into: &mut Vec<u8>,
    room: usize,
    deadline: Instant,
) -> Result<(), Refusal> {
    let mut some = [0; 4_096];
    let room = room.min(some.len());
    let left = deadline.saturating_duration_since(Instant::now());
    // No time at all would mean no limit.
    if left < Duration::from_millis(1) {
        return Err(Refusal::TooSlow);
    }
    stream.set_read_timeout(Some(left)).map_err(|_| Refusal::Gone)?;
    match stream.read(&mut some[..room]) {
        Ok(0) => Err(Refusal::Gone),
        Ok(read) => {
            into.extend_from_slice(&some[..read]);
            Ok(())
        }
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(Refusal::TooSlow),
            ErrorKind::Interrupted => Ok(()),
            _ => Err(Refusal::Gone),
        },
    }
}
