//! What happens while something is measured: the one currency between what measures and what shows.

use crate::{Anomaly, Frame, Timestamp};

/// One thing that happened, in the order it happened. A live source, a recording that is replayed
/// and a load that is run all give these.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An interval is finished.
    Frame(Frame),
    /// Something the reader of the map must know about a series.
    Anomaly(Anomaly),
    /// A moment is marked.
    Mark(Mark),
    /// A message for the user.
    Message(String),
}

/// A moment with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Timestamp,
    /// What to call it.
    pub text: String,
}

impl Event {
    /// When it happened: the end of an interval; `None` for a message, which has no time of its own.
    pub fn at(&self) -> Option<Timestamp> {
        match self {
            Event::Frame(frame) => Some(frame.end),
            Event::Anomaly(anomaly) => Some(anomaly.at),
            Event::Mark(mark) => Some(mark.at),
            Event::Message(_) => None,
        }
    }

    /// The finished interval, if it is one.
    pub fn frame(&self) -> Option<&Frame> {
        match self {
            Event::Frame(frame) => Some(frame),
            _ => None,
        }
    }
}
