//! The history as a feed that ends.

use isotherm_formats::oraclepoll::PollReader;
use isotherm_formats::{Context, DecodeError, Note, Sink};
use isotherm_frame::{Nanos, Place};
use jiff::tz::TimeZone;

use crate::feed::{Ending, FeedError, OpenError, Outbox, Running, now};
use crate::oracle::remote::{Remote, RequestError};
use crate::oracle::{Connect, OracleOptions, PollRequest, Session, SessionError};

use super::{Listener, Plan, Selection, Window};

/// The interval that answers are waited for as if asked at: each may take twice as long.
pub(crate) const PACE: Nanos = Nanos::new(300_000_000_000);

/// Starts to read the history that the options of an address want.
pub(crate) fn start(
    connect: Box<dyn Connect>,
    (wanted, options): (PollRequest, &OracleOptions),
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let plan = plan(wanted, options, context).map_err(OpenError::Option)?;
    let failed = |source| OpenError::NotStarted { program: "a thread".into(), source };
    let (remote, wake) = Remote::start(connect).map_err(failed)?;
    let teller =
        Teller { polls: PollReader::new(context), next: Place::default(), outbox, wrong: None };
    let connection = Connection::over(remote);
    let run = move || teller.run(&plan, connection);
    let worker = std::thread::Builder::new().name("isotherm-history".into()).spawn(run);
    Ok(Running { wake: Box::new(move || wake.stop()), worker: worker.map_err(failed)? })
}

/// What the options want; an error says which of them cannot be.
fn plan(wanted: PollRequest, options: &OracleOptions, context: &Context) -> Result<Plan, String> {
    let zone = context.zone.clone().unwrap_or(TimeZone::UTC);
    let (since, until) = (options.since.as_deref(), options.until.as_deref());
    let window = Window::read(since, until, &zone).map_err(|error| error.to_string())?;
    let PollRequest { events, instances, .. } = wanted;
    let selection = Selection { events, database: options.dbid, instances };
    Ok(Plan { wanted: selection, window, zone, now: now() })
}

/// Tells what is read to the feed.
struct Teller {
    polls: PollReader,
    /// Where the next line is in all that was read.
    next: Place,
    outbox: Outbox,
    /// What made reading impossible.
    wrong: Option<DecodeError>,
}

impl Teller {
    fn run(mut self, plan: &Plan, mut connection: Connection) {
        let outcome = plan.tell(&mut connection, &mut self);
        self.polls.finish(&mut self.outbox);
        let error = match (self.wrong, outcome) {
            _ if connection.stopped => None,
            (Some(wrong), _) => Some(FeedError::Decode(wrong)),
            (None, outcome) => outcome.err().map(|error| FeedError::Server(error.to_string())),
        };
        let status = match &error {
            _ if connection.stopped => "stopped",
            Some(_) => "the history is not whole",
            None => "end of the history",
        };
        self.outbox.end(Ending { error, status: status.into(), stderr_tail: Vec::new() });
    }
}

impl Listener for Teller {
    fn line(&mut self, line: &str) -> bool {
        self.next.line += 1;
        let read = self.polls.line(self.next, line.as_bytes(), &mut self.outbox);
        self.next.byte += line.len() as u64 + 1;
        self.wrong = read.err();
        if line == "." {
            self.outbox.flush();
        }
        self.wrong.is_none() && !self.outbox.stopped().is_set()
    }

    fn say(&mut self, words: String) {
        self.outbox.note(Note::Said(words.into()));
        self.outbox.flush();
    }
}

/// A connection whose answers are whole or not at all, so that a statement can be asked again.
pub(super) struct Connection {
    remote: Remote,
    connected: bool,
    stopped: bool,
}

impl Connection {
    pub(super) fn over(remote: Remote) -> Connection {
        Connection { remote, connected: false, stopped: false }
    }

    fn ask(&mut self, sql: &str, rows: u32) -> Result<String, RequestError> {
        if !self.connected {
            self.remote.connect()?;
            self.connected = true;
        }
        match self.remote.lines(sql, rows) {
            // Once more: a network that drops long connections does so after every pause.
            Err(RequestError::Session(SessionError::Lost(_))) => {
                self.remote.connect()?;
                self.remote.lines(sql, rows).map(|answer| answer.text)
            }
            answer => answer.map(|answer| answer.text),
        }
    }
}

impl Session for Connection {
    fn lines(
        &mut self,
        sql: &str,
        rows: u32,
        line: &mut dyn FnMut(&str),
    ) -> Result<(), SessionError> {
        match self.ask(sql, rows) {
            Ok(text) => {
                text.lines().for_each(line);
                Ok(())
            }
            Err(RequestError::Session(error)) => Err(error),
            Err(RequestError::Dead) => Err(SessionError::Refused("the driver has failed".into())),
            Err(RequestError::Stopped) => {
                self.stopped = true;
                Err(SessionError::Lost("stopped".into()))
            }
        }
    }
}
