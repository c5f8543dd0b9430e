//! A model in the terminal, and its page or its JSON in a file.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use isotherm_cache::Preset;
use isotherm_frame::numbers::counted;
use isotherm_report::{CachePage, GraphView, cache_html, cache_png, cache_svg};
use isotherm_views::section::Section;
use isotherm_views::{OutputForm, SectionText};

use crate::cache_graph_args::GraphArgs;
use crate::cache_model_format::ModelFormat;

use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind};
use crate::screen;

/// Where a model goes and in which form.
pub struct GraphFile {
    destination: Destination,
    kind: Kind,
}

/// Makes what is written.
type Content<'a> = &'a dyn Fn() -> Result<Vec<u8>, Failure>;
type Page<'a> = &'a dyn Fn() -> Result<CachePage, Failure>;

impl GraphFile {
    /// What the name of the file says, before anything is run.
    pub fn check(path: &Path, force: bool, args: GraphArgs) -> Result<GraphFile, Failure> {
        let kind = Kind::of_ending(path, &[Kind::Page, Kind::Svg, Kind::Png, Kind::Json])?;
        if let (Kind::Json, Some(option)) = (kind, args.given()) {
            return Err(Failure::usage(format!(
                "{option} has no effect on JSON, which has no picture: leave it out, or end {} in .html, .svg or .png",
                path.display()
            )));
        }
        Ok(GraphFile { destination: Destination::to::<&Path>(path, kind, force, &[])?, kind })
    }

    fn content(&self, json: Content<'_>, page: Page<'_>) -> Result<Vec<u8>, Failure> {
        match self.kind {
            Kind::Json => json(),
            Kind::Svg => svg(&page()?),
            Kind::Png => png(&page()?),
            _ => self::page(&page()?),
        }
    }
}

/// Prints a model and writes its file. The content of the file is made first: if that fails, as for a `--moment`
/// beyond the run, nothing is printed.
pub fn give(
    file: Option<&GraphFile>,
    form: (ModelFormat, bool),
    section: &Section,
    json: Content<'_>,
    page: Page<'_>,
) -> Result<(), Failure> {
    let made = file.map(|file| file.content(json, page).map(|content| (file, content)));
    let made = made.transpose()?;
    print(form, section, json)?;
    let Some((file, content)) = made else { return Ok(()) };
    if let Some(message) = file.destination.write(&content)? {
        screen::warn(&message);
    }
    Ok(())
}

/// Prints a model in this form.
fn print(
    (format, ascii): (ModelFormat, bool),
    section: &Section,
    json: Content<'_>,
) -> Result<(), Failure> {
    let text = match format {
        ModelFormat::Text => SectionText { width: screen::width(None), ascii }.of(section),
        ModelFormat::Json => String::from_utf8_lossy(&json()?).into_owned(),
    };
    screen::print(format.into(), &text)
}

/// Prints presets, and what each shows.
pub fn list<S>(presets: &[Preset<S>]) -> Result<(), Failure> {
    let widest = presets.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let text = presets.iter().fold(String::new(), |mut text, preset| {
        let _ = writeln!(text, "{:<widest$}  {}", preset.name, preset.about);
        text
    });
    screen::print(OutputForm::Text, &text)
}

/// The bytes of a model in JSON.
pub fn json(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    screen::written(write(&mut bytes))?;
    Ok(bytes)
}

/// What is drawn, as the page has it.
pub fn picture(drawn: serde_json::Result<serde_json::Value>) -> Result<serde_json::Value, Failure> {
    drawn.map_err(|error| Failure::new(Code::Runtime, error.to_string()))
}

/// What is shown of a picture; a run of few references has fewer moments than may be asked for.
pub fn view(args: GraphArgs, picture: &serde_json::Value) -> Result<GraphView, Failure> {
    let view = args.view();
    let moments = picture["moments"].as_array().map_or(0, Vec::len);
    match view.moment {
        Some(at) if at >= moments => Err(Failure::usage(format!(
            "--moment {}: this run has {}",
            at + 1,
            counted(moments as u64, "moment")
        ))),
        _ => Ok(view),
    }
}

/// The graph of a page as an image.
fn svg(page: &CachePage) -> Result<Vec<u8>, Failure> {
    let svg = cache_svg(page).map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(svg.into_bytes())
}

/// The same in dots.
fn png(page: &CachePage) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    let written = cache_png(page, &mut content);
    written.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(content)
}

/// The bytes of a page.
fn page(page: &CachePage) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    let written = cache_html(page, &mut content);
    written.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(content)
}
