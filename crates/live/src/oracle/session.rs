//! What the collectors need of a connection, whoever holds it: the thin driver or SQL*Plus.

use thiserror::Error;

/// A connection that answers queries.
pub(crate) trait Session: Send {
    /// Runs one SELECT of one text column and hands on its rows in order; NULL is the empty text.
    /// One round trip where `rows` (how many rows are expected) is not exceeded.
    fn lines(
        &mut self,
        sql: &str,
        rows: u32,
        line: &mut dyn FnMut(&str),
    ) -> Result<(), SessionError>;
}

/// Makes connections, again after one was lost.
pub(crate) trait Connect: Send {
    /// Connects, within a deadline of its own.
    fn connect(&mut self) -> Result<Box<dyn Session>, SessionError>;

    /// Whom it connects to, for messages: `user@host:port/service`, never a password.
    fn name(&self) -> &str;
}

/// Why a connection could not be made or did not answer.
#[derive(Debug, Error)]
pub(crate) enum SessionError {
    /// Trying again can help: the network, a restart, a listener that does not know the service
    /// yet. The connection, if there was one, is gone.
    #[error("{0}")]
    Lost(String),
    /// Trying again cannot help: wrong password, locked account, a server the driver cannot talk
    /// to. Says what to do.
    #[error("{0}")]
    Refused(String),
    /// The statement failed and the connection is good: ORA-00942 and its like.
    #[error("{message}")]
    Sql {
        /// The number after `ORA-`.
        code: u32,
        /// What the server said.
        message: String,
    },
}
