//! Runs cargo-mutants: changes the code in small ways and sees whether a test notices.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::program;

/// The crates whose arithmetic every number rests on.
const CRATES: [&str; 3] = ["frame", "analysis", "load"];

/// How long the tests of one change may take, in seconds.
const TIMEOUT_S: u32 = 120;

/// Runs the changes of the named crates (those of [`CRATES`] if none) and gives those that no test
/// noticed. What begins with `--`, and all after it, goes to cargo-mutants as it is.
pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<Vec<String>> {
    if !is_installed(root) {
        bail!("cargo-mutants is not installed; run `cargo install cargo-mutants --locked`");
    }
    let arguments: Vec<String> = arguments.collect();
    let output = program::target(root).join("mutants-found");
    std::fs::create_dir_all(&output).with_context(|| output.display().to_string())?;
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(command(&arguments, &output.display().to_string()))
        .status()
        .context("cargo mutants")?;
    let survived = output.join("mutants.out").join("missed.txt");
    match status.code() {
        // Some changes survived, or let a test run for ever.
        Some(0 | 2 | 3) => {
            let text = std::fs::read_to_string(&survived)
                .with_context(|| survived.display().to_string())?;
            Ok(text.lines().map(|line| format!("no test notices: {line}")).collect())
        }
        _ => bail!("cargo mutants could not run: {status}"),
    }
}

fn is_installed(root: &Path) -> bool {
    let version =
        Command::new(env!("CARGO")).current_dir(root).args(["mutants", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

/// What stands behind `--` is for the tests, so that everything else comes before it.
fn command(arguments: &[String], output: &str) -> Vec<String> {
    let named = arguments.iter().take_while(|argument| !argument.starts_with("--")).count();
    let (crates, rest) = arguments.split_at(named);
    let mut command: Vec<String> =
        ["mutants", "--no-shuffle", "-j1", "--profile", "mutants", "--timeout"]
            .into_iter()
            .map(ToOwned::to_owned)
            .chain([TIMEOUT_S.to_string(), "--output".to_owned(), output.to_owned()])
            .collect();
    let all = CRATES.map(ToOwned::to_owned);
    for name in if crates.is_empty() { &all[..] } else { crates } {
        command.extend(["--package".to_owned(), format!("isotherm-{name}")]);
    }
    command.extend(rest.iter().cloned());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        command(&arguments, "target/x").join(" ")
    }

    #[test]
    fn crates_are_named_or_three() {
        let begin = "mutants --no-shuffle -j1 --profile mutants --timeout 120 \
                     --output target/x --package isotherm-";
        assert_eq!(
            line(&[]),
            format!("{begin}frame --package isotherm-analysis --package isotherm-load")
        );
        let named = line(&["load", "--file", "a.rs", "--", "--lib"]);
        assert_eq!(named, format!("{begin}load --file a.rs -- --lib"));
    }
}
