//! What is known of how long events took, and when that was waited.

use crate::Nanos;
use crate::sparse::Sparse;

/// What is known of the total latency of some events.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Total {
    /// Only their buckets.
    Buckets,
    /// The exact total.
    Exact(Nanos),
    /// The total of parts: exact for some, estimated from their own buckets for others.
    Parts(Nanos),
}

/// Time waited within an interval, in nanoseconds for each bucket of the scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waited {
    pub(crate) ns: Sparse,
    /// The part of `ns` that came from histograms which cannot say when it was waited: it lies where
    /// their events ended.
    pub(crate) ended: Sparse,
    /// Whether all of it is measured.
    pub(crate) exact: bool,
}

pub(crate) fn saturated(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
