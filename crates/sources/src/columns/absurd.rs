//! Which latencies cannot be true.

use isotherm_frame::Nanos;

/// Ten years: no operation takes longer.
pub(super) const ABSURD: Nanos = Nanos::new(10 * 365 * 86_400 * 1_000_000_000);
