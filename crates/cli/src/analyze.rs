//! `isotherm analyze`: what a sweep, or a row of AWR reports, comes to.

mod page;
mod reports;
mod sweeps;

use std::path::{Path, PathBuf};

use isotherm_report::{ChartLook, chart_svg};
use isotherm_views::chart::Chart;
use isotherm_views::section::Sheet;
use isotherm_views::{AnalyzeText, Depth, Theme};

use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::choices::ThemeArg;
use crate::failure::Failure;
use crate::output::{Destination, Kind};
use crate::screen;

use sweeps::Sweep;

/// `isotherm analyze`
pub fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let form = form(args)?;
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let destination = Destination::to(&output, kind(form), args.force, &args.inputs)?;
    let sweeps = args.inputs.iter().filter(|name| Sweep::is_one(name)).count();
    let content = match sweeps {
        0 => reports::content(args, form)?,
        all if all == args.inputs.len() => sweeps::content(args, form)?,
        _ => {
            let other = args.inputs.iter().find(|name| !Sweep::is_one(name));
            return Err(Failure::usage(format!(
                "{}: this is no sweep, and others are: analyze sweeps and AWR reports one after \
                 the other",
                other.map_or("", String::as_str)
            )));
        }
    };
    if let Some(said) = destination.write(&content.bytes)? {
        screen::warn(&said);
    }
    content.end
}

/// What is written, and how the command ends when it is.
struct Content {
    bytes: Vec<u8>,
    end: Result<(), Failure>,
}

/// The form that is asked for, or that the name of the file says; a table where neither does.
fn form(args: &AnalyzeArgs) -> Result<AnalyzeFormat, Failure> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) else {
        return Ok(AnalyzeFormat::Table);
    };
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "csv" => Ok(AnalyzeFormat::Csv),
        "html" | "htm" => Ok(AnalyzeFormat::Html),
        "md" | "markdown" => Ok(AnalyzeFormat::Md),
        "json" => Ok(AnalyzeFormat::Json),
        "svg" => Ok(AnalyzeFormat::Svg),
        "txt" => Ok(AnalyzeFormat::Table),
        _ => Err(Failure::usage(format!(
            "{}: the name does not say what to write: end it in .csv, .html, .md, .json, .svg or \
             .txt, or say --format",
            path.display()
        ))),
    }
}

fn kind(form: AnalyzeFormat) -> Kind {
    match form {
        AnalyzeFormat::Table => Kind::Text,
        AnalyzeFormat::Csv => Kind::Table,
        AnalyzeFormat::Html => Kind::Page,
        AnalyzeFormat::Md => Kind::Markdown,
        AnalyzeFormat::Json => Kind::Json,
        AnalyzeFormat::Svg => Kind::Svg,
    }
}

/// Tables, a chart and sentences for a terminal.
fn text(args: &AnalyzeArgs, sheets: &[Sheet], chart: &Chart, said: &[String]) -> Vec<u8> {
    let view = AnalyzeText {
        width: screen::width(args.width),
        lines: args.height.unwrap_or_else(|| AnalyzeText::lines_in(screen::height(None))),
        ascii: args.screen.ascii || screen::style(&args.screen, false).depth == Depth::Ascii,
    };
    view.page(sheets, chart, said).into_bytes()
}

/// A chart as an image.
fn svg(chart: &Chart, args: &AnalyzeArgs) -> Vec<u8> {
    let theme = args.screen.theme.map(|theme| match theme {
        ThemeArg::Dark => Theme::Dark,
        ThemeArg::Light => Theme::Light,
    });
    let width = args.width.and_then(|width| u32::try_from(width).ok()).unwrap_or(900);
    chart_svg(chart, width, ChartLook::Alone(theme)).into_bytes()
}
