//! Trees of runs that SLOB's harness leaves: `awr.PCT.WORKERS/awr.PCT.WORKERS.txt`, with `slob.conf` and
//! the plan (`.inf`) above them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isotherm_oracle::awr::{NamedReport, SlobRun, planned};
use isotherm_sources::Address;

/// The same inputs, and after a directory those in it that the harness made.
pub fn with_runs(inputs: &[String]) -> Vec<String> {
    let of = |input: &String| {
        let runs = runs_in(Path::new(input));
        // A tree that holds nothing else needs no files of its own.
        let own = runs.is_empty() || has_files(Path::new(input));
        let own = own.then(|| input.clone());
        own.into_iter().chain(runs.into_iter().map(|run| run.display().to_string()))
    };
    inputs.iter().flat_map(of).collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

fn has_files(directory: &Path) -> bool {
    entries(directory).iter().any(|path| path.is_file())
}

/// The report of each directory `awr.PCT.WORKERS`: as text where there is one, as the harness writes the
/// same report twice.
fn runs_in(directory: &Path) -> Vec<PathBuf> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_run = |path: &PathBuf| path.is_dir() && SlobRun::of(&name(path), b"", None).is_some();
    let report = |run: PathBuf| {
        let own = name(&run);
        let files: Vec<PathBuf> = entries(&run)
            .into_iter()
            .filter(|path| path.is_file() && is_report(&own, &name(path)))
            .collect();
        let text = files.iter().find(|path| name(path).contains(".txt"));
        text.or(files.iter().find(|path| name(path).contains(".htm"))).cloned()
    };
    let mut runs: Vec<PathBuf> = entries(directory).into_iter().filter(is_run).collect();
    runs.sort_by_key(|run| {
        SlobRun::of(&name(run), b"", None).map(|run| (run.update_pct, run.workers))
    });
    runs.into_iter().filter_map(report).collect()
}

/// Whether a file in the directory of a run is its report: `awr.PCT.WORKERS.txt`, or plain `awr.html`.
fn is_report(run: &str, file: &str) -> bool {
    let rest = file.strip_prefix(run).or_else(|| file.strip_prefix("awr"));
    rest.is_some_and(|rest| rest.starts_with(".txt") || rest.starts_with(".htm"))
}

/// Whether an input is what SLOB leaves beside reports: its settings, or the plan of its harness.
pub fn is_companion(address: &Address) -> bool {
    let Address::File(path) = address else { return false };
    let plan = path.extension().is_some_and(|ending| ending == "inf");
    plan || path.file_name().is_some_and(|name| name == "slob.conf")
}

/// The run of SLOB that the report in a file is of, with the settings of a `slob.conf` beside it or above.
pub fn run_of(address: &Address, report: &[u8]) -> Option<SlobRun> {
    let Address::File(path) = address else { return None };
    let name = path.file_name()?.to_string_lossy();
    let above = path.ancestors().skip(1).take(2);
    let conf = above
        .map(|folder| folder.join("slob.conf"))
        .find_map(|conf| std::fs::read_to_string(conf).ok());
    SlobRun::of(&name, report, conf.as_deref()).or_else(|| {
        let run = path.parent()?.file_name()?.to_string_lossy();
        SlobRun::of(&run, report, conf.as_deref())
    })
}

/// What is said of runs that a plan in one of these directories asks for and that are not there.
pub fn missing(inputs: &[String], reports: &[NamedReport]) -> Option<String> {
    /// Runs that are named.
    const NAMED: usize = 5;
    let plans = inputs.iter().flat_map(|input| entries(Path::new(input)));
    let plans = plans.filter(|path| path.extension().is_some_and(|ending| ending == "inf"));
    let texts = plans.filter_map(|path| std::fs::read_to_string(path).ok());
    let planned: BTreeSet<(u64, u64)> = texts.flat_map(|text| planned(&text)).collect();
    let run = |read: &NamedReport| {
        let run = read.slob.as_ref()?;
        run.update_pct.zip(run.workers)
    };
    let done: BTreeSet<(u64, u64)> = reports.iter().filter_map(run).collect();
    let absent: Vec<String> =
        planned.difference(&done).map(|(pct, workers)| format!("awr.{pct}.{workers}")).collect();
    let more = absent.len().saturating_sub(NAMED);
    let named = absent.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!absent.is_empty()).then(|| {
        format!("the plan of SLOB's harness asks for {} runs, of which {} have no report: {named}{more}", planned.len(), absent.len())
    })
}
