//! Why there is no report.

use thiserror::Error;

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// Nothing was counted in any interval given.
    #[error("there is no interval to report on")]
    Nothing,
    /// A part of the document could not be written.
    #[error("cannot write the report: {0}")]
    Io(#[from] std::io::Error),
    /// A part of the document could not be put into JSON.
    #[error("cannot write the report: {0}")]
    Json(#[from] serde_json::Error),
    /// Even the smallest document that says anything is larger than allowed.
    #[error(
        "the report cannot be made smaller than {least} bytes, and {most} are allowed: \
         raise --max-size or choose fewer series with --series"
    )]
    TooLarge {
        /// The smallest size, in bytes.
        least: u64,
        /// The size allowed, in bytes.
        most: u64,
    },
}
