//! Bucket boundaries.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use thiserror::Error;

use crate::{Nanos, Unit};

/// Bucket boundaries in nanoseconds, strictly increasing. Bucket `i` covers
/// `[bounds[i], bounds[i + 1])`. A last bound of [`Scheme::UNBOUNDED`] means the last bucket has
/// no upper bound.
///
/// Interned: two schemes with equal bounds are one allocation, so cloning and comparing are cheap
/// however many histograms share a scheme.
#[derive(Clone)]
pub struct Scheme(Arc<[u64]>);

/// One bucket of a [`Scheme`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The shortest latency counted here.
    pub lo: Nanos,
    /// The first latency too long to be counted here; `None` when there is no upper bound.
    pub hi: Option<Nanos>,
}

/// Why a list of bounds is not a scheme.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// Fewer than two bounds make no bucket.
    #[error("a bucket needs at least two bounds; there are {0}")]
    TooFew(usize),
    /// Bounds must grow.
    #[error("bucket bound {next} ns after {previous} ns: bounds must grow strictly")]
    NotIncreasing {
        /// The bound before.
        previous: u64,
        /// The bound that is not greater.
        next: u64,
    },
}

static INTERNED: LazyLock<Mutex<Interner>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Interner {
    schemes: HashSet<Arc<[u64]>>,
    /// The number of schemes at which those nobody holds any more are dropped.
    sweep_at: usize,
}

impl Interner {
    fn intern(&mut self, bounds: Vec<u64>) -> Arc<[u64]> {
        if let Some(known) = self.schemes.get(bounds.as_slice()) {
            return Arc::clone(known);
        }
        if self.schemes.len() >= self.sweep_at {
            self.schemes.retain(|scheme| Arc::strong_count(scheme) > 1);
            self.sweep_at = (self.schemes.len() * 2).max(64);
        }
        let fresh: Arc<[u64]> = bounds.into();
        self.schemes.insert(Arc::clone(&fresh));
        fresh
    }
}

impl Scheme {
    /// As a last bound: the last bucket has no upper bound.
    pub const UNBOUNDED: u64 = u64::MAX;

    /// A scheme from its bounds in nanoseconds.
    pub fn new(bounds: Vec<u64>) -> Result<Scheme, SchemeError> {
        if bounds.len() < 2 {
            return Err(SchemeError::TooFew(bounds.len()));
        }
        if let Some(pair) = bounds.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(SchemeError::NotIncreasing { previous: pair[0], next: pair[1] });
        }
        Ok(Scheme::interned(bounds))
    }

    /// See [`Scheme::averages`]: not interned, so that no bounds are equal to it.
    pub(crate) fn of_averages() -> &'static Scheme {
        static AVERAGES: LazyLock<Scheme> =
            LazyLock::new(|| Scheme(Arc::from([0, Scheme::UNBOUNDED])));
        &AVERAGES
    }

    /// A scheme from bounds that are known to grow.
    pub(crate) fn interned(bounds: Vec<u64>) -> Scheme {
        // A poisoned lock still guards a valid set: interning either happened or did not.
        Scheme(INTERNED.lock().unwrap_or_else(PoisonError::into_inner).intern(bounds))
    }

    /// Buckets at the powers of two of `unit`: `[0, 1)`, `[1, 2)`, `[2, 4)`, ... units, the last
    /// without upper bound. What tracing tools and Oracle's wait histograms count in.
    pub fn powers_of_two(unit: Unit) -> Scheme {
        let unit = unit.as_nanos().as_nanos();
        let powers = (0..63).map_while(|exponent| (1_u64 << exponent).checked_mul(unit));
        let bounds = std::iter::once(0).chain(powers).chain([Scheme::UNBOUNDED]);
        Scheme::interned(bounds.collect())
    }

    /// The bounds in nanoseconds, one more than there are buckets.
    pub fn bounds(&self) -> &[u64] {
        &self.0
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.0.len() - 1
    }

    /// The range of bucket `index`.
    ///
    /// # Panics
    /// When there is no such bucket.
    pub fn bucket(&self, index: usize) -> Bucket {
        let hi = self.0[index + 1];
        Bucket {
            lo: Nanos::new(self.0[index]),
            hi: (hi != Scheme::UNBOUNDED).then_some(Nanos::new(hi)),
        }
    }

    /// The index of the bucket that counts `latency`; `None` when it lies outside every bucket.
    pub fn index_of(&self, latency: Nanos) -> Option<usize> {
        let after = self.0.partition_point(|&bound| bound <= latency.as_nanos());
        // The largest u64 is the mark of "no upper bound" and belongs to that last bucket.
        let after =
            if latency.as_nanos() == Scheme::UNBOUNDED { after.min(self.buckets()) } else { after };
        (1..=self.buckets()).contains(&after).then(|| after - 1)
    }

    /// The index of exactly the bucket `[lo, hi)`, if the scheme has it.
    pub fn position_of(&self, bucket: Bucket) -> Option<usize> {
        let index = self.0[..self.buckets()].binary_search(&bucket.lo.as_nanos()).ok()?;
        (self.bucket(index) == bucket).then_some(index)
    }
}

impl Bucket {
    /// Whether `latency` is counted here.
    pub fn contains(self, latency: Nanos) -> bool {
        self.lo <= latency && self.hi.is_none_or(|hi| latency < hi)
    }

    /// The latency that stands for one event here when time waited is estimated: the middle, or
    /// the lower bound when there is no upper one (the estimate is then too low, never too high).
    pub fn mid_point(self) -> Nanos {
        let lo = self.lo.as_nanos();
        self.hi.map_or(self.lo, |hi| Nanos::new(lo + (hi.as_nanos() - lo) / 2))
    }
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Scheme) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Scheme {}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.bucket(self.buckets() - 1);
        write!(f, "Scheme({} buckets, {}..", self.buckets(), self.bucket(0).lo)?;
        last.hi.map_or(Ok(()), |hi| write!(f, "{hi}"))?;
        write!(f, ")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bounds_are_one_scheme() {
        let one = Scheme::new(vec![0, 10, 20]).unwrap();
        assert_eq!(one, Scheme::new(vec![0, 10, 20]).unwrap());
        assert_ne!(one, Scheme::new(vec![0, 10, 21]).unwrap());
    }

    #[test]
    fn bad_bounds_are_refused_with_the_reason() {
        assert_eq!(Scheme::new(vec![5]), Err(SchemeError::TooFew(1)));
        let error = Scheme::new(vec![0, 10, 10]).unwrap_err();
        assert_eq!(error, SchemeError::NotIncreasing { previous: 10, next: 10 });
    }

    #[test]
    fn powers_of_two_are_lower_and_upper_bounds_at_once() {
        let scheme = Scheme::powers_of_two(Unit::Micros);
        assert_eq!(&scheme.bounds()[..5], &[0, 1_000, 2_000, 4_000, 8_000]);
        let bucket = scheme.bucket(scheme.index_of(Nanos::from_micros(3)).unwrap());
        assert_eq!((bucket.lo, bucket.hi), (Nanos::from_micros(2), Some(Nanos::from_micros(4))));
        assert_eq!(bucket.mid_point(), Nanos::from_micros(3));
    }
}
