//! The network route: the thin driver, in a thread of its own that is waited for only so long.

mod driver;
mod worker;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use isotherm_frame::Nanos;

use super::{Connect, OracleAddress, Route, Session, SessionError};
use isotherm_oracle::client::{ClientError, ErrorKind, Limits, Logon, Secret};
use worker::Worker;

/// How long connecting may take, looking up the name and logging on included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A call may take at least so long.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// So many threads may hang in the driver before no more are started.
const MOST_THREADS: usize = 8;
/// ORA-01013: the statement was broken off.
const BROKEN_OFF: u32 = 1013;

/// Connects over the network.
pub(crate) struct ThinConnect {
    logon: Logon,
    /// `user@database`, for messages.
    target: String,
    limits: Limits,
    /// Whether it was connected once: then an unknown service is one that is not up again yet.
    was_connected: bool,
    /// Threads in the driver that have not ended.
    threads: Arc<AtomicUsize>,
}

impl ThinConnect {
    /// Prepares connections for queries every `interval`. Nothing is sent yet.
    pub(crate) fn new(address: &OracleAddress, password: Secret, interval: Nanos) -> ThinConnect {
        let (user, connect) = match &address.route {
            Route::Thin { user, connect } => (user.clone(), connect.clone()),
            // SQL*Plus has a connector of its own; the driver says that nobody is named.
            Route::SqlPlus { logon } => (String::new(), logon.clone()),
        };
        let interval = Duration::from_nanos(interval.as_nanos());
        let limit = address.options.connect_timeout;
        let limits = Limits {
            connect: limit.map_or(CONNECT_TIMEOUT, |limit| Duration::from_nanos(limit.as_nanos())),
            call: CALL_TIMEOUT.max(interval.saturating_mul(2)),
        };
        let logon = address.logon(&user, &connect, password);
        ThinConnect {
            target: logon.target(),
            logon,
            limits,
            was_connected: false,
            threads: Arc::default(),
        }
    }
}

impl Connect for ThinConnect {
    fn connect(&mut self) -> Result<Box<dyn Session>, SessionError> {
        let hanging = self.threads.load(Ordering::Acquire);
        if hanging >= MOST_THREADS {
            return Err(SessionError::Lost(format!(
                "{}: {hanging} earlier attempts still hang (at most {MOST_THREADS} may): the next \
                 one is made when one of them has ended",
                self.target
            )));
        }
        let worker = Worker::start(&self.logon, self.limits, self.was_connected, &self.threads)?;
        self.was_connected = true;
        Ok(Box::new(worker))
    }

    fn name(&self) -> &str {
        &self.target
    }
}

impl From<ClientError> for SessionError {
    fn from(error: ClientError) -> SessionError {
        let ClientError { kind, code, message } = error;
        match kind {
            ErrorKind::Lost => SessionError::Lost(message),
            ErrorKind::Refused => SessionError::Refused(message),
            ErrorKind::Statement => SessionError::Sql { code: code.unwrap_or(0), message },
            ErrorKind::TimedOut => SessionError::Sql { code: BROKEN_OFF, message },
        }
    }
}
