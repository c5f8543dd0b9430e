//! The messages of a running source, and how it ends.

use std::thread::JoinHandle;

use isotherm_formats::Message;

use super::failure::FeedError;

/// What a running source has said since the batch before.
#[derive(Debug, Default)]
pub struct MessageBatch {
    /// In the order in which they were said.
    pub messages: Vec<Message>,
    /// How the source ended: in the last batch of every feed that was not stopped.
    pub ending: Option<Ending>,
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
