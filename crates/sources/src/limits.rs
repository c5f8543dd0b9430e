//! What no measurement is: the one place for all decoders.

use isotherm_frame::Nanos;

/// No operation takes longer.
pub(crate) const TEN_YEARS: Nanos = Nanos::new(10 * 365 * 86_400 * 1_000_000_000);

/// More events than that in one interval or total nobody has counted: the numbers that a float can
/// count exactly.
pub(crate) const MOST_EVENTS: u64 = 1 << 53;
