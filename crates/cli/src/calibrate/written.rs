//! Where the results of a calibration go: the screen, and reports.

use std::path::Path;

use isotherm_experiment::calibrate::Calibration;
use isotherm_report::{self as report, Report, ReportInput, ReportOptions};
use isotherm_views::calibration::{self, CalibrationJson, CalibrationText};
use isotherm_views::{OutputForm, ThresholdJson, write_json};

use super::load_recording::Recorded;
use crate::about::host;
use crate::calibrate_args::{CalibrateArgs, CalibrateFormat};
use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind};
use crate::report::command_line;
use crate::screen;

/// Files that are to be written, looked at before any load is made.
pub struct Outputs(Vec<(Form, Destination)>);

/// Forms of a report.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    Html,
    Markdown,
    Json,
}

/// Lines of the chart on a screen.
const CHART: usize = 16;
/// The width of text that is not for a terminal.
const WIDTH: usize = 120;

impl Outputs {
    /// The files the user wants; fails when one would overwrite something that is no report.
    pub fn of(args: &CalibrateArgs) -> Result<Outputs, Failure> {
        let record = args.record.iter().map(|path| path.to_string_lossy().into_owned());
        let used: Vec<String> = record.chain([args.target.clone()]).collect();
        let one = |path: &std::path::PathBuf| {
            if path == Path::new("-") {
                return Err(Failure::usage("-o names a file; --format json prints JSON"));
            }
            let form = form(path)?;
            let kind = match form {
                Form::Html => Kind::Page,
                Form::Markdown => Kind::Markdown,
                Form::Json => Kind::Json,
            };
            Ok((form, Destination::to(path, kind, args.force, &used)?))
        };
        args.output.iter().map(one).collect::<Result<_, _>>().map(Outputs)
    }

    /// Prints what it came to and writes the reports.
    pub fn write(
        &self,
        args: &CalibrateArgs,
        (calibration, thresholds): (&Calibration, &[ThresholdJson]),
        recorded: &Recorded,
    ) -> Result<(), Failure> {
        print(args, calibration, thresholds)?;
        for (form, destination) in &self.0 {
            let content = match form {
                Form::Json => json(calibration, thresholds)?,
                Form::Html | Form::Markdown => document(*form, (args, calibration), recorded)?,
            };
            if let Some(said) = destination.write(&content)?.filter(|_| !args.quiet.quiet) {
                screen::warn(&said);
            }
        }
        Ok(())
    }
}

fn form(path: &Path) -> Result<Form, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "html" | "htm" => Ok(Form::Html),
        "md" | "markdown" => Ok(Form::Markdown),
        "json" => Ok(Form::Json),
        _ => Err(Failure::usage(format!(
            "{}: the name has no known ending: end it in .html, .md or .json",
            path.display()
        ))),
    }
}

fn print(
    args: &CalibrateArgs,
    calibration: &Calibration,
    thresholds: &[ThresholdJson],
) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let form = match args.format {
        CalibrateFormat::Json => {
            bytes = json(calibration, thresholds)?;
            OutputForm::Json
        }
        CalibrateFormat::Text => {
            let width = Some(if screen::is_terminal() { screen::width(None) } else { WIDTH });
            let style = screen::style(&args.screen, false);
            let extent = screen::extent(args.details, screen::is_terminal());
            let text = CalibrationText { width, chart: CHART, extent };
            screen::written(text.render(calibration, style, &mut bytes))?;
            OutputForm::Painted
        }
    };
    screen::print(form, &String::from_utf8_lossy(&bytes))
}

fn json(calibration: &Calibration, thresholds: &[ThresholdJson]) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let object = CalibrationJson::new(calibration).with_thresholds(thresholds);
    screen::written(write_json(&object, &mut bytes))?;
    Ok(bytes)
}

/// The report: what it comes to and the curves above the map of the whole calibration.
fn document(
    form: Form,
    (args, calibration): (&CalibrateArgs, &Calibration),
    recorded: &Recorded,
) -> Result<Vec<u8>, Failure> {
    let given = [ReportInput {
        label: calibration.target.clone(),
        source: calibration.target.clone(),
        host: Some(host()),
        command: Some(command_line()),
        isotherm_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        file: None,
        input: recorded.input.clone(),
        marks: recorded.marks.clone(),
        device: args.device,
        history: &recorded.history,
        span: None,
        series: Vec::new(),
    }];
    let options = ReportOptions {
        title: Some(format!("Calibration of {}", calibration.target)),
        command: command_line(),
        compare: None,
        sections: calibration::sections(calibration),
    };
    let failed = |error: report::ReportError| Failure::new(Code::Runtime, error.to_string());
    // Without a single interval there is no map, and what there is to say is said all the same.
    let given = if recorded.input.span.is_some() { &given[..] } else { &[] };
    let report = Report::of(given, &options).map_err(failed)?;
    let mut content = Vec::new();
    match form {
        Form::Html => report::html(&report, report::MOST_BYTES, &mut content),
        _ => report::markdown(&report, &mut content),
    }
    .map_err(failed)?;
    Ok(content)
}
