//! The page of a lab: the verdict, its pictures, the lesson.

use std::path::Path;

use isotherm_lab::{LabJson, Run, sections};
use isotherm_report::{self as report, Report, ReportError, ReportOptions};
use isotherm_views::write_json;

use crate::failure::{Code, Failure};
use crate::lab_args::LabArgs;
use crate::output::{Destination, Kind};
use crate::report::command_line;
use crate::screen;

/// Where the page goes and in which form.
pub struct PageFile {
    destination: Destination,
    kind: Kind,
}

impl PageFile {
    /// What the name of the file says, before anything is run.
    pub fn check(args: &LabArgs, path: &Path) -> Result<PageFile, Failure> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let kind = match ending.as_str() {
            "html" | "htm" => Kind::Page,
            "md" | "markdown" => Kind::Markdown,
            "json" => Kind::Json,
            _ => {
                return Err(Failure::usage(format!(
                    "{}: the name has no known ending: end it in .html, .md or .json",
                    path.display()
                )));
            }
        };
        let destination = Destination::to(path, kind, args.force, &args.measured)?;
        Ok(PageFile { destination, kind })
    }

    /// Writes the run.
    pub fn write(&self, args: &LabArgs, run: &Run<'_>) -> Result<(), Failure> {
        let content = match self.kind {
            Kind::Json => json(run)?,
            kind => document(kind, run)?,
        };
        if let Some(message) = self.destination.write(&content)?.filter(|_| !args.quiet.quiet) {
            screen::warn(&message);
        }
        Ok(())
    }
}

fn document(kind: Kind, run: &Run<'_>) -> Result<Vec<u8>, Failure> {
    let options = ReportOptions {
        title: Some(format!("Lab {}: {}", run.lab.name, run.finding.verdict.word())),
        command: command_line(),
        sections: sections(run),
        ..ReportOptions::default()
    };
    let failed = |error: ReportError| Failure::new(Code::Runtime, error.to_string());
    let report = Report::of(&[], &options).map_err(failed)?;
    let mut content = Vec::new();
    match kind {
        Kind::Page => report::html(&report, report::MOST_BYTES, &mut content),
        _ => report::markdown(&report, &mut content),
    }
    .map_err(failed)?;
    Ok(content)
}

/// The run as one JSON object.
pub fn json(run: &Run<'_>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    screen::written(write_json(&LabJson::new(run), &mut bytes))?;
    Ok(bytes)
}
