//! What is fitted: a sweep, a table of points, a recording, or AWR reports.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use isotherm_experiment::{
    ColumnChoice, ModelPoints, ModelPointsError, PointsTable, RUNS, RunTable,
};
use isotherm_frame::{Frame, Series};
use isotherm_pipeline::contains;
use isotherm_recording::{Reader, RecordingError};

use crate::failure::{Code, Failure};
use crate::fit_args::FitArgs;
use crate::range::interval_at;
use crate::range_args::RangeArgs;
use crate::when::Span;
use crate::{awr, screen};

/// The largest table that is read, bytes.
const LARGEST: u64 = 64 << 20;
/// How many other series are named.
const MOST_NAMED: usize = 8;

/// Reads the input, and keeps the loads that are wanted.
pub fn read(args: &FitArgs) -> Result<ModelPoints, Failure> {
    let name = title(&args.input);
    let points =
        points(args).map_err(|failure| Failure::new(failure.code, format!("{name}: {failure}")))?;
    let Some(range) = args.loads else { return Ok(points) };
    let points = points.between((range.0, range.1));
    if points.points.points.is_empty() {
        return Err(Failure::usage(format!("{name}: no load lies within --loads")));
    }
    Ok(points)
}

/// Whether what is fitted has moments: a recording and AWR reports have.
pub fn has_time(args: &FitArgs) -> bool {
    match args.input.as_slice() {
        [one] => !is_run_table(one) && (is_awr(one) || isotherm_pipeline::is_recording(one)),
        several => !several.is_empty(),
    }
}

/// Whether what is fitted has columns to choose from: a table and AWR reports have.
pub fn has_columns(args: &FitArgs) -> bool {
    match args.input.as_slice() {
        [one] => !is_run_table(one) && (is_awr(one) || !isotherm_pipeline::is_recording(one)),
        several => !several.is_empty(),
    }
}

/// The points of a sweep that is named beside something else: all of it.
pub fn sweep_points(input: &Path) -> Result<ModelPoints, Failure> {
    match input {
        one if is_run_table(one) => of_runs(None, one),
        one if isotherm_pipeline::is_recording(one) => {
            of_recording((None, &RangeArgs::default()), one)
        }
        one => of_table(&ColumnChoice::default(), &text(one)?),
    }
}

fn points(args: &FitArgs) -> Result<ModelPoints, Failure> {
    let series = args.series.as_deref();
    match args.input.as_slice() {
        [one] if is_run_table(one) => of_runs(series, one),
        [one] if is_awr(one) => of_reports(args),
        [one] if isotherm_pipeline::is_recording(one) => of_recording((series, &args.stretch), one),
        [one] => of_table(&columns(args), &text(one)?),
        _ => of_reports(args),
    }
}

fn of_runs(series: Option<&str>, input: &Path) -> Result<ModelPoints, Failure> {
    let table = RunTable::read(input).map_err(runtime)?;
    ModelPoints::of_runs(&table, series).map_err(|error| no_points(&error))
}

fn columns(args: &FitArgs) -> ColumnChoice {
    let columns = args.columns.iter().map(|one| (one.role.clone(), one.heading.clone())).collect();
    ColumnChoice { columns, only: args.series.clone() }
}

fn of_table(choice: &ColumnChoice, text: &str) -> Result<ModelPoints, Failure> {
    let table = PointsTable::read_as(text, choice).map_err(runtime)?;
    ModelPoints::of_table(&table).map_err(|error| no_points(&error))
}

/// AWR reports as the table that `analyze` makes of them.
fn of_reports(args: &FitArgs) -> Result<ModelPoints, Failure> {
    let names: Vec<String> = args.input.iter().map(|path| path.display().to_string()).collect();
    let gathered = awr::gather(&names, args.strict, &args.stretch)?;
    let mut table = Vec::new();
    screen::written(isotherm_views::slob_table(&gathered.reports).write(&mut table))?;
    gathered.verdict(args.strict)?;
    of_table(&columns(args), &String::from_utf8_lossy(&table))
}

/// The series of a recording with the most time waited, of those that are wanted.
fn of_recording(
    (series, stretch): (Option<&str>, &RangeArgs),
    path: &Path,
) -> Result<ModelPoints, Failure> {
    let mut all: BTreeMap<Series, Vec<Frame>> = BTreeMap::new();
    let mut damaged = 0_u64;
    let reader = Reader::open(path)?;
    let source = path.display().to_string();
    let part = stretch.within(reader.span()?.map(Span::from), &source)?.some()?;
    let part = part.between(&|moment| interval_at(&reader, moment));
    for frame in reader.frames(part.range.from, part.range.to)? {
        match frame {
            Ok(frame) if contains(&frame.series, series) => {
                if let Some(frame) = part.range.keep(frame) {
                    all.entry(frame.series.clone()).or_default().push(frame);
                }
            }
            Ok(_) => {}
            Err(RecordingError::Damaged { .. }) => damaged += 1,
            Err(error) => return Err(error.into()),
        }
    }
    let waited = |frames: &[Frame]| {
        frames.iter().map(|frame| frame.counts.time_waited().seconds).sum::<f64>()
    };
    let most = all.iter().max_by(|(_, one), (_, two)| waited(one).total_cmp(&waited(two)));
    let Some((series, frames)) = most else {
        if damaged > 0 && all.is_empty() {
            let text = format!("{}: none of its frames can be read", path.display());
            return Err(Failure::new(Code::BadData, text));
        }
        return Err(Failure::new(Code::Runtime, "the recording has no series of that name"));
    };
    let frames: Vec<&Frame> = frames.iter().collect();
    let mut points = ModelPoints::of_frames(&frames).map_err(|error| no_points(&error))?;
    points.remarks.insert(0, series_in_words(series, &all));
    points.passed_over += damaged;
    Ok(points)
}

/// Which series was chosen, and what else there is.
fn series_in_words(chosen: &Series, all: &BTreeMap<Series, Vec<Frame>>) -> String {
    let others: Vec<String> =
        all.keys().filter(|series| *series != chosen).map(Series::to_string).collect();
    if others.is_empty() {
        return format!("Series: {chosen}.");
    }
    let more = match others.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = others.iter().take(MOST_NAMED).cloned().collect::<Vec<String>>().join(", ");
    format!(
        "Series: {chosen}, the one with the most time waited. --series chooses another: {shown}{more}."
    )
}

fn runtime(error: impl std::error::Error) -> Failure {
    Failure::new(Code::Runtime, error.to_string())
}

fn no_points(error: &ModelPointsError) -> Failure {
    let code = match error {
        ModelPointsError::Several(_) => Code::Usage,
        _ => Code::Runtime,
    };
    Failure::new(code, error.to_string())
}

/// A run table is a directory that holds one, or lines of JSON.
fn is_run_table(input: &Path) -> bool {
    matches!(ending(input).as_str(), "jsonl" | "ndjson") || input.join(RUNS).exists()
}

/// Whether an input is an AWR report, or a directory of them.
fn is_awr(input: &Path) -> bool {
    let named = matches!(ending(input).as_str(), "html" | "htm" | "gz" | "zst");
    named || input.is_dir() || begins_as_report(input)
}

/// Whether a text report is in a file: its first line says so.
fn begins_as_report(input: &Path) -> bool {
    let mut head = Vec::new();
    let file = std::fs::File::open(input).map(|file| file.take(4_096));
    let read = file.and_then(|mut file| file.read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains("WORKLOAD REPOSITORY")
}

fn ending(input: &Path) -> String {
    input.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn text(input: &Path) -> Result<String, Failure> {
    let failed =
        |error: std::io::Error| Failure::new(Code::Runtime, format!("cannot read: {error}"));
    let mut text = String::new();
    if input == Path::new("-") {
        std::io::stdin().lock().take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    } else {
        let file = std::fs::File::open(input).map_err(failed)?;
        file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    }
    if text.len() as u64 > LARGEST {
        return Err(Failure::new(
            Code::Runtime,
            format!("larger than {} MiB: too large for a table of points", LARGEST >> 20),
        ));
    }
    Ok(text)
}

/// What the inputs are called.
pub fn title(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        if path == Path::new("-") {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        }
    };
    match inputs {
        [] => String::new(),
        [one] => name(one),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}
