//! A session: the driver, kept at arm's length.

use std::mem::ManuallyDrop;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use oracledb::{Config, Connection, Error, ToDbValue};

use super::contained::shelter;
use super::trouble::{PATIENCE, Trouble};
use crate::OracleLogon;

/// How long connecting may take.
const CONNECTING: Duration = Duration::from_secs(15);
/// What V$SESSION shows as PROGRAM and MODULE.
const PROGRAM: &str = "isotherm";

/// A value of a statement.
pub type Bound<'a> = &'a dyn ToDbValue;

/// A session.
pub struct Session {
    /// Given up without being closed once the driver has panicked: closing would panic again.
    connection: ManuallyDrop<Connection>,
    is_sound: bool,
}

impl Session {
    /// Logs on. The driver waits forever for a server that says nothing: so it is waited for by
    /// a thread that is left behind.
    pub fn open(logon: &OracleLogon) -> Result<Session, Trouble> {
        if std::env::var_os("RSO_DEBUG_PACKETS").is_some() {
            return Err(Trouble::Broken(
                "RSO_DEBUG_PACKETS is set, with which the driver prints every packet, passwords \
                 among them: unset it"
                    .to_owned(),
            ));
        }
        let (sender, receiver) = channel();
        let logon = logon.clone();
        let thread = thread::Builder::new().name("oracle logon".to_owned());
        let spawned = thread.spawn(move || {
            // Nobody listens any more when it took too long.
            let _ = sender.send(sheltered(|| connect(&logon)));
        });
        spawned.map_err(|error| Trouble::Broken(format!("cannot start a thread: {error}")))?;
        match receiver.recv_timeout(CONNECTING) {
            Ok(connected) => {
                let connection = ManuallyDrop::new(connected?);
                Ok(Session { connection, is_sound: true })
            }
            Err(RecvTimeoutError::Timeout) => Err(Trouble::Broken(format!(
                "not connected within {} seconds: is an Oracle listener there?",
                CONNECTING.as_secs()
            ))),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Trouble::Broken("the driver gave up connecting".to_owned()))
            }
        }
    }

    /// The values of a column of texts.
    pub fn lines(&mut self, sql: &str, bound: &[Bound]) -> Result<Vec<String>, Trouble> {
        self.call(|connection| {
            let mut lines = Vec::new();
            for row in connection.query(sql, bound)? {
                lines.push(row?.get::<Option<String>>(0)?.unwrap_or_default());
            }
            Ok(lines)
        })
    }

    /// One number, in one round trip.
    pub fn number(&mut self, sql: &str, bound: &[Bound]) -> Result<u64, Trouble> {
        self.call(|connection| {
            // One row and no question for more: at the end of rows the driver closes the cursor,
            // and the statement would have to be parsed anew each time.
            let statement = connection.statement(sql)?.prefetch_rows(1).build()?;
            statement.query_row(bound)?.get::<u64>(0)
        })
    }

    /// How many rows were changed.
    pub fn execute(&mut self, sql: &str, bound: &[Bound]) -> Result<u64, Trouble> {
        self.call(|connection| Ok(connection.execute(sql, bound)?.rows_affected()))
    }

    /// Makes changes last.
    pub fn commit(&mut self) -> Result<(), Trouble> {
        self.call(Connection::commit)
    }

    /// Takes changes back.
    pub fn rollback(&mut self) -> Result<(), Trouble> {
        self.call(Connection::rollback)
    }

    fn call<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Trouble> {
        let Session { connection, is_sound } = self;
        *is_sound = false;
        match shelter(|| work(connection)) {
            Ok(result) => {
                *is_sound = true;
                result.map_err(|error| Trouble::of(&error))
            }
            Err(panic) => Err(panicked(&panic)),
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

fn sheltered<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Trouble> {
    match shelter(work) {
        Ok(result) => result.map_err(|error| Trouble::of(&error)),
        Err(panic) => Err(panicked(&panic)),
    }
}

fn panicked(panic: &str) -> Trouble {
    let said = panic.lines().nth(1).unwrap_or_default();
    Trouble::Broken(format!(
        "the driver failed on what the server answered ({said}): is it an Oracle listener, one \
         that does not require native network encryption?"
    ))
}

fn connect(logon: &OracleLogon) -> Result<Connection, Error> {
    let config = Config::default()
        .set_credentials(&logon.user, &logon.password)
        .set_transport_connect_timeout(Some(CONNECTING.mul_f64(0.4)))
        .set_program(PROGRAM)?;
    let connection = oracledb::connect(config.set_connect_string(&logon.connect_string)?)?;
    connection.set_call_timeout(Some(PATIENCE))?;
    connection.set_module(PROGRAM)?;
    Ok(connection)
}
