//! What a recording says about itself.

use isotherm_frame::{Clock, Timestamp};

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

/// A marked moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at: Timestamp,
    /// What to call it.
    pub text: String,
    /// Who made it.
    pub origin: String,
}

/// The account of the input that was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Records read.
    pub records: u64,
    /// Places that looked like data and could not be used.
    pub rejected: u64,
    /// Events those stood for.
    pub rejected_events: u64,
    /// Events the source lost itself.
    pub lost: u64,
    /// Lines outside the data.
    pub ignored_lines: u64,
}
