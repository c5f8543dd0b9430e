//! A session whose messages three count: itself, a proxy, and the server, in its log or in notices.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::AtomicBool;

use isotherm_client::postgres::address::{Logon, Place, TlsMode};
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
    /// The log of a server of the lab's own; another one sends notices.
    log: Option<&'a Log>,
}

impl<'a> Meter<'a> {
    /// Logs on through a proxy.
    pub fn open(server: &'a Server<'_>, stop: &'a AtomicBool) -> Result<Meter<'a>, LabError> {
        let log = server.log();
        let settings = if log.is_some() { server_log::SETTING } else { server_log::NOTICES };
        let direct = server.logon(settings);
        plain(&direct)?;
        let proxy = Proxy::start(direct.place.clone())
            .map_err(|source| LabError::Start { what: "the proxy on loopback", source })?;
        let place = Place::Host(Ipv4Addr::LOCALHOST.to_string(), proxy.port);
        let through = Logon { place, tls: TlsMode::Disable, ..direct };
        let session = Session::open(&through, stop).map_err(|error| match error {
            error if error.is("42501") => LabError::OutOfReach {
                what: "the server's count of messages",
                why: error.to_string(),
                next: "use a superuser",
            },
            error => failed(error),
        })?;
        Ok(Meter { session, proxy, log })
    }

    /// Runs one piece of work and reads the counts of it.
    pub fn read(
        &mut self,
        work: impl FnOnce(&mut Session<'a>) -> Result<(), PgError>,
    ) -> Result<Reading, LabError> {
        let (wire, sent, noticed) = (self.wire()?, self.session.sent, self.session.noticed);
        let length = self.log.map_or(0, Log::length);
        work(&mut self.session).map_err(failed)?;
        // The server logs a message before it answers it.
        let server = match self.log {
            None => self.session.noticed - noticed,
            Some(log) => {
                let log = log.since(length).map_err(|error| LabError::Unreadable {
                    what: "the server's log".to_owned(),
                    why: error.to_string(),
                    next: "set TMPDIR to a directory with room on a disk",
                })?;
                server_log::calls(&log, self.session.process())
            }
        };
        Ok(Reading { wire: self.wire()? - wire, client: self.session.sent - sent, server })
    }

    /// Runs what is not counted.
    pub fn query(&mut self, sql: &str) -> Result<(), LabError> {
        self.session.query(sql).map_err(failed)
    }

    fn wire(&self) -> Result<Counts, LabError> {
        self.proxy.counts().map_err(|error| failed(error.into()))
    }
}

/// Fails unless the messages of a server may be read on their way: unencrypted, on this machine or where the
/// user says so.
fn plain(logon: &Logon) -> Result<(), LabError> {
    let is_here = match &logon.place {
        // Nothing is encrypted there.
        Place::Socket(_) => return Ok(()),
        Place::Host(host, _) => {
            let number: Option<IpAddr> = host.parse().ok();
            host == "localhost" || number.is_some_and(|address| address.is_loopback())
        }
    };
    match logon.tls {
        TlsMode::Disable => Ok(()),
        TlsMode::Prefer if is_here => Ok(()),
        _ => Err(LabError::OutOfReach {
            what: "messages of the protocol",
            why: "the proxy cannot read what is encrypted".to_owned(),
            next: "add ?sslmode=disable to the address where everybody on the way may read the lab's \
                   statements",
        }),
    }
}

#[cfg(test)]
mod tests {
    use isotherm_client::postgres::address::Nowhere;

    use super::*;

    #[test]
    fn messages_are_read_where_they_may_be() {
        for (address, is_readable) in [
            ("postgres@127.0.0.1:5432/a", true),
            ("postgres@localhost/a", true),
            ("postgres@db1/a", false),
            ("postgres@db1/a?sslmode=disable", true),
            ("postgres@127.0.0.1/a?sslmode=require", false),
            ("postgres@/a?host=/run/postgresql", true),
        ] {
            let logon = Logon::read(address, &Nowhere).unwrap();
            assert_eq!(plain(&logon).is_ok(), is_readable, "{address}");
        }
    }
}
