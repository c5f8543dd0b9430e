//! What a running source says, and how it ends.

use std::thread::JoinHandle;

use isotherm_formats::Note;
use isotherm_frame::{OpenWaits, Reading, Rejection, Timestamp};

use super::failure::FeedError;

/// One thing a running source says.
#[derive(Debug)]
pub enum Item {
    /// A measurement.
    Reading(Reading),
    /// One record of the input is complete.
    Record,
    /// Something that looked like data and could not be used.
    Rejected(Rejection),
    /// Something to tell the user that is not a fault of the data.
    Note(Note),
    /// Something to tell the user at once: a line a program wrote to its standard error, a
    /// measurement that is not what it seems.
    Warning(String),
    /// The waits that go on, instead of those told before.
    Waiting(OpenWaits),
    /// The source was measuring up to this moment: intervals before it that hold nothing are
    /// zero, not gaps.
    Alive(Timestamp),
    /// The source has ended. The last item of every feed that was not stopped.
    Ended(Ending),
}

/// The status of a source whose input was read to its end.
pub const END_OF_INPUT: &str = "end of input";

/// How a source ended.
#[derive(Debug)]
pub struct Ending {
    /// What went wrong, if anything did.
    pub error: Option<FeedError>,
    /// `exit code 0`, `killed by signal 9`, `end of input` or `stopped`.
    pub status: String,
    /// The last lines a program wrote to its standard error, at most 20.
    pub stderr_tail: Vec<String>,
}

/// What a kind of source hands over once its thread runs.
pub struct Running {
    /// Makes the thread look whether it has been stopped.
    pub(crate) wake: Box<dyn Fn() + Send>,
    /// The thread.
    pub(crate) worker: JoinHandle<()>,
}
