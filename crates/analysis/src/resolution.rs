//! How finely latencies were measured, as far as their counts tell.

use isotherm_frame::{Bucket, Histogram};

/// Resolutions a clock may have: decimal parts of a second, in nanoseconds, the coarsest first.
const UNITS: [u64; 9] =
    [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10];
/// This many empty buckets in which no multiple of a unit lies make it the resolution.
const LEAST_EMPTY: usize = 3;
/// So does one between two buckets with this many events each: it is not empty by chance.
const LEAST_BESIDE: u64 = 10;

/// The coarsest unit all latencies may be multiples of, in nanoseconds, when buckets are narrow
/// enough to show it: those between the first and the last event in which no multiple lies are
/// empty, and there are some. (Where each bucket holds one multiple or more, nothing shows it.)
///
/// Latencies in whole microseconds, counted in buckets of half a microsecond, fill every other
/// bucket. Without this each of them would be a mode.
pub(crate) fn resolution(counts: &Histogram) -> Option<u64> {
    let (first, _) = counts.counted().next()?;
    let (last, _) = counts.counted().next_back()?;
    UNITS.into_iter().find(|&unit| {
        let holds = |bucket: Bucket| multiples(bucket, unit).is_some();
        let empty = || (first..last).filter(|&index| !holds(counts.scheme().bucket(index)));
        let alone =
            |index: usize| counts.count(index - 1).min(counts.count(index + 1)) >= LEAST_BESIDE;
        counts.non_zero().all(|(bucket, _)| holds(bucket))
            && (empty().count() >= LEAST_EMPTY || empty().any(alone))
    })
}

/// The first and the last multiple of a unit in a bucket; the last is `None` without upper bound.
pub(crate) fn multiples(bucket: Bucket, unit: u64) -> Option<(u64, Option<u64>)> {
    let first = bucket.lo.as_nanos().checked_next_multiple_of(unit)?;
    let last = bucket.hi.map(|hi| (hi.as_nanos() - 1) / unit * unit);
    last.is_none_or(|last| first <= last).then_some((first, last))
}
