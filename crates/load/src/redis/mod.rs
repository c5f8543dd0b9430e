//! Loads a Redis server with a mix of `GET` and `SET`: the simplest real server.
//!
//! Each slot is a connection with one command in flight; the connections of a lane are waited for
//! together (`epoll`) by one thread. Only keys `isotherm:*` that were made here are touched, and
//! they are made on opening where they are not there.

mod connection;
mod facts;
mod info;
mod keys;
mod redis_lane;
mod server;
mod session;
mod setup;
mod target;

pub use isotherm_client::redis::replies;

use std::sync::Arc;

use isotherm_client::redis::{inbox, stream};

use crate::engines::{EngineKind, Medium};
use crate::log_on::unless_stopped;
use crate::{Hooks, Job, LoadError, System};
use server::Server;
use session::Session;
use target::Target;

pub(crate) static ENGINE: RedisEngine = RedisEngine;

pub(crate) struct RedisEngine;

impl EngineKind for RedisEngine {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["redis://"]
    }

    fn example(&self) -> &'static str {
        "redis://..."
    }

    fn options(&self) -> &'static [&'static str] {
        &["scale"]
    }

    fn medium(&self) -> Medium {
        Medium::KeyValue
    }

    fn password_variable(&self) -> Option<&'static str> {
        Some("REDISCLI_AUTH")
    }

    fn target(&self, rest: &str) -> Option<Arc<dyn crate::Target>> {
        Some(Arc::new(Written(rest.to_owned())))
    }

    fn with_password(&self, rest: &str, password: &str) -> String {
        let (before, query) = match rest.split_once('?') {
            Some((before, parameters)) => (before, format!("?{parameters}")),
            None => (rest, String::new()),
        };
        let (user, place) = before.rsplit_once('@').unwrap_or(("", before));
        let user = user.split(':').next().unwrap_or_default();
        format!("{user}:{password}@{place}{query}")
    }

    fn mistyped(&self, scheme: &str, rest: &str) -> Option<(&'static str, String)> {
        let near = ["redis", "rediss"].contains(&scheme);
        let rest = rest.trim_start_matches('/');
        near.then(|| ("looks like a Redis server", format!("redis://{rest}")))
    }
}

/// The text of an address.
struct Written(String);

fn log_on(target: &Target, hooks: &Hooks) -> Result<Session, LoadError> {
    let own = target.clone();
    unless_stopped(hooks.stop, move || Session::open(&own))
}

impl crate::Target for Written {
    /// Keys that are missing are written.
    fn open(&self, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
        let target = target(&self.0, job)?;
        let mut session = log_on(&target, hooks)?;
        setup::ensure(&mut session, &target, hooks, false)?;
        Ok(Box::new(Server::new(target, session, job.work.seed)))
    }

    /// Makes the keys and looks whether each is there. Can be broken off and gone on with.
    fn setup(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        let target = target(&self.0, job)?;
        let mut session = log_on(&target, hooks)?;
        setup::ensure(&mut session, &target, hooks, true)
    }

    fn teardown(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        let target = target(&self.0, job)?;
        let mut session = log_on(&target, hooks)?;
        setup::remove(&mut session, &target, hooks)
    }

    fn log_on(&self) -> Result<(), LoadError> {
        Session::open(&target(&self.0, &Job::default())?).map(drop)
    }

    fn check(&self, job: &Job) -> Result<(), LoadError> {
        target(&self.0, job).map(drop)
    }
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
