//! Runs the tests with all cases of their grids (`testing::grid`).

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The variable that `testing::grid` looks for.
const EXHAUSTIVE: &str = "ISOTHERM_EXHAUSTIVE";

/// Runs the tests whose names hold one of `names`; all if there is none.
pub fn run(root: &Path, names: impl Iterator<Item = String>) -> Result<Vec<String>> {
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["nextest", "run", "--workspace", "--locked", "--profile", "exhaustive"])
        .args(names)
        .env(EXHAUSTIVE, "1")
        .status()
        .context("cargo nextest")?;
    Ok(if status.success() { Vec::new() } else { vec![format!("cargo nextest: {status}")] })
}
