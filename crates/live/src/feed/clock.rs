//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use isotherm_frame::Timestamp;

/// The time, on the clock the user reads.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
