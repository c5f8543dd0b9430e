//! Calls, LOB calls, errors, plan lines and ends of transactions: one line each.

use memchr::{memchr_iter, memmem};

use super::{Call, CallKind, Cursor, LobCall, Stat, digits};

/// The fields of `c=1,e=2,...`: each key with its number, as far as they can be read. The last
/// value is what stands behind the last field that could be.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], u64);

    fn next(&mut self) -> Option<(&'a [u8], u64)> {
        let text = self.rest;
        let equals = text.iter().take(12).position(|&byte| byte == b'=')?;
        let (value, length) = digits::leading(text.get(equals + 1..)?)?;
        let rest = text.get(equals + 1 + length..)?;
        self.rest = match rest.first() {
            None => rest,
            Some(b',') => rest.strip_prefix(b", ").unwrap_or(rest.get(1..)?),
            Some(_) => return None,
        };
        Some((text.get(..equals)?, value))
    }
}

const CUT: &str = "a call on a line that is cut";

/// Reads what stands behind `EXEC #`.
pub(super) fn call(kind: CallKind, text: &[u8]) -> Result<Call, &'static str> {
    let (cursor, rest) = cursor(text).ok_or("a call without a cursor")?;
    let rest = rest.strip_prefix(b":").ok_or(CUT)?;
    let none = Call {
        kind,
        cursor,
        cpu: 0,
        elapsed: 0,
        physical_reads: 0,
        consistent_gets: 0,
        current_gets: 0,
        misses: 0,
        rows: 0,
        depth: 0,
        close_type: None,
        plan_hash: None,
        tim: None,
    };
    quick(none, rest).map_or_else(|| careful(none, rest), Ok)
}

/// The usual form since 11g, with its fields in order.
#[inline]
fn quick(none: Call, text: &[u8]) -> Option<Call> {
    let mut rest = text;
    let mut number = |name: &[u8]| {
        let (value, length) = digits::leading(rest.strip_prefix(name)?)?;
        rest = rest.get(name.len() + length..)?;
        Some(value)
    };
    let (cpu, elapsed) = (number(b"c=")?, number(b",e=")?);
    let physical_reads = number(b",p=")?;
    let (consistent_gets, current_gets) = (number(b",cr=")?, number(b",cu=")?);
    let (misses, rows, depth) = (number(b",mis=")?, number(b",r=")?, number(b",dep=")?);
    number(b",og=")?;
    let (plan_hash, tim) = (Some(number(b",plh=")?), Some(number(b",tim=")?));
    let call = Call { cpu, elapsed, physical_reads, consistent_gets, current_gets, ..none };
    let call = Call { misses, rows, depth: small(depth), plan_hash, tim, ..call };
    rest.is_empty().then_some(call)
}

/// Any form.
fn careful(none: Call, rest: &[u8]) -> Result<Call, &'static str> {
    let mut call = none;
    let mut fields = Fields { rest };
    let mut timed = false;
    for (key, value) in fields.by_ref() {
        timed |= key == b"e";
        set(&mut call, key, value);
    }
    if !timed || call.tim.is_none() || !fields.rest.is_empty() { Err(CUT) } else { Ok(call) }
}

fn set(call: &mut Call, key: &[u8], value: u64) {
    match key {
        b"c" => call.cpu = value,
        b"e" => call.elapsed = value,
        b"p" => call.physical_reads = value,
        b"cr" => call.consistent_gets = value,
        b"cu" => call.current_gets = value,
        b"mis" => call.misses = value,
        b"r" => call.rows = value,
        b"dep" => call.depth = small(value),
        b"type" => call.close_type = Some(small(value)),
        b"plh" => call.plan_hash = Some(value),
        b"tim" => call.tim = Some(value),
        _ => {}
    }
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The cursor that `text` begins with.
pub(super) fn cursor(text: &[u8]) -> Option<(Cursor, &[u8])> {
    let (cursor, length) = digits::leading(text)?;
    Some((cursor, text.get(length..)?))
}

/// Reads what stands behind `LOBREAD: `.
pub(super) fn lob<'a>(kind: &'a [u8], text: &[u8]) -> Result<LobCall<'a>, &'static str> {
    // The type is a text with blanks in it.
    let comma = text.iter().position(|&byte| byte == b',').ok_or(CUT)?;
    let mut call = LobCall {
        kind,
        bytes: 0,
        cpu: 0,
        elapsed: 0,
        physical_reads: 0,
        consistent_gets: 0,
        current_gets: 0,
        tim: None,
    };
    let mut fields = Fields { rest: text.get(comma + 1..).unwrap_or_default() };
    for (key, value) in fields.by_ref() {
        match key {
            b"bytes" => call.bytes = value,
            b"c" => call.cpu = value,
            b"e" => call.elapsed = value,
            b"p" => call.physical_reads = value,
            b"cr" => call.consistent_gets = value,
            b"cu" => call.current_gets = value,
            b"tim" => call.tim = Some(value),
            _ => {}
        }
    }
    if call.tim.is_none() || !fields.rest.is_empty() { Err(CUT) } else { Ok(call) }
}

/// Reads what stands behind `ERROR #`: the cursor, the error and when.
pub(super) fn error(text: &[u8]) -> Result<(Cursor, u32, Option<u64>), &'static str> {
    const CUT: &str = "an error on a line that is cut";
    let (cursor, rest) = cursor(text).ok_or(CUT)?;
    let rest = rest.strip_prefix(b":").ok_or(CUT)?;
    let error = named(rest, b"err=").ok_or(CUT)?;
    Ok((cursor, small(error), named(rest, b"tim=")))
}

/// The number behind a name that begins a word; the name ends with an equals sign.
pub(super) fn named(text: &[u8], name: &[u8]) -> Option<u64> {
    let begins_word = |before: &[u8]| matches!(before.last(), None | Some(b' ' | b',' | b':'));
    let behind = memchr_iter(b'=', text).find_map(|equals| {
        let (before, behind) = text.split_at_checked(equals + 1)?;
        before.strip_suffix(name).filter(|before| begins_word(before)).map(|_| behind)
    })?;
    digits::leading(behind).map(|(value, _)| value)
}

/// Reads what stands behind `STAT #`.
pub(super) fn stat(text: &[u8]) -> Result<Stat<'_>, &'static str> {
    const CUT: &str = "a line of a plan that is cut";
    let (cursor, rest) = cursor(text).ok_or(CUT)?;
    let (numbers, operation) = match memmem::find(rest, b" op='") {
        Some(at) => (rest.get(..at).ok_or(CUT)?, rest.get(at + 5..).ok_or(CUT)?),
        None => return Err(CUT),
    };
    Ok(Stat {
        cursor,
        id: small(named(numbers, b"id=").ok_or("a line of a plan without its number")?),
        parent: small(named(numbers, b"pid=").ok_or(CUT)?),
        rows: named(numbers, b"cnt=").ok_or(CUT)?,
        object: named(numbers, b"obj=").ok_or(CUT)?,
        operation: operation.strip_suffix(b"'").ok_or(CUT)?,
    })
}

/// Reads `rlbk=0, rd_only=1, tim=2`, the last since 11g.
pub(super) fn transaction_end(text: &[u8]) -> Result<(bool, bool, Option<u64>), &'static str> {
    const CUT: &str = "the end of a transaction on a line that is cut";
    let rolled_back = named(text, b"rlbk=").ok_or(CUT)?;
    let read_only = named(text, b"rd_only=").ok_or(CUT)?;
    Ok((rolled_back != 0, read_only != 0, named(text, b"tim=")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_form_is_read_as_any_other() {
        let usual: &[u8] = b"140:c=1,e=2,p=3,cr=4,cu=5,mis=6,r=7,dep=8,og=1,plh=9,tim=10";
        let read = call(CallKind::Fetch, usual).unwrap();
        assert_eq!((read.cursor, read.cpu, read.elapsed, read.physical_reads), (140, 1, 2, 3));
        assert_eq!((read.consistent_gets, read.current_gets, read.misses), (4, 5, 6));
        assert_eq!((read.rows, read.depth, read.plan_hash, read.tim), (7, 8, Some(9), Some(10)));
        let none = Call { cpu: 0, elapsed: 0, tim: None, ..read };
        assert_eq!(quick(none, &usual[4..]), careful(none, &usual[4..]).ok());
        // Cut anywhere it is a call that is cut, unless it is in its last number.
        for end in 4..usual.len() - 1 {
            assert!(quick(none, &usual[4..end]).is_none(), "{end}");
            assert!(call(CallKind::Fetch, &usual[..end]).is_err(), "{end}");
        }
        let huge = b"c=1,e=99999999999999999999,p=3,cr=4,cu=5,mis=6,r=7,dep=8,og=1,plh=9,tim=10";
        assert!(quick(none, huge).is_none() && careful(none, huge).is_err());
    }
}
