//! What a recording says about itself.

use isotherm_frame::{Clock, Mark, Timestamp};

/// Where a recording comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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

impl About {
    /// A recording of the source with this address, on the epoch's clock; the rest is not known.
    pub fn new(source: impl Into<String>) -> About {
        About { source: source.into(), ..About::default() }
    }

    /// The command line.
    #[must_use]
    pub fn with_command_line(self, command_line: impl Into<String>) -> About {
        About { command_line: command_line.into(), ..self }
    }

    /// The name of the host that recorded.
    #[must_use]
    pub fn with_host(self, host: impl Into<String>) -> About {
        About { host: host.into(), ..self }
    }

    /// The version of isotherm that recorded.
    #[must_use]
    pub fn with_isotherm_version(self, version: impl Into<String>) -> About {
        About { isotherm_version: version.into(), ..self }
    }

    /// What the timestamps of frames count from.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> About {
        About { clock, ..self }
    }

    /// When recording began.
    #[must_use]
    pub fn with_started(self, started: Timestamp) -> About {
        About { started, ..self }
    }
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
