//! What a view is fed by: a live source or a replay.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use isotherm_frame::{Nanos, Timestamp};
use isotherm_sources::Tally;

use crate::intake::Happening;

/// What came of waiting.
pub enum Turn {
    /// These things happened, perhaps none; there may be more.
    On(Vec<Happening>),
    /// These were the last, and this is how it ended.
    Over(Vec<Happening>, String),
}

/// A recording of what happens.
pub struct Recorded {
    pub path: PathBuf,
    /// How much of it is kept, if not everything.
    pub keep: Option<Nanos>,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(keep) = self.keep {
            write!(f, "last {} in ", isotherm_views::span(keep))?;
        }
        write!(f, "{}", self.path.display())
    }
}

/// Gives what happens as it happens.
pub trait Pulse {
    /// Waits up to `timeout`.
    fn next(&mut self, timeout: Duration) -> Turn;

    /// Keeps a mark that the user made; tells what goes wrong.
    fn mark(&mut self, at: Timestamp, text: &str) -> Option<String>;

    /// The account of the input so far.
    fn tally(&self) -> &Tally;

    /// The flag that asks everything to end.
    fn stop_flag(&self) -> Arc<AtomicBool>;

    /// The recording of what happens, if there is one.
    fn recorded(&self) -> Option<Recorded> {
        None
    }

    /// Whether this is happening now.
    fn is_live(&self) -> bool;
}
