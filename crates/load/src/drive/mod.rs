//! The driver: gives engines operations as the job says, and counts what comes back.

use std::sync::atomic::AtomicBool;

use isotherm_frame::{Frame, Timestamp};

use crate::{Job, LoadError, Outcome, System};

/// What a run tells while it runs.
#[derive(Clone, Debug)]
pub enum Told {
    /// Intervals that are finished, of every series, also of the warm-up.
    Frames(Vec<Frame>),
    /// A moment worth a mark: measuring begins, measuring ends.
    Mark {
        /// When.
        at: Timestamp,
        /// What.
        text: String,
    },
    /// Something for the user.
    Said(String),
}

/// Runs a job. Blocks until it has ended by its limit, by `stop`, or because it cannot go on;
/// what was measured until then is the outcome in each case. `tell` is called on this thread at
/// least ten times a second.
pub fn run(
    system: &dyn System,
    job: &Job,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Told),
) -> Result<Outcome, LoadError> {
    let _ = (system, job, stop, tell);
    Err(LoadError::Job("not built yet".to_owned()))
}
