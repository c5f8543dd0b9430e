//! What time it is here.

use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds of this machine's clock.
pub fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
