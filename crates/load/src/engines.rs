//! The kinds of systems that load can be made on, and what each says about itself.
//!
//! A kind is registered by one word in `engines!` in `registry.rs`. Which addresses lead to it, the hints
//! for mistyped ones, which options it takes and what its results are called follow from what it
//! says here.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::System;
use crate::fault::LoadError;
use crate::hooks::Hooks;
use crate::job::Job;
use crate::log_on::opening_limit;

/// A kind of system that load can be made on.
pub trait EngineKind: Sync {
    /// What it is called in series, in frames and in the results: `postgres`.
    fn name(&self) -> &'static str;

    /// What its addresses begin with, colon and slashes included, the usual one first.
    fn schemes(&self) -> &'static [&'static str];

    /// An address, for messages: `postgres://...`.
    fn example(&self) -> &'static str;

    /// The options of a job that mean something to it, by the names of their fields.
    fn options(&self) -> &'static [&'static str];

    /// What operations on it read and change.
    fn medium(&self) -> Medium;

    /// The variable of the environment in which the password of such a server is looked for; none
    /// where none is needed.
    fn password_variable(&self) -> Option<&'static str> {
        None
    }

    /// Whether what such a server says of itself is watched beside its load without being asked for.
    fn is_watched_alongside(&self) -> bool {
        false
    }

    /// Whether something has to stand after the scheme.
    fn needs_rest(&self) -> bool {
        false
    }

    /// What the text after the scheme of an address leads to; whatever is wrong with it is said when
    /// it is opened. `None` where the caller has to find out who logs on.
    fn target(&self, rest: &str) -> Option<Arc<dyn Target>>;

    /// The text after the scheme with a password in it.
    fn with_password(&self, rest: &str, password: &str) -> String {
        let _ = password;
        rest.to_owned()
    }

    /// What a text that is no address looks like, and which address is probably meant: what stands
    /// before its first colon, empty if that is no scheme, and what stands after it.
    fn mistyped(&self, scheme: &str, rest: &str) -> Option<(&'static str, String)> {
        let _ = (scheme, rest);
        None
    }
}

/// What operations read and change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Blocks of a file or device: what answers sooner than a device can is a cache.
    Storage,
    /// Rows in tables, some blocks for each operation, behind the server's own cache.
    Database,
    /// Values by their keys, in memory.
    KeyValue,
    /// Nothing: times come from a model.
    Model,
}

/// A system that an address leads to.
pub trait Target: Send + Sync {
    /// Opens it and makes it ready: a file is made where there is none; a database must have been
    /// set up.
    fn open(&self, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError>;

    /// How long [`Target::open`] may take, where it asks a server.
    fn opening_limit(&self) -> Duration {
        opening_limit(None)
    }

    /// Makes what is to be loaded, where that is not done on the way: the tables of a database.
    /// Gives what was done, in sentences.
    fn setup(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        let _ = (job, hooks);
        Ok(Vec::new())
    }

    /// Takes away what [`Target::setup`] or [`Target::open`] made, and nothing else. Gives what was
    /// done, in sentences.
    fn teardown(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        let _ = (job, hooks);
        Ok(Vec::new())
    }

    /// Whether the address and the job make sense, as [`Target::open`] finds before it asks the
    /// system.
    fn check(&self, job: &Job) -> Result<(), LoadError> {
        let _ = job;
        Ok(())
    }

    /// Logs on, and does nothing: whether a password is wanted is found by trying.
    fn log_on(&self) -> Result<(), LoadError> {
        Ok(())
    }

    /// The file or device, where it is one.
    fn path(&self) -> Option<&Path> {
        None
    }
}
