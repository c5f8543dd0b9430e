//! `isotherm calibrate`

use crate::calibrate_args::CalibrateArgs;
use crate::failure::Failure;

/// `isotherm calibrate`
pub fn run(args: &CalibrateArgs) -> Result<(), Failure> {
    let _ = args;
    Err(Failure::usage("not built yet"))
}
