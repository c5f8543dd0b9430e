//! Nanoseconds as seconds in JSON.

use serde::Serializer;

/// A length of time.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
pub fn of_ns<S: Serializer>(length_ns: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*length_ns as f64 / 1e9)
}
