//! Where a flame graph goes, and in which form.

use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use isotherm_flame::{write_folded, write_folded_difference};
use isotherm_report::{FlameGraph, ReportError, flame_html, flame_json, flame_svg};

use super::args::{FlameFormat, PictureArgs};
use crate::failure::{Code, Failure};
use crate::output::{self, Broken, Kind};
use crate::screen;

/// Bytes written at once.
const BUFFER: usize = 64 << 10;

/// A file and its form.
pub struct Destination {
    output: output::Destination,
    pub form: FlameFormat,
}

/// What the user says, or a file named after the input in this directory; `inputs` are what the
/// command reads.
pub fn destination(
    args: &PictureArgs,
    inputs: &[String],
    name: &str,
) -> Result<Destination, Failure> {
    let form = args.format.map_or_else(|| form_of(args.output.as_deref()), Ok)?;
    let path = args.output.clone().unwrap_or_else(|| default_name(inputs, name, form));
    Ok(Destination {
        output: output::Destination::to(&path, kind(form), args.force, inputs)?,
        form,
    })
}

impl Destination {
    /// Writes the flame graph and says where it is.
    pub fn write(&self, graph: &FlameGraph<'_>) -> Result<(), Failure> {
        // What is as long as the stacks is not held a second time as text.
        let said = self.output.write_by(&mut |out| {
            let mut out = BufWriter::with_capacity(BUFFER, out);
            let written = match self.form {
                FlameFormat::Html => flame_html(graph, &mut out),
                FlameFormat::Svg => flame_svg(graph, &mut out),
                FlameFormat::Json => flame_json(graph, &mut out),
                FlameFormat::Folded => match graph.before {
                    Some(before) => write_folded_difference(graph.stacks, before, &mut out),
                    None => write_folded(graph.stacks, &mut out),
                }
                .map_err(ReportError::from),
            };
            written.and_then(|()| Ok(out.flush()?)).map_err(broken)
        })?;
        if let Some(said) = said {
            screen::warn(&said);
        }
        Ok(())
    }
}

/// Whether the output takes no more, or there is nothing to write.
fn broken(error: ReportError) -> Broken {
    match error {
        ReportError::Io(error) => Broken::Output(error),
        ReportError::Json(error) if error.is_io() => Broken::Output(error.into()),
        other => Broken::Other(Failure::new(Code::Runtime, other.to_string())),
    }
}

fn kind(form: FlameFormat) -> Kind {
    match form {
        FlameFormat::Html => Kind::Page,
        FlameFormat::Svg => Kind::Svg,
        FlameFormat::Json => Kind::Json,
        FlameFormat::Folded => Kind::Text,
    }
}

/// The form that the name of the file says; a page where there is no name.
fn form_of(path: Option<&Path>) -> Result<FlameFormat, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else {
        return Ok(FlameFormat::Html);
    };
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "html" | "htm" => Ok(FlameFormat::Html),
        "svg" => Ok(FlameFormat::Svg),
        "json" => Ok(FlameFormat::Json),
        "folded" => Ok(FlameFormat::Folded),
        _ => Err(Failure::usage(format!(
            "{}: the name does not say what to write: end it in .html, .svg, .json or .folded, or say \
             --format",
            path.display()
        ))),
    }
}

/// The input's name with another ending, in this directory.
fn default_name(inputs: &[String], name: &str, form: FlameFormat) -> PathBuf {
    let only = if let [one] = inputs { Some(Path::new(one)) } else { None };
    let stem = only.filter(|path| path.exists()).and_then(Path::file_stem);
    let mut name = stem.map_or_else(|| name.into(), OsString::from);
    name.push(match form {
        FlameFormat::Html => ".html",
        FlameFormat::Svg => ".svg",
        FlameFormat::Json => ".json",
        FlameFormat::Folded => ".folded",
    });
    name.into()
}
