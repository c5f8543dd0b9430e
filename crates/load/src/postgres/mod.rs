//! `PostgreSQL` under load: the data model of SLOB, single blocks read and changed at random
//! through an index, by prepared statements over connections of our own.

mod data;
mod explained;
mod mistyped;
mod model;
mod run;
mod setup;
mod system;
mod watch;

pub use isotherm_client::postgres::wire::answers;

use std::sync::Arc;
use std::time::Duration;

use explained::Explained;
use isotherm_client::postgres::{address, control};

use crate::engines::{EngineKind, Medium, Target};
use crate::log_on::opening_limit;
use crate::{Hooks, Job, LoadError, System};

pub(crate) static ENGINE: PostgresEngine = PostgresEngine;

pub(crate) struct PostgresEngine;

impl EngineKind for PostgresEngine {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["postgres://", "postgresql://"]
    }

    fn example(&self) -> &'static str {
        "postgres://..."
    }

    fn options(&self) -> &'static [&'static str] {
        &["schemas", "scale", "work-unit", "redo"]
    }

    fn medium(&self) -> Medium {
        Medium::Database
    }

    fn password_variable(&self) -> Option<&'static str> {
        Some("PGPASSWORD")
    }

    fn target(&self, rest: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(Written(rest.to_owned())))
    }

    fn with_password(&self, rest: &str, password: &str) -> String {
        let divider = if rest.contains('?') { '&' } else { '?' };
        format!("{rest}{divider}password={password}")
    }

    fn mistyped(&self, scheme: &str, rest: &str) -> Option<(&'static str, String)> {
        if let Some(meant) = mistyped::from_settings(rest).filter(|_| scheme.is_empty()) {
            return Some(("looks like the connection string of a PostgreSQL client", meant));
        }
        let near = ["postgres", "postgresql", "pg", "psql"].contains(&scheme);
        let rest = rest.trim_start_matches('/');
        let slashes = if rest.contains(['/', '@', ':']) { "//" } else { "///" };
        near.then(|| ("looks like a PostgreSQL database", format!("postgres:{slashes}{rest}")))
    }
}

/// The text of an address.
struct Written(String);

impl Target for Written {
    /// The tables have to be there.
    fn open(&self, job: &Job, hooks: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
        Ok(Box::new(system::open(&self.0, job, hooks)?))
    }

    fn opening_limit(&self) -> Duration {
        opening_limit(setup::logon(&self.0).ok().map(|logon| logon.timeout))
    }

    /// Can be broken off and gone on with.
    fn setup(&self, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        setup::setup(&self.0, job, hooks)
    }

    fn teardown(&self, _: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        setup::teardown(&self.0, hooks)
    }

    fn log_on(&self) -> Result<(), LoadError> {
        let logon = setup::logon(&self.0)?;
        control::Control::open(&logon, None).map(drop).map_err(|error| error.connecting(&logon))
    }

    fn check(&self, _: &Job) -> Result<(), LoadError> {
        setup::logon(&self.0).map(drop)
    }
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
