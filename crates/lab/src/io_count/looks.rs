//! Looks at what a session waits for.

use std::ops::Add;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

/// Time between two looks.
const PAUSE: Duration = Duration::from_micros(500);

/// Looks at a session while it ran, or at several.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Looks {
    pub count: u64,
    /// Looks that found it waiting for a read of a table.
    pub waiting: u64,
    /// How long it was looked at.
    pub elapsed_s: f64,
    /// The time waited that follows: the share of the looks times the time.
    pub waited_s: f64,
}

impl Looks {
    /// Looks at the process until `ended` is set.
    pub fn of(observer: &mut Control<'_>, pid: u64, ended: &AtomicBool) -> Result<Looks, PgError> {
        let look = format!("select wait_event = 'DataFileRead' from pg_stat_get_activity({pid})");
        let (mut waiting, mut count, begun) = (0, 0, Instant::now());
        while !ended.load(Ordering::Relaxed) {
            count += 1;
            waiting += u64::from(observer.value(&look)?.as_deref() == Some("t"));
            sleep(PAUSE);
        }
        Ok(Looks::new((waiting, count), begun.elapsed().as_secs_f64()))
    }

    /// Of one session: so many of all looks in this time found it waiting. The time waited is not a number
    /// without a look.
    pub fn new((waiting, count): (u64, u64), elapsed_s: f64) -> Looks {
        Looks { count, waiting, elapsed_s, waited_s: waiting as f64 / count as f64 * elapsed_s }
    }
}

impl Add for Looks {
    type Output = Looks;

    fn add(self, other: Looks) -> Looks {
        Looks {
            count: self.count + other.count,
            waiting: self.waiting + other.waiting,
            elapsed_s: self.elapsed_s + other.elapsed_s,
            waited_s: self.waited_s + other.waited_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_waited_is_the_share_of_the_looks() {
        let looks = Looks::new((100, 400), 2.0);
        assert!((looks.waited_s - 0.5).abs() < 1e-12);
        // Half of 1 s more: the sum is not that of the pooled share, 300 of 800 looks of 3 s.
        let both = looks + Looks::new((200, 400), 1.0);
        assert!((both.waited_s - 1.0).abs() < 1e-12);
        assert_eq!((both.waiting, both.count), (300, 800));
        assert!(Looks::new((0, 0), 1.0).waited_s.is_nan());
    }
}
