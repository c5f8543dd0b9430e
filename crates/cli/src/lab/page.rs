//! The page of a lab: the verdict, its pictures, the lesson.

use std::path::Path;

use isotherm_lab::{LabJson, Run, sections};
use isotherm_views::write_json;

use crate::failure::Failure;
use crate::lab_args::LabArgs;
use crate::output::{Destination, Kind};
use crate::report::of_sections;
use crate::screen;

/// Where the page goes and in which form.
pub struct PageFile {
    destination: Destination,
    kind: Kind,
}

impl PageFile {
    /// What the name of the file says, before anything is run.
    pub fn check(args: &LabArgs, path: &Path) -> Result<PageFile, Failure> {
        let kind = Kind::of_ending(path, &[Kind::Page, Kind::Markdown, Kind::Json])?;
        let destination = Destination::to(path, kind, args.force, &args.measured)?;
        Ok(PageFile { destination, kind })
    }

    /// Writes the run.
    pub fn write(&self, args: &LabArgs, run: &Run<'_>) -> Result<(), Failure> {
        let content = match self.kind {
            Kind::Json => json(run)?,
            kind => {
                let title = format!("Lab {}: {}", run.lab.name, run.finding.verdict.word());
                of_sections(title, sections(run), kind)?
            }
        };
        if let Some(message) = self.destination.write(&content)?.filter(|_| !args.quiet.quiet) {
            screen::warn(&message);
        }
        Ok(())
    }
}

/// The run as one JSON object.
pub fn json(run: &Run<'_>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    screen::written(write_json(&LabJson::new(run), &mut bytes))?;
    Ok(bytes)
}
