//! Lengths of time in seconds as people write them.

use isotherm_frame::Nanos;

/// A length of time as people write it.
pub(crate) fn length(seconds: f64) -> String {
    Nanos::from_secs_f64(seconds).map_or_else(|| "-".to_owned(), |length| length.to_string())
}
