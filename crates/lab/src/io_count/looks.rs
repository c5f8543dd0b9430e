//! Looks at what a session waits for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

/// Time between two looks.
const PAUSE: Duration = Duration::from_micros(500);
/// How many standard errors an interval of 90 % confidence reaches to either side.
const REACH: f64 = 1.645;

/// Looks at a session while it ran.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Looks {
    pub count: u64,
    /// Looks that found it waiting for a read of a table.
    pub waiting: u64,
    /// How long it was looked at.
    pub elapsed_s: f64,
}

impl Looks {
    /// Looks at the process until `ended` is set.
    pub fn of(observer: &mut Control<'_>, pid: u64, ended: &AtomicBool) -> Result<Looks, PgError> {
        let look = format!("select wait_event = 'DataFileRead' from pg_stat_get_activity({pid})");
        let (mut looks, begun) = (Looks::default(), Instant::now());
        while !ended.load(Ordering::Relaxed) {
            looks.count += 1;
            looks.waiting += u64::from(observer.value(&look)?.as_deref() == Some("t"));
            sleep(PAUSE);
        }
        looks.elapsed_s = begun.elapsed().as_secs_f64();
        Ok(looks)
    }

    /// The time waited that follows: the share of the looks times the time.
    pub fn waited_s(&self) -> f64 {
        self.share() * self.elapsed_s
    }

    /// How far chance moves that to either side, with 90 % confidence, as if looks did not depend on
    /// each other.
    pub fn half_width_s(&self) -> f64 {
        let share = self.share();
        REACH * (share * (1.0 - share) / self.count as f64).sqrt() * self.elapsed_s
    }

    fn share(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.waiting as f64 / self.count as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_waited_is_the_share_of_the_looks() {
        let looks = Looks { count: 400, waiting: 100, elapsed_s: 2.0 };
        assert!((looks.waited_s() - 0.5).abs() < 1e-12);
        // 1.645 x sqrt(0.25 x 0.75 / 400) x 2 s
        assert!((looks.half_width_s() - 0.0712).abs() < 1e-4, "{}", looks.half_width_s());
        assert!(Looks::default().waited_s().is_nan());
    }
}
