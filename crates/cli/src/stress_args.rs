//! The command line of `isotherm stress`.

use clap::Args;

/// Below the help of `stress`.
pub const EXAMPLES: &str = "";

/// `stress`
#[derive(Args, Debug)]
pub struct StressArgs {}
