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

impl RangeArgs {
    /// Whether only a part is wanted.
    pub fn is_given(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }
}
