//! What a recording says about itself.

use isotherm_frame::{Clock, Timestamp};

/// Where a recording comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The address of the source, without secrets.
    pub source: String,
    /// The command line, without secrets.
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

/// An address or argument without passwords: `user:password@` keeps its user, and the values of
/// `password=` and its kin are left out.
pub fn without_secrets(text: &str) -> String {
    let mut kept = text.to_owned();
    if let Some(scheme) = kept.find("://") {
        let rest = scheme + 3;
        let end = kept[rest..].find(['/', '?']).map_or(kept.len(), |end| rest + end);
        if let Some(at) = kept[rest..end].rfind('@').map(|at| rest + at)
            && let Some(colon) = kept[rest..at].find(':').map(|colon| rest + colon)
        {
            kept.replace_range(colon + 1..at, "***");
        }
    }
    for key in ["password=", "passwd=", "pwd=", "token=", "secret="] {
        let mut from = 0;
        while let Some(found) = kept[from..].to_ascii_lowercase().find(key) {
            let value = from + found + key.len();
            let end = kept[value..]
                .find(['&', ' ', ';', '\'', '"'])
                .map_or(kept.len(), |end| value + end);
            kept.replace_range(value..end, "***");
            from = value + 3;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        let kept = without_secrets("oracle://scott:ti:g@er@db:1521/x?event=log&password=a%20b&y=1");
        assert_eq!(kept, "oracle://scott:***@db:1521/x?event=log&password=***&y=1");
        assert_eq!(without_secrets("cmd:psql PWD=x; date"), "cmd:psql PWD=***; date");
        assert_eq!(without_secrets("probe:/data"), "probe:/data");
    }
}
