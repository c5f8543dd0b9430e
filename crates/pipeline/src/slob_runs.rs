//! Trees of runs that SLOB's harness leaves: `awr.PCT.WORKERS/awr.PCT.WORKERS.txt`, with `slob.conf` and
//! the plan (`.inf`) above them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isotherm_live::Address;
use isotherm_oracle::awr::{SlobRun, planned};

fn entries(directory: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

fn name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// The run that a directory is of, by its name.
fn run_named(directory: &Path) -> Option<SlobRun> {
    SlobRun::of(&name(directory), b"", None)
}

/// Whether a directory is that of a run.
pub(crate) fn is_run(directory: &Path) -> bool {
    run_named(directory).is_some()
}

/// The reports of the directories `awr.PCT.WORKERS` in a directory, by updates and workers.
pub(crate) fn reports_below(directory: &Path) -> Vec<PathBuf> {
    let run = |path: PathBuf| Some((run_named(&path).filter(|_| path.is_dir())?, path));
    let mut runs: Vec<(SlobRun, PathBuf)> =
        entries(directory).into_iter().filter_map(run).collect();
    runs.sort_by_key(|(run, _)| (run.update_pct, run.workers));
    runs.into_iter().filter_map(|(_, path)| report_in(&path)).collect()
}

/// The report of a run: as text where there is one, as the harness writes the same report twice.
fn report_in(run: &Path) -> Option<PathBuf> {
    let own = name(run);
    let mut files = entries(run);
    files.retain(|path| path.is_file() && is_report(&own, &name(path)));
    let text = files.iter().find(|path| name(path).contains(".txt"));
    text.or(files.iter().find(|path| name(path).contains(".htm"))).cloned()
}

/// Leaves out what is no input among the files of a directory: settings, plans, and the report of a
/// run that is there as text already.
pub(crate) fn leave_out(directory: &Path, files: &mut Vec<PathBuf>) {
    files.retain(|path| !is_companion(path));
    if run_named(directory).is_some()
        && let Some(report) = report_in(directory)
    {
        let own = name(directory);
        files.retain(|path| *path == report || !is_report(&own, &name(path)));
    }
}

/// Whether a file in the directory of a run is its report: `awr.PCT.WORKERS.txt`, or plain `awr.html`.
fn is_report(run: &str, file: &str) -> bool {
    let rest = file.strip_prefix(run).or_else(|| file.strip_prefix("awr"));
    rest.is_some_and(|rest| rest.starts_with(".txt") || rest.starts_with(".htm"))
}

/// Whether a file is what SLOB leaves beside reports: its settings, or the plan of its harness.
fn is_companion(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "inf") || name(path) == "slob.conf"
}

/// The run of SLOB that the report in a file is of, with the settings of a `slob.conf` beside it or above.
pub fn slob_run(address: &Address, report: &[u8]) -> Option<SlobRun> {
    let Address::File(path) = address else { return None };
    let above = path.ancestors().skip(1).take(2);
    let conf = above
        .map(|folder| folder.join("slob.conf"))
        .find_map(|conf| std::fs::read_to_string(conf).ok());
    SlobRun::of(&name(path), report, conf.as_deref())
        .or_else(|| SlobRun::of(&name(path.parent()?), report, conf.as_deref()))
}

/// The attributes that the place of a file gives to what is in it: `update_pct` and `workers` of a run.
pub(crate) fn attributes(address: &Address) -> Vec<(&'static str, u64)> {
    let run = slob_run(address, b"").unwrap_or_default();
    let named = [("update_pct", run.update_pct), ("workers", run.workers)];
    named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What is said of runs that a plan in one of these directories asks for and that are not among `done`,
/// each with its share of updates in per cent and its workers.
pub fn missing_slob_runs(inputs: &[String], done: &BTreeSet<(u64, u64)>) -> Option<String> {
    /// Runs that are named.
    const NAMED: usize = 5;
    let plans = inputs.iter().flat_map(|input| entries(Path::new(input)));
    let plans = plans.filter(|path| path.extension().is_some_and(|ending| ending == "inf"));
    let texts = plans.filter_map(|path| std::fs::read_to_string(path).ok());
    let planned: BTreeSet<(u64, u64)> = texts.flat_map(|text| planned(&text)).collect();
    let absent: Vec<String> =
        planned.difference(done).map(|(pct, workers)| format!("awr.{pct}.{workers}")).collect();
    let more = absent.len().saturating_sub(NAMED);
    let named = absent.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!absent.is_empty()).then(|| {
        format!("the plan of SLOB's harness asks for {} runs, of which {} have no report: {named}{more}", planned.len(), absent.len())
    })
}
