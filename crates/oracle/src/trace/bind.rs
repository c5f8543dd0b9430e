//! Values of bind variables that go over several lines and may have anything in them.

use memchr::memchr;

use super::keyword::{begins_anything, begins_call, is_separator, is_stamp, without_return};
use super::lines::line_end;
use super::{call, length};

/// Where a value ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The record after it begins there.
    Ends(usize),
    /// It is never closed; the next record begins there.
    Broken(usize),
    /// More input is needed to know.
    More,
}

/// The longest value looked at: PL/SQL's longest string, and room.
const LONGEST: usize = 64 << 10;

/// What closes a value at most: a quote and a line end.
const CLOSE: usize = 3;

/// The length of the value that the line before it gives.
pub(super) fn actual_length(line: &[u8]) -> Option<u64> {
    call::named(line, b"avl=")
}

/// The text of a quoted value behind the quote, if the line begins one.
pub(super) fn opens(line: &[u8]) -> Option<usize> {
    let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
    line.get(blanks..)?.starts_with(b"value=\"").then_some(blanks + 7)
}

/// The extent of a value in `text`, which begins with its line; `open` is where the value begins,
/// `length` its length as the trace gives it. `last`: there is no more input.
pub(super) fn extent(text: &[u8], open: usize, length: Option<u64>, last: bool) -> Extent {
    let length = length.and_then(|length| usize::try_from(length).ok());
    let value = text.get(open..).unwrap_or_default();
    if let Some(length) = length.filter(|&length| length <= LONGEST) {
        let mut ends = length::ends(value, length);
        if let Some(end) = ends.find_map(|end| exact(text, open + end)) {
            return Extent::Ends(end);
        }
        if !last && value.len() < length::reach(value, length) + CLOSE {
            return Extent::More;
        }
    }
    let mut at = 0;
    let mut first = true;
    while let Some(end) = line_end(text, at) {
        let line = text.get(at..end).unwrap_or_default();
        let content = if first { line.get(open..).unwrap_or_default() } else { line };
        if !first && interrupts(line) {
            return Extent::Broken(at);
        }
        let content = without_return(content.strip_suffix(b"\n").unwrap_or(content));
        let closed = content.ends_with(b"\"") || content.ends_with(b"\"...");
        let next = text.get(end..).unwrap_or_default();
        if closed && !first && next.is_empty() && !last {
            return Extent::More;
        }
        if closed && (first || follows(next)) {
            return Extent::Ends(end);
        }
        // Reading each line of it again would take a time that grows with the square of its length.
        if end > LONGEST {
            return Extent::Broken(end);
        }
        (at, first) = (end, false);
    }
    if last || text.len() > LONGEST { Extent::Broken(text.len()) } else { Extent::More }
}

/// The end of a value that is as long as it should be.
fn exact(text: &[u8], close: usize) -> Option<usize> {
    let behind = text.get(close..)?.strip_prefix(b"\"")?;
    let behind = behind.strip_prefix(b"\r").unwrap_or(behind);
    let behind = behind.strip_prefix(b"\n")?;
    Some(text.len() - behind.len())
}

/// Whether a line cannot be inside a value: what must follow the values came without their end.
fn interrupts(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    is_separator(line) || begins_call(line) || is_stamp(without_return(line))
}

/// Whether what follows a closing quote is what follows a value.
fn follows(text: &[u8]) -> bool {
    let line = memchr(b'\n', text).and_then(|end| text.get(..end)).unwrap_or(text);
    matches!(line.first(), None | Some(b' ' | b'\r')) || begins_anything(line)
}
