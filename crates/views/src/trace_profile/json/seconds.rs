//! Nanoseconds as seconds.

/// A length of time.
pub(super) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// A difference of lengths of time.
pub(super) fn signed_seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}
