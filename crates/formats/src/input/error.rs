//! Why bytes could not be read to their end.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Unrecognised;
use crate::DecodeError;

/// Why a file could not be opened, or its bytes not be recognised or decoded.
#[derive(Debug, Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("there is no file '{}'", .0.display())]
    Missing(PathBuf),
    /// A directory is not an input.
    #[error(
        "'{path}' is a directory: name a file in it, or probe:{path} to measure the disk under it",
        path = .0.display()
    )]
    Directory(PathBuf),
    /// The system does not let it be read.
    #[error("cannot read '{}': {source}", path.display())]
    Unreadable {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is nothing in it.
    #[error("'{0}' is empty: there is nothing to read")]
    Empty(String),
    /// It is one of our own recordings, which is opened and not decoded.
    #[error("'{}' is a recording", .0.display())]
    IsRecording(PathBuf),
    /// No decoder knows it.
    #[error(transparent)]
    NotRecognised(#[from] Unrecognised),
    /// The input could not be decoded to its end.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl ReadError {
    /// What the system said about opening `path`, in our words.
    pub fn unreadable(path: &Path, source: io::Error) -> ReadError {
        match source.kind() {
            io::ErrorKind::NotFound => ReadError::Missing(path.to_owned()),
            io::ErrorKind::IsADirectory => ReadError::Directory(path.to_owned()),
            _ => ReadError::Unreadable { path: path.to_owned(), source },
        }
    }

    /// Whether the system does not let it be read.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, ReadError::Unreadable { source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied)
    }
}
