//! The counters of reads and writes that a database keeps, by function and by file.

mod counters;
mod feed;
mod iofuncmetric;
mod oracle;
mod postgres;

use isotherm_frame::{IoMetrics, IoTotals};

pub use self::feed::{IoFeed, IoItem};

use self::counters::Counters;
use crate::Address;
use crate::feed::OpenError;
use crate::oracle::OracleAddress;
use crate::postgres::PgAddress;

/// A database whose counters are read.
pub struct IoReader(Box<dyn Counters>);

impl IoReader {
    /// Connects to the database at `address`. What is wrong with the address or the logon is the error.
    pub fn open(address: &Address) -> Result<IoReader, OpenError> {
        let Address::Live(live) = address else { return Err(unknown(address)) };
        if let Some(server) = live.downcast::<OracleAddress>() {
            return Ok(IoReader(oracle::open(server)?));
        }
        let Some(server) = live.downcast::<PgAddress>() else { return Err(unknown(address)) };
        Ok(IoReader(postgres::open(server)?))
    }

    /// The counters as they are now. An error of the server or of the connection is final.
    pub fn read(&mut self) -> Result<IoTotals, OpenError> {
        self.0.read()
    }

    /// The rates by function that the server measured itself in its last interval, about a minute; nothing where
    /// it measures none. After an error the counters can still be read.
    pub fn metrics(&mut self) -> Option<Result<IoMetrics, OpenError>> {
        self.0.metrics()
    }

    /// The statements that are asked at this address, without asking them.
    pub fn statements(address: &Address) -> Result<Vec<String>, OpenError> {
        let Address::Live(live) = address else { return Err(unknown(address)) };
        if let Some(server) = live.downcast::<OracleAddress>() {
            return Ok(oracle::statements(server)?.to_vec());
        }
        let Some(server) = live.downcast::<PgAddress>() else { return Err(unknown(address)) };
        server.only_a_way_in()?;
        Ok(postgres::STATEMENTS.map(str::to_owned).to_vec())
    }
}

fn unknown(address: &Address) -> OpenError {
    OpenError::Option(format!(
        "{address} has no counters of I/O by function and file: name a database, such as \
         postgres://monitor@db1/postgres or oracle://monitor@db1/SALES"
    ))
}
