//! What a recording says about itself.

use isotherm_frame::{Clock, Mark, Timestamp};

/// Where a recording comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The address of the source. Passwords in it are not written.
    pub source: String,
    /// The command line. Passwords in it are not written.
    pub command_line: String,
    /// The name of the host that recorded.
    pub host: String,
    /// The version of isotherm that recorded.
    pub isotherm_version: String,
    /// What the timestamps of frames count from.
    pub clock: Clock,
    /// When recording began, on the epoch's clock.
    pub started: Timestamp,
}

/// A mark as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMark {
    /// When.
    pub at: Timestamp,
    /// What to call it.
    pub text: String,
    /// Who made it.
    pub origin: String,
}

impl RecordedMark {
    /// A mark, and who made it.
    pub fn new(mark: &Mark, origin: &str) -> RecordedMark {
        RecordedMark { at: mark.at, text: mark.text.clone(), origin: origin.to_owned() }
    }
}

impl From<RecordedMark> for Mark {
    fn from(RecordedMark { at, text, .. }: RecordedMark) -> Mark {
        Mark { at, text }
    }
}
