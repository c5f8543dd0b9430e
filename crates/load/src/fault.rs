//! What goes wrong.

use thiserror::Error;

/// A lane that cannot go on. What it measured so far is part of the result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// Why there is no load.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The job makes no sense.
    #[error("{0}")]
    Job(String),
    /// What is to be loaded is not safe to load: it was not made for this.
    #[error("{0}")]
    Unsafe(String),
    /// The system cannot be reached or does not let us in; the words name the privilege missing.
    #[error("{0}")]
    Unreachable(String),
    /// The server wants a password, and none is known.
    #[error("{0}")]
    Password(String),
    /// Something went wrong underway.
    #[error("{0}")]
    Failed(String),
}
