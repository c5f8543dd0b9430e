//! What a view is fed by: a live source, a replay, a load that is run.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use isotherm_frame::{Account, Event, Mark, Nanos, OpenWaits, span};
use isotherm_load::RunStatus;

/// What came of waiting.
#[derive(Debug, Default)]
pub struct Batch {
    /// What happened, in order; perhaps nothing.
    pub events: Vec<Event>,
    /// How the stream ended, if these were the last events.
    pub ended: Option<String>,
}

impl Batch {
    /// Events after which there may be more.
    pub fn of(events: Vec<Event>) -> Batch {
        Batch { events, ended: None }
    }

    /// The last events, and how the stream ended.
    pub fn last(events: Vec<Event>, ended: impl Into<String>) -> Batch {
        Batch { events, ended: Some(ended.into()) }
    }
}

/// The file that a stream is recorded in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedIn {
    /// Where it is.
    pub path: PathBuf,
    /// How much of it is kept, if not everything.
    pub keep: Option<Nanos>,
}

impl fmt::Display for RecordedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(keep) = self.keep {
            write!(f, "last {} in ", span(keep))?;
        }
        write!(f, "{}", self.path.display())
    }
}

/// Gives what happens, as it happens.
pub trait EventStream {
    /// Waits up to `timeout` for something to happen.
    fn next(&mut self, timeout: Duration) -> Batch;

    /// Keeps a mark that the user made; gives what went wrong.
    fn mark(&mut self, mark: &Mark) -> Option<String>;

    /// The account of the input so far.
    fn account(&self) -> &Account;

    /// Where it is recorded, if it is.
    fn recorded_in(&self) -> Option<RecordedIn> {
        None
    }

    /// Whether this is happening now.
    fn is_live(&self) -> bool;

    /// The waits that go on, where the source sees them before they end.
    fn open_waits(&self) -> Option<&OpenWaits> {
        None
    }

    /// How the load goes, if this is one that is run.
    fn load_status(&self) -> Option<&RunStatus> {
        None
    }
}
