//! What is shown of the buffers of a cache.

use isotherm_formats::BufferContents;
use isotherm_views::section::Section;

use super::history::BufferHistory;

/// Buffers with what is to be known of them.
#[derive(Clone, Debug, Default)]
pub struct BufferReport {
    /// Where they are from, without secrets.
    pub source: String,
    /// The buffers; those of the last look where there are several.
    pub contents: BufferContents,
    /// Looks over time.
    pub history: Option<BufferHistory>,
    /// Rows of tables and pictures at most.
    pub top: usize,
    /// Rows of a file that could not be read, and the first of them.
    pub rejected: (u64, Vec<String>),
}

impl BufferReport {
    /// The sentences, bars, heat maps and tables.
    pub fn section(&self) -> Section {
        Section {
            title: "What the cache holds".to_owned(),
            sentences: self.sentences(),
            bars: self.bars().into_iter().collect(),
            grids: self.grids(),
            tables: self.tables(),
            ..Section::default()
        }
    }
}
