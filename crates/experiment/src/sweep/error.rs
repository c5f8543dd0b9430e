//! Why a sweep cannot begin or go on.

use std::io;
use std::path::{Path, PathBuf};

use isotherm_load::LoadError;
use thiserror::Error;

use crate::PlanError;
use crate::table::TableError;

/// Why a sweep cannot begin or go on.
#[derive(Debug, Error)]
pub enum SweepError {
    /// The plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The run table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file of the sweep.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is something else.
    #[error("{0} is not empty and holds no sweep: give a directory of its own")]
    NotEmpty(PathBuf),
    /// Somebody else writes there.
    #[error("another isotherm is at work on the sweep in {0}")]
    InUse(PathBuf),
    /// There is nothing to go on with.
    #[error("{0} holds no sweep to go on with: no plan.toml there")]
    Nothing(PathBuf),
    /// The plan is not the one of the directory.
    #[error(
        "{path} holds a sweep with another plan:\n  {}\nuse another directory, or add points with --extend",
        differences.join("\n  ")
    )]
    Changed {
        /// The directory.
        path: PathBuf,
        /// What differs, key by key.
        differences: Vec<String>,
    },
    /// The plan does not only add to the one of the directory.
    #[error("--extend adds points and repeats to a sweep and changes nothing else: {0}")]
    NotExtended(String),
    /// A run of the table is not what the plan says.
    #[error(
        "the run table has '{label}' with another job than the plan: {difference}; plan.toml was changed by hand?"
    )]
    Foreign {
        /// The point.
        label: String,
        /// What differs.
        difference: String,
    },
    /// What is loaded cannot be loaded at all.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// One failure after the other.
    #[error("{runs} runs in a row failed, the last with: {last}")]
    Failing {
        /// How many.
        runs: u32,
        /// The last failure.
        last: LoadError,
    },
}

impl SweepError {
    pub(super) fn io(what: &'static str, path: &Path, source: io::Error) -> SweepError {
        SweepError::Io { what, path: path.to_owned(), source }
    }
}
