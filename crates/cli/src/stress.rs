//! `isotherm stress`

use crate::failure::Failure;
use crate::stress_args::StressArgs;

/// `isotherm stress`
pub fn run(args: &StressArgs) -> Result<(), Failure> {
    let _ = args;
    Err(Failure::usage("not built yet"))
}
