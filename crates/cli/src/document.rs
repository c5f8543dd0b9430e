//! What a command found, on every surface: as text, Markdown, a page and JSON.

use std::path::Path;

use isotherm_report::{self as report, Report, ReportError, ReportOptions};
use isotherm_views::{Document, write_json};
use serde::Serialize;

use crate::choices::DocumentFormat;
use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind};
use crate::report::command_line;
use crate::screen;

/// A file for a document, and its form.
pub struct DocumentFile {
    pub kind: Kind,
    destination: Destination,
    is_quiet: bool,
}

impl DocumentFile {
    /// A file in one of these forms, as its name says. `inputs` are what the command reads.
    pub fn check<P: AsRef<Path>>(
        path: &Path,
        forms: &[Kind],
        force: bool,
        inputs: &[P],
    ) -> Result<DocumentFile, Failure> {
        let kind = Kind::of_ending(path, forms)?;
        let destination = Destination::to(path, kind, force, inputs)?;
        Ok(DocumentFile { kind, destination, is_quiet: false })
    }

    /// Does not say that it is written, if so.
    pub fn quiet(self, is_quiet: bool) -> DocumentFile {
        DocumentFile { is_quiet, ..self }
    }

    /// Writes a result in the form that the name says.
    pub fn write(&self, document: Document, result: &impl Serialize) -> Result<(), Failure> {
        let content = match self.kind {
            Kind::Json => json(result)?.into_bytes(),
            kind => page(document, kind)?,
        };
        self.put(&content)
    }

    /// Writes these bytes, and says where they are.
    pub fn put(&self, content: &[u8]) -> Result<(), Failure> {
        if let Some(message) = self.destination.write(content)?.filter(|_| !self.is_quiet) {
            screen::warn(&message);
        }
        Ok(())
    }
}

/// Prints a result.
pub fn print(
    (format, ascii): (DocumentFormat, bool),
    document: &Document,
    result: &impl Serialize,
) -> Result<(), Failure> {
    let text = match format {
        DocumentFormat::Text => document.text(screen::width(None), ascii),
        DocumentFormat::Json => json(result)?,
    };
    screen::print(format.into(), &text)
}

/// A result for programs.
pub fn json(result: &impl Serialize) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    screen::written(write_json(result, &mut bytes))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A document as a page or as Markdown.
fn page(document: Document, kind: Kind) -> Result<Vec<u8>, Failure> {
    let options = ReportOptions {
        title: Some(document.title),
        command: command_line(),
        sections: document.sections,
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
