//! Not built yet.

use crate::{Hooks, Job, LoadError, System};

/// Opens the system.
pub fn open(
    logon: &crate::OracleLogon,
    job: &Job,
    hooks: &mut Hooks,
) -> Result<Box<dyn System>, LoadError> {
    let _ = (logon, job, &hooks.stop);
    Err(LoadError::Job("not built yet".to_owned()))
}

/// Makes what is to be loaded. Can be broken off and gone on with.
pub fn setup(
    logon: &crate::OracleLogon,
    job: &Job,
    hooks: &mut Hooks,
) -> Result<Vec<String>, LoadError> {
    let _ = (logon, job, &hooks.stop);
    Err(LoadError::Job("not built yet".to_owned()))
}

/// Takes away what setup made, and nothing else.
pub fn teardown(
    logon: &crate::OracleLogon,
    job: &Job,
    hooks: &mut Hooks,
) -> Result<Vec<String>, LoadError> {
    let _ = (logon, job, &hooks.stop);
    Err(LoadError::Job("not built yet".to_owned()))
}
