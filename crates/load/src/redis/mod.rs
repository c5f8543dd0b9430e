//! Loads a Redis server with a mix of `GET` and `SET`: the simplest real server.
//!
//! Each slot is a connection with one command in flight; the connections of a lane are waited for
//! together (`epoll`) by one thread. Only keys `isotherm:*` that were made here are touched, and
//! they are made on opening where they are not there.

mod connection;
mod facts;
mod inbox;
mod info;
mod keys;
mod lane;
pub mod replies;
mod server;
mod session;
mod setup;
mod stream;
mod target;

use crate::{Hooks, Job, LoadError, System};
use server::Server;
use session::Session;
use target::Target;

/// Opens the server. Keys that are missing are written.
pub fn open(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    let target = target(address, job)?;
    let mut session = Session::open(&target)?;
    setup::ensure(&mut session, &target, hooks, false)?;
    Ok(Box::new(Server::new(target, session, job.work.seed)))
}

/// Makes the keys and looks whether each is there. Can be broken off and gone on with.
pub fn setup(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let target = target(address, job)?;
    setup::ensure(&mut Session::open(&target)?, &target, hooks, true)
}

/// Takes away the keys that were made here, and nothing else.
pub fn teardown(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let target = target(address, job)?;
    setup::remove(&mut Session::open(&target)?, &target, hooks)
}

/// Logs on, and does nothing.
pub fn log_on(address: &str) -> Result<(), LoadError> {
    Session::open(&target(address, &Job::default())?).map(drop)
}

/// The password that an address holds.
#[cfg(test)]
pub(crate) fn password_of(address: &str) -> Option<String> {
    Target::parse(address, None, 1).ok()?.password
}

fn target(address: &str, job: &Job) -> Result<Target, LoadError> {
    let password = std::env::var("REDISCLI_AUTH").ok().filter(|password| !password.is_empty());
    Target::parse(address, password, job.database.scale)
}
