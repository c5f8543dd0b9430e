//! What can be put under load.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// What is put under load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A file or a block device: `file:PATH`, or a path.
    File(PathBuf),
    /// A `PostgreSQL` server: the text after `postgres://` or `postgresql://`, read by the engine.
    Postgres(String),
    /// An Oracle database.
    Oracle(OracleLogon),
    /// A Redis server: the text after `redis://`, read by the engine.
    Redis(String),
    /// A system whose queueing is known, simulated in real time: the text after `sim:`.
    Simulated(String),
}

/// How to log on to Oracle: resolved from an `oracle://` address by the caller.
#[derive(Clone, PartialEq, Eq)]
pub struct OracleLogon {
    /// `host:port/service`, or a connect descriptor.
    pub connect_string: String,
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for OracleLogon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OracleLogon({}@{})", self.user, self.connect_string)
    }
}

/// Why a text is not something to put under load.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The scheme is not known.
    #[error(
        "'{0}' cannot be put under load: give file:PATH, postgres://..., oracle://... or redis://..."
    )]
    Unknown(String),
    /// `oracle://` is resolved by the caller, who knows of wallets and passwords.
    #[error("an oracle:// address is resolved by the caller")]
    Oracle,
}

impl Address {
    /// Reads an address other than `oracle://`.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        if text.starts_with("oracle://") {
            return Err(AddressError::Oracle);
        }
        for scheme in ["postgres://", "postgresql://"] {
            if let Some(rest) = text.strip_prefix(scheme) {
                return Ok(Address::Postgres(rest.to_owned()));
            }
        }
        if let Some(rest) = text.strip_prefix("redis://") {
            return Ok(Address::Redis(rest.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("sim:") {
            return Ok(Address::Simulated(rest.to_owned()));
        }
        let path = text.strip_prefix("file:").unwrap_or(text);
        if path.is_empty() || path.contains("://") {
            return Err(AddressError::Unknown(text.to_owned()));
        }
        Ok(Address::File(PathBuf::from(path)))
    }
}
