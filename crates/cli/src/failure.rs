//! Why a command ends with something other than 0.

use std::fmt;

use isotherm_formats::ReadError;
use isotherm_live::OpenError;
use isotherm_pipeline::PipelineError;
use isotherm_recording::RecordingError;

/// The exit code and the message of a command that did not end well.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    /// Whether it is that there was not a single event to look at.
    pub no_events: bool,
}

/// Exit codes, the same for every command.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Runtime = 1,
    Usage = 2,
    Unreachable = 3,
    BadData = 4,
    Threshold = 99,
    Interrupted = 130,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), no_events: false }
    }

    /// There was not a single event to look at.
    pub fn nothing(message: impl Into<String>) -> Failure {
        Failure { no_events: true, ..Failure::new(Code::Runtime, message) }
    }

    /// What was asked for by name is not there.
    pub fn unmatched(message: impl Into<String>) -> Failure {
        Failure { no_events: true, ..Failure::usage(message) }
    }

    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Code::Usage, message)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        PipelineError::from(error).into()
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        PipelineError::from(error).into()
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Failure {
        let code = match &error {
            PipelineError::Open(open) if open.is_unreachable() => Code::Unreachable,
            PipelineError::Open(OpenError::Stopped(_)) => Code::Interrupted,
            PipelineError::Open(OpenError::Option(_) | OpenError::Endless(_))
            | PipelineError::Request(_) => Code::Usage,
            PipelineError::Damaged(_) => Code::BadData,
            _ => Code::Runtime,
        };
        Failure { no_events: error.is_without_events(), ..Failure::new(code, error.to_string()) }
    }
}

/// What can be done where a recording has a name already.
pub const REPLACE: &str = "or replace it with --force";

impl Failure {
    /// Of a recording that cannot be begun, where `--force` replaces one that is there.
    pub fn of_recording(error: RecordingError) -> Failure {
        match error {
            RecordingError::Exists(_) => Failure::new(Code::Runtime, format!("{error}, {REPLACE}")),
            other => other.into(),
        }
    }
}

impl From<RecordingError> for Failure {
    fn from(error: RecordingError) -> Failure {
        Failure::new(Code::Runtime, error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
