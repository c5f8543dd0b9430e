//! The command line of `isotherm fit`.

use clap::Args;

/// Below the help of `fit`.
pub const EXAMPLES: &str = "";

/// `fit`
#[derive(Args, Debug)]
pub struct FitArgs {}
