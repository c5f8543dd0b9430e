//! What goes wrong with a server, as an error of a load.

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::error::PgError;

use crate::LoadError;
use crate::log_on::not_answered;

/// An error of the connection, reported as one of the load.
pub trait Explained {
    /// No connection to a server, and what to do about it.
    fn connecting(&self, to: &Logon) -> LoadError;

    /// Something that was being done on a connection did not work. `grant` is what a user without
    /// the privilege has to be given.
    fn doing(&self, what: &str, grant: &str) -> LoadError;
}

impl Explained for PgError {
    fn connecting(&self, to: &Logon) -> LoadError {
        if matches!(self, PgError::Stopped) {
            return not_answered();
        }
        if matches!(self, PgError::Password) {
            return LoadError::Password(format!("cannot log on to {to}: {self}"));
        }
        let next = match self {
            PgError::Server(fault) if fault.is("53300") => {
                ": have fewer operations in flight, or raise max_connections of the server"
            }
            error => error.next_step(),
        };
        LoadError::Unreachable(format!("cannot log on to {to}: {self}{next}"))
    }

    fn doing(&self, what: &str, grant: &str) -> LoadError {
        match self {
            PgError::Server(fault) if fault.is("42501") => LoadError::Unreachable(format!(
                "{what}: {fault}: have an owner or administrator of the database run: {grant}"
            )),
            PgError::Stopped => {
                LoadError::Failed(format!("{what}: stopped; the same command goes on from here"))
            }
            // What answers is no PostgreSQL, or does not get to an end.
            PgError::Late(_) | PgError::TooLong { .. } | PgError::Wire(_) => {
                LoadError::Unreachable(format!("{what}: {self}"))
            }
            error => LoadError::Failed(format!("{what}: {error}")),
        }
    }
}
