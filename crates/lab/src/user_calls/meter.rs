//! A session whose messages three count: itself, a proxy, and the server's log.

use std::sync::atomic::AtomicBool;

use isotherm_client::postgres::address::{Logon, Place};
use isotherm_client::postgres::error::PgError;

use super::calls::Calls;
use super::proxy::Proxy;
use super::server_log;
use super::session::Session;
use super::wire::Counts;
use crate::LabError;
use crate::server::{Log, Server, failed};

/// What the three counted of one piece of work.
#[derive(Copy, Clone, Debug)]
pub struct Reading {
    pub wire: Counts,
    pub client: Calls,
    pub server: Calls,
}

/// A session through the proxy.
#[derive(Debug)]
pub struct Meter<'a> {
    // Before the proxy, which waits for the end of its connection.
    session: Session<'a>,
    proxy: Proxy,
    log: &'a Log,
}

impl<'a> Meter<'a> {
    /// Logs on to a server of the lab's own.
    pub fn open(server: &'a Server<'_>, stop: &'a AtomicBool) -> Result<Meter<'a>, LabError> {
        let direct = server.logon(server_log::SETTING);
        let (Some(log), Place::Host(host, port)) = (server.log(), &direct.place) else {
            return Err(LabError::Unusable {
                why: "the server's log is not at hand".to_owned(),
                next: "leave out --server",
            });
        };
        let proxy = Proxy::start(*port)
            .map_err(|source| LabError::Start { what: "the proxy on loopback", source })?;
        let place = Place::Host(host.clone(), proxy.port);
        let session = Session::open(&Logon { place, ..direct }, stop).map_err(failed)?;
        Ok(Meter { session, proxy, log })
    }

    /// Runs one piece of work and reads the counts of it.
    pub fn read(
        &mut self,
        work: impl FnOnce(&mut Session<'a>) -> Result<(), PgError>,
    ) -> Result<Reading, LabError> {
        let before = (self.wire()?, self.session.sent, self.log.length());
        work(&mut self.session).map_err(failed)?;
        // The server logs a message before it answers it.
        let log = self.log.since(before.2).map_err(|error| LabError::Unreadable {
            what: "the server's log".to_owned(),
            why: error.to_string(),
            next: "set TMPDIR to a directory with room on a disk",
        })?;
        Ok(Reading {
            wire: self.wire()? - before.0,
            client: self.session.sent - before.1,
            server: server_log::calls(&log, self.session.process()),
        })
    }

    /// Runs what is not counted.
    pub fn query(&mut self, sql: &str) -> Result<(), LabError> {
        self.session.query(sql).map_err(failed)
    }

    fn wire(&self) -> Result<Counts, LabError> {
        self.proxy.counts().map_err(|error| failed(error.into()))
    }
}
