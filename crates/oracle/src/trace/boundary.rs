//! Where in the middle of a trace a record begins, and which stamp was the last before it.

use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::keyword::begins_record;
use super::scan::{Room, Scanner, Spot};
use super::stars::{self, Stars};
use super::{Account, Stamp, Visitor, Wants};

/// Finds where records begin; what they say is not looked at.
struct Nobody;

impl Visitor for Nobody {
    // What is wanted decides in a damaged line where the next record begins.
    const WANTS: Wants = Wants::ALL_BUT_STATS;
}

/// Where the first record begins that begins at or behind `at` in `bytes`, which begin with a record;
/// their length if there is none. `None` if it takes more bytes to know: `ended` says that there are none.
pub fn first_record(bytes: &[u8], at: usize, ended: bool) -> Option<usize> {
    let whole = memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let (lines, room) = if ended { (bytes, Room::End) } else { (bytes.get(..whole)?, Room::More) };
    let (mut nobody, mut account) = (Nobody, Account::default());
    let mut scanner = Scanner::new(&mut nobody, &mut account);
    let mut spot = Spot { lines, at: 0, room };
    while spot.at < at {
        if spot.at >= lines.len() {
            return ended.then_some(lines.len());
        }
        let length = scanner.record(spot)?;
        spot = spot.on(length.max(1));
    }
    Some(spot.at)
}

/// Where in `bytes` the first line begins that seems to begin a record. A line that began before does
/// not count.
pub fn first_record_line(bytes: &[u8]) -> Option<usize> {
    let mut ends = memchr_iter(b'\n', bytes).map(|end| end + 1);
    ends.find(|&start| bytes.get(start..).is_some_and(begins_record))
}

/// Where in `bytes` the last stamp of the wall clock stands whose line ends in them. A line of a
/// statement may look like one.
pub fn last_stamp(bytes: &[u8]) -> Option<usize> {
    /// No line with a stamp is longer.
    const LONGEST: usize = 4 << 10;
    let mut before = bytes;
    while let Some(at) = memmem::rfind(before, b"*** ") {
        let rest = bytes.get(at..).unwrap_or_default();
        let line = memchr(b'\n', rest).filter(|end| *end < LONGEST).and_then(|end| rest.get(..end));
        let stamp = match line.and_then(stars::read) {
            Some(Stars::Stamp(stamp) | Stars::Label(_, _, Some(stamp))) => Stamp::read(stamp),
            _ => None,
        };
        if stamp.is_some() {
            return Some(at);
        }
        before = before.get(..at)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim=10
PARSING IN CURSOR #2 len=36 dep=0 uid=5 oct=3 lid=5 tim=20 hv=1 ad='a' sqlid='b'
select 1,
WAIT #1: nam='x',
2 from t
END OF STMT
*** 2026-11-21T09:08:07.123456+01:00
WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim=30
*** MODULE NAME:(m) 2026-11-21T09:08:09.123456+01:00
*** 2026-99-21T09:08:07.123456+01:00
WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim=40
";

    #[test]
    fn a_line_of_a_statement_is_no_beginning() {
        let bytes = TRACE.as_bytes();
        let begins = |line: &str| TRACE.find(line).unwrap();
        let records = [
            0,
            begins("PARSING"),
            begins("*** 2026-11"),
            begins("WAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim=30"),
        ];
        for at in 0..=records[3] {
            let expected = records.into_iter().find(|record| *record >= at);
            assert_eq!(first_record(bytes, at, true), expected, "{at}");
        }
        assert_eq!(first_record(bytes, bytes.len(), true), Some(bytes.len()));
        // Whether the statement ends is not known yet.
        assert_eq!(first_record(&bytes[..begins("2 from")], begins("select"), false), None);
        assert_eq!(first_record_line(&bytes[1..]), Some(begins("PARSING") - 1));
    }

    #[test]
    fn a_stamp_behind_a_label_counts_and_one_that_is_no_date_does_not() {
        let label = TRACE.find("*** MODULE").unwrap();
        assert_eq!(last_stamp(TRACE.as_bytes()), Some(label));
        assert_eq!(last_stamp(&TRACE.as_bytes()[..label]), TRACE.find("*** 2026-11"));
        assert_eq!(last_stamp(b"*** 2026-11-21T09:08:07.123456+01:00"), None);
    }
}
