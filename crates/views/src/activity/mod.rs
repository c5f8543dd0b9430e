//! Average active sessions as tables and as JSON, and the words that the screen has for them.

mod json;
mod text;
mod words;

pub use json::ActivityJson;
pub use text::ActivityTable;
pub use words::{dimension_title, dimension_word, filter_words, sessions, shown_value};

use isotherm_analysis::{ActivityRows, ActivityTotals};
use isotherm_frame::Nanos;

/// What was sampled, for those who print it.
#[derive(Clone, Debug)]
pub struct ActivityReport {
    /// The address, without a password.
    pub source: String,
    /// Samples a second that were to be taken.
    pub hz: u32,
    /// Samples that were due and not taken.
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
