//! Which lines begin a record, and where in a line another record begins.

use memchr::memmem;

use super::CallKind;

/// `PARSE #` and its like, without the number sign.
pub(super) const CALLS: [(&[u8], CallKind); 6] = [
    (b"EXEC ", CallKind::Exec),
    (b"FETCH ", CallKind::Fetch),
    (b"PARSE ", CallKind::Parse),
    (b"CLOSE ", CallKind::Close),
    (b"UNMAP ", CallKind::Unmap),
    (b"SORT UNMAP ", CallKind::SortUnmap),
];

/// The other words before a cursor number.
const OTHERS: [&[u8]; 6] =
    [b"WAIT ", b"PARSING IN CURSOR ", b"PARSE ERROR ", b"ERROR ", b"STAT ", b"BINDS "];

/// The line between cursors.
pub(super) const SEPARATOR: &[u8] = b"=====================";

/// The text behind `word#`.
pub(super) fn behind<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(word)?.strip_prefix(b"#")
}

/// Whether a line begins with a word, a number sign, a cursor and what must follow it.
pub(super) fn begins_record(line: &[u8]) -> bool {
    let words = CALLS.iter().map(|(word, _)| *word).chain(OTHERS);
    words.filter_map(|word| behind(line, word)).any(begins_with_cursor)
        || line.starts_with(b"XCTEND rlbk=")
        || lob(line).is_some()
}

/// Whether a line is a call, but no wait.
pub(super) fn begins_call(line: &[u8]) -> bool {
    CALLS.iter().filter_map(|(word, _)| behind(line, word)).any(begins_with_cursor)
}

/// Whether a line begins something that no statement and no value has in it.
pub(super) fn begins_anything(line: &[u8]) -> bool {
    begins_record(line) || is_separator(line) || line.starts_with(b"*** ")
}

/// Whether a line is nothing but the separator.
pub(super) fn is_separator(line: &[u8]) -> bool {
    without_return(line) == SEPARATOR
}

/// Whether a line is the wall clock or a label, not just three asterisks.
pub(super) fn is_stamp(line: &[u8]) -> bool {
    let Some(text) = line.strip_prefix(b"*** ") else { return false };
    super::stars::split_time(text).is_some()
        || super::stars::label(text).is_some()
        || super::stars::notice(line).is_some()
}

/// Whether an input that begins with `head` is a trace: a line of it is a record, or it begins as
/// the files do in which the server writes traces.
pub fn begins_trace(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let first = head.starts_with(b"Trace file ") || head.starts_with(b"Dump file ");
    let oracle = head.get(..head.len().min(1_024)).unwrap_or_default();
    let written = first && memmem::find(oracle, b"\nOracle").is_some();
    written || lines.any(|line| begins_record(line) || line.starts_with(b"*** SESSION ID:("))
}

fn begins_with_cursor(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && text.get(digits).is_some_and(|byte| matches!(byte, b':' | b' '))
}

/// The name and the rest of a line such as `LOBREAD: type=..`.
pub(super) fn lob(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = line.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let (name, rest) = line.split_at_checked(length)?;
    let rest = rest.strip_prefix(b": ").filter(|rest| rest.starts_with(b"type="))?;
    name.starts_with(b"LOB").then_some((name, rest))
}

/// A line without a carriage return at its end.
#[inline]
pub(super) fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Where in a line that is a record another one begins: some servers forget the line end.
pub(super) fn glued(line: &[u8]) -> Option<usize> {
    let cursor = memmem::find_iter(line, b" #").filter_map(|at| {
        let before = line.get(..=at)?;
        let words = CALLS.iter().map(|(word, _)| *word).chain(OTHERS);
        let word = words.filter(|word| before.ends_with(word)).max_by_key(|word| word.len())?;
        let start = before.len() - word.len();
        (start > 0 && begins_record(line.get(start..)?)).then_some(start)
    });
    let cursor = cursor.into_iter().next();
    let parts: [&[u8]; 3] = [b"XCTEND rlbk=", b"*** ", SEPARATOR];
    let rest = line.get(1..)?;
    // Of a line of many records only what is before the next one is looked through: the rest would be once for
    // each of them.
    let near = |part: &[u8]| {
        let end = cursor.map_or(rest.len(), |cursor| cursor + part.len());
        rest.get(..end).unwrap_or(rest)
    };
    let part = parts.iter().filter_map(|part| memmem::find(near(part), part));
    let begins_lob = |&at: &usize| rest.get(at..).is_some_and(|line| lob(line).is_some());
    let lob = memmem::find(near(b"LOB"), b"LOB").filter(begins_lob);
    cursor.into_iter().chain(part.chain(lob).map(|at| at + 1)).min()
}
