//! Lengths of time as seconds in JSON.

use isotherm_frame::Nanos;
use serde::{Serialize, Serializer};

/// A length of time.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
pub fn of<S: Serializer>(length: &Nanos, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(length.as_secs_f64())
}

/// A length of time, or null.
#[expect(clippy::ref_option, reason = "what serde calls")]
pub fn of_any<S: Serializer>(length: &Option<Nanos>, to: S) -> Result<S::Ok, S::Error> {
    length.map(Nanos::as_secs_f64).serialize(to)
}

/// A number of nanoseconds, or null.
#[expect(clippy::ref_option, reason = "what serde calls")]
pub fn of_ns<S: Serializer>(length_ns: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
    length_ns.map(|ns| ns / 1e9).serialize(to)
}
