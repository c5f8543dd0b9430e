//! The example pages, and the pages that are kept only as a picture: the inputs and the commands of each.

use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Result, anyhow};

use super::scratch::Scratch;

/// Where the example pages and the inputs of all pages and pictures are kept.
pub const EXAMPLES: &str = "docs/examples";
/// What all of it is made from; docs/examples/README.md says how these were recorded.
pub const INPUTS: [&str; 5] =
    ["demo.heat", "disk.heat", "pgbench.heat", "stress.perf.gz", "burst.perf.gz"];
/// The pages that are kept.
pub const KEPT: [&str; 3] = ["disk-backup.html", "before-and-during.html", "postgresql.html"];

/// The commands that write pages, those of docs/examples/README.md and of the guide.
const COMMANDS: [&[&str]; 6] = [
    &["report", "disk.heat", "-o", "disk-backup.html", "--title", "A disk while a backup runs"],
    &[
        "compare",
        "disk.heat",
        "--a",
        "..backup begins",
        "--b",
        "backup begins..backup ends",
        "--series",
        "op=read",
        "-o",
        "before-and-during.html",
    ],
    &["report", "pgbench.heat", "-o", "postgresql.html", "--title", "pgbench, two scripts"],
    &["flame", "stress.perf.gz", "-o", "stress.html", "--title", "isotherm stress on a file"],
    &["flame", "burst.perf.gz", "--heat", "-o", "burst.html", "--title", "A burst of work"],
    &["cache", "model", "--preset", "plain", "-o", "model.html"],
];
/// The page of AWR's history, of files that a generator writes.
const HISTORY: &[&str] =
    &["awr", "report", "history", "-o", "history.html", "--title", "PROD, March 2026"];
/// The days of the history, its instances, and how many statistics it has beside those that are drawn.
const HISTORY_SIZE: [&str; 3] = ["30", "2", "12"];

/// Writes all of these pages, some at the same time.
pub fn write(root: &Path, scratch: &Scratch) -> Result<()> {
    thread::scope(|scope| {
        let history = scope.spawn(|| write_history(root, scratch));
        for command in COMMANDS {
            scratch.isotherm(command)?;
        }
        history.join().map_err(|_| anyhow!("the page of the history was not written"))?
    })
}

fn write_history(root: &Path, scratch: &Scratch) -> Result<()> {
    if Command::new("node").arg("--version").output().is_err() {
        println!("node is not installed: the picture of AWR's history is not checked");
        return Ok(());
    }
    let generator = root.join("web-tests/awr-history.mjs").display().to_string();
    let arguments = [&[generator.as_str(), "history"][..], &HISTORY_SIZE].concat();
    scratch.output(Path::new("node"), &arguments)?;
    scratch.isotherm(HISTORY)?;
    Ok(())
}
