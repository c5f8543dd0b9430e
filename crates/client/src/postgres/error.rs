//! What goes wrong between us and a server, and how it is worded.

use std::borrow::Cow;
use std::io;

use thiserror::Error;

use super::wire::{ServerFault, WireError};
use crate::lost::lost;

/// What went wrong.
#[derive(Debug, Error)]
pub enum PgError {
    /// The server said so.
    #[error("{0}")]
    Server(ServerFault),
    /// The connection did not come about or was lost.
    #[error("{}", lost(.0))]
    Lost(io::Error),
    /// What came is not the protocol.
    #[error("what answers there does not speak PostgreSQL's protocol: {0}")]
    Wire(#[from] WireError),
    /// The server wants to be shown something we do not have.
    #[error("{0}")]
    Logon(String),
    /// The server wants a password, and none is known.
    #[error("the server wants a password: give it in PGPASSWORD, ~/.pgpass or ?password_file=FILE")]
    Password,
    /// An answer is longer than fits here.
    #[error("the answer is longer than {} MiB", most >> 20)]
    TooLong {
        /// How many bytes it may have.
        most: usize,
    },
    /// It took longer than it may.
    #[error("no answer within {0} s")]
    Late(u64),
    /// We were asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<io::Error> for PgError {
    fn from(error: io::Error) -> PgError {
        PgError::Lost(error)
    }
}

impl From<rustix::io::Errno> for PgError {
    fn from(error: rustix::io::Errno) -> PgError {
        PgError::Lost(error.into())
    }
}

impl PgError {
    /// Words that are the same for the same fault.
    pub fn words(&self) -> Cow<'static, str> {
        match self {
            PgError::Server(fault) => fault.words(),
            PgError::Lost(error) => lost(error),
            PgError::Wire(_) => Cow::Borrowed("an answer that is not PostgreSQL's protocol"),
            PgError::Logon(_) | PgError::Password => {
                Cow::Borrowed("the server did not accept the logon")
            }
            PgError::TooLong { .. } => Cow::Borrowed("an answer that is too long"),
            PgError::Late(_) => Cow::Borrowed("no answer in time"),
            PgError::Stopped => Cow::Borrowed("stopped"),
        }
    }

    /// Whether the server said an error whose code begins so.
    pub fn is(&self, code: &str) -> bool {
        matches!(self, PgError::Server(fault) if fault.is(code))
    }

    /// What to do about a connection that did not come about; begins with a colon.
    pub fn next_step(&self) -> &'static str {
        match self {
            PgError::Server(fault) if fault.is("28P01") => {
                ": give the password in PGPASSWORD, ~/.pgpass or ?password_file=FILE"
            }
            PgError::Server(fault) if fault.is("28") => ": see the server's pg_hba.conf",
            PgError::Server(fault) if fault.is("3D000") => ": create it, or name another one",
            _ => "",
        }
    }
}
