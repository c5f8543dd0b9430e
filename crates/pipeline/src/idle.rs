//! Waits during which nobody waits for the database: they count only when they are asked for.

use isotherm_frame::{Frame, IdleWaits, Nanos};
use isotherm_oracle::idle::is_idle;

/// The waits of a recorded interval if they are idle. A recording does not say what kind of source
/// it is of, so a name of one word, such as `PING`, is not taken for a wait event.
pub(crate) fn of_recording(frame: &Frame) -> Option<IdleWaits> {
    let name = frame.series.name();
    (name.contains(' ') && is_idle(name.as_bytes())).then(|| {
        let waited = frame.counts.time_waited();
        IdleWaits {
            event: name.to_owned(),
            waits: frame.counts.events(),
            time: Nanos::from_secs_f64(waited.seconds),
            exact: waited.exact,
        }
    })
}
