//! Why a text is not an address.

use thiserror::Error;

use crate::oracle::address_error::OracleAddressError;

/// Why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// There is nothing.
    #[error("the source is empty: name a file, '-' for standard input, or probe:. for this disk")]
    Empty,
    /// The scheme is known and nothing follows it.
    #[error("'{scheme}:' needs {what}, such as {example}")]
    Incomplete {
        /// The scheme.
        scheme: &'static str,
        /// What is missing.
        what: &'static str,
        /// A whole address.
        example: &'static str,
    },
    /// The scheme is meant to come and is not there yet.
    #[error(
        "{scheme}:// is not in this version: what a client prints can be read from a file, \
         '-' or cmd:'...' (isotherm sources lists the formats)"
    )]
    NotYet {
        /// The scheme.
        scheme: String,
    },
    /// It is not an Oracle database's.
    #[error(transparent)]
    Oracle(#[from] OracleAddressError),
    /// It is not that of a page of metrics or of Prometheus.
    #[error("'{address}': {why}")]
    Http {
        /// The address, without a password.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// It is not that of one of our tracing programs.
    #[error("{0}")]
    Traced(String),
    /// It is not that of a `PostgreSQL` database.
    #[error("{0}")]
    Postgres(String),
    /// It is not that of a `MySQL` or `MariaDB` server.
    #[error("{0}")]
    MySql(String),
    /// It is not that of a Redis server.
    #[error("{0}")]
    Redis(String),
    /// It can be put under load, and not watched.
    #[error(
        "'{text}' can be loaded, not watched: use isotherm stress {text} (there are sources {known}; a \
         file of that name is written './{text}')"
    )]
    OnlyLoaded {
        /// The whole text.
        text: String,
        /// The schemes of what can be watched, in words.
        known: String,
    },
    /// No such scheme.
    #[error(
        "there is no source '{scheme}:'{} (there are {known}; a file of that name is written \
         './{text}')",
        hint(near)
    )]
    Unknown {
        /// What stood before the colon.
        scheme: String,
        /// The whole text.
        text: String,
        /// The schemes there are, in words.
        known: String,
        /// Schemes it may have been meant to be.
        near: Vec<&'static str>,
    },
}

fn hint(near: &[&str]) -> String {
    if near.is_empty() {
        return String::new();
    }
    let names: Vec<String> = near.iter().map(|name| format!("{name}:")).collect();
    format!("; did you mean {}?", names.join(" or "))
}
