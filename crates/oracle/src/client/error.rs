//! What goes wrong, and whether trying again can help.

use std::time::Duration;

use oracledb::Error;
use thiserror::Error as DeriveError;

use super::{Logon, ends_session};

/// Why a connection could not be made, or a statement was not answered.
#[derive(Clone, Debug, PartialEq, Eq, DeriveError)]
#[error("{message}")]
pub struct ClientError {
    /// What it means for the session.
    pub kind: ErrorKind,
    /// The number after `ORA-`, where the server or its listener gave one.
    pub code: Option<u32>,
    /// What happened and what to do. Of statements the server's own words, of connections with who
    /// and where before them.
    pub message: String,
}

/// What an error means for the session.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is none, and trying again can help: the network, a restart.
    Lost,
    /// There is none, and trying again cannot help: a wrong password, a locked account.
    Refused,
    /// The statement failed and the session is good: ORA-00942 and its like.
    Statement,
    /// The statement took too long and was broken off; the session is good.
    TimedOut,
}

impl ClientError {
    pub(super) fn new(kind: ErrorKind, logon: &Logon, text: &str) -> ClientError {
        ClientError { kind, code: None, message: format!("{}: {text}", logon.target()) }
    }

    /// There is no session, while another one may be had later.
    pub fn lost(logon: &Logon, text: &str) -> ClientError {
        ClientError::new(ErrorKind::Lost, logon, text)
    }

    pub(super) fn with_code(self, code: u32) -> ClientError {
        ClientError { code: Some(code), ..self }
    }

    /// Why a statement was not answered, where a call may take so long.
    pub fn of_statement(logon: &Logon, error: &Error, call: Duration) -> ClientError {
        let lost = |text: &str| ClientError::lost(logon, text);
        match error.kind() {
            oracledb::ErrorKind::DbError(server) => {
                let code = code(server.code());
                if ends_session(code) {
                    return lost(server.message()).with_code(code);
                }
                let message = server.message().to_owned();
                ClientError { kind: ErrorKind::Statement, code: Some(code), message }
            }
            // The server broke the statement off when it was asked to.
            oracledb::ErrorKind::CallTimeoutExceeded => ClientError {
                kind: ErrorKind::TimedOut,
                code: None,
                message: format!("no answer within {call:?}: the query was broken off"),
            },
            oracledb::ErrorKind::UnableToRecover => lost(&format!(
                "no answer within {call:?}, nor to a break: the connection is given up"
            )),
            _ => lost(&plain(error)),
        }
    }

    /// Whether there is no session any more.
    pub fn ends_session(&self) -> bool {
        matches!(self.kind, ErrorKind::Lost | ErrorKind::Refused)
    }
}

pub(super) fn code(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What the driver says, without words that say nothing to a user or differ each time.
pub(super) fn plain(error: &Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("stream operation failed: ").unwrap_or(&text);
    let text = text.strip_prefix("TLS operation failed: ").unwrap_or(text);
    text.split(" (CONNECTION_ID=").next().unwrap_or(text).to_owned()
}
