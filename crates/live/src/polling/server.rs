//! What is polled, and what a poll finds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Nanos, Series, Timestamp};

/// A server whose counters can be read.
pub(crate) trait Polled: Send + 'static {
    /// A connection.
    type Session: Send;

    /// Connects and logs on.
    fn connect(&mut self) -> Result<Self::Session, PollError>;

    /// Reads the counters once.
    fn poll(&mut self, session: &mut Self::Session) -> Result<Totals, PollError>;
}

/// Why a server cannot be asked.
#[derive(Debug)]
pub(crate) enum PollError {
    /// The server does not let us do what is needed: the words say what helps.
    Refused(String),
    /// There is no connection, or none any more.
    Lost(String),
}

/// What one poll found.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Totals {
    /// What tells a server that was started anew from the one before.
    pub(crate) run: String,
    /// The totals of each series, or why they cannot be read and for how many events.
    pub(crate) series: BTreeMap<Series, Result<Histogram, (String, u64)>>,
    /// Single events that ended since the poll before.
    pub(crate) events: Vec<PolledEvent>,
    /// Events that are known to have ended since then and cannot be read any more.
    pub(crate) lost: u64,
    /// What the user should know, once.
    pub(crate) notes: Vec<Cow<'static, str>>,
}

/// An event that a poll found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PolledEvent {
    pub(crate) series: Series,
    /// When it ended, as far as the server says.
    pub(crate) ended: Timestamp,
    pub(crate) latency: Nanos,
}
