//! The buckets that fio counts latencies in.

use std::sync::LazyLock;

use isotherm_frame::{Histogram, Nanos, Scheme};

/// fio's buckets: single units up to 128, then 64 in each power of two.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    scheme: Scheme,
    /// What one unit is, in nanoseconds.
    unit: u64,
}

/// Buckets of each power of two, as a power of two.
const BITS: u32 = 6;
/// Buckets of each power of two.
const EACH: usize = 1 << BITS;
/// Powers of two of fio 3, which counts nanoseconds.
pub(super) const GROUPS: usize = 29;
/// Powers of two of fio before 2.99, which counted microseconds.
const OLD_GROUPS: usize = 19;

static FULL: LazyLock<Buckets> = LazyLock::new(|| Buckets::made(GROUPS, 0, 1));

impl Buckets {
    /// All buckets of fio 3.
    pub(super) fn full() -> &'static Buckets {
        &FULL
    }

    /// The buckets of a log whose rows have so many counts: those of fio 3 or of fio 2, each
    /// perhaps 2, 4, 8, ... together (`log_hist_coarseness`).
    pub(super) fn of_columns(columns: usize) -> Option<Buckets> {
        let of = |groups: usize, unit| {
            let coarse = (0..=BITS).find(|coarse| (groups * EACH) >> coarse == columns);
            coarse.map(|coarse| Buckets::made(groups, coarse, unit))
        };
        of(GROUPS, 1).or_else(|| of(OLD_GROUPS, 1_000))
    }

    fn made(groups: usize, coarse: u32, unit: u64) -> Buckets {
        let count = groups * EACH;
        let bounds = (0..count).step_by(1 << coarse).map(|index| lower(index) * unit);
        // What is longer than all buckets is counted in the last one.
        let bounds = bounds.chain([Scheme::UNBOUNDED]).collect();
        let scheme = Scheme::new(bounds).unwrap_or_else(|_| Scheme::log_linear());
        Buckets { scheme, unit }
    }

    /// The histogram of counts, one for each bucket.
    pub(super) fn histogram(&self, counts: Vec<u64>, sum: Option<Nanos>) -> Option<Histogram> {
        Histogram::new(self.scheme.clone(), counts, sum).ok()
    }

    /// No events in these buckets.
    pub(super) fn len(&self) -> usize {
        self.scheme.buckets()
    }

    /// Whether they are those of fio before 2.99.
    pub(super) fn is_old(&self) -> bool {
        self.unit > 1
    }
}

/// The first value of a bucket, in fio's unit.
fn lower(index: usize) -> u64 {
    let index = index as u64;
    if index < 2 << BITS {
        return index;
    }
    let error = (index >> BITS) - 1;
    (1 << (error + u64::from(BITS))) + ((index & (EACH as u64 - 1)) << error)
}

/// The bucket of fio 3 whose middle is `middle` nanoseconds: how fio names buckets in JSON.
pub(super) fn of_middle(middle: u64) -> Option<usize> {
    let index = if middle < 2 << BITS {
        usize::try_from(middle).ok()?
    } else {
        let error = middle.ilog2() - BITS;
        let within = usize::try_from((middle >> error) & (EACH as u64 - 1)).ok()?;
        (usize::try_from(error).ok()? + 1) * EACH + within
    };
    if index >= GROUPS * EACH {
        return None;
    }
    let width = lower(index + 1) - lower(index);
    (lower(index) + width / 2 == middle).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_are_those_that_fio_prints() {
        // From fio's own code: val = 1 << (error_bits + 6), width 1 << error_bits.
        for (middle, lo, hi) in [(0, 0, 1), (127, 127, 128), (32_128, 32_000, 32_256)] {
            let index = of_middle(middle).unwrap();
            assert_eq!((lower(index), lower(index + 1)), (lo, hi), "{middle}");
        }
        for index in 0..GROUPS * EACH {
            let (lo, hi) = (lower(index), lower(index + 1));
            assert!(lo < hi);
            assert_eq!(of_middle(lo + (hi - lo) / 2), Some(index));
        }
        assert_eq!(of_middle(32_129), None);
        assert_eq!(of_middle(u64::MAX), None);
    }

    #[test]
    fn coarser_logs_have_every_second_bound() {
        let full = Buckets::of_columns(1_856).unwrap();
        assert_eq!(full.len(), 1_856);
        let half = Buckets::of_columns(928).unwrap();
        let every_second: Vec<u64> = full.scheme.bounds().iter().copied().step_by(2).collect();
        assert_eq!(half.scheme.bounds(), every_second);
        assert!(Buckets::of_columns(1_216).unwrap().is_old());
        assert!(Buckets::of_columns(1_000).is_none());
    }
}
