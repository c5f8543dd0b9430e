//! One connection of a lane: at most one operation is in flight on it.

use std::borrow::Cow;
use std::io::{self, Write};

use super::inbox::Inbox;
use super::replies::{Reply, UNASKED, fault};
use super::stream::Stream;

/// How an operation ended, in words if it failed.
pub type Ended = Result<u32, Cow<'static, str>>;

/// The longest wait before connecting again, nanoseconds.
const LONGEST_WAIT_NS: u64 = 1_000_000_000;
/// The first, doubled each time.
const FIRST_WAIT_NS: u64 = 10_000_000;

/// What an operation asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A value.
    Get,
    /// To write one of so many bytes.
    Set(u32),
}

/// One connection.
pub struct Connection {
    /// None while it is lost.
    pub stream: Option<Stream>,
    inbox: Inbox,
    outbox: Vec<u8>,
    sent: usize,
    /// Replies to the greeting that come before the operation's.
    greetings: usize,
    /// The operation in flight.
    pub asked: Option<Asked>,
    /// When to connect again (lost), or to give up connecting (not yet).
    pub due_ns: Option<u64>,
    wait_ns: u64,
    /// Reads that found no value.
    pub misses: u64,
}

impl Connection {
    /// A connection that is logged on.
    pub fn new(stream: Stream, most: usize) -> Connection {
        Connection {
            stream: Some(stream),
            inbox: Inbox::new(most),
            outbox: Vec::new(),
            sent: 0,
            greetings: 0,
            asked: None,
            due_ns: None,
            wait_ns: 0,
            misses: 0,
        }
    }

    /// Sends a command: at once, as far as that goes. Gives whether all of it is sent.
    pub fn send(&mut self, command: &[u8]) -> Result<bool, Cow<'static, str>> {
        let Some(stream) = &mut self.stream else {
            self.outbox.extend_from_slice(command);
            return Ok(false);
        };
        let written = written(stream.write(command))?;
        let rest = command.get(written..).unwrap_or_default();
        self.outbox.extend_from_slice(rest);
        Ok(rest.is_empty())
    }

    /// Sends what is left. Gives whether all of it is sent.
    pub fn flush(&mut self) -> Result<bool, Cow<'static, str>> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        let rest = self.outbox.get(self.sent..).unwrap_or_default();
        if !rest.is_empty() {
            self.sent += written(stream.write(rest))?;
        }
        let all = self.sent >= self.outbox.len();
        if all {
            self.outbox.clear();
            self.sent = 0;
        }
        Ok(all)
    }

    /// Takes what has arrived: how the operation ended, if it has. An error is a connection that
    /// is of no use any more.
    pub fn receive(&mut self) -> Result<Option<Ended>, Cow<'static, str>> {
        let Some(stream) = &mut self.stream else { return Ok(None) };
        match self.inbox.fill(stream) {
            Ok(0) => return Err("connection lost".into()),
            Ok(_) => {}
            Err(error) if is_patience(&error) => return Ok(None),
            Err(error) => return Err(lost(&error)),
        }
        self.replies()
    }

    fn replies(&mut self) -> Result<Option<Ended>, Cow<'static, str>> {
        loop {
            let first = self.inbox.first();
            let first = first.map_err(|_| "what the server sent is not a reply of Redis")?;
            let Some((reply, length)) = first else { return Ok(None) };
            match (self.greetings, self.asked) {
                (0, Some(asked)) => {
                    let result = result(&reply, asked);
                    self.misses += u64::from(reply == Reply::Nil);
                    self.inbox.drop_first(length);
                    (self.asked, self.due_ns, self.wait_ns) = (None, None, 0);
                    return Ok(Some(result));
                }
                (0, None) => return Err(UNASKED.into()),
                _ => {
                    if let Reply::Error(error) = reply {
                        return Err(format!("logging on again: {}", fault(error)).into());
                    }
                    self.greetings -= 1;
                }
            }
            self.inbox.drop_first(length);
        }
    }

    /// Whether more arrived than was asked for: which reply belongs to what can no longer be known.
    pub fn is_out_of_step(&self) -> bool {
        self.asked.is_none() && !self.inbox.is_empty()
    }

    /// The connection is of no use any more: it is tried anew at `due_ns`, at once the first time
    /// and later each time after that. Gives whether an operation was in flight.
    pub fn lose(&mut self, now_ns: u64) -> bool {
        self.stream = None;
        self.inbox.clear();
        self.outbox.clear();
        (self.sent, self.greetings) = (0, 0);
        self.due_ns = Some(now_ns.saturating_add(self.wait_ns));
        self.wait_ns = (self.wait_ns * 2).clamp(FIRST_WAIT_NS, LONGEST_WAIT_NS);
        self.asked.take().is_some()
    }

    /// Goes on with a stream that is being connected: the greeting goes first, then what waits.
    pub fn begin(&mut self, stream: Stream, greeting: &(Vec<u8>, usize), give_up_ns: u64) {
        self.stream = Some(stream);
        self.outbox.splice(0..0, greeting.0.iter().copied());
        self.greetings = greeting.1;
        self.due_ns = Some(give_up_ns);
    }
}

fn result(reply: &Reply, asked: Asked) -> Ended {
    match (reply, asked) {
        (Reply::Bulk(value), Asked::Get) => Ok(u32::try_from(value.len()).unwrap_or(u32::MAX)),
        (Reply::Nil, Asked::Get) => Ok(0),
        (Reply::Simple(_), Asked::Set(bytes)) => Ok(bytes),
        (Reply::Error(error), _) => Err(fault(error)),
        _ => Err("a reply of another kind than was asked for".into()),
    }
}

fn written(result: io::Result<usize>) -> Result<usize, Cow<'static, str>> {
    match result {
        Ok(written) => Ok(written),
        // Also while the connection is being made.
        Err(error) if is_patience(&error) || error.kind() == io::ErrorKind::NotConnected => Ok(0),
        Err(error) => Err(lost(&error)),
    }
}

fn is_patience(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Words for a connection that broke.
pub fn lost(error: &io::Error) -> Cow<'static, str> {
    Cow::Borrowed(match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => "connection refused",
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "connection lost",
        io::ErrorKind::TimedOut => "connecting took too long",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "the server's host cannot be reached"
        }
        _ => "connection broke",
    })
}
