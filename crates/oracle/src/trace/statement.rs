//! `PARSING IN CURSOR` and `PARSE ERROR`: their lines and the text that follows.

use memchr::memmem;

use super::call::{cursor, named};
use super::keyword::{begins_anything, begins_record, is_separator, is_stamp, without_return};
use super::lines::line_end;
use super::{ParseError, Parsing, digits, length};

/// Where the text of a statement ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The text is so long; the next record begins at `next`.
    Ends {
        /// The length of the text.
        text: usize,
        /// The beginning of the next record.
        next: usize,
    },
    /// The end is missing: the text is so long, and the next record begins right after it.
    Broken(usize),
    /// More input is needed to know.
    More,
}

const HEAD: &[u8] = b"PARSING IN CURSOR #";
const END: &[u8] = b"END OF STMT";

/// What follows a text with an error must be seen, to know it for what follows.
const FOLLOWING: usize = 32;

/// Why a statement is damaged that has no end.
pub(super) const UNENDED: &str = "a statement without its end";

/// The longest text that is waited for to be whole.
pub(super) const LONGEST: usize = 1 << 20;

/// Reads the line behind `PARSING IN CURSOR #`; the text is not known yet. Says too whether the
/// line is whole.
pub(super) fn parsing(line: &[u8]) -> Option<(Parsing<'_>, bool)> {
    let (cursor, rest) = cursor(line)?;
    let mut parsing = Parsing {
        cursor,
        length: None,
        depth: 0,
        user: None,
        command: None,
        hash: None,
        sql_id: None,
        tim: None,
        text: b"",
    };
    let mut whole = false;
    for word in rest.split(|&byte| byte == b' ') {
        let Some(equals) = word.iter().position(|&byte| byte == b'=') else { continue };
        let (name, value) = word.split_at(equals);
        let value = value.get(1..).unwrap_or_default();
        let number = digits::leading(value).map(|(number, _)| number);
        let small = number.and_then(|number| u32::try_from(number).ok());
        match name {
            b"len" => parsing.length = number,
            b"dep" => parsing.depth = small.unwrap_or(0),
            b"uid" => parsing.user = number,
            b"oct" => parsing.command = small,
            b"hv" => parsing.hash = number,
            b"tim" => parsing.tim = number,
            b"ad" => whole = in_quotes(value).is_some(),
            b"sqlid" => parsing.sql_id = in_quotes(value),
            _ => {}
        }
    }
    Some((parsing, whole && rest.ends_with(b"'")))
}

fn in_quotes(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(b"'")?.strip_suffix(b"'")
}

/// Reads the line behind `PARSE ERROR #`, with the length of the text.
pub(super) fn parse_error(line: &[u8]) -> Option<(ParseError<'_>, Option<u64>)> {
    let (cursor, rest) = cursor(line)?;
    let error = ParseError {
        cursor,
        depth: named(rest, b"dep=").and_then(|depth| u32::try_from(depth).ok()).unwrap_or(0),
        error: named(rest, b"err=").and_then(|error| u32::try_from(error).ok()),
        tim: named(rest, b"tim="),
        text: b"",
    };
    Some((error, named(rest, b"len=")))
}

/// What stands in quotation marks behind `name`.
pub(super) fn quoted<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let behind = text.get(memmem::find(text, name)? + name.len()..)?;
    behind.get(..memchr::memchr(b'\'', behind)?)
}

/// The extent of a statement's text that `body` begins with. The length tells it exactly, whatever
/// the text has in it; if it does not fit, lines are looked at.
pub(super) fn statement(body: &[u8], length: Option<u64>, last: bool) -> Extent {
    let length = length.and_then(|length| usize::try_from(length).ok());
    if let Some(length) = length.filter(|&length| length <= LONGEST) {
        if let Some(exact) = length::ends(body, length).find_map(|end| exact(body, end)) {
            return exact;
        }
        if !last && body.len() < length::reach(body, length) + END.len() + 4 {
            return Extent::More;
        }
    }
    by_lines(body, length, last)
}

fn exact(body: &[u8], length: usize) -> Option<Extent> {
    let behind = body.get(length..)?;
    let returned = behind.strip_prefix(b"\r").filter(|rest| rest.starts_with(b"\n"));
    let (text, behind) = match returned.unwrap_or(behind).strip_prefix(b"\n") {
        Some(behind) => (length, behind),
        // The text has its own line end.
        None => (length.checked_sub(1).filter(|&at| body.get(at) == Some(&b'\n'))?, behind),
    };
    let behind = behind.strip_prefix(END)?;
    let behind = behind.strip_prefix(b"\r").unwrap_or(behind);
    let behind = if behind.is_empty() { behind } else { behind.strip_prefix(b"\n")? };
    Some(Extent::Ends { text, next: body.len() - behind.len() })
}

fn by_lines(body: &[u8], length: Option<usize>, last: bool) -> Extent {
    // Counted as the server does: one byte for a line end.
    let (mut at, mut counted) = (0, 0_usize);
    while let Some(end) = line_end(body, at) {
        let line = body.get(at..end).unwrap_or_default();
        let line = without_return(line.strip_suffix(b"\n").unwrap_or(line));
        if line == END {
            return Extent::Ends { text: before_line_end(body, at), next: end };
        }
        let beyond = length.is_some_and(|length| counted > length.saturating_add(1));
        match interrupts(line, body.get(end..).unwrap_or_default(), last) {
            Some(true) => return Extent::Broken(at),
            None => return Extent::More,
            Some(false) if beyond && begins_record(line) => return Extent::Broken(at),
            Some(false) => {}
        }
        counted = counted.saturating_add(line.len() + 1);
        at = end;
    }
    if last { Extent::Broken(body.len()) } else { Extent::More }
}

/// Whether a line begins what follows a statement. A row of equals signs alone may be a comment in
/// the statement: the line after it decides; `None` when it is not there yet.
fn interrupts(line: &[u8], next: &[u8], last: bool) -> Option<bool> {
    if !is_separator(line) {
        return Some(is_stamp(line));
    }
    let known = next.len() >= HEAD.len() || last;
    known.then(|| next.starts_with(HEAD))
}

/// The end of the text before the line at `at`, without its line end.
fn before_line_end(body: &[u8], at: usize) -> usize {
    let text = body.get(..at).unwrap_or_default();
    without_return(text.strip_suffix(b"\n").unwrap_or(text)).len()
}

/// The extent of the text of a statement with an error, which has no line that ends it.
pub(super) fn failed(body: &[u8], length: Option<u64>, last: bool) -> Extent {
    let length = length.and_then(|length| usize::try_from(length).ok());
    let length = length.filter(|&length| length <= LONGEST);
    if !last && length.is_some_and(|length| body.len() < length + FOLLOWING) {
        return Extent::More;
    }
    let (mut at, mut counted) = (0, 0_usize);
    for text in length.into_iter().flat_map(|length| length::ends(body, length)) {
        // The text goes exactly up to a line end, and something known follows it.
        let Some(end) = line_end(body, text) else { continue };
        let gap = body.get(text..end).unwrap_or_default().trim_ascii();
        if gap.is_empty() && follows(body.get(end..).unwrap_or_default()) {
            return Extent::Ends { text, next: end };
        }
    }
    while let Some(end) = line_end(body, at) {
        let line = body.get(at..end).unwrap_or_default();
        let line = without_return(line.strip_suffix(b"\n").unwrap_or(line));
        let counted_out = length.is_some_and(|length| counted == length + 1);
        if at > 0 && (counted_out || begins_anything(line)) {
            return Extent::Ends { text: before_line_end(body, at), next: at };
        }
        counted = counted.saturating_add(line.len() + 1);
        at = end;
    }
    let text = before_line_end(body, body.len());
    if last { Extent::Ends { text, next: body.len() } } else { Extent::More }
}

fn follows(text: &[u8]) -> bool {
    let end = line_end(text, 0).unwrap_or(text.len());
    let line = text.get(..end).unwrap_or_default();
    line.trim_ascii().is_empty() || begins_anything(line.strip_suffix(b"\n").unwrap_or(line))
}
