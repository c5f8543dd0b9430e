//! What is fitted: a sweep, or a table of points.

use std::io::Read;
use std::path::Path;

use isotherm_experiment::{ModelPoints, ModelPointsError, PointsTable, RunTable};

use crate::failure::{Code, Failure};
use crate::fit_args::FitArgs;

/// The largest table that is read, bytes.
const LARGEST: u64 = 64 << 20;

/// Reads the input, and keeps the loads that are wanted.
pub fn read(args: &FitArgs, input: &Path) -> Result<ModelPoints, Failure> {
    let name = title(input);
    let said = |error: ModelPointsError| {
        let code = match error {
            ModelPointsError::Several(_) => Code::Usage,
            _ => Code::Runtime,
        };
        Failure::new(code, format!("{name}: {error}"))
    };
    let points = if is_run_table(input) {
        let table = RunTable::read(input)
            .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
        ModelPoints::of_runs(&table, args.only.as_deref()).map_err(said)?
    } else {
        let text = text(input)?;
        let table = PointsTable::read(&text)
            .map_err(|error| Failure::new(Code::Runtime, format!("{name}: {error}")))?;
        ModelPoints::of_table(&table).map_err(said)?
    };
    let Some(range) = args.loads else { return Ok(points) };
    let points = points.between((range.0, range.1));
    if points.points.points.is_empty() {
        return Err(Failure::usage(format!("{name}: no load lies within --loads")));
    }
    Ok(points)
}

/// A run table is a directory, or lines of JSON.
fn is_run_table(input: &Path) -> bool {
    let ending = input.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    input.is_dir() || matches!(ending.as_str(), "jsonl" | "ndjson")
}

fn text(input: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Code::Runtime, format!("{}: cannot read: {error}", input.display()))
    };
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
            format!(
                "{}: larger than {} MiB, which no table of points is",
                input.display(),
                LARGEST >> 20
            ),
        ));
    }
    Ok(text)
}

/// What the input is called.
pub fn title(input: &Path) -> String {
    if input == Path::new("-") { "standard input".to_owned() } else { input.display().to_string() }
}
