//! Exports read back.

pub(crate) mod csv;
mod jsonl;
mod lines;
mod schemes;

use isotherm_frame::{Account, Clock};
use thiserror::Error;

use crate::RecordedMark;
use crate::export::CSV_COLUMNS;

pub use csv::read_csv;
pub use jsonl::read_jsonl;

/// Why an export cannot be read back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The bytes could not be read.
    #[error("line {line}: {source}")]
    Io {
        /// The line.
        line: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// Rows that do not fit in memory are not in the order of time.
    #[error(
        "line {line}: the rows do not fit in memory, and are not in the order of start_ns: sort them, or give more --memory"
    )]
    Unsorted {
        /// The line.
        line: usize,
    },
    /// Rows that begin at the same moment do not fit in memory.
    #[error(
        "line {line}: the rows that begin at this moment do not fit in memory: choose fewer series, or give more --memory"
    )]
    TooMany {
        /// The line.
        line: usize,
    },
    /// Numbers that cannot be true, which only several lines show together.
    #[error("{why}")]
    Impossible {
        /// Which, and why.
        why: String,
    },
    /// A line is not what an export has there.
    #[error("line {line}: {why}; this is no export of isotherm, or it was changed or cut")]
    Malformed {
        /// The line.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// What an export holds beside its frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The marks.
    pub marks: Vec<RecordedMark>,
    /// The clock, if the export says so.
    pub clock: Clock,
    /// The account of the original input, if the export has it.
    pub account: Account,
}

/// Whether an export in JSON lines begins like this.
pub fn is_jsonl(head: &[u8]) -> bool {
    head.starts_with(b"{\"isotherm_export\":")
}

/// The columns of the first format: without `waited_ns`.
const CSV_OLDEST: usize = 8;

/// Whether an export in CSV begins like this.
pub fn is_csv(head: &[u8]) -> bool {
    head.starts_with(CSV_COLUMNS[..CSV_OLDEST].join(",").as_bytes())
}
