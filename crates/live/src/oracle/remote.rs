//! A connection in a thread of its own, so that a driver that hangs can be left alone.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use isotherm_formats::Message;

use super::answer::Answer;
use super::sample::Looks;
use super::{Connect, Session, SessionError};

/// The near side of the connection.
#[derive(Debug)]
pub(crate) struct Remote {
    asks: SyncSender<Ask>,
    events: Receiver<Event>,
}

/// Wakes whoever waits for an answer.
#[derive(Clone, Debug)]
pub(crate) struct Wake(SyncSender<Event>);

/// What is asked of the connection.
#[derive(Debug)]
enum Ask {
    Connect,
    Lines { sql: String, rows: u32 },
    Look(Box<Looks>),
}

/// What it says.
#[derive(Debug)]
enum Event {
    Stop,
    Connected(Result<(), SessionError>),
    Answered(Result<Answer, SessionError>),
    Messages(Vec<Message>),
    Looked(SessionError),
    /// The last word of the far side.
    Dead,
}

/// Why nothing more can be asked now.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// The user wants no more.
    Stopped,
    /// The driver's thread has ended.
    Dead,
    /// The connection or the statement failed.
    Session(SessionError),
}

impl From<SessionError> for RequestError {
    fn from(error: SessionError) -> RequestError {
        RequestError::Session(error)
    }
}

impl Remote {
    /// Starts the thread, which does nothing until asked.
    pub(crate) fn start(connect: Box<dyn Connect>) -> std::io::Result<(Remote, Wake)> {
        let (asks, asked) = sync_channel(1);
        // A few batches under way: who looks at sessions must not wait for who draws them.
        let (tell, events) = sync_channel(8);
        let wake = Wake(tell.clone());
        let far = Far { connect, session: None, tell };
        // Never waited for: it ends when nobody listens any more, or when its driver gives up.
        let _: JoinHandle<()> = std::thread::Builder::new()
            .name("isotherm-oracle-session".into())
            .spawn(move || far.run(&asked))?;
        Ok((Remote { asks, events }, wake))
    }

    /// Connects, again if need be.
    pub(crate) fn connect(&self) -> Result<(), RequestError> {
        self.ask(Ask::Connect)?;
        loop {
            if let Event::Connected(result) = self.next()? {
                return Ok(result?);
            }
        }
    }

    /// The rows of a SELECT, of which about `rows` are expected.
    pub(crate) fn lines(&self, sql: &str, rows: u32) -> Result<Answer, RequestError> {
        self.ask(Ask::Lines { sql: sql.to_owned(), rows })?;
        loop {
            if let Event::Answered(result) = self.next()? {
                return Ok(result?);
            }
        }
    }

    /// Begins to look at sessions.
    pub(crate) fn begin_looks(&self, looks: Looks) -> Result<(), RequestError> {
        self.ask(Ask::Look(Box::new(looks)))
    }

    /// What was seen since the last call; an error once the connection has failed.
    pub(crate) fn seen(&self) -> Result<Vec<Message>, RequestError> {
        loop {
            match self.next()? {
                Event::Messages(messages) => return Ok(messages),
                Event::Looked(error) => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// Waits, unless the user wants no more.
    pub(crate) fn wait_until(&self, due: Instant) -> Result<(), RequestError> {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Ok(Event::Dead) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(RequestError::Dead);
                }
                Ok(Event::Stop) => return Err(RequestError::Stopped),
                Ok(_) => {}
            }
        }
    }

    fn ask(&self, ask: Ask) -> Result<(), RequestError> {
        self.asks.send(ask).map_err(|_| RequestError::Dead)
    }

    fn next(&self) -> Result<Event, RequestError> {
        match self.events.recv() {
            Ok(Event::Stop) => Err(RequestError::Stopped),
            Ok(Event::Dead) | Err(_) => Err(RequestError::Dead),
            Ok(event) => Ok(event),
        }
    }
}

impl Wake {
    /// Ends the waiting; if that is not needed because events are there to be taken, does nothing.
    pub(crate) fn stop(&self) {
        let _ = self.0.try_send(Event::Stop);
    }
}

/// The far side.
struct Far {
    connect: Box<dyn Connect>,
    session: Option<Box<dyn Session>>,
    tell: SyncSender<Event>,
}

impl Drop for Far {
    /// Also when the driver has panicked: nobody must wait for its answer.
    fn drop(&mut self) {
        let _ = self.tell.send(Event::Dead);
    }
}

impl Far {
    fn run(mut self, asks: &Receiver<Ask>) {
        while let Ok(ask) = asks.recv() {
            let event = match ask {
                Ask::Connect => Event::Connected(self.reconnect()),
                Ask::Lines { sql, rows } => Event::Answered(
                    connected(&mut self.session)
                        .and_then(|session| Answer::to(&sql, rows, session)),
                ),
                Ask::Look(looks) => Event::Looked(self.look(*looks)),
            };
            if self.tell.send(event).is_err() {
                return;
            }
        }
    }

    fn reconnect(&mut self) -> Result<(), SessionError> {
        self.session = None;
        self.session = Some(self.connect.connect()?);
        Ok(())
    }

    fn look(&mut self, mut looks: Looks) -> SessionError {
        let session = match connected(&mut self.session) {
            Ok(session) => session,
            Err(error) => return error,
        };
        let tell = &self.tell;
        let ended =
            looks.run(session, &mut |messages| tell.send(Event::Messages(messages)).is_ok());
        ended.unwrap_or(SessionError::Lost("nobody listens any more".into()))
    }
}

fn connected(session: &mut Option<Box<dyn Session>>) -> Result<&mut dyn Session, SessionError> {
    match session {
        Some(session) => Ok(session.as_mut()),
        None => Err(SessionError::Lost("there is no connection".into())),
    }
}
