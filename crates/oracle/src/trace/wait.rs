//! `WAIT #c: nam='...' ela= n ... tim=n`.

use memchr::{memchr, memchr2, memmem};

use super::keyword::{glued, without_return};
use super::{Wait, digits};

/// A wait and where the next record begins, counted from the beginning of the wait.
pub(super) struct Read<'a> {
    /// The wait, or why it is none.
    pub wait: Result<Wait<'a>, &'static str>,
    /// Bytes up to the next record, with the line end.
    pub length: usize,
}

/// Reads the wait that `text` begins with, `WAIT #` included. `text` holds whole lines.
/// Without `times` what follows the time waited is not read.
#[inline]
pub(super) fn read(text: &[u8], times: bool) -> Read<'_> {
    quick(text, times).unwrap_or_else(|| careful(text))
}

/// The usual form: one wait on its line, with `tim` at its end.
#[inline]
fn quick(text: &[u8], times: bool) -> Option<Read<'_>> {
    let behind = text.get(6..)?;
    let (cursor, length) = digits::leading(behind)?;
    let behind = behind.get(length..)?.strip_prefix(b": nam='")?;
    // A name whose quote is missing must not go on in the lines that follow.
    let quote = memchr2(b'\'', b'\n', behind)?;
    let (event, behind) = behind.split_at_checked(quote)?;
    let behind = behind.strip_prefix(b"' ela= ")?;
    let (ela, length) = digits::leading(behind)?;
    let behind = behind.get(length..)?.strip_prefix(b" ")?;
    // A colon belongs to another record that was written without a line end before it.
    let end = memchr2(b'\n', b':', behind)?;
    let (line, rest) = behind.split_at_checked(end)?;
    if rest.first() != Some(&b'\n') {
        return None;
    }
    if !times {
        let wait = Wait { cursor, event, ela, parameters: line, tim: None };
        return Some(Read { wait: Ok(wait), length: text.len() - rest.len() + 1 });
    }
    let (before, tim) = digits::trailing(without_return(line))?;
    let parameters = before.strip_suffix(b"tim=")?;
    // The time of the end of a transaction that was written without a line end before it.
    if parameters.ends_with(b", ") {
        return None;
    }
    let parameters = parameters.strip_suffix(b" ").or(parameters.is_empty().then_some(b""))?;
    let wait = Wait { cursor, event, ela, parameters, tim: Some(tim) };
    Some(Read { wait: Ok(wait), length: text.len() - rest.len() + 1 })
}

/// Any form: without `tim`, with notes behind, cut, or with another record on the same line.
#[cold]
fn careful(text: &[u8]) -> Read<'_> {
    let end = memchr(b'\n', text);
    let line = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    match glued(line) {
        Some(at) => Read { wait: parse(line.get(..at).unwrap_or_default()), length: at },
        None => Read {
            wait: parse(without_return(line)),
            length: line.len() + usize::from(end.is_some()),
        },
    }
}

fn parse(line: &[u8]) -> Result<Wait<'_>, &'static str> {
    let behind = line.get(6..).unwrap_or_default();
    let (cursor, length) = digits::leading(behind).ok_or("a wait without a cursor")?;
    let behind = behind.get(length..).unwrap_or_default();
    let behind = behind.strip_prefix(b": nam='").ok_or("a wait without a name")?;
    let quote = memmem::find(behind, b"' ela=").ok_or("a wait without a time waited")?;
    let (event, behind) = behind.split_at(quote);
    let behind = behind.get(6..).unwrap_or_default();
    let behind = behind.strip_prefix(b" ").unwrap_or(behind);
    let why = if behind.starts_with(b"-") {
        "a wait of less than no time"
    } else {
        "a wait without a time waited"
    };
    let (ela, length) = digits::leading(behind).ok_or(why)?;
    let behind = behind.get(length..).unwrap_or_default();
    let parameters = behind.strip_prefix(b" ").ok_or("a wait that is cut in its time waited")?;
    let (parameters, tim) = tim(parameters)?;
    Ok(Wait { cursor, event, ela, parameters, tim })
}

/// Splits `tim` off the parameters, and a note that somebody wrote behind a tab.
fn tim(text: &[u8]) -> Result<(&[u8], Option<u64>), &'static str> {
    let text = memchr(b'\t', text).and_then(|tab| text.get(..tab)).unwrap_or(text);
    let found = if text.starts_with(b"tim=") { Some(0) } else { memmem::rfind(text, b" tim=") };
    let Some(at) = found else { return Ok((text, None)) };
    let (parameters, rest) = text.split_at(at);
    let number = rest.strip_prefix(b" ").unwrap_or(rest).get(4..).unwrap_or_default();
    let (tim, _) = digits::leading(number).ok_or("a wait that is cut in its tim")?;
    Ok((parameters, Some(tim)))
}
