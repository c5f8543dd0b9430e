//! Loads an Oracle database: the data model of SLOB in our own SQL, through Oracle's thin driver.
//!
//! The driver waits for each answer, so each operation in flight is a session of a thread of its
//! own. A work unit is exactly as many rows, each in a block of its own (SLOB's `WORK_UNIT=64`
//! touches 63). With `server_loop` the loop runs inside the server, as SLOB's does: each call is a
//! block of PL/SQL that does a fixed number of operations, [`KindMeta::places`](crate::KindMeta)
//! counts the rows of all of them, and latencies are those of calls.

mod faults;
mod lane;
mod model;
mod server;
mod session;
mod setup;
mod watch;

use isotherm_oracle::client::Logon;

use crate::{Hooks, Job, LoadError, System};
use server::Server;

/// Opens the database: the tables have to be there.
pub fn open(logon: &Logon, job: &Job, _hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    Ok(Box::new(Server::open(logon, job)?))
}

/// Makes the tables. Can be broken off and gone on with.
pub fn setup(logon: &Logon, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    server::check(job)?;
    setup::make(logon, &job.database, hooks)
}

/// Drops the tables that setup made, and nothing else.
pub fn teardown(logon: &Logon, _job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    setup::remove(logon, hooks)
}
