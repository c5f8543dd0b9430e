//! What is asked of each kind of database.

use std::sync::Arc;

use isotherm_formats::printable;
use isotherm_frame::{SessionSample, Timestamp};

use crate::feed::OpenError;

/// The longest text of a statement, in letters.
const LONGEST: usize = 1_000;

/// The text of a statement on one line.
pub(super) fn statement_text(text: &[u8]) -> Arc<str> {
    let text = printable(text, LONGEST);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").into()
}

/// Why there is no next sample.
pub(crate) enum LookError {
    /// Trying again can help.
    Lost(String),
    /// It cannot.
    Refused(String),
}

/// What a look gives.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// The samples, oldest first.
    pub(crate) samples: Vec<SessionSample>,
    /// Samples that are missing before them or between them.
    pub(crate) skipped: u64,
}

/// The samples of a time that is over.
#[derive(Debug)]
pub(crate) struct KeptSamples {
    pub(crate) looked: Looked,
    /// The end of that time.
    pub(crate) until: Timestamp,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
}

/// One kind of database.
pub(crate) trait Look: Send {
    /// Connects, again after the connection was lost.
    fn connect(&mut self) -> Result<(), LookError>;

    /// Looks once.
    fn look(&mut self) -> Result<Looked, LookError>;

    /// Whether what a look that is late would have seen is missing. The database may keep it.
    fn misses_samples(&self) -> bool {
        true
    }

    /// Something the user should know, once; there may be more.
    fn warning(&mut self) -> Option<String> {
        None
    }
}

/// Samples a second: usual, and at most.
pub(super) struct Rate {
    pub(super) usual_hz: u32,
    pub(super) most_hz: u32,
}

impl Rate {
    pub(super) fn choose(&self, hz: Option<u32>, whom: &str) -> Result<u32, OpenError> {
        let hz = hz.unwrap_or(self.usual_hz);
        if (1..=self.most_hz).contains(&hz) {
            return Ok(hz);
        }
        let most = self.most_hz;
        Err(OpenError::Option(format!("--hz {hz}: {whom} is sampled 1 to {most} times a second")))
    }
}
