//! What a view is fed by: a live source or a replay.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use isotherm_frame::Timestamp;
use isotherm_sources::Tally;

use crate::intake::Happening;

/// What came of waiting.
pub enum Turn {
    /// These things happened, perhaps none; there may be more.
    On(Vec<Happening>),
    /// These were the last, and this is how it ended.
    Over(Vec<Happening>, String),
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

    /// Whether this is happening now.
    fn is_live(&self) -> bool;
}
