//! What there is to say, found once for all clients and not too often, on a thread of its own: nobody
//! waits for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::documents::Snapshot;
use crate::history::{Latest, LiveHistory};

/// Finding things looks at everything that is kept: at most this often,
const LEAST_APART: Duration = Duration::from_secs(5);
/// and at most for this share of the time: one part of so many.
const SHARE: u32 = 20;
/// How soon a summary is made for the first client.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The latest summary.
#[derive(Debug, Default)]
pub struct Summaries {
    latest: Mutex<Option<(u64, Arc<str>)>>,
    /// How many clients wait for one.
    clients: AtomicUsize,
}

/// A client that waits for summaries as long as it is there.
pub struct Client<'s>(&'s Summaries);

impl Drop for Client<'_> {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Summaries {
    /// Counts a client.
    pub fn client(&self) -> Client<'_> {
        self.clients.fetch_add(1, Ordering::Relaxed);
        Client(self)
    }

    /// The latest summary, and the change up to which it knows everything.
    pub fn latest(&self) -> Option<(u64, Arc<str>)> {
        self.locked().clone()
    }

    /// Makes summaries while there are clients, until the server ends.
    pub fn keep_up(&self, history: &LiveHistory) {
        let mut made = None;
        loop {
            let nobody = self.clients.load(Ordering::Relaxed) == 0;
            let tick = history.read().changes.tick();
            if nobody || made == Some(tick) {
                let has = Latest { tick, summarised: made, ..Latest::default() };
                let goes_on = if nobody {
                    history.pause(LOOK_EVERY)
                } else {
                    history.wait(has, LOOK_EVERY).is_some()
                };
                if !goes_on {
                    return;
                }
                continue;
            }
            let began = Instant::now();
            let snapshot = Snapshot::of(history);
            made = Some(snapshot.tick());
            if let Ok(text) = snapshot.summary() {
                *self.locked() = Some((snapshot.tick(), text.into()));
                history.summarised(snapshot.tick());
            }
            drop(snapshot);
            if !history.pause(LEAST_APART.max(began.elapsed() * SHARE)) {
                return;
            }
        }
    }

    fn locked(&self) -> MutexGuard<'_, Option<(u64, Arc<str>)>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
