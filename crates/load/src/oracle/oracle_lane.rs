//! A lane: one session, and a thread that waits for it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use isotherm_oracle::client::{ClientError, Logon};

use super::faults::{self, MISSING};
use super::model;
use super::session::{Session, log_on};
use crate::clock::now_ns;
use crate::{Broken, DatabaseOptions, Done, Engine, LoadError, Operation, Slot, Wait};

/// The first wait before connecting again, nanoseconds; doubled each time.
const FIRST_WAIT_NS: u64 = 50_000_000;
/// The longest.
const LONGEST_WAIT_NS: u64 = 2_000_000_000;

/// What all lanes do.
#[derive(Debug)]
pub struct Workers {
    /// Who logs on.
    pub logon: Logon,
    /// The tables and what of them.
    pub options: DatabaseOptions,
    /// For each table, what reads and what changes.
    pub statements: Vec<[String; 2]>,
    /// Operations that one call does: 1, or more where the loop runs in the server.
    pub turns: u32,
    /// Bytes of the blocks that one call visits.
    pub bytes: u32,
}

/// A session, and the operation in flight.
pub struct OracleLane {
    workers: Arc<Workers>,
    session: Option<Session>,
    pending: Option<(Slot, Operation)>,
    /// When to connect again.
    due_ns: u64,
    wait_ns: u64,
    calls: u64,
}

impl OracleLane {
    /// Logs on, unless `left` is set before that.
    pub fn new(
        workers: Arc<Workers>,
        lane: u32,
        left: &AtomicBool,
    ) -> Result<OracleLane, LoadError> {
        let session = Some(log_on(&workers.logon, left)?);
        let calls = u64::from(lane) << 20;
        Ok(OracleLane { workers, session, pending: None, due_ns: 0, wait_ns: FIRST_WAIT_NS, calls })
    }

    /// The session, connected anew if need be.
    fn session(&mut self) -> Result<&mut Session, ClientError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::open(&self.workers.logon)?,
        };
        Ok(self.session.insert(session))
    }

    fn perform(&mut self, operation: Operation) -> Result<u32, Cow<'static, str>> {
        self.calls += 1;
        let (workers, calls) = (Arc::clone(&self.workers), self.calls);
        let performed = match self.session() {
            Ok(session) => perform(session, &workers, operation, calls),
            Err(error) => Err(error),
        };
        match performed {
            Ok(true) => {
                self.wait_ns = FIRST_WAIT_NS;
                Ok(workers.bytes)
            }
            Ok(false) => Err(MISSING.into()),
            Err(error) => {
                self.recover(&error);
                Err(faults::fault(&error))
            }
        }
    }

    /// After an error: nothing stays half done, and a session that is gone is connected anew.
    fn recover(&mut self, error: &ClientError) {
        let rolled_back = match &mut self.session {
            Some(session) if !error.ends_session() => session.rollback().is_ok(),
            _ => false,
        };
        if !rolled_back {
            self.session = None;
            self.due_ns = now_ns().saturating_add(self.wait_ns);
            self.wait_ns = (self.wait_ns * 2).min(LONGEST_WAIT_NS);
        }
    }
}

/// Does an operation. Gives whether all rows were there.
fn perform(
    session: &mut Session,
    workers: &Workers,
    operation: Operation,
    calls: u64,
) -> Result<bool, ClientError> {
    let (table, lo, hi) = model::range(operation, &workers.options);
    let table = usize::try_from(table).unwrap_or(0);
    let writes = operation.kind != 0;
    let Some(sql) = workers.statements.get(table).and_then(|both| both.get(usize::from(writes)))
    else {
        return Ok(false);
    };
    if workers.options.server_loop {
        // A seed that differs each time, of the 31 bits that are taken.
        let seed = (operation.place.wrapping_mul(0x9e37_79b9) ^ calls) & 0x7fff_ffff;
        session.execute(sql, &[&seed])?;
        return Ok(true);
    }
    let rows = if writes {
        let rows = session.execute(sql, &[&lo, &hi])?;
        session.commit()?;
        rows
    } else {
        session.number(sql, &[&lo, &hi])?
    };
    Ok(rows == u64::from(workers.options.work_unit))
}

impl Engine for OracleLane {
    fn submit(&mut self, slot: Slot, operation: Operation) -> Result<(), Broken> {
        match self.pending.replace((slot, operation)) {
            None => Ok(()),
            Some(_) => Err(Broken("a session does one operation at a time".to_owned())),
        }
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        let now = now_ns();
        let ready = if self.session.is_some() { 0 } else { self.due_ns };
        let until = match (wait, self.pending) {
            (Wait::Until(moment), None) => moment,
            (_, None) => return Ok(()),
            (Wait::Until(moment), Some(_)) => ready.min(moment),
            (Wait::One, Some(_)) => ready,
            (Wait::No, Some(_)) => now,
        };
        if until > now {
            thread::sleep(Duration::from_nanos(until - now));
        }
        if now_ns() >= ready
            && let Some((slot, operation)) = self.pending.take()
        {
            let result = self.perform(operation);
            done.push(Done { slot, at_ns: now_ns(), result });
        }
        Ok(())
    }
}
