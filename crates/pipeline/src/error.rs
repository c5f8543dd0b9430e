//! Why an input cannot be read, or a stream not begun.

use isotherm_formats::{DecodeError, ReadError};
use isotherm_live::{FeedError, OpenError};
use isotherm_recording::RecordingError;
use thiserror::Error;

/// Why an input cannot be read, or a stream not begun.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The input cannot be opened or decoded.
    #[error(transparent)]
    Open(OpenError),
    /// The recording cannot be read or written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The input is whole and holds not a single event.
    #[error("{0}")]
    NoEvents(String),
    /// What is asked for is not in the input, or cannot be done with it.
    #[error("{0}")]
    Request(String),
    /// Nothing of the input is readable.
    #[error("{0}")]
    Damaged(String),
    /// The system refuses a file, a directory or a thread, or all files were refused.
    #[error("{0}")]
    System(String),
}

impl From<OpenError> for PipelineError {
    fn from(error: OpenError) -> PipelineError {
        match error {
            OpenError::Read(error) => error.into(),
            OpenError::Ended(error) => error.into(),
            other => PipelineError::Open(other),
        }
    }
}

impl From<ReadError> for PipelineError {
    fn from(error: ReadError) -> PipelineError {
        match error {
            ReadError::Decode(error) => error.into(),
            other => PipelineError::Open(other.into()),
        }
    }
}

impl From<FeedError> for PipelineError {
    fn from(error: FeedError) -> PipelineError {
        match error {
            FeedError::Decode(error) => error.into(),
            other => PipelineError::Open(OpenError::Ended(other)),
        }
    }
}

impl From<DecodeError> for PipelineError {
    fn from(error: DecodeError) -> PipelineError {
        match error {
            DecodeError::Request(text) => PipelineError::Request(text),
            DecodeError::Nothing(text) => PipelineError::NoEvents(text),
            other => PipelineError::Open(other.into()),
        }
    }
}

impl PipelineError {
    /// Whether the input was read as far as it goes and there was no event in it.
    pub fn is_without_events(&self) -> bool {
        match self {
            PipelineError::NoEvents(_) => true,
            PipelineError::Open(error) => matches!(
                error,
                OpenError::Read(
                    ReadError::Empty(_) | ReadError::NotRecognised(_) | ReadError::Decode(_)
                ) | OpenError::Ended(FeedError::Empty(_) | FeedError::NotRecognised(_))
            ),
            _ => false,
        }
    }
}
