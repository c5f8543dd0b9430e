//! A curve in a file: a page, Markdown, JSON, a table.

use std::path::Path;

use isotherm_cache::{CurveJson, CurveSummary};
use isotherm_views::write_json;

use crate::cache_args::CurveArgs;
use crate::failure::Failure;
use crate::input;
use crate::output::{Destination, Kind};
use crate::report::of_sections;
use crate::screen;

/// Where a curve goes and in which form.
pub struct CurveFile {
    destination: Destination,
    kind: Kind,
    title: String,
}

impl CurveFile {
    /// What the name of the file says, before anything is read.
    pub fn check(args: &CurveArgs, path: &Path) -> Result<CurveFile, Failure> {
        let kind = Kind::of_ending(path, &[Kind::Page, Kind::Markdown, Kind::Json, Kind::Table])?;
        let destination = Destination::to(path, kind, args.force, &args.inputs)?;
        let title = format!("Miss-ratio curve of {}", input::title(&args.inputs));
        Ok(CurveFile { destination, kind, title })
    }

    /// Writes the curve and says where it is.
    pub fn write(&self, summary: &CurveSummary) -> Result<(), Failure> {
        let content = match self.kind {
            Kind::Json => json(summary)?,
            Kind::Table => summary.csv().into_bytes(),
            kind => of_sections(self.title.clone(), vec![summary.section()], kind)?,
        };
        if let Some(message) = self.destination.write(&content)? {
            screen::warn(&message);
        }
        Ok(())
    }
}

/// The curve as one JSON object.
pub fn json(summary: &CurveSummary) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    screen::written(write_json(&CurveJson::new(summary), &mut bytes))?;
    Ok(bytes)
}
