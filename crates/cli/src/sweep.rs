//! `isotherm sweep`

use crate::failure::Failure;
use crate::sweep_args::SweepArgs;

/// `isotherm sweep`
pub fn run(args: &SweepArgs) -> Result<(), Failure> {
    let _ = args;
    Err(Failure::usage("not built yet"))
}
