//! How much memory the rows of an answer take.

/// What a text takes besides its bytes, about: its place in the row, and what is lost around it.
const TEXT: usize = size_of::<Option<String>>() + 32;

/// What a row takes besides the bytes of its texts.
pub(crate) fn row_memory(columns: usize) -> usize {
    (columns + 1) * TEXT
}
