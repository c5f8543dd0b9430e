//! Average active sessions as tables and as JSON, and the words that the screen has for them.

mod finding;
mod io;
mod json;
mod last_interval;
mod text;
mod words;

pub use finding::finding;
pub use io::{IoJson, IoReport};
pub use json::ActivityJson;
pub use last_interval::LastInterval;
pub use text::ActivityTable;
pub use words::{
    dimension_title, dimension_word, filter_words, hidden_sessions, samples, sessions, shown_value,
    wait_age,
};

use isotherm_analysis::{ActivityRows, ActivityTotals};
use isotherm_frame::Nanos;

/// Who took the samples.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SampledBy {
    /// We did: sessions were looked at.
    Isotherm,
    /// The database did, and kept them.
    Database,
}

/// What was sampled, for those who print it.
#[derive(Clone, Debug)]
pub struct ActivityReport {
    /// The address, without a password.
    pub source: String,
    /// Who took the samples.
    pub sampled_by: SampledBy,
    /// Samples a second that were to be taken.
    pub hz: u32,
    /// How long samples were to be taken, or until the user stopped it.
    pub length: Nanos,
    /// The samples that were due in this time.
    pub due: usize,
    /// Those that are missing: the one before took too long, or the database did not keep them.
    pub skipped: u64,
    /// Pieces of time of which nothing is known, and their length.
    pub gaps: (usize, Nanos),
    /// All of it together.
    pub totals: ActivityTotals,
    /// The tables.
    pub tables: Vec<ActivityRows>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl ActivityReport {
    /// The time that no sample stands for: the averages say nothing of it.
    pub fn unsampled(&self) -> Nanos {
        Nanos::new(self.length.as_nanos().saturating_sub(self.totals.sampled.as_nanos()))
    }
}
