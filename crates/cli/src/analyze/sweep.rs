//! A sweep that is read.

use std::path::{Path, PathBuf};

use isotherm_experiment::{RUNS, RunTable};
use isotherm_frame::visible;
use isotherm_views::SweepRuns;

use crate::failure::{Code, Failure};
use crate::screen;

/// A sweep that was read.
pub struct Sweep {
    pub runs: SweepRuns,
    /// What the user named.
    pub path: PathBuf,
}

impl Sweep {
    /// Whether a name stands for a sweep: a directory with a run table, or a run table.
    pub fn is_one(name: &str) -> bool {
        let path = Path::new(name);
        let table = path.extension().is_some_and(|ending| ending == "jsonl");
        if path.is_dir() { path.join(RUNS).exists() || named_sweep(path) } else { table }
    }

    pub fn read(name: &str) -> Result<Sweep, Failure> {
        let path = PathBuf::from(name);
        let table = RunTable::read(&path)
            .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
        if let Some(said) = table.account() {
            screen::warn(&format!("{name}: {said}"));
        }
        if table.latest().is_empty() {
            let message = format!("{name}: there is no run in this run table");
            return Err(Failure::new(Code::Runtime, message));
        }
        let target = targets(&table);
        Ok(Sweep { runs: SweepRuns { name: called(&path), target, table }, path })
    }

    /// The directory of its recordings.
    pub fn directory(&self) -> PathBuf {
        if self.path.is_dir() {
            return self.path.clone();
        }
        self.path.parent().map(Path::to_owned).unwrap_or_default()
    }
}

/// What was loaded: of every run, if they differ.
fn targets(table: &RunTable) -> String {
    let mut targets: Vec<&str> = Vec::new();
    for run in &table.runs {
        if !targets.contains(&run.job.target.as_str()) {
            targets.push(&run.job.target);
        }
    }
    crate::redact::redacted(&targets.join(", "))
}

/// Whether a directory is called as sweeps are.
fn named_sweep(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "sweep") || path.join("plan.toml").exists()
}

/// The name of the directory.
fn called(path: &Path) -> String {
    let known = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let whole = if known.is_dir() { Some(known.as_path()) } else { known.parent() };
    let name = whole.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    visible(&name.unwrap_or_else(|| path.display().to_string())).into_owned()
}
