//! Sweeps: read, and written in every form.

use std::path::{Path, PathBuf};

use isotherm_experiment::{Csv, RUNS, RunTable};
use isotherm_frame::{Nanos, visible};
use isotherm_views::{AnalyzeJson, AnalyzeSheet, SweepRuns, write_json};

use super::{Content, page};
use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::failure::{Code, Failure};
use crate::report::command_line;
use crate::screen;
use crate::spelling::old_spelling;

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

    fn read(name: &str) -> Result<Sweep, Failure> {
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

/// How long the p99 may be, each.
fn limits(args: &AnalyzeArgs) -> Vec<Nanos> {
    for limit in args.limit.iter().filter(|limit| limit.bare) {
        let (old, new) =
            (format!("--limit {}", limit.within), format!("--limit 'p99<{}'", limit.within));
        screen::warn(&old_spelling(&old, &new));
    }
    args.limit.iter().map(|limit| limit.within).collect()
}

/// Everything about the sweeps in the form that is asked for.
pub fn content(args: &AnalyzeArgs, form: AnalyzeFormat) -> Result<Content, Failure> {
    let sweeps =
        args.inputs.iter().map(|name| Sweep::read(name)).collect::<Result<Vec<Sweep>, _>>()?;
    let end = strict(args, &sweeps);
    let runs: Vec<&SweepRuns> = sweeps.iter().map(|sweep| &sweep.runs).collect();
    let sheet = AnalyzeSheet::of(runs, limits(args));
    let mut bytes = Vec::new();
    match form {
        AnalyzeFormat::Csv => screen::written(table(&sheet).write(&mut bytes))?,
        AnalyzeFormat::Json => {
            let command = command_line();
            let object = AnalyzeJson::of_sweeps(&sheet, &command);
            screen::written(write_json(&object, &mut bytes))?;
        }
        AnalyzeFormat::Svg => bytes = super::svg(&sheet.latency(), args),
        AnalyzeFormat::Html | AnalyzeFormat::Md => {
            bytes = page::of_sweeps(args, form, &sweeps, &sheet)?;
        }
        AnalyzeFormat::Table => {
            bytes = super::text(args, &sheet.points(), &sheet.latency(), &sheet.sentences());
        }
    }
    Ok(Content { bytes, end })
}

/// A row for each run.
fn table(sheet: &AnalyzeSheet<'_>) -> Csv {
    let named: Vec<(&str, &RunTable)> =
        sheet.sweeps.iter().map(|sweep| (sweep.name.as_str(), &sweep.table)).collect();
    Csv::of_runs(&named)
}

/// Fails when a line was rejected and the user wants that to be fatal.
fn strict(args: &AnalyzeArgs, sweeps: &[Sweep]) -> Result<(), Failure> {
    let rejected: u64 = sweeps.iter().map(|sweep| sweep.runs.table.rejected).sum();
    if args.strict && rejected > 0 {
        let text = format!("{rejected} line(s) of run tables are no runs, and --strict is set");
        return Err(Failure::new(Code::BadData, text));
    }
    Ok(())
}
