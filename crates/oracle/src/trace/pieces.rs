//! A trace in pieces, each of which begins where a record seems to.

use std::io::{self, Read};

use memchr::memrchr;

use super::keyword::begins_record;
use super::scan::{Room, Scanner, drive};
use super::{Account, Visitor};

/// What the last line of a piece says of a value of a bind variable that follows it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LineBefore(Option<u64>);

/// Where in `bytes` the last line begins that seems to begin a record: one line of a statement may
/// look like that, which the piece before it tells, because its last record does not end in it.
pub fn last_record(bytes: &[u8]) -> Option<usize> {
    let mut before = bytes;
    while let Some(line_end) = memrchr(b'\n', before) {
        if bytes.get(line_end + 1..).is_some_and(begins_record) {
            return Some(line_end + 1);
        }
        before = before.get(..line_end)?;
    }
    None
}

/// Reads the records that end in `bytes`, whatever follows, and gives their length. What is left
/// begins a record, to be given again with more behind it.
pub fn scan_piece<V: Visitor>(
    bytes: &[u8],
    visitor: &mut V,
    account: &mut Account,
    before: &mut LineBefore,
) -> usize {
    let mut scanner = Scanner::new(visitor, account);
    scanner.value_length = before.0;
    let used = scanner.feed(bytes, Room::More);
    *before = LineBefore(scanner.value_length);
    used
}

/// Reads what follows pieces of a trace to its end, and adds to their account.
pub fn scan_rest<R, V>(
    input: &mut R,
    visitor: &mut V,
    account: &mut Account,
    before: LineBefore,
) -> Result<(), io::Error>
where
    R: Read + ?Sized,
    V: Visitor,
{
    let mut scanner = Scanner::new(visitor, account);
    scanner.value_length = before.0;
    drive(input, &mut scanner, Room::End, u64::MAX)
}
