//! The command line of `isotherm report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use isotherm_analysis::DeviceClass;

use crate::amounts;
use crate::choices::ThemeArg;
use crate::geometry_args::GeometryArgs;
use crate::input_args::InputArgs;
use crate::range_args::RangeArgs;
use crate::threshold_args::FailIfArgs;

/// Below the help of `report`.
pub const EXAMPLES: &str = "Examples:
  isotherm report run.heat                      writes run.html
  isotherm report run.heat -o incident.html --title \"Monday's incident\" --from 14:20 --to 14:50
  isotherm report latencies.txt --columns time,latency,program --unit us -o x.html
  isotherm report before.heat after.heat -o both.html
  isotherm report orcl_ora_4711.trc -o 4711.html  profile, statements, plans and maps of a SQL trace
  isotherm report run.heat -o run.md            tables and sentences, for a ticket or a chat
  isotherm report run.heat -o run.json          for programs
  isotherm report run.heat -o run.svg           the maps alone, for a page or a document
  isotherm report run.heat -o run.png --theme dark --image-width 900

The page is one file that needs no network: maps, percentiles, what differs in a selection, and
where it all came from. Columns of time get wider until the file fits --max-size; the largest count
of any one interval is kept.";

/// The largest page where nothing else is said.
pub const MOST_BYTES: u64 = 900 << 10;

/// Forms of a report.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// One page with everything inside it
    Html,
    /// Sentences and tables
    Md,
    /// One JSON object (docs/schema has its schema)
    Json,
    /// Both maps as an image of any size
    Svg,
    /// Both maps as an image of dots
    Png,
}

/// `report`
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Recordings, files that can be read, directories of them; - for standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// The file to write: .html, .md, .json, .svg or .png; named after the input if not given; - for standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The title
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    /// The largest file to write, such as 900k or 2M
    #[arg(long, value_name = "BYTES", default_value = "900k", value_parser = amounts::bytes)]
    pub max_size: u64,
    /// The form of the output (where the name of the file does not say)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
    /// svg, png: the background; svg follows the reader's preference if not given
    #[arg(long, value_enum)]
    pub theme: Option<ThemeArg>,
    /// svg, png: the width of the image in pixels
    #[arg(long, alias = "width", value_name = "PIXELS", default_value_t = 1_200,
          value_parser = clap::value_parser!(u32).range(320..=4_096))]
    pub image_width: u32,
    /// png: dots per pixel, for sharp letters on fine screens and paper
    #[arg(long, value_name = "DOTS", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=4))]
    pub dots: u32,
    /// svg, png: axes and colours
    #[command(flatten)]
    pub geometry: GeometryArgs,
    /// The device: hdd, ssd, nvme, san, or the measured time of its fastest reads, such as 80us;
    /// warns about latencies that are too short for it
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceClass>,
    /// json: also write the content of every column of time
    #[arg(long)]
    pub with_columns: bool,
    /// Times in UTC; as in every report with or without this
    #[arg(long)]
    pub utc: bool,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub input: InputArgs,
}
