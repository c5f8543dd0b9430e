//! Why there is no scratch file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a scratch file could not be set up.
#[derive(Debug, Error)]
pub enum ScratchError {
    /// There is no such directory.
    #[error("cannot probe '{}': there is no such directory", .0.display())]
    Missing(PathBuf),
    /// No scratch file may be created there.
    #[error(
        "cannot probe '{}': no file may be created there ({source}): name a directory you can \
         write to, such as probe:$HOME or probe:/var/tmp", directory.display()
    )]
    Forbidden {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room for the scratch file.
    #[error(
        "cannot probe '{}': the scratch file takes {needed} MiB and only {free} MiB are free: \
         choose a smaller one or another directory", directory.display()
    )]
    NoSpace {
        /// The directory.
        directory: PathBuf,
        /// The size of the scratch file, rounded up to MiB.
        needed: u64,
        /// What is free, in MiB.
        free: u64,
    },
    /// The scratch file could not be written or opened.
    #[error("cannot set up the scratch file in '{}': {source}", directory.display())]
    SetUp {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The device refuses blocks of that size.
    #[error(
        "direct I/O in '{}' refuses blocks of {block} bytes: use a multiple of 4096",
        directory.display()
    )]
    Block {
        /// The directory.
        directory: PathBuf,
        /// The size asked for.
        block: u64,
    },
}

impl ScratchError {
    /// What the system said about creating the scratch file.
    pub(super) fn creation(directory: &Path, source: io::Error) -> ScratchError {
        let directory = directory.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => ScratchError::Missing(directory),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ScratchError::Forbidden { directory, source }
            }
            _ => ScratchError::SetUp { directory, source },
        }
    }
}
