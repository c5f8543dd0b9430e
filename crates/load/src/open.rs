//! From an address to a system that can be loaded.

use crate::{Address, Hooks, Job, LoadError, System};

/// Opens a system and makes it ready: a file is made where there is none; a database must have
/// been set up.
pub fn open(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
    address.leads_to().open(job, hooks)
}

/// Whether an address and a job make sense. Nothing is asked of the system.
pub fn check_target(address: &Address, job: &Job) -> Result<(), LoadError> {
    address.leads_to().check(job)
}

/// Makes what is to be loaded, where that is not done on the way: the tables of a database.
/// Gives what was done, in sentences.
pub fn setup(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    address.leads_to().setup(job, hooks)
}

/// Takes away what [`setup`] or [`open`] made, and nothing else. Gives what was done, in sentences.
pub fn teardown(address: &Address, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    address.leads_to().teardown(job, hooks)
}
