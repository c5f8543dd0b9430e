//! What goes wrong between us and a server, and how it is worded.

use std::io;

use thiserror::Error;

use crate::lost::lost;

/// What a server says when it refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} (error {code})")]
pub struct ServerFault {
    /// The number of the error, such as 1045.
    pub code: u16,
    /// Its words.
    pub message: String,
}

/// What went wrong.
#[derive(Debug, Error)]
pub enum MySqlError {
    /// The server said so.
    #[error("{0}")]
    Server(ServerFault),
    /// The connection did not come about or was lost.
    #[error("{}", lost(.0))]
    Lost(#[from] io::Error),
    /// What came is not the protocol.
    #[error("what answers there does not speak MySQL's protocol: {0}")]
    Wire(&'static str),
    /// An answer is longer than fits here.
    #[error("the answer is longer than {} MiB", most >> 20)]
    TooLong {
        /// How many bytes of memory it may take.
        most: usize,
    },
    /// An answer takes longer than it may.
    #[error("no whole answer within {0} s")]
    Late(u64),
    /// The server wants to be shown something we do not have.
    #[error("{0}")]
    Logon(String),
}

impl MySqlError {
    /// Whether the server refused with one of these numbers.
    pub fn is(&self, codes: &[u16]) -> bool {
        matches!(self, MySqlError::Server(fault) if codes.contains(&fault.code))
    }
}
