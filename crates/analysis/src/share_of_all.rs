//! Shares of what was found in a part of the time.

use crate::{Burst, Timeline};

/// The part of the time waited that is waited in some of the columns, 0 to 1.
pub(crate) fn part_of_time(columns: &Timeline, whole: &Timeline) -> f64 {
    let part = columns.waited().seconds / whole.waited().seconds;
    if part.is_finite() { part.min(1.0) } else { 1.0 }
}

/// Makes the shares of what was found in some of the columns shares of all time waited.
pub(crate) fn share_of_all(bursts: &mut [Burst], columns: &Timeline, whole: &Timeline) {
    let part = part_of_time(columns, whole);
    for burst in bursts {
        burst.time_share *= part;
    }
}
