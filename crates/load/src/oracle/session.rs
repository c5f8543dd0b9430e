//! A session: the driver, kept at arm's length.

use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use isotherm_oracle::client::oracledb::{Connection, Error, ToDbValue};
use isotherm_oracle::client::{ClientError, Limits, Logon, connect, no_answer, panicked, shelter};

use super::faults::{CALL_LIMIT, connecting};
use crate::LoadError;
use crate::log_on::unless_stopped;

/// How long things may take.
const LIMITS: Limits = Limits { connect: Duration::from_secs(15), call: CALL_LIMIT };

/// A value of a statement.
pub type Bound<'a> = &'a dyn ToDbValue;

/// Logs on, and leaves a server that has not answered when we are asked to stop.
pub fn log_on(logon: &Logon, stop: &AtomicBool) -> Result<Session, LoadError> {
    let own = logon.clone();
    unless_stopped(stop, move || Session::open(&own).map_err(|error| connecting(&error)))
}

/// A session.
pub struct Session {
    /// Given up without being closed once the driver has panicked: closing would panic again.
    connection: ManuallyDrop<Connection>,
    is_sound: bool,
    logon: Logon,
}

impl Session {
    /// Logs on. The driver waits forever for a server that says nothing: so it is waited for by
    /// a thread that is left behind.
    pub fn open(logon: &Logon) -> Result<Session, ClientError> {
        let failed = |text: &str| ClientError::lost(logon, text);
        let (sender, receiver) = channel();
        let own = logon.clone();
        let thread = thread::Builder::new().name("oracle logon".to_owned());
        let spawned = thread.spawn(move || {
            // Nobody listens any more when it took too long.
            let _ = sender.send(connect(&own, LIMITS, false));
        });
        spawned.map_err(|error| failed(&format!("cannot start a thread: {error}")))?;
        match receiver.recv_timeout(LIMITS.connect) {
            Ok(connected) => {
                let connection = ManuallyDrop::new(connected?);
                Ok(Session { connection, is_sound: true, logon: logon.clone() })
            }
            Err(RecvTimeoutError::Timeout) => Err(no_answer(logon, LIMITS.connect)),
            Err(RecvTimeoutError::Disconnected) => Err(failed("the driver gave up connecting")),
        }
    }

    /// The values of a column of texts.
    pub fn lines(&mut self, sql: &str, bound: &[Bound]) -> Result<Vec<String>, ClientError> {
        self.call(|connection| {
            let mut lines = Vec::new();
            for row in connection.query(sql, bound)? {
                lines.push(row?.get::<Option<String>>(0)?.unwrap_or_default());
            }
            Ok(lines)
        })
    }

    /// One number, in one round trip.
    pub fn number(&mut self, sql: &str, bound: &[Bound]) -> Result<u64, ClientError> {
        self.call(|connection| {
            // One row and no question for more: at the end of rows the driver closes the cursor,
            // and the statement would have to be parsed anew each time.
            let statement = connection.statement(sql)?.prefetch_rows(1).build()?;
            statement.query_row(bound)?.get::<u64>(0)
        })
    }

    /// How many rows were changed.
    pub fn execute(&mut self, sql: &str, bound: &[Bound]) -> Result<u64, ClientError> {
        self.call(|connection| Ok(connection.execute(sql, bound)?.rows_affected()))
    }

    /// Makes changes last.
    pub fn commit(&mut self) -> Result<(), ClientError> {
        self.call(Connection::commit)
    }

    /// Takes changes back.
    pub fn rollback(&mut self) -> Result<(), ClientError> {
        self.call(Connection::rollback)
    }

    fn call<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, ClientError> {
        let Session { connection, is_sound, logon } = self;
        *is_sound = false;
        match shelter(|| work(connection)) {
            Ok(result) => {
                *is_sound = true;
                result.map_err(|error| ClientError::of_statement(logon, &error, LIMITS.call))
            }
            Err(panic) => Err(panicked(logon, &panic)),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.is_sound {
            let connection = &mut self.connection;
            let _ = shelter(|| connection.close());
        }
    }
}
