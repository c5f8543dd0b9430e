//! Which file a report goes to, and in which form.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output::{Destination, Kind};
use crate::report_args::{ReportArgs, ReportFormat};

/// What the user says, or a file named after the input in this directory; and the form to write.
pub fn destination(args: &ReportArgs) -> Result<(Destination, ReportFormat), Failure> {
    let form = form(args)?;
    let path = args.output.clone().unwrap_or_else(|| default_name(&args.inputs, form));
    Ok((Destination::to(&path, kind(form), args.force, &args.inputs)?, form))
}

/// The form that is asked for, or that the name of the file says.
pub fn form(args: &ReportArgs) -> Result<ReportFormat, Failure> {
    args.format.map_or_else(|| form_of(args.output.as_deref()), Ok)
}

fn kind(form: ReportFormat) -> Kind {
    match form {
        ReportFormat::Html => Kind::Page,
        ReportFormat::Md => Kind::Markdown,
        ReportFormat::Json => Kind::Json,
        ReportFormat::Svg => Kind::Svg,
        ReportFormat::Png => Kind::Png,
    }
}

/// The form that the name of a file says; a page where there is no name.
fn form_of(path: Option<&Path>) -> Result<ReportFormat, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return Ok(ReportFormat::Html);
    };
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "html" | "htm" => Ok(ReportFormat::Html),
        "md" | "markdown" => Ok(ReportFormat::Md),
        "json" => Ok(ReportFormat::Json),
        "svg" => Ok(ReportFormat::Svg),
        "png" => Ok(ReportFormat::Png),
        _ => Err(Failure::usage(format!(
            "{}: the name has no known ending: end it in .html, .md, .json, .svg or \
                 .png, or say --format",
            path.display()
        ))),
    }
}

/// The ending of a file of this form.
fn ending(form: ReportFormat) -> &'static str {
    match form {
        ReportFormat::Html => "html",
        ReportFormat::Md => "md",
        ReportFormat::Json => "json",
        ReportFormat::Svg => "svg",
        ReportFormat::Png => "png",
    }
}

/// The input's name with another ending, in this directory.
fn default_name(inputs: &[String], form: ReportFormat) -> PathBuf {
    let stem = inputs.first().filter(|name| Path::new(name).exists());
    let stem = stem.and_then(|name| Path::new(name).file_stem());
    let mut name = stem.map_or_else(|| "report".into(), OsString::from);
    name.push(".");
    name.push(ending(form));
    name.into()
}
