//! Names of wait events that the columns of text reports cut off.

/// Events whose beginning, cut off, no other event shares: what is left tells them apart. Events
/// such as `cell single block physical read`, which newer versions print with endings of its own
/// kinds, are left as they are.
const LONG: [&str; 14] = [
    "SQL*Net break/reset to client",
    "SQL*Net message from client",
    "SQL*Net message from dblink",
    "SQL*Net more data from client",
    "SQL*Net more data from dblink",
    "SQL*Net more data to client",
    "control file parallel write",
    "control file sequential read",
    "db flash cache single block physical read",
    "enq: TX - row lock contention",
    "latch: cache buffers chains",
    "log file switch (archiving needed)",
    "log file switch (checkpoint incomplete)",
    "log file switch (private strand flush incomplete)",
];

/// The columns that the name of an event has in a histogram of a text report.
pub(super) const HISTOGRAM_WIDTH: usize = 26;

/// The whole name of an event that fills a column `width` characters wide; `None` if it may be
/// whole, or cut where several events are alike.
pub(super) fn whole(cut: &str, width: usize) -> Option<&'static str> {
    if width < HISTOGRAM_WIDTH || cut.chars().count() != width {
        return None;
    }
    LONG.iter().find(|name| name.len() > width && name.starts_with(cut)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_fill_the_column_and_are_known_are_completed() {
        assert_eq!(whole("control file sequential re", 26), Some("control file sequential read"));
        assert_eq!(whole("control file sequential re", 30), None);
        assert_eq!(whole("enq: TX - row lock content", 26), Some("enq: TX - row lock contention"));
        assert_eq!(whole("enq: TX - index contention", 26), None);
        assert_eq!(whole("control", 7), None);
        for (index, name) in LONG.iter().enumerate() {
            let alike = LONG.iter().filter(|other| other.starts_with(&name[..26])).count();
            assert_eq!(alike, 1, "{index}: {name}");
        }
    }
}
