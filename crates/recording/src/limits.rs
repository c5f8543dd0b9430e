//! What a recording can hold of a frame and of an account: every reader of a text asks before the writer
//! does, so that what is refused is refused with its line.

use isotherm_frame::{Nanos, Timestamp};

/// The largest number that a recording holds.
pub(crate) const MOST: u64 = i64::MAX.unsigned_abs();

/// An interval has to run forward.
pub(crate) fn check_interval(start: Timestamp, end: Timestamp) -> Result<(), String> {
    if start < end {
        return Ok(());
    }
    let what = if start == end { "is empty" } else { "runs backwards" };
    Err(format!("the interval from {} to {} ns {what}", start.as_nanos(), end.as_nanos()))
}

/// A time waited, in all.
pub(crate) fn check_sum(sum: Option<Nanos>) -> Result<(), String> {
    sum.map_or(Ok(()), |sum| check_number("a time of", sum.as_nanos(), " ns"))
}

/// A number of the account.
pub(crate) fn check_tally(name: &str, number: u64) -> Result<(), String> {
    check_number(&format!("{name}:"), number, "")
}

fn check_number(what: &str, number: u64, unit: &str) -> Result<(), String> {
    if number <= MOST {
        return Ok(());
    }
    Err(format!("{what} {number}{unit} is more than a recording holds ({MOST})"))
}
