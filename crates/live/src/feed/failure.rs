//! Why a source could not be opened, and why it ended.

use std::io;
use std::path::Path;

use isotherm_formats::{DecodeError, ReadError, Unrecognised};
use thiserror::Error;

use crate::{PasswordError, ProbeError};

/// Why a source could not be opened or an input not be read.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The bytes could not be opened, recognised or decoded.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The address is not that of bytes which could be read to their end.
    #[error("'{0}' never ends: use it with live or record")]
    Endless(String),
    /// A program that is needed is not there.
    #[error("{needed_by} needs {program}, which is not installed: {install}")]
    ProgramMissing {
        /// The address.
        needed_by: String,
        /// The program.
        program: String,
        /// How to install it.
        install: &'static str,
    },
    /// The user may not do this.
    #[error("{needed_by} needs {privilege}: run {command}")]
    Privilege {
        /// The address.
        needed_by: String,
        /// The privilege.
        privilege: &'static str,
        /// The command that has it.
        command: String,
    },
    /// The machine is not set up for it.
    #[error("{needed_by} needs {what}: {remedy}")]
    NotReady {
        /// The address.
        needed_by: String,
        /// What is missing.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// There is no such block device, or its requests cannot be seen.
    #[error("{0}")]
    Device(String),
    /// A program or thread could not be started.
    #[error("cannot start '{program}': {source}")]
    NotStarted {
        /// What was to be run.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The probe could not be set up.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// There is no password for a database.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// An option of the address cannot be.
    #[error("{0}")]
    Option(String),
    /// A database server could not be reached, or does not let the user in or read; with what to
    /// do about it.
    #[error("{0}")]
    Server(String),
    /// We were asked to stop before a server had answered.
    #[error("{0}: stopped before the server had answered")]
    Stopped(String),
    /// A source that was to be read to its end did not come to it.
    #[error(transparent)]
    Ended(#[from] FeedError),
}

impl OpenError {
    /// Whether the source is not to be reached at all: a program, privilege or device is missing.
    pub fn is_unreachable(&self) -> bool {
        match self {
            OpenError::ProgramMissing { .. }
            | OpenError::Privilege { .. }
            | OpenError::NotReady { .. }
            | OpenError::Device(_)
            | OpenError::NotStarted { .. }
            | OpenError::Password(_)
            | OpenError::Server(_) => true,
            OpenError::Read(error) => error.is_unreachable(),
            OpenError::Probe(error) => error.is_unreachable(),
            OpenError::Ended(error) => error.is_unreachable(),
            _ => false,
        }
    }

    /// What the system said about opening `path`, in our words.
    pub(crate) fn unreadable(path: &Path, source: io::Error) -> OpenError {
        ReadError::unreadable(path, source).into()
    }
}

impl From<DecodeError> for OpenError {
    fn from(error: DecodeError) -> OpenError {
        ReadError::from(error).into()
    }
}

/// Why a running source ended before its time.
#[derive(Debug, Error)]
pub enum FeedError {
    /// The bytes could not be decoded any further.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// There was nothing in the input.
    #[error(
        "'{0}' is empty: no input came. Pipe something in, or name a source (isotherm sources)"
    )]
    Empty(String),
    /// No decoder knows the input.
    #[error(transparent)]
    NotRecognised(#[from] Unrecognised),
    /// A program failed.
    #[error("'{program}' ended with {status}{}", lines_of(stderr))]
    Failed {
        /// The program.
        program: String,
        /// `exit code 3` or `killed by signal 9`.
        status: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
        /// Whether it ended before it printed anything.
        silent: bool,
    },
    /// The probe could not go on.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A database server could not be reached, or does not let the user in or read; with what to
    /// do about it.
    #[error("{0}")]
    Server(String),
}

impl FeedError {
    /// Whether the source could not be reached at all: its program ended before it said anything.
    pub fn is_unreachable(&self) -> bool {
        match self {
            FeedError::Failed { silent, .. } => *silent,
            FeedError::Server(_) => true,
            FeedError::Probe(error) => error.is_unreachable(),
            _ => false,
        }
    }
}

fn lines_of(stderr: &[String]) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {}", stderr.join(" / ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_reached_is_unreachable() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(OpenError::unreadable(Path::new("x"), denied).is_unreachable());
        let missing = io::Error::from(io::ErrorKind::NotFound);
        assert!(!OpenError::unreadable(Path::new("x"), missing).is_unreachable());
        assert!(OpenError::Device("none".into()).is_unreachable());
        assert!(!OpenError::from(ReadError::Empty("x".into())).is_unreachable());
    }
}
