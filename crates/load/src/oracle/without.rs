//! What stands for Oracle in a program without its driver.

use isotherm_oracle::client::Logon;

use crate::engines::Target;
use crate::{Hooks, Job, LoadError, System};

/// A database that cannot be reached.
pub struct Database(#[expect(dead_code, reason = "nobody logs on")] pub Logon);

impl Target for Database {
    fn open(&self, _: &Job, _: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
        Err(without_driver())
    }

    fn setup(&self, _: &Job, _: &mut Hooks) -> Result<Vec<String>, LoadError> {
        Err(without_driver())
    }

    fn teardown(&self, _: &Job, _: &mut Hooks) -> Result<Vec<String>, LoadError> {
        Err(without_driver())
    }
}

fn without_driver() -> LoadError {
    LoadError::Job("this isotherm was built without the feature 'oracle'".to_owned())
}
