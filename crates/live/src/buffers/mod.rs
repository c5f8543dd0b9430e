//! What the buffers of a database's cache hold, asked of a server.

mod oracle;
mod postgres;
mod question;
mod server;

use isotherm_formats::BufferContents;

use self::server::BufferServer;
use crate::Address;
use crate::feed::OpenError;
use crate::oracle::OracleAddress;
use crate::postgres::PgAddress;

pub use question::BufferQuestion;

/// A database whose buffers are looked at.
pub struct BufferReader(Box<dyn BufferServer>);

impl BufferReader {
    /// Connects to the database at `address`. What is wrong with the address, the logon or the question
    /// is the error.
    pub fn open(address: &Address, question: BufferQuestion) -> Result<BufferReader, OpenError> {
        let Address::Live(live) = address else { return Err(unknown(address)) };
        if let Some(server) = live.downcast::<OracleAddress>() {
            return Ok(BufferReader(oracle::open(server, question)?));
        }
        let Some(server) = live.downcast::<PgAddress>() else { return Err(unknown(address)) };
        Ok(BufferReader(postgres::open(server, question)?))
    }

    /// The buffers as they are now. An error of the server or of the connection is final.
    pub fn read(&mut self) -> Result<BufferContents, OpenError> {
        self.0.read()
    }

    /// The statements that are asked at this address, without asking them.
    pub fn statements(
        address: &Address,
        question: BufferQuestion,
    ) -> Result<Vec<String>, OpenError> {
        let Address::Live(live) = address else { return Err(unknown(address)) };
        if let Some(server) = live.downcast::<OracleAddress>() {
            return Ok(vec![oracle::statement(server, question)?.to_owned()]);
        }
        let Some(server) = live.downcast::<PgAddress>() else { return Err(unknown(address)) };
        postgres::statements(server, question)
    }
}

fn unknown(address: &Address) -> OpenError {
    OpenError::Option(format!(
        "{address} has no buffers to look at: name a database, such as \
         postgres://monitor@db1/postgres or oracle://monitor@db1/SALES, or a file of V$BH or \
         pg_buffercache as CSV"
    ))
}
