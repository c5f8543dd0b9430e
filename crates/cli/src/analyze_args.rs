//! The command line of `isotherm analyze`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use isotherm_frame::Nanos;

use crate::args::ScreenArgs;
use crate::report_args::size;

/// Below the help of `analyze`.
pub const EXAMPLES: &str = "Examples:
  isotherm analyze disk.sweep                   table, curve and what it comes to
  isotherm analyze disk.sweep -o disk.csv       every run with every number, for a spreadsheet
  isotherm analyze disk.sweep -o disk.html      curves and one heat map over the whole sweep
  isotherm analyze before.sweep after.sweep     one curve each
  isotherm analyze disk.sweep --limit 1ms --limit 5ms
  isotherm analyze awr.*.txt -o awr.csv         the same from AWR reports, the columns SLOB users know

A sweep is the directory that `isotherm sweep` made, or its runs.jsonl. Numbers are medians over the
repeats of a point, with the smallest and the largest beside them; nothing is fitted here: see
`isotherm fit`. What every column of the CSV holds is in the guide (docs/guide/analyze.md).";

/// `analyze`
#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    /// Directories of sweeps or their run tables; or AWR reports, also directories of them
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// The file to write: .csv, .html, .md, .json, .svg or .txt; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form, where the name of the file does not say
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<AnalyzeFormat>,
    /// Say which load keeps 99 % of its operations within this; may be given several times
    #[arg(long, value_name = "TIME")]
    pub limit: Vec<Nanos>,
    /// What to call it
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The largest page to write, such as 900k or 2M
    #[arg(long, value_name = "BYTES", default_value = "900k", value_parser = size)]
    pub max_size: u64,
    /// Width in characters, of svg in pixels; the terminal's if not given; at most 4096
    #[arg(long, value_parser = crate::screen::width_or_pixels_arg)]
    pub width: Option<usize>,
    /// Height of the curve in lines; chosen by the terminal's if not given; at most 1000
    #[arg(long, value_parser = crate::screen::height_arg)]
    pub height: Option<usize>,
    /// Exit with 4 if a line of a run table or a part of an AWR report could not be read
    #[arg(long)]
    pub strict: bool,
    /// Overwrite a file that is no report
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Forms of an analysis.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalyzeFormat {
    /// A table, a curve and sentences for people
    Table,
    /// Every run with every number, for spreadsheets
    Csv,
    /// One JSON object (docs/schema has its schema)
    Json,
    /// Sentences, curves, tables and maps as Markdown
    Md,
    /// One page with curves, tables and a heat map over everything
    Html,
    /// The curve alone
    Svg,
}
