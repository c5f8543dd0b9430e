//! `isotherm analyze`

use crate::analyze_args::AnalyzeArgs;
use crate::failure::Failure;

/// `isotherm analyze`
pub fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let _ = args;
    Err(Failure::usage("not built yet"))
}
