//! Looking at a cache again and again, for a while.

use std::thread;
use std::time::{Duration, Instant};

use isotherm_cache::BufferHistory;
use isotherm_formats::BufferContents;
use isotherm_frame::Nanos;
use isotherm_pipeline::now;

use crate::cache_show_args::ShowArgs;
use crate::failure::{Code, Failure};
use crate::progress::ProgressLine;
use crate::signals::Signals;

/// The shortest time between looks, and the most looks.
const SHORTEST: Nanos = Nanos::from_millis(100);
const MOST: u64 = 10_000;
/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);

/// How often, and how many.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Looks {
    every: Nanos,
    due: usize,
}

/// What was seen.
pub struct Looked {
    /// In the last look.
    pub contents: BufferContents,
    /// In all of them.
    pub history: BufferHistory,
    /// Why there were no more, if it was not to be so.
    pub lost: Option<Failure>,
}

impl Looks {
    /// What the command line wants; none if it wants one look.
    pub fn of(args: &ShowArgs) -> Result<Option<Looks>, Failure> {
        if args.every.is_none() && args.duration.is_none() {
            return Ok(None);
        }
        let every = args.every.unwrap_or(Nanos::SECOND);
        if every < SHORTEST {
            return Err(Failure::usage(format!("--every {every}: must be at least {SHORTEST}")));
        }
        let Some(length) = args.duration else {
            return Ok(Some(Looks { every, due: usize::try_from(MOST).unwrap_or(usize::MAX) }));
        };
        let due = length.as_nanos().div_ceil(every.as_nanos());
        if due == 0 {
            return Err(Failure::usage("--for 0s: there would be nothing to see"));
        }
        if due > MOST {
            return Err(Failure::usage(format!(
                "--for {length} with --every {every} makes {due} looks: at most {MOST} are shown; look less \
                 often"
            )));
        }
        Ok(Some(Looks { every, due: usize::try_from(due).unwrap_or(usize::MAX) }))
    }

    /// Makes the looks that are due until the user ends it; those that come too late are left out. A
    /// server that is lost ends it, too.
    pub fn make(
        self,
        look: &mut dyn FnMut() -> Result<BufferContents, Failure>,
        signals: &Signals,
    ) -> Result<Looked, Failure> {
        let mut line = ProgressLine::new(true);
        let began = Instant::now();
        let mut history = BufferHistory::new(self.every, now());
        let (mut latest, mut lost, mut slot) = (None, None, 0);
        while slot < self.due && wait_until(began + self.after(slot), signals) {
            match look() {
                Ok(contents) => {
                    history.push(slot, &contents);
                    latest = Some(contents);
                }
                Err(error) => {
                    lost = Some(error);
                    break;
                }
            }
            line.show(&format!("look {} of {}", slot + 1, self.due));
            slot = (slot + 1).max(self.slot(began.elapsed()));
        }
        line.clear();
        match (latest, lost) {
            (Some(contents), lost) => Ok(Looked { contents, history, lost }),
            (None, Some(lost)) => Err(lost),
            (None, None) => {
                Err(Failure::new(Code::Interrupted, "interrupted before the first look"))
            }
        }
    }

    /// When a look is due, after the first.
    fn after(self, slot: usize) -> Duration {
        let nanos = u128::from(self.every.as_nanos()) * slot as u128;
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The first look that is due at this time or after it.
    fn slot(self, elapsed: Duration) -> usize {
        let every = u128::from(self.every.as_nanos()).max(1);
        usize::try_from(elapsed.as_nanos().div_ceil(every)).unwrap_or(usize::MAX)
    }
}

/// Waits until this moment; false if the user ends it before.
fn wait_until(due: Instant, signals: &Signals) -> bool {
    while !signals.stop_asked() {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(TICK));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_look_is_made_at_the_next_moment_that_is_due() {
        let looks = Looks { every: Nanos::from_millis(1_000), due: 60 };
        let slot = |millis| looks.slot(Duration::from_millis(millis));
        assert_eq!([slot(0), slot(1), slot(1_000), slot(1_001), slot(5_500)], [0, 1, 1, 2, 6]);
        assert_eq!(looks.after(6), Duration::from_secs(6));
    }
}
