//! One connection of a lane, and the operation in flight on it.

use std::borrow::Cow;
use std::time::Duration;

use rustix::io::Errno;

use super::super::model;
use super::statements::Statements;
use crate::Operation;
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::stream::Stream;
use isotherm_client::postgres::talk::Talk;
use isotherm_client::postgres::wire::{Answer, Fed};

/// The longest a single read or write of a blocking kind waits.
const GLANCE: Duration = Duration::from_millis(50);
/// The longest a session may take to be set up once it is logged on.
const SETTING_UP: Duration = Duration::from_secs(10);

/// A connection ready for statements.
#[derive(Debug)]
pub struct Link {
    pub stream: Stream,
    /// The server's process.
    pub process: i32,
}

impl Link {
    /// Connects, logs on and sets what every session sets.
    pub fn open(logon: &Logon) -> Result<Link, PgError> {
        let mut control = Control::over(Talk::open(logon)?, logon, SETTING_UP);
        control.rows(model::SESSION)?;
        let talk = control.into_talk();
        let process = talk.process;
        let stream = talk.into_stream();
        stream.patience(GLANCE)?;
        Ok(Link { stream, process })
    }
}

/// An operation that has not ended.
#[derive(Copy, Clone, Debug)]
pub struct InFlight {
    pub operation: Operation,
    /// When it was submitted, as exactly as the lane looked at the clock.
    pub since_ns: u64,
}

/// A slot of a lane.
#[derive(Debug)]
pub struct Session {
    /// The connection; `None` while there is none.
    pub link: Option<Link>,
    pub flight: Option<InFlight>,
    answer: Answer,
    /// Which statements the server has prepared on this connection.
    prepared: Vec<bool>,
}

/// What became of bytes that arrived.
#[derive(Debug)]
pub enum Received {
    /// The answer is not complete.
    Nothing,
    /// The operation ended: well, or with a fault.
    Ended(Result<(), Cow<'static, str>>),
    /// The connection is gone.
    Lost(Cow<'static, str>),
}

impl Session {
    /// A slot with its connection.
    pub fn new(link: Link, statements: usize) -> Session {
        Session {
            link: Some(link),
            flight: None,
            answer: Answer::default(),
            prepared: vec![false; statements],
        }
    }

    /// A new connection for a slot that lost its own.
    pub fn relink(&mut self, link: Link) {
        self.link = Some(link);
        self.answer.clear();
        self.prepared.fill(false);
    }

    /// Sends the operation in flight.
    #[inline]
    pub fn send(&mut self, statements: &Statements, room: &mut Vec<u8>) -> Result<(), Errno> {
        let (Some(flight), Some(link)) = (&self.flight, &mut self.link) else { return Ok(()) };
        let which = statements.which(flight.operation);
        let prepared = self.prepared.get(which).copied().unwrap_or(false);
        statements.fill(room, flight.operation, prepared);
        link.stream.write_all(room)
    }

    /// Takes what has arrived; waits for it a little if `wait`.
    #[inline]
    pub fn hear(&mut self, statements: &Statements, room: &mut [u8], mut wait: bool) -> Received {
        let Some(link) = &mut self.link else { return Received::Nothing };
        loop {
            let read = if wait { link.stream.read(room) } else { link.stream.read_now(room) };
            wait = false;
            let bytes = match read {
                Err(Errno::AGAIN) => return Received::Nothing,
                Err(error) => return Received::Lost(self.last_words(error.into())),
                Ok(0) => {
                    let end = std::io::ErrorKind::UnexpectedEof.into();
                    return Received::Lost(self.last_words(end));
                }
                Ok(read) => room.get(..read).unwrap_or_default(),
            };
            match self.answer.feed(bytes) {
                Err(error) => return Received::Lost(PgError::from(error).words()),
                Ok(Fed::Ready { used }) if self.flight.is_some() => {
                    let ended = self.end(statements);
                    if self.after(bytes.get(used..).unwrap_or_default()) {
                        return Received::Ended(ended);
                    }
                    return Received::Lost(Cow::Borrowed(UNASKED));
                }
                Ok(Fed::Ready { .. }) => return Received::Lost(Cow::Borrowed(UNASKED)),
                Ok(Fed::More) => {}
            }
        }
    }

    /// What the server says after an answer: notices, or why it is about to close the connection.
    /// False if it is one more answer.
    #[inline]
    fn after(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty() || matches!(self.answer.feed(bytes), Ok(Fed::More))
    }

    /// Why the connection is gone: what the server said before, if it said anything.
    fn last_words(&mut self, error: std::io::Error) -> Cow<'static, str> {
        match self.answer.fault.take() {
            Some(fault) => fault.words(),
            None => PgError::Lost(error).words(),
        }
    }

    /// The answer is complete.
    #[inline]
    fn end(&mut self, statements: &Statements) -> Result<(), Cow<'static, str>> {
        let kind = self.flight.map_or(0, |flight| flight.operation.kind);
        let ended = match &self.answer.fault {
            Some(fault) => Err(fault.words()),
            None if statements.right(kind, &self.answer) => Ok(()),
            None => Err(Cow::Borrowed(FEWER)),
        };
        if self.answer.prepared || self.answer.fault.is_some() {
            self.note_prepared(statements);
        }
        self.answer.clear();
        ended
    }

    fn note_prepared(&mut self, statements: &Statements) {
        let Some(flight) = self.flight else { return };
        let gone = self.answer.fault.as_ref().is_some_and(|fault| fault.is("26000"));
        if let Some(prepared) = self.prepared.get_mut(statements.which(flight.operation)) {
            *prepared = (*prepared || self.answer.prepared) && !gone;
        }
    }
}

/// More or fewer rows than the work unit.
const FEWER: &str = "not all rows of a work unit were there";
/// Bytes after the end of an answer.
const UNASKED: &str = "an answer to nothing that was asked";
