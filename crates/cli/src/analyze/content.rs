//! What is written, and how people read it on a terminal or as an image.

use isotherm_report::{ChartLook, chart_svg};
use isotherm_views::chart::Chart;
use isotherm_views::section::Table;
use isotherm_views::{AnalyzeText, Depth, Theme};

use crate::analyze_args::AnalyzeArgs;
use crate::choices::ThemeArg;
use crate::failure::Failure;
use crate::screen;
use crate::thresholds::Judgement;

/// What is written, and how the command ends when it is.
pub struct Content {
    pub bytes: Vec<u8>,
    pub end: Result<(), Failure>,
    /// What conditions came to.
    pub judgement: Judgement,
}

/// Tables, a chart and sentences for a terminal.
pub fn text(args: &AnalyzeArgs, tables: &[Table], chart: &Chart, said: &[String]) -> Vec<u8> {
    let view = AnalyzeText {
        width: screen::width(args.width),
        lines: args.height.unwrap_or_else(|| AnalyzeText::lines_in(screen::height(None))),
        ascii: args.screen.ascii || screen::style(&args.screen, false).depth == Depth::Ascii,
    };
    view.page(tables, chart, said).into_bytes()
}

/// A chart as an image.
pub fn svg(chart: &Chart, args: &AnalyzeArgs) -> Vec<u8> {
    let theme = args.screen.theme.map(|theme| match theme {
        ThemeArg::Dark => Theme::Dark,
        ThemeArg::Light => Theme::Light,
    });
    // Until this release --width was that of an image, too.
    let old = args.width.and_then(|width| u32::try_from(width).ok());
    let width = args.image_width.or(old).unwrap_or(900);
    chart_svg(chart, width, ChartLook::Alone(theme)).into_bytes()
}
