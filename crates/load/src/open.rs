//! From an address to a system that can be loaded.

#[cfg(feature = "oracle")]
use crate::oracle;
use crate::{Address, Hooks, Job, LoadError, System, file, postgres, redis, simulated};

/// Opens a system and makes it ready: a file is made where there is none; a database must have
/// been set up.
pub fn open(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    match address {
        Address::File(path) => file::open(path, job, hooks),
        Address::Postgres(text) => postgres::open(text, job, hooks),
        Address::Redis(text) => redis::open(text, job, hooks),
        Address::Simulated(text) => simulated::open(text, job),
        #[cfg(feature = "oracle")]
        Address::Oracle(logon) => oracle::open(logon, job, hooks),
        #[cfg(not(feature = "oracle"))]
        Address::Oracle(_) => Err(without_oracle()),
    }
}

/// Makes what is to be loaded, where that is not done on the way: the tables of a database.
/// Gives what was done, in sentences.
pub fn setup(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    match address {
        Address::Postgres(text) => postgres::setup(text, job, hooks),
        Address::Redis(text) => redis::setup(text, job, hooks),
        Address::File(path) => file::setup(path, job, hooks),
        Address::Simulated(_) => Ok(Vec::new()),
        #[cfg(feature = "oracle")]
        Address::Oracle(logon) => oracle::setup(logon, job, hooks),
        #[cfg(not(feature = "oracle"))]
        Address::Oracle(_) => Err(without_oracle()),
    }
}

/// Takes away what [`setup`] or [`open`] made, and nothing else. Gives what was done, in sentences.
pub fn teardown(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    match address {
        Address::Postgres(text) => postgres::teardown(text, job, hooks),
        Address::Redis(text) => redis::teardown(text, job, hooks),
        Address::File(path) => file::teardown(path, job, hooks),
        Address::Simulated(_) => Ok(Vec::new()),
        #[cfg(feature = "oracle")]
        Address::Oracle(logon) => oracle::teardown(logon, job, hooks),
        #[cfg(not(feature = "oracle"))]
        Address::Oracle(_) => Err(without_oracle()),
    }
}

#[cfg(not(feature = "oracle"))]
fn without_oracle() -> LoadError {
    LoadError::Job("this isotherm was built without the feature 'oracle'".to_owned())
}
