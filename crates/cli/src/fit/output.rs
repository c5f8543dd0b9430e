//! A fit in a file: a page, a chart, a table.

use std::io::{self, Write};
use std::path::Path;

use isotherm_report::{self as report, Report, ReportError, ReportOptions};
use isotherm_report::{ChartLook, chart_svg};
use isotherm_views::chart::Chart;
use isotherm_views::{FitJson, FitSummary, ThresholdJson, fit_csv, write_json};

use crate::choices::StatsFormat;
use crate::failure::{Code, Failure};
use crate::fit_args::FitArgs;
use crate::output::{Destination, Kind};
use crate::report::command_line;
use crate::screen;

/// The width of a chart that stands alone, in pixels.
const CHART: u32 = 900;
/// The largest page, bytes: far more than charts and tables take.
const MOST_BYTES: u64 = 8 << 20;

/// Forms of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Svg,
    Markdown,
    Json,
    Csv,
}

/// Where a fit goes and in which form.
pub struct FitFile {
    destination: Destination,
    form: Form,
}

/// What the name of the file says, before anything is read.
pub fn check(args: &FitArgs, path: &Path) -> Result<FitFile, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let form = match ending.as_str() {
        "html" | "htm" => Form::Html,
        "svg" => Form::Svg,
        "md" | "markdown" => Form::Markdown,
        "json" => Form::Json,
        "csv" => Form::Csv,
        _ if path == Path::new("-") && args.format == StatsFormat::Json => Form::Json,
        _ if path == Path::new("-") => Form::Html,
        _ => {
            return Err(Failure::usage(format!(
                "{}: the name has no known ending: end it in .html, .svg, .md, .json or .csv",
                path.display()
            )));
        }
    };
    let kind = match form {
        Form::Html => Kind::Page,
        Form::Svg => Kind::Svg,
        Form::Markdown => Kind::Markdown,
        Form::Json => Kind::Json,
        Form::Csv => Kind::Table,
    };
    let destination = Destination::to(path, kind, args.force, &args.input)?;
    Ok(FitFile { destination, form })
}

impl FitFile {
    /// Writes the fit.
    pub fn write(
        &self,
        summary: &FitSummary<'_>,
        thresholds: &[ThresholdJson],
    ) -> Result<(), Failure> {
        let content = self.content(summary, thresholds)?;
        if let Some(said) = self.destination.write(&content)? {
            screen::warn(&said);
        }
        Ok(())
    }

    /// Writes something else than a fit: the page is made when it is wanted. It has no other tables,
    /// and no other words.
    pub fn write_other(
        &self,
        (page, chart): (&dyn Fn() -> Result<Vec<u8>, Failure>, &Chart),
        json: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut content = Vec::new();
        match self.form {
            Form::Html => content = page()?,
            Form::Svg => content = chart_svg(chart, CHART, ChartLook::Alone(None)).into_bytes(),
            Form::Json => screen::written(json(&mut content))?,
            Form::Markdown | Form::Csv => {
                return Err(Failure::usage(
                    "one observation is written as a page, a chart or JSON: end the name in .html, .svg \
                     or .json",
                ));
            }
        }
        if let Some(said) = self.destination.write(&content)? {
            screen::warn(&said);
        }
        Ok(())
    }

    fn content(
        &self,
        summary: &FitSummary<'_>,
        thresholds: &[ThresholdJson],
    ) -> Result<Vec<u8>, Failure> {
        let mut content = Vec::new();
        let failed = |error: ReportError| Failure::new(Code::Runtime, error.to_string());
        match self.form {
            Form::Html => {
                report::html(&page(summary)?, MOST_BYTES, &mut content).map_err(failed)?;
            }
            Form::Markdown => report::markdown(&page(summary)?, &mut content).map_err(failed)?,
            Form::Svg => {
                let chart = summary.chart().unwrap_or_default();
                content = chart_svg(&chart, CHART, ChartLook::Alone(None)).into_bytes();
            }
            Form::Csv => content = fit_csv(summary).into_bytes(),
            Form::Json => screen::written(write_json(
                &FitJson::new(summary).with_thresholds(thresholds),
                &mut content,
            ))?,
        }
        Ok(content)
    }
}

fn page<'a>(summary: &FitSummary<'_>) -> Result<Report<'a>, Failure> {
    let options = ReportOptions {
        title: Some(format!("Queueing models of {}", summary.source)),
        command: command_line(),
        sections: summary.sections(),
        ..ReportOptions::default()
    };
    Report::of(&[], &options).map_err(|error| Failure::new(Code::Runtime, error.to_string()))
}
