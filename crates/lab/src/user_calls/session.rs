//! A client that counts what it sends.

use std::sync::atomic::{AtomicBool, Ordering};

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::talk::Talk;
use isotherm_client::postgres::wire::write;

use super::calls::Calls;
use super::server_log;

/// The portal that rows are fetched from.
const PORTAL: &str = "c";

/// A connection.
#[derive(Debug)]
pub struct Session<'a> {
    talk: Talk,
    stop: &'a AtomicBool,
    /// What was sent.
    pub sent: Calls,
    /// What the server said it was asked for, in notices.
    pub noticed: Calls,
    /// Rows that came.
    pub rows: u64,
}

impl<'a> Session<'a> {
    /// Logs on.
    pub fn open(logon: &Logon, stop: &'a AtomicBool) -> Result<Session<'a>, PgError> {
        Ok(Session {
            talk: Talk::open(logon)?,
            stop,
            sent: Calls::default(),
            noticed: Calls::default(),
            rows: 0,
        })
    }

    /// The server's process for this session.
    pub fn process(&self) -> i32 {
        self.talk.process
    }

    /// Statements by the simple protocol, in one message.
    pub fn query(&mut self, sql: &str) -> Result<(), PgError> {
        let mut out = Vec::new();
        write::query(&mut out, sql);
        self.sent.queries += 1;
        self.talk.say(&out)?;
        self.answer().map(drop)
    }

    /// One statement, prepared and executed once; all of its rows at once.
    pub fn run(&mut self, sql: &str) -> Result<(), PgError> {
        self.fetch(sql, 0)
    }

    /// The rows of a statement, at most `array` at once; 0 is all of them. Needs a transaction block
    /// where there are more: portals end with their transaction.
    pub fn fetch(&mut self, sql: &str, array: i32) -> Result<(), PgError> {
        let mut out = Vec::new();
        write::parse(&mut out, "", sql);
        self.sent.parses += 1;
        self.bound(out, array)
    }

    /// Prepares a statement once and executes it again and again.
    pub fn repeat(&mut self, sql: &str, times: u64) -> Result<(), PgError> {
        let mut out = Vec::new();
        write::parse(&mut out, "", sql);
        self.sent.parses += 1;
        for _ in 0..times {
            self.bound(std::mem::take(&mut out), 0)?;
        }
        Ok(())
    }

    /// Sends a statement again and again, prepared each time, before it hears any answer.
    pub fn pipeline(&mut self, sql: &str, times: u64) -> Result<(), PgError> {
        let mut out = Vec::new();
        for _ in 0..times {
            write::parse(&mut out, "", sql);
            write::bind(&mut out, "", "");
            write::execute_portal(&mut out, "", 0);
        }
        write::sync(&mut out);
        self.sent.parses += times;
        self.sent.binds += times;
        self.sent.executes += times;
        self.talk.say(&out)?;
        self.answer().map(drop)
    }

    /// Opens the portal and fetches from it until it is empty.
    fn bound(&mut self, mut out: Vec<u8>, array: i32) -> Result<(), PgError> {
        write::bind(&mut out, PORTAL, "");
        self.sent.binds += 1;
        loop {
            write::execute_portal(&mut out, PORTAL, array);
            write::sync(&mut out);
            self.sent.executes += 1;
            self.talk.say(&out)?;
            out.clear();
            if self.answer()? == Portal::Complete {
                break;
            }
        }
        Ok(())
    }

    /// Hears the server out.
    fn answer(&mut self) -> Result<Portal, PgError> {
        let (mut portal, mut fault) = (Portal::Complete, None);
        loop {
            let stop = self.stop;
            let said = self.talk.hear(&mut || {
                if stop.load(Ordering::Relaxed) { Err(PgError::Stopped) } else { Ok(()) }
            })?;
            match said.tag {
                b'D' => self.rows += 1,
                b's' => portal = Portal::Suspended,
                b'N' => server_log::count(&said.fault().message, &mut self.noticed),
                b'E' => fault = Some(PgError::Server(said.fault())),
                b'Z' => break,
                _ => {}
            }
        }
        fault.map_or(Ok(portal), Err)
    }
}

/// Whether a portal may have more rows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Portal {
    Suspended,
    Complete,
}
