//! `--from` and `--to`.

use clap::Args;

/// Which part of the input.
#[derive(Args, Debug, Clone, Default)]
pub struct RangeArgs {
    /// Begin here: a time of day or a date and time, both in UTC, a length of time from the start
    /// (10m), or one before the end (-10m); docs/guide/grammar.md has all forms
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End here
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub to: Option<String>,
}

/// The help of `--from` where reports are chosen by their snapshots.
pub const FROM_SNAPSHOTS: &str = "Begin here: a time of day or a date and time, both in the local time \
    of the database's host, which AWR reports are written in, a length of time from the start (10m), or \
    one before the end (-10m); docs/guide/grammar.md has all forms";

/// The same where recordings and such reports are read.
pub const FROM_EITHER: &str = "Begin here: a time of day or a date and time, in UTC for a recording and \
    in the local time of the database's host for AWR reports, a length of time from the start (10m), or \
    one before the end (-10m); docs/guide/grammar.md has all forms";

impl RangeArgs {
    /// Whether only a part is wanted.
    pub fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}
