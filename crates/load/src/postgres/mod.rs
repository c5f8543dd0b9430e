//! `PostgreSQL` under load: the data model of SLOB, single blocks read and changed at random
//! through an index, by prepared statements over connections of our own.
//!
//! The wire protocol is spoken by hand: what an operation needs is one message out and one answer
//! in, and a load generator that needs more CPU than the server it loads measures itself.

mod address;
mod control;
mod data;
mod logon;
mod model;
mod raw;
mod run;
mod said;
mod setup;
mod stream;
mod system;
mod talk;
#[cfg(feature = "tls")]
mod tls;
mod trouble;
mod watch;
mod wire;
#[cfg(not(feature = "tls"))]
mod without_tls;

pub use wire::answers;

use crate::{Hooks, Job, LoadError, System};

/// Opens the system: the tables have to be there.
pub fn open(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    Ok(Box::new(system::open(address, job, hooks)?))
}

/// Makes what is to be loaded. Can be broken off and gone on with.
pub fn setup(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    setup::setup(address, job, hooks)
}

/// Takes away what setup made, and nothing else.
pub fn teardown(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let _ = job;
    setup::teardown(address, hooks)
}

/// Logs on, and does nothing.
pub fn log_on(address: &str) -> Result<(), LoadError> {
    let logon = setup::logon(address)?;
    control::Control::open(&logon, None).map(drop).map_err(|trouble| trouble.connecting(&logon))
}

/// The password that an address holds.
#[cfg(test)]
pub(crate) fn password_of(address: &str) -> Option<String> {
    address::Logon::read(address, &address::Nowhere).ok()?.password
}

/// Reads what is written after `postgres://` and tells what it leads to, without the password;
/// what is not written is not looked for on this machine. For tests that feed anything at all.
pub fn address(text: &str) -> Result<String, String> {
    address::Logon::read(text, &address::Nowhere)
        .map(|logon| logon.to_string())
        .map_err(|error| error.to_string())
}
