//! Why something is not a plan.

use thiserror::Error;

/// Why something is not a plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// The text is not the TOML of a plan; the words name the line and the key.
    #[error("this is not a plan of a sweep: {0}")]
    Toml(String),
    /// The value of a key makes no sense.
    #[error("{key}: {why}")]
    Key {
        /// The key as it is written, with the tables it is in: `job.limit.for`.
        key: &'static str,
        /// What is wrong, and what is allowed.
        why: String,
    },
    /// A variable makes no sense.
    #[error("cannot vary '{text}': {why}")]
    Variable {
        /// The variable as it was given.
        text: String,
        /// What is wrong, and what is allowed.
        why: String,
    },
    /// A stop rule makes no sense.
    #[error("cannot stop when '{text}': {why}")]
    StopRule {
        /// The rule as it was given.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// The file cannot be read.
    #[error("cannot read the plan {path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        why: String,
    },
}

impl PlanError {
    pub(super) fn key(key: &'static str, why: impl Into<String>) -> PlanError {
        PlanError::Key { key, why: why.into() }
    }
}
