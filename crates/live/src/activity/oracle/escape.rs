//! Names in rows whose columns are told apart by `|`, which a name may hold.

/// What stands for `|` within a name: a character that no name has.
const STAND_IN: char = '\u{1f}';

/// A column as it is selected.
pub(super) fn escaped(column: &str) -> String {
    format!("REPLACE({column}, '|', CHR({}))", u32::from(STAND_IN))
}

/// A column as it was.
pub(super) fn unescaped(text: &str) -> String {
    text.replace(STAND_IN, "|")
}
