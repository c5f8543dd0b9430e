//! Where lanes wait for each other before the first operation.

use std::sync::{Condvar, Mutex, PoisonError};

/// Closed until it is told whether to go.
#[derive(Debug, Default)]
pub struct StartGate {
    decision: Mutex<Option<bool>>,
    changed: Condvar,
}

impl StartGate {
    /// Lets everybody go: to work, or home. Only the first word counts.
    pub fn tell(&self, work: bool) {
        let mut decision = self.decision.lock().unwrap_or_else(PoisonError::into_inner);
        decision.get_or_insert(work);
        self.changed.notify_all();
    }

    /// Waits, and says whether to work.
    pub fn wait(&self) -> bool {
        let mut decision = self.decision.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(work) = *decision {
                return work;
            }
            decision = self.changed.wait(decision).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
