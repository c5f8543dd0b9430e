//! The program that the checks let write its pages, and where cargo builds it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Where cargo builds: `CARGO_TARGET_DIR`, or `target`.
pub fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The program: the one that `ISOTHERM_PROGRAM` names if it was built already; otherwise it is built.
pub fn built(root: &Path) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("ISOTHERM_PROGRAM") {
        return Ok(root.join(program));
    }
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["build", "--quiet", "--package", "isotherm"]);
    if !command.status().context("cargo build")?.success() {
        bail!("the program could not be built");
    }
    Ok(target(root).join("debug").join("isotherm"))
}
