//! Why reading an input could not go on.

use isotherm_frame::Place;
use thiserror::Error;

/// Why an input could not be decoded. What is merely odd is a [`Rejection`](isotherm_frame::Rejection).
#[derive(Debug, Error)]
pub enum DecodeError {
    /// The bytes could not be read.
    #[error("cannot read the input at {place}: {source}")]
    Read {
        /// Where reading stopped.
        place: Place,
        /// What the system said.
        source: std::io::Error,
    },
    /// The input is not what the decoder reads.
    #[error("{place}: {found}; expected {expected}")]
    Malformed {
        /// Where.
        place: Place,
        /// What was found.
        found: String,
        /// What should have been there and, if possible, what to do next.
        expected: String,
    },
    /// What is asked for cannot be done with this kind of input, and what to do instead.
    #[error("{0}")]
    Request(String),
    /// The input is of the kind that the decoder reads, and nothing in it is what it reads.
    #[error("{0}")]
    Nothing(String),
}
