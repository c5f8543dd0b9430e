//! What a recording can hold of a frame and of an account: every reader of a text asks before the writer
//! does, so that what is refused is refused with its line.

use isotherm_frame::plausible::{MOST_EVENTS, Plausible, TEN_YEARS, TOO_LONG, too_many};
use isotherm_frame::{Histogram, Nanos, Timestamp};

use crate::layout::SERIES_PER_TICK;

/// The largest number that a recording holds.
pub(crate) const MOST: u64 = i64::MAX.unsigned_abs();

/// The most series that it holds.
#[expect(clippy::cast_possible_truncation, reason = "65,536")]
pub(crate) const MOST_SERIES: usize = SERIES_PER_TICK as usize;

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

/// The events of a bucket, and the time waited in it.
pub(crate) fn check_bucket(lo: u64, (count, waited_ns): (u64, u64)) -> Result<(), String> {
    if count > MOST_EVENTS {
        return Err(too_many(count));
    }
    if lo > TEN_YEARS.as_nanos() && (count > 0 || waited_ns > 0) {
        return Err(format!("a latency of at least {}: {TOO_LONG}", Nanos::new(lo)));
    }
    check_sum(Some(Nanos::new(waited_ns)))
}

/// All counts of a frame, and its times.
pub(crate) fn check_counts(counts: &Histogram) -> Result<(), String> {
    check_sum(counts.sum())?;
    match counts.plausible() {
        Plausible::Yes => {}
        Plausible::Without(events, _) => return Err(format!("{events} events: {TOO_LONG}")),
        Plausible::No(why) => return Err(why),
    }
    let waited = counts.has_waited_ns().then(|| counts.bucket_times_ns());
    check_sum(waited.into_iter().flatten().map(|(_, ns)| Nanos::new(ns)).max())
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
