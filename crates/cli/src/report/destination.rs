//! Where the report goes, written whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use isotherm_views::{OutputForm, sanitized};

use crate::failure::{Code, Failure};
use crate::report_args::{ReportArgs, ReportFormat};
use crate::screen;

/// Where the report goes.
pub enum Destination {
    /// Standard output.
    Out,
    /// A file.
    File(PathBuf),
}

impl Destination {
    /// What the user says, or a file named after the input in this directory; and the form to
    /// write. Fails when that would overwrite something that is no report.
    pub fn of(args: &ReportArgs) -> Result<(Destination, ReportFormat), Failure> {
        let form = args.format.map_or_else(|| form_of(args.output.as_deref()), Ok)?;
        let path = args.output.clone().unwrap_or_else(|| default_name(&args.inputs, form));
        Ok((Destination::to(path, args.force)?, form))
    }

    /// This file, or standard output if it is `-`. Fails when that would overwrite something that
    /// is no report, unless that is wanted.
    pub fn to(path: PathBuf, force: bool) -> Result<Destination, Failure> {
        if path == Path::new("-") {
            return Ok(Destination::Out);
        }
        if !force && !may_replace(&path) {
            return Err(Failure::usage(format!(
                "{}: this is no report and is not overwritten; choose another name with -o, or \
                 add --force",
                path.display()
            )));
        }
        Ok(Destination::File(path))
    }

    /// Writes what has this form; gives what to tell the user.
    pub fn write(&self, content: &[u8], form: OutputForm) -> Result<Option<String>, Failure> {
        let path = match self {
            Destination::Out => {
                let on_terminal = form == OutputForm::Exact;
                let form = if on_terminal { screen::for_programs() } else { form };
                let mut out = screen::output(form);
                screen::written(out.write_all(content).and_then(|()| out.flush()))?;
                return Ok(None);
            }
            Destination::File(path) => path,
        };
        let content = sanitized(form, content);
        put(path, &content).map_err(|error| {
            Failure::new(Code::Runtime, format!("{}: cannot write: {error}", path.display()))
        })?;
        let size = content.len().div_ceil(1_000);
        Ok(Some(format!("wrote {} ({size} KB)", path.display())))
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
            "{}: the name does not say what to write: end it in .html, .md, .json, .svg or \
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

/// Whether nothing of value is lost when this file is written anew.
fn may_replace(path: &Path) -> bool {
    match fs::metadata(path) {
        Err(_) => true,
        Ok(known) if !known.is_file() || known.len() == 0 => true,
        Ok(_) => fs::read(path).is_ok_and(|content| is_report(&content)),
    }
}

/// How the tables for spreadsheets begin.
const OUR_TABLES: [&str; 2] = ["sweep,point,repeat,label,", "FILE,SESSIONS,ELAPSED,"];

/// Whether this is a report of ours, in any of its forms.
fn is_report(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    text.contains("id=\"isotherm-data\"")
        || text.contains("<!-- isotherm report -->")
        || text.contains("<metadata id=\"isotherm\">")
        || (text.starts_with("\u{fffd}PNG") && text.contains("iTXtisotherm\0"))
        || (text.starts_with('{') && text.contains("\"generator\":\"isotherm"))
        || OUR_TABLES.iter().any(|head| text.starts_with(head))
}

/// Writes a file beside the one wanted and puts it in its place when it is whole. What is no
/// regular file, such as a device or a pipe, is written to.
pub fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(content);
    }
    // Through a link the file it leads to is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = write_new(&beside, content).and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // What could not be written whole is nothing to leave behind.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}
