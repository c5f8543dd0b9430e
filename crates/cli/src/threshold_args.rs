//! The conditions that make a command fail.

use clap::Args;
use isotherm_analysis::Threshold;

/// Conditions on what a command reads or watches.
#[derive(Args, Debug, Clone, Default)]
pub struct FailIfArgs {
    /// Exit with 99 if this holds for any series, or if there is no event at all: p99>20ms,
    /// mean>1ms, max>1s, rate<10/s, waited>50% (of all time waited); may be repeated;
    /// docs/guide/grammar.md says what there is
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Threshold>,
}
