//! The bucket bounds that a table of filled buckets was made with.
//!
//! A table has a row only for a bucket that holds events, so no frame in it shows all bounds. What
//! the frames of a series show together does: giving each frame only its own would make as many
//! schemes as there are frames.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Bucket, Nanos, Scheme, Unit};

/// A filled bucket: its bounds in ns, and how many events it holds.
pub(crate) type Cell = (u64, u64, u64);

/// Buckets that can belong to one scheme, from consecutive frames of a series.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    bounds: BTreeSet<u64>,
    /// The upper bound of each filled bucket by its lower one.
    filled: BTreeMap<u64, u64>,
}

impl Buckets {
    /// Adds the buckets of a frame, unless one of them would be split or would split another.
    pub(super) fn add(&mut self, cells: &[Cell]) -> bool {
        if !cells.iter().all(|&(lo, hi, _)| self.admits(lo, hi)) {
            return false;
        }
        for &(lo, hi, _) in cells {
            self.bounds.extend([lo, hi]);
            self.filled.insert(lo, hi);
        }
        true
    }

    fn admits(&self, lo: u64, hi: u64) -> bool {
        if self.filled.get(&lo) == Some(&hi) {
            return true;
        }
        let splits = |bound: u64| {
            let before = self.filled.range(..bound).next_back();
            before.is_some_and(|(_, &end)| bound < end)
        };
        let inner = lo.checked_add(1).filter(|&after| after < hi);
        let is_split = inner.is_some_and(|after| self.bounds.range(after..hi).next().is_some());
        !splits(lo) && !splits(hi) && !is_split
    }

    /// The scheme: one that sources are known to count in, if it has all of these buckets.
    pub(super) fn scheme(&self) -> Option<Scheme> {
        let units = [Unit::Micros, Unit::Millis, Unit::Nanos, Unit::Seconds];
        let known = [Scheme::log_linear()].into_iter().chain(units.map(Scheme::powers_of_two));
        let has_all = |scheme: &Scheme| {
            self.filled.iter().all(|(&lo, &hi)| scheme.position_of(bucket(lo, hi)).is_some())
        };
        let of_bounds = || Scheme::new(self.bounds.iter().copied().collect()).ok();
        if self.filled.is_empty() {
            None
        } else {
            known.into_iter().find(has_all).or_else(of_bounds)
        }
    }
}

/// The bucket from `lo` to `hi`.
pub(super) fn bucket(lo: u64, hi: u64) -> Bucket {
    Bucket { lo: Nanos::new(lo), hi: (hi != Scheme::UNBOUNDED).then_some(Nanos::new(hi)) }
}
