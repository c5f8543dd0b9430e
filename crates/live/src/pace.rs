//! When to measure, and what time it is.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use isotherm_frame::{Nanos, Timestamp};

use crate::feed::now;

/// A schedule fixed beforehand: how long an operation takes does not move those after it. What is
/// due while one still runs is left out, because only one may be under way.
#[derive(Debug)]
pub(crate) struct Pace {
    began: Instant,
    rate_hz: f64,
    next: u64,
    skipped: u64,
}

/// That a number of samples a second cannot be kept, and half of it as `option` takes it, if that
/// is one at least.
pub(crate) fn below_rate(doing: &str, things: &str, rate_hz: f64, option: &str) -> String {
    let less = (rate_hz / 2.0).floor();
    let advice = if less >= 1.0 { format!(". Use {option}{less}") } else { String::new() };
    format!("{doing} is slower than {rate_hz} Hz: {things} are skipped{advice}")
}

/// That an interval is too short, and twice its length as `option` takes it.
pub(crate) fn beyond_interval(doing: &str, things: &str, interval: Nanos, option: &str) -> String {
    let more = Nanos::new(interval.as_nanos().saturating_mul(2));
    format!("{doing} takes longer than {interval}: {things} are skipped. Use {option}{more}")
}

impl Pace {
    pub(crate) fn new(rate_hz: f64, began: Instant) -> Pace {
        Pace { began, rate_hz, next: 0, skipped: 0 }
    }

    /// When the next operation is due.
    pub(crate) fn due(&self) -> Instant {
        self.slot(self.next)
    }

    /// An operation ended at `ended`. `true` the first time that others had been due before.
    pub(crate) fn advance(&mut self, ended: Instant) -> bool {
        self.next += 1;
        let first = self.skipped == 0;
        let late = ended.saturating_duration_since(self.due()).as_secs_f64() * self.rate_hz;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float beyond the range of u64 becomes the nearest u64"
        )]
        let missed = late.ceil() as u64;
        self.next += missed;
        self.skipped += missed;
        first && missed > 0
    }

    /// How many operations a second are due.
    pub(crate) fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// How many operations were skipped.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    fn slot(&self, number: u64) -> Instant {
        /// A rate so slow that its next slot is beyond all time: a day later is late enough.
        const DAY: Duration = Duration::from_hours(24);
        let after = Duration::try_from_secs_f64(number as f64 / self.rate_hz);
        let slot = after.ok().and_then(|after| self.began.checked_add(after));
        slot.unwrap_or_else(|| Instant::now() + DAY)
    }
}

/// Waits until a moment, or until it is asked to stop and the thread is woken: whether the moment came.
pub(crate) fn wait_unless(stop: &AtomicBool, due: Instant) -> bool {
    while !stop.load(Ordering::Relaxed) {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        thread::park_timeout(left);
    }
    false
}

/// The time since the epoch, which never steps back: one reading of the wall clock carried on by
/// the monotonic one. When the wall clock is far ahead, as after the machine slept, it follows.
#[derive(Debug)]
pub(crate) struct SteadyClock {
    anchor: Instant,
    at_anchor: Timestamp,
}

impl SteadyClock {
    /// How far ahead the wall clock must be to be followed.
    const AHEAD: Nanos = Nanos::SECOND;

    pub(crate) fn new() -> SteadyClock {
        SteadyClock { anchor: Instant::now(), at_anchor: now() }
    }

    /// The time at `instant`, which is now or was just now.
    pub(crate) fn read(&mut self, instant: Instant) -> Timestamp {
        let carried = self.carry(instant);
        let wall = now().minus(nanos(instant.elapsed()));
        if wall.since(carried) > SteadyClock::AHEAD {
            *self = SteadyClock { anchor: instant, at_anchor: wall };
            return wall;
        }
        carried
    }

    fn carry(&self, instant: Instant) -> Timestamp {
        self.at_anchor.plus(nanos(instant.saturating_duration_since(self.anchor)))
    }
}

fn nanos(length: Duration) -> Nanos {
    Nanos::new(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_kept_is_reported_with_what_to_do() {
        assert_eq!(
            below_rate("sampling", "samples", 10.0, "?hz="),
            "sampling is slower than 10 Hz: samples are skipped. Use ?hz=5"
        );
        assert_eq!(
            below_rate("sampling", "samples", 1.0, "?hz="),
            "sampling is slower than 1 Hz: samples are skipped"
        );
        assert_eq!(
            beyond_interval("polling", "polls", Nanos::SECOND, "--interval "),
            "polling takes longer than 1s: polls are skipped. Use --interval 2s"
        );
    }

    #[test]
    fn slots_keep_their_places_and_missed_ones_are_counted() {
        let began = Instant::now(); // wall clock: any moment will do
        let after = |millis| began + Duration::from_millis(millis);
        let mut pace = Pace::new(100.0, began);
        assert_eq!(pace.due(), began);
        assert!(!pace.advance(after(3)));
        assert_eq!(pace.due(), after(10), "a quick operation changes nothing");
        // Begun at 10, ended at 35: those due at 20 and 30 are left out.
        assert!(pace.advance(after(35)), "the first to be left out are reported");
        assert_eq!((pace.due(), pace.skipped()), (after(40), 2));
        assert!(!pace.advance(after(61)), "later ones only counted");
        assert_eq!((pace.due(), pace.skipped()), (after(70), 4));
    }

    #[test]
    fn the_steady_clock_follows_the_wall_clock_forward_only() {
        let anchor = Instant::now(); // wall clock: any moment will do
        let past = now().minus(Nanos::new(3_600_000_000_000));
        let mut slept = SteadyClock { anchor, at_anchor: past };
        // wall clock: it is the clock that is tested; an hour is expected and minutes are forgiven
        assert!(slept.read(Instant::now()).since(past) > Nanos::new(3_500_000_000_000));
        let future = now().plus(Nanos::new(3_600_000_000_000));
        let mut stepped_back = SteadyClock { anchor, at_anchor: future };
        // wall clock: any moment will do
        assert!(stepped_back.read(Instant::now()) >= future);
    }
}
