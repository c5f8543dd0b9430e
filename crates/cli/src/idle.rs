//! Waits during which nobody waits for the database: they take no part unless `--idle` asks.

use isotherm_frame::{Frame, Nanos};
use isotherm_oracle::idle::is_idle;
use isotherm_sources::{LeftOut, Tally};
use isotherm_views::{IdleWaits, InputAccount};

/// The waits of a recorded interval if they are idle. A recording does not say what kind of source
/// it is of, so a name of one word, such as `PING`, is not taken for a wait event.
pub fn of_recording(frame: &Frame) -> Option<LeftOut> {
    let name = frame.series.name();
    (name.contains(' ') && is_idle(name.as_bytes())).then(|| {
        let waited = frame.counts.time_waited();
        LeftOut {
            event: name.to_owned(),
            waits: frame.counts.events(),
            time: Nanos::from_secs_f64(waited.seconds),
            exact: waited.exact,
        }
    })
}

/// What was left out, as it is shown.
pub fn shown(tally: &Tally) -> Vec<IdleWaits> {
    let one = |waits: &LeftOut| IdleWaits {
        event: waits.event.clone(),
        waits: waits.waits,
        seconds: waits.time.map(Nanos::as_secs_f64),
        exact: waits.exact,
    };
    tally.left_out.iter().filter(|waits| waits.waits > 0).map(one).collect()
}

/// What to tell the user of it; nothing if nothing was left out.
pub fn told(tally: &Tally) -> Option<String> {
    let account = InputAccount { idle: shown(tally), ..InputAccount::default() };
    account.idle_left_out().map(|idle| format!("left out: {idle} (--idle)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotherm_frame::{Histogram, Quality, Scheme, Series, Timestamp, Unit};

    #[test]
    fn recorded_waits_are_idle_by_their_event() {
        let frame = |name: &str| {
            let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
            counts.record(Nanos::from_millis(250));
            counts.record(Nanos::from_millis(750));
            let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
            let quality = Quality::Complete;
            Frame {
                series: Series::with_attributes(name, [("inst", "1")]),
                start,
                end,
                counts,
                quality,
            }
        };
        let idle = of_recording(&frame("SQL*Net message from client")).unwrap();
        assert_eq!((idle.waits, idle.time, idle.exact), (2, Some(Nanos::from_millis(1_000)), true));
        for name in ["log file sync", "PING", "read"] {
            assert_eq!(of_recording(&frame(name)), None, "{name}");
        }
        let mut tally = Tally::default();
        assert_eq!(told(&tally), None);
        tally.leave_out(idle.clone());
        tally.leave_out(idle);
        let expected = "left out: 4 idle waits, 2s: SQL*Net message from client 2s (--idle)";
        assert_eq!(told(&tally).as_deref(), Some(expected));
    }
}
