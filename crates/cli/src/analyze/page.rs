//! An analysis as a report: curves and tables above one heat map over the whole sweep.

use std::path::Path;

use isotherm_experiment::{Run, RunTable};
use isotherm_frame::numbers::counted;
use isotherm_frame::{Mark, TimeRange, Timestamp};
use isotherm_pipeline::MemoryBudget;
use isotherm_report::{self as report, Report, ReportError, ReportInput, ReportOptions};
use isotherm_views::AnalyzeSummary;
use isotherm_views::section::Section;

use super::sweep::Sweep;
use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::failure::{Code, Failure};
use crate::report::{ReportBuilder, SweepRecordings, command_line};
use crate::screen;

/// Sweeps as a page or as Markdown.
pub fn of_sweeps(
    args: &AnalyzeArgs,
    form: AnalyzeFormat,
    sweeps: &[Sweep],
    summary: &AnalyzeSummary<'_>,
) -> Result<Vec<u8>, Failure> {
    let names: Vec<&str> = summary.sweeps.iter().map(|sweep| sweep.name.as_str()).collect();
    let sections = summary.sections(&args.inputs);
    let title = args.title.clone().unwrap_or_else(|| names.join(" and "));
    let recordings: Vec<SweepRecordings> = sweeps.iter().filter_map(recordings).collect();
    let memory = MemoryBudget::default().shared_by(recordings.len());
    let gathered = recordings.into_iter().map(|sweep| ReportBuilder::of_sweep(sweep, memory));
    let gathered = gathered.collect::<Result<Vec<ReportBuilder>, _>>()?;
    let given: Vec<ReportInput> =
        gathered.iter().map(|gathered| gathered.given(TimeRange::default())).collect();
    written(args, form, &given, (title, sections))
}

/// Sections, and recordings if there are any, as a page or as Markdown.
pub fn written(
    args: &AnalyzeArgs,
    form: AnalyzeFormat,
    given: &[ReportInput],
    (title, sections): (String, Vec<Section>),
) -> Result<Vec<u8>, Failure> {
    let options =
        ReportOptions { title: Some(title), command: command_line(), compare: None, sections };
    let failed = |error: ReportError| Failure::new(Code::Runtime, error.to_string());
    let report = Report::of(given, &options).map_err(failed)?;
    let mut bytes = Vec::new();
    match form {
        AnalyzeFormat::Md => report::markdown(&report, &mut bytes),
        _ => report::html(&report, args.max_size, &mut bytes),
    }
    .map_err(failed)?;
    Ok(bytes)
}

/// The recordings of a sweep that are there, with a mark for each step; `None` without any.
fn recordings(sweep: &Sweep) -> Option<SweepRecordings> {
    let directory = sweep.directory();
    let (mut paths, mut marks, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let runs = &sweep.runs;
    let repeated = runs.table.latest().iter().any(|run| run.repeat > 0);
    for run in by_time(&runs.table) {
        let Some(name) = run.recording.as_deref() else { continue };
        match recording(&directory, name) {
            Some(path) => {
                paths.push(path);
                marks.push(step(run, repeated));
            }
            None => missing.push(name),
        }
    }
    if let Some(first) = missing.first() {
        let (count, name) = (missing.len(), &runs.name);
        screen::warn(&format!(
            "{name}: {} not on the map, because of what cannot be read: {first}",
            counted(count as u64, "recording")
        ));
    }
    let (label, source) = (runs.name.clone(), runs.target.clone());
    (!paths.is_empty()).then_some(SweepRecordings { label, source, paths, marks })
}

/// The recording of this name beside the run table. A name that leads elsewhere is not followed.
fn recording(directory: &Path, name: &str) -> Option<String> {
    let plain = Path::new(name).file_name().is_some_and(|file| file == name);
    let path = directory.join(name);
    let readable = plain && isotherm_recording::Reader::open(&path).is_ok();
    readable.then(|| path.to_string_lossy().into_owned())
}

/// Where a run began to measure, called by its point.
fn step(run: &Run, repeated: bool) -> Mark {
    let at = Timestamp::new(run.outcome.began_ns);
    let repeat = run.repeat.saturating_add(1);
    let repeat = if repeated { format!(" #{repeat}") } else { String::new() };
    Mark { at, text: format!("{}{repeat}", run.label) }
}

/// The runs that count of a sweep, in the order in which they were made.
fn by_time(table: &RunTable) -> Vec<&Run> {
    let mut runs = table.latest();
    runs.sort_by_key(|run| run.outcome.began_ns);
    runs
}
