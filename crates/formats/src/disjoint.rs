//! Histograms of buckets that a tool prints one by one, with gaps between them.

use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Nanos, Scheme};

/// A histogram of buckets `(lo, hi, count)` in nanoseconds, with empty ones between them; `None` if they
/// overlap. Without events its total time is zero, else only the buckets tell it.
pub(crate) fn histogram(buckets: impl Iterator<Item = (u64, u64, u64)>) -> Option<Histogram> {
    let mut ordered = BTreeMap::new();
    for (lo, hi, count) in buckets {
        let (_, sum) = ordered.entry(lo).or_insert((hi, 0_u64));
        *sum = sum.checked_add(count)?;
    }
    let (mut bounds, mut counts) = (vec![0_u64], Vec::new());
    for (lo, (hi, count)) in ordered {
        if bounds.last() != Some(&lo) {
            bounds.push(lo);
            counts.push(0);
        }
        bounds.push(hi);
        counts.push(count);
    }
    if counts.is_empty() {
        bounds.push(1);
        counts.push(0);
    }
    let scheme = Scheme::new(bounds).ok()?;
    let empty = counts.iter().all(|count| *count == 0);
    Histogram::new(scheme, counts, empty.then_some(Nanos::ZERO)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_buckets_are_empty_buckets() {
        let made = histogram([(10, 20, 3), (30, 40, 4)].into_iter()).unwrap();
        assert_eq!(made.scheme().bounds(), [0, 10, 20, 30, 40]);
        assert_eq!(made.events(), 7);
        assert_eq!(made.sum(), None);
        assert!(histogram([(10, 20, 3), (15, 40, 4)].into_iter()).is_none());
        assert_eq!(histogram([].into_iter()).unwrap().sum(), Some(Nanos::ZERO));
    }
}
