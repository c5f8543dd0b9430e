//! A database as something to be opened, set up and taken down.

use isotherm_oracle::client::Logon;

use super::server::{self, Server};
use super::setup;
use crate::engines::Target;
use crate::{Hooks, Job, LoadError, System};

/// A database, by who logs on to it.
pub struct Database(pub Logon);

impl Target for Database {
    /// The tables have to be there.
    fn open(&self, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
        Ok(Box::new(Server::open(&self.0, job, hooks.stop)?))
    }

    /// Can be broken off and gone on with.
    fn setup(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        server::check(job)?;
        setup::make(&self.0, &job.database, hooks)
    }

    fn teardown(&self, _: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        setup::remove(&self.0, hooks)
    }
}
