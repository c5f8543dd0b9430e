//! The comparison as a report: both recordings with their maps, and what they come to.

use std::path::Path;

use isotherm_frame::TimeRange;
use isotherm_report::{self as report, Report, ReportError, ReportInput, ReportOptions};
use isotherm_views::CompareSummary;

use crate::compare_args::CompareArgs;
use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind};
use crate::report::{BuilderOptions, ReportBuilder, command_line};
use crate::screen;

/// Writes the report to `output`. The inputs are read once more, for where they come from and for
/// every series of them.
pub fn write(
    args: &CompareArgs,
    output: &Path,
    summary: &CompareSummary<'_>,
) -> Result<(), Failure> {
    let destination = destination(args, output)?;
    let names: Vec<String> =
        [Some(&args.before), args.after.as_ref()].into_iter().flatten().cloned().collect();
    let (series, inputs) = (args.series.as_deref(), names.len());
    let wanted = BuilderOptions { input: &args.input, series, inputs };
    let gathered = ReportBuilder::read_each(&names, wanted)?;
    let mut given: Vec<ReportInput> = Vec::new();
    for (index, (side, name)) in summary.sides.iter().zip(["A", "B"]).enumerate() {
        let Some(read) = gathered.get(index).or(gathered.first()) else { continue };
        let one = read.given(TimeRange::default());
        let label = format!("{name} {}", one.label);
        given.push(ReportInput { label, span: Some(side.span), ..one });
    }
    let options = ReportOptions {
        title: Some(format!("{} and {}", summary.sides[0].source, summary.sides[1].source)),
        command: command_line(),
        compare: Some(summary.for_report()),
        sections: Vec::new(),
    };
    let failed = |error: ReportError| Failure::new(Code::Runtime, error.to_string());
    let report = Report::of(&given, &options).map_err(failed)?;
    let mut content = Vec::new();
    report::html(&report, args.max_size, &mut content).map_err(failed)?;
    if let Some(said) = destination.write(&content)? {
        screen::warn(&said);
    }
    Ok(())
}

/// Refuses what can be read only once, and what is no page, before anything is read.
pub fn check(args: &CompareArgs, output: &Path) -> Result<(), Failure> {
    let once = [Some(&args.before), args.after.as_ref()].into_iter().flatten();
    if let Some(name) = once.into_iter().find(|name| !Path::new(name).exists()) {
        let name = crate::redact::redacted(name);
        return Err(Failure::usage(format!(
            "-o reads each input twice, and '{name}' can be read only once: record it first"
        )));
    }
    let ending = output.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if output != Path::new("-") && !matches!(ending.as_str(), "html" | "htm") {
        return Err(Failure::usage(format!(
            "{}: a comparison is written as .html; for programs there is --format json",
            output.display()
        )));
    }
    destination(args, output).map(|_| ())
}

fn destination(args: &CompareArgs, output: &Path) -> Result<Destination, Failure> {
    let inputs: Vec<&String> =
        [Some(&args.before), args.after.as_ref()].into_iter().flatten().collect();
    Destination::to(output, Kind::Page, args.force, &inputs)
}
