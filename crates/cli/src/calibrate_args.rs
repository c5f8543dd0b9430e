//! The command line of `isotherm calibrate`.

use clap::Args;

/// Below the help of `calibrate`.
pub const EXAMPLES: &str = "";

/// `calibrate`
#[derive(Args, Debug)]
pub struct CalibrateArgs {}
