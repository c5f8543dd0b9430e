//! Sweeps: read, and written in every form.

use std::path::{Path, PathBuf};

use isotherm_experiment::{Csv, LoadCurve, RUNS, Run, RunTable};
use isotherm_frame::visible;

use super::{Content, charts, page, sentences, sheets, text, value};
use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::failure::{Code, Failure};
use crate::screen;

/// A sweep that was read.
pub struct Sweep {
    /// What to call it.
    pub name: String,
    /// What the user named.
    pub path: PathBuf,
    pub table: RunTable,
}

/// A curve of one of several sweeps.
pub struct Named<'a> {
    /// What to call it; empty where there is only one.
    pub name: String,
    pub curve: LoadCurve<'a>,
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
        Ok(Sweep { name: called(&path), path, table })
    }

    /// The directory of its recordings.
    pub fn directory(&self) -> PathBuf {
        if self.path.is_dir() {
            return self.path.clone();
        }
        self.path.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// What was loaded: of every run, if they differ.
    pub fn targets(&self) -> String {
        let mut targets: Vec<&str> = Vec::new();
        for run in &self.table.runs {
            if !targets.contains(&run.job.target.as_str()) {
                targets.push(&run.job.target);
            }
        }
        crate::redact::redacted(&targets.join(", "))
    }
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

/// The curves of all sweeps, each with a name that tells it from the others.
pub fn curves(sweeps: &[Sweep]) -> Vec<Named<'_>> {
    let several = sweeps.len() > 1;
    let named = sweeps.iter().flat_map(|sweep| {
        sweep.table.curves().into_iter().map(move |curve| {
            let parts = [if several { sweep.name.as_str() } else { "" }, curve.name.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            Named { name: parts.join(", "), curve }
        })
    });
    named.collect()
}

/// Everything about the sweeps in the form that is asked for.
pub fn content(args: &AnalyzeArgs, form: AnalyzeFormat) -> Result<Content, Failure> {
    let sweeps =
        args.inputs.iter().map(|name| Sweep::read(name)).collect::<Result<Vec<Sweep>, _>>()?;
    let end = strict(args, &sweeps);
    let curves = curves(&sweeps);
    let bytes = match form {
        AnalyzeFormat::Csv => csv(&sweeps)?,
        AnalyzeFormat::Json => value::json(&sweeps, &curves, &args.limit)?,
        AnalyzeFormat::Svg => super::svg(&charts::latency(&curves), args),
        AnalyzeFormat::Html | AnalyzeFormat::Md => page::of_sweeps(args, form, &sweeps, &curves)?,
        AnalyzeFormat::Table => {
            let said = sentences::of(&sweeps, &curves, &args.limit);
            let sheets: Vec<_> = sheets::points(&sweeps).into_iter().collect();
            text::content(args, &sheets, &charts::latency(&curves), &said)
        }
    };
    Ok(Content { bytes, end })
}

fn csv(sweeps: &[Sweep]) -> Result<Vec<u8>, Failure> {
    let named: Vec<(&str, &RunTable)> =
        sweeps.iter().map(|sweep| (sweep.name.as_str(), &sweep.table)).collect();
    let mut bytes = Vec::new();
    screen::written(Csv::of_runs(&named).write(&mut bytes))?;
    Ok(bytes)
}

/// Fails when a line was rejected and the user wants that to be fatal.
fn strict(args: &AnalyzeArgs, sweeps: &[Sweep]) -> Result<(), Failure> {
    let rejected: u64 = sweeps.iter().map(|sweep| sweep.table.rejected).sum();
    if args.strict && rejected > 0 {
        let text = format!("{rejected} line(s) of run tables are no runs, and --strict is set");
        return Err(Failure::new(Code::BadData, text));
    }
    Ok(())
}

/// The runs that count of a sweep, in the order in which they were made.
pub fn by_time(table: &RunTable) -> Vec<&Run> {
    let mut runs = table.latest();
    runs.sort_by_key(|run| run.outcome.began_ns);
    runs
}
