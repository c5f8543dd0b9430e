//! The command line of `isotherm analyze`.

use clap::Args;

/// Below the help of `analyze`.
pub const EXAMPLES: &str = "";

/// `analyze`
#[derive(Args, Debug)]
pub struct AnalyzeArgs {}
