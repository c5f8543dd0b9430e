//! Why a probe cannot measure.

use std::io;
use std::path::{Path, PathBuf};

use isotherm_load::file::ScratchError;
use thiserror::Error;

/// Why a probe could not be set up, or not go on.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// An option is out of its range.
    #[error("cannot probe: {0}")]
    Options(&'static str),
    /// There is no scratch file.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// An operation failed.
    #[error(
        "the probe of '{}' failed: {source}: look at the kernel's messages (dmesg) for the \
         device", path.display()
    )]
    Operation {
        /// The path probed.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ProbeError {
    /// Whether the place cannot be probed at all, as against an operation that failed.
    pub(crate) fn is_unreachable(&self) -> bool {
        !matches!(self, ProbeError::Options(_) | ProbeError::Operation { .. })
    }

    pub(crate) fn operation(path: &Path, source: io::Error) -> ProbeError {
        ProbeError::Operation { path: path.to_owned(), source }
    }
}
