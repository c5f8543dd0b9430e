//! A reference to a block, and how inputs are read for them.

use std::io::BufRead;

use isotherm_formats::DecodeError;
use isotherm_oracle::trace::TraceUnit;
use thiserror::Error;

/// A reference to a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The block: one number for each block of each file or device.
    pub block: u64,
    /// When, in nanoseconds on the clock of the input; none where the input does not say.
    pub at_ns: Option<u64>,
}

/// What an input does not say of itself.
#[derive(Copy, Clone, Debug)]
pub struct ReferenceOptions {
    /// Bytes in a block.
    pub block_bytes: u64,
    /// What the numbers of a SQL trace count, where no header says so.
    pub unit: Option<TraceUnit>,
}

/// Why no references could be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The input is of no kind that has block references.
    #[error(
        "no block references: expected a SQL trace of Oracle, blkparse text (or block_rq events of perf \
         or ftrace), or CSV with the heading block or block,latency_ns"
    )]
    Unrecognised,
    /// Nothing in it could be used.
    #[error("no block was read: {0}")]
    Nothing(String),
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] DecodeError),
    /// A SQL trace could not be read.
    #[error("cannot read: {0}")]
    Io(#[from] std::io::Error),
}

/// An input that is read line by line.
pub(super) type Lines<'a> = &'a mut (dyn BufRead + Send);
