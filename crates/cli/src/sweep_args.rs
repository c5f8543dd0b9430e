//! The command line of `isotherm sweep`.

use clap::Args;

/// Below the help of `sweep`.
pub const EXAMPLES: &str = "";

/// `sweep`
#[derive(Args, Debug)]
pub struct SweepArgs {}
