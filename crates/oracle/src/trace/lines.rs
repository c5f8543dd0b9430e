//! Where lines begin and end.

use memchr::{memchr, memrchr};

use super::keyword::without_return;

/// The end of the line at `at`, behind its line end; `None` at the end of `text`.
pub(super) fn line_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    Some(at + memchr(b'\n', rest).map_or(rest.len(), |end| end + 1))
}

/// The last line of `text`, which ends with a line.
pub(super) fn last_line(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.get(memrchr(b'\n', text).map_or(0, |end| end + 1)..).unwrap_or_default()
}

/// The line that `text` begins with, without its line end, and its length with it.
pub(super) fn first_line(text: &[u8]) -> (&[u8], usize) {
    let end = line_end(text, 0).unwrap_or(0);
    let line = text.get(..end).unwrap_or_default();
    (without_return(line.strip_suffix(b"\n").unwrap_or(line)), end)
}
