//! `isotherm fit`

use crate::failure::Failure;
use crate::fit_args::FitArgs;

/// `isotherm fit`
pub fn run(args: &FitArgs) -> Result<(), Failure> {
    let _ = args;
    Err(Failure::usage("not built yet"))
}
