//! The comparison as a file: a page of both recordings with their maps, Markdown, or test results.

use std::path::Path;

use isotherm_frame::TimeRange;
use isotherm_report::{
    self as report, JudgedCondition, Report, ReportError, ReportInput, ReportOptions,
};
use isotherm_views::CompareSummary;

use crate::compare_args::CompareArgs;
use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind};
use crate::report::{BuilderOptions, ReportBuilder, command_line};
use crate::screen;

/// Writes the comparison to `output` in the form that its ending says.
pub fn write(
    args: &CompareArgs,
    output: &Path,
    summary: &CompareSummary<'_>,
    judged: &[JudgedCondition],
) -> Result<(), Failure> {
    let compared = summary.for_report();
    let content = match kind(output)? {
        Kind::Markdown => report::comparison_markdown(&compared, judged),
        Kind::JUnit => report::comparison_junit(&compared.sentences, judged),
        _ => return write_page(args, output, summary),
    };
    put(args, output, content.as_bytes())
}

/// The test results alone where there is nothing to compare: a gate that could not be asked fails, too.
pub fn write_junit(
    args: &CompareArgs,
    sentences: &[String],
    judged: &[JudgedCondition],
) -> Result<(), Failure> {
    let Some(output) = &args.output else { return Ok(()) };
    if kind(output)? != Kind::JUnit {
        return Ok(());
    }
    put(args, output, report::comparison_junit(sentences, judged).as_bytes())
}

fn put(args: &CompareArgs, output: &Path, content: &[u8]) -> Result<(), Failure> {
    if let Some(said) = destination(args, output)?.write(content)?.filter(|_| !args.quiet) {
        screen::warn(&said);
    }
    Ok(())
}

/// Writes the page. The inputs are read once more, for where they come from and for every series of them.
fn write_page(
    args: &CompareArgs,
    output: &Path,
    summary: &CompareSummary<'_>,
) -> Result<(), Failure> {
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
    put(args, output, &content)
}

/// Refuses what can be read only once, and what is no form of a comparison, before anything is read.
pub fn check(args: &CompareArgs, output: &Path) -> Result<(), Failure> {
    let kind = kind(output)?;
    let once = [Some(&args.before), args.after.as_ref()].into_iter().flatten();
    let once = once.into_iter().find(|name| kind == Kind::Page && !Path::new(name).exists());
    if let Some(name) = once {
        let name = crate::redact::redacted(name);
        return Err(Failure::usage(format!(
            "a page reads each input twice, and '{name}' can be read only once: record it first"
        )));
    }
    if kind == Kind::JUnit && args.fail_if.is_empty() {
        return Err(Failure::usage(format!(
            "{}: there is a test case for each --fail-if: give one, such as --fail-if 'p99>1.2x'",
            output.display()
        )));
    }
    destination(args, output).map(|_| ())
}

/// The form that the ending says; a page on standard output.
fn kind(output: &Path) -> Result<Kind, Failure> {
    if output == Path::new("-") {
        return Ok(Kind::Page);
    }
    Kind::of_ending(output, &[Kind::Page, Kind::Markdown, Kind::JUnit])
}

fn destination(args: &CompareArgs, output: &Path) -> Result<Destination, Failure> {
    let inputs: Vec<&String> =
        [Some(&args.before), args.after.as_ref()].into_iter().flatten().collect();
    Destination::to(output, kind(output)?, args.force, &inputs)
}
