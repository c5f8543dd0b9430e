//! Where the buckets of `V$EVENT_HISTOGRAM`, of its micro form and of their histories in AWR end.

use isotherm_frame::{Scheme, Unit};

/// As an upper bound, whatever its unit: there is none.
pub const NO_UPPER_BOUND: u64 = 4_294_967_295;

/// An exclusive upper bound in nanoseconds; none if it is beyond all time.
pub fn upper_bound_ns(bound: u64, unit: Unit) -> Option<u64> {
    match bound {
        NO_UPPER_BOUND => Some(Scheme::UNBOUNDED),
        bound => bound.checked_mul(unit.as_nanos().as_nanos()),
    }
}

/// Whether a bucket can end here: at a power of two of its unit, or nowhere.
pub fn is_upper_bound(bound: u64, unit: Unit) -> bool {
    bound == NO_UPPER_BOUND || (bound.is_power_of_two() && upper_bound_ns(bound, unit).is_some())
}
