//! The rows of a printed histogram, gathered into a [`Histogram`].

mod bars;

pub(crate) use self::bars::{Bars, Drawing};

use isotherm_frame::{Histogram, Nanos, Scheme, SchemeError, Unit};
use thiserror::Error;

use isotherm_frame::plausible::MOST_EVENTS;

/// One printed bucket `[lo, hi)` and its count, in the unit of the print.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The first value counted.
    pub(crate) lo: u64,
    /// The first value no longer counted; `None` when there is no upper bound.
    pub(crate) hi: Option<u64>,
    /// How many values.
    pub(crate) count: u64,
}

/// The bounds a tool is known to count in: what lets prints whose empty rows were left out share
/// one scheme.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// `[0, 1)`, `[1, 2)`, `[2, 4)`, ... as bpftrace's `hist()`.
    PowersOfTwo,
    /// `[0, 2)`, `[2, 4)`, `[4, 8)`, ... as bcc, which counts 0 and 1 together.
    PairedPowersOfTwo,
    /// The bounds that are printed.
    AsPrinted,
}

/// Why rows are not a histogram.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RowsError {
    /// The rows do not follow one another.
    #[error("the bucket from {lo} follows one that reaches to {reached}")]
    OutOfOrder {
        /// The lower bound of the row.
        lo: u64,
        /// How far the row before reaches.
        reached: u64,
    },
    /// A latency of centuries.
    #[error("the bucket from {0} is longer than five hundred years")]
    TooLong(u64),
    /// More events than anybody has counted.
    #[error("{0} events cannot be true")]
    TooMany(u64),
    /// No bounds can be made of it.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
}

/// The number of events of some rows.
pub(crate) fn events(rows: &[Row]) -> u64 {
    rows.iter().fold(0, |total, row| total.saturating_add(row.count))
}

/// Whether a printed row is whole: its bar is closed.
pub(crate) fn is_whole(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.ends_with(b"|") && memchr::memchr_iter(b'|', line).count() > 1
}

/// What is wrong with a line that is drawn like a bucket and is none.
pub(crate) const NO_BUCKET: &str = "a line like a bucket, of which bounds or count cannot be read";

/// What is wrong where a line that is none stands in the place of a bucket.
pub(crate) const BUCKET_MISSING: &str = "another line stands where a bucket is missing";

/// What is wrong with a bucket that has no whole bar.
pub(crate) const CUT_BUCKET: &str = "a bucket is cut short";

/// What is wrong with a heading below which the input ends.
pub(crate) const NO_BUCKETS: &str = "the input ends below this heading: its buckets are missing";

/// Whether a bucket does not follow the one before: tools print all of them, also those without events.
pub(crate) fn leaves_a_hole(rows: &[Row], next: &Row) -> bool {
    rows.last().is_some_and(|last| last.hi != Some(next.lo))
}

/// The histogram that `rows`, shortest values first, print; values are multiples of `step`.
pub(crate) fn histogram(rows: &[Row], step: Nanos, layout: Layout) -> Result<Histogram, RowsError> {
    check_order(rows)?;
    let events = events(rows);
    if events > MOST_EVENTS {
        return Err(RowsError::TooMany(events));
    }
    match family(rows, step, layout) {
        Some(scheme) => Ok(in_scheme(rows, step, scheme)),
        None => as_printed(rows, step),
    }
}

fn check_order(rows: &[Row]) -> Result<(), RowsError> {
    let mut reached = 0;
    for row in rows {
        let end = row.hi.unwrap_or(u64::MAX);
        if row.lo < reached || end <= row.lo {
            return Err(RowsError::OutOfOrder { lo: row.lo, reached: reached.max(end) });
        }
        reached = end;
    }
    Ok(())
}

/// The shared scheme all rows fit, if the tool's layout has one.
fn family(rows: &[Row], step: Nanos, layout: Layout) -> Option<Scheme> {
    let paired = layout == Layout::PairedPowersOfTwo;
    let unit = [Unit::Nanos, Unit::Micros, Unit::Millis, Unit::Seconds]
        .into_iter()
        .find(|unit| unit.as_nanos() == step)?;
    let fits = |row: &Row| match (row.lo, row.hi) {
        (0, Some(hi)) => hi == if paired { 2 } else { 1 },
        (1, _) if paired => false,
        (lo, Some(hi)) => lo.is_power_of_two() && lo.checked_mul(2) == Some(hi),
        (lo, None) => lo == 1 << 63,
    };
    let known = layout != Layout::AsPrinted && rows.iter().all(fits);
    known.then(|| if paired { paired_powers(unit) } else { Scheme::powers_of_two(unit) })
}

/// The powers of two of a unit without the bound at one unit.
fn paired_powers(unit: Unit) -> Scheme {
    let all = Scheme::powers_of_two(unit);
    let one = unit.as_nanos().as_nanos();
    let bounds = all.bounds().iter().copied().filter(|&bound| bound != one).collect();
    Scheme::new(bounds).unwrap_or(all)
}

fn in_scheme(rows: &[Row], step: Nanos, scheme: Scheme) -> Histogram {
    let mut counts = vec![0_u64; scheme.buckets()];
    for row in rows {
        // Beyond the top of the scheme everything belongs to its last bucket.
        let lo = Nanos::new(row.lo.saturating_mul(step.as_nanos()));
        let index = scheme.index_of(lo).unwrap_or(counts.len() - 1);
        counts[index] = counts[index].saturating_add(row.count);
    }
    let empty = Histogram::empty(scheme.clone()).with_sum(None);
    Histogram::new(scheme, counts, None).unwrap_or(empty)
}

fn as_printed(rows: &[Row], step: Nanos) -> Result<Histogram, RowsError> {
    let scaled = |value: u64| value.checked_mul(step.as_nanos());
    let (mut bounds, mut counts) = (Vec::new(), Vec::new());
    for row in rows {
        let lo = scaled(row.lo).ok_or(RowsError::TooLong(row.lo))?;
        match bounds.last() {
            Some(&last) if last == lo => {}
            // Rows left out between two printed ones were empty.
            Some(_) => {
                counts.push(0);
                bounds.push(lo);
            }
            None => bounds.push(lo),
        }
        bounds.push(row.hi.and_then(scaled).unwrap_or(Scheme::UNBOUNDED));
        counts.push(row.count);
    }
    let scheme = Scheme::new(bounds)?;
    let empty = Histogram::empty(scheme.clone()).with_sum(None);
    Ok(Histogram::new(scheme, counts, None).unwrap_or(empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Nanos = Nanos::new(1_000);

    fn row(lo: u64, hi: u64, count: u64) -> Row {
        Row { lo, hi: Some(hi), count }
    }

    fn filled(histogram: &Histogram) -> Vec<(u64, Option<u64>, u64)> {
        let parts = histogram.non_zero();
        parts.map(|(b, n)| (b.lo.as_nanos(), b.hi.map(Nanos::as_nanos), n)).collect()
    }

    #[test]
    fn prints_with_different_rows_left_out_share_a_scheme() {
        let one = histogram(&[row(16, 32, 5), row(32, 64, 7)], US, Layout::PowersOfTwo).unwrap();
        let two = histogram(&[row(0, 1, 1), row(1, 2, 2)], US, Layout::PowersOfTwo).unwrap();
        assert_eq!(one.scheme(), two.scheme());
        assert_eq!(filled(&one), [(16_000, Some(32_000), 5), (32_000, Some(64_000), 7)]);
        assert_eq!(filled(&two), [(0, Some(1_000), 1), (1_000, Some(2_000), 2)]);
    }

    #[test]
    fn zero_and_one_together_are_one_bucket() {
        let one = histogram(&[row(0, 2, 3), row(2, 4, 4)], US, Layout::PairedPowersOfTwo).unwrap();
        assert_eq!(filled(&one), [(0, Some(2_000), 3), (2_000, Some(4_000), 4)]);
        let two = histogram(&[row(64, 128, 1)], US, Layout::PairedPowersOfTwo).unwrap();
        assert_eq!(one.scheme(), two.scheme());
    }

    #[test]
    fn other_bounds_are_kept_and_holes_are_empty_buckets() {
        let rows = [row(0, 10, 1), row(30, 40, 2), Row { lo: 40, hi: None, count: 3 }];
        let printed = histogram(&rows, US, Layout::PowersOfTwo).unwrap();
        assert_eq!(
            filled(&printed),
            [(0, Some(10_000), 1), (30_000, Some(40_000), 2), (40_000, None, 3)]
        );
        assert_eq!(printed.scheme().bounds(), [0, 10_000, 30_000, 40_000, Scheme::UNBOUNDED]);
    }

    #[test]
    fn rows_that_overlap_or_run_backwards_are_refused() {
        let back = [row(16, 32, 1), row(8, 16, 1)];
        assert!(histogram(&back, US, Layout::PowersOfTwo).is_err());
        assert!(histogram(&[row(16, 16, 1)], US, Layout::AsPrinted).is_err());
        let twice = [row(16, 32, 1), row(16, 32, 1)];
        assert!(histogram(&twice, US, Layout::PowersOfTwo).is_err());
        let many = [row(16, 32, 1 << 53), row(32, 64, 1)];
        assert_eq!(
            histogram(&many, US, Layout::PowersOfTwo),
            Err(RowsError::TooMany((1 << 53) + 1))
        );
        let ages = [row(u64::MAX / 100, u64::MAX / 50, 1)];
        assert_eq!(
            histogram(&ages, US, Layout::AsPrinted),
            Err(RowsError::TooLong(u64::MAX / 100))
        );
    }
}
