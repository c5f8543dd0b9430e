//! The command line of `isotherm analyze`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use isotherm_analysis::Threshold;
use isotherm_frame::typed::{self, Condition, Measure};
use isotherm_frame::{Nanos, TypedError};

use crate::amounts;
use crate::failure::Failure;
use crate::range_args::RangeArgs;
use crate::screen_args::ScreenArgs;

/// Below the help of `analyze`.
pub const EXAMPLES: &str = "Examples:
  isotherm analyze disk.sweep                   table, curve and conclusions
  isotherm analyze disk.sweep -o disk.csv       every run with every number, for a spreadsheet
  isotherm analyze disk.sweep -o disk.html      curves and one heat map over the whole sweep
  isotherm analyze before.sweep after.sweep     one curve each
  isotherm analyze disk.sweep --latency-limit 'p99<1ms' --latency-limit 'p99<5ms'
  isotherm analyze disk.sweep --fail-if 'p99>20ms'
  isotherm analyze awr.*.txt -o awr.csv         the same from AWR reports, the columns SLOB users know

A sweep is the directory that `isotherm sweep` made, or its runs.jsonl. Numbers are medians over the
repeats of a point, beside the smallest and the largest. `isotherm fit` fits models to them.
docs/guide/analyze.md explains every column of the CSV.";

/// `analyze`
#[derive(Args, Debug)]
#[command(mut_arg("from", |from| from.help(crate::range_args::FROM_SNAPSHOTS)))]
pub struct AnalyzeArgs {
    /// Directories of sweeps or their run tables; or AWR reports, also directories of them
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// The file to write: .csv, .html, .md, .json, .svg or .txt; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form of the output (where the name of the file does not say)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<AnalyzeFormat>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    /// The highest acceptable latency: finds the highest throughput that keeps this limit of the p99,
    /// such as p99<5ms; may be repeated
    #[arg(long, alias = "limit", value_name = "CONDITION", value_parser = limit)]
    pub latency_limit: Vec<Limit>,
    /// Exit with 99 if this holds (for the response times of any run of a sweep, or for any wait event of
    /// AWR reports, or if there is none): p99>20ms, mean>1ms, max>1s, rate<10k; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Threshold>,
    /// The title
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The largest file to write, such as 900k or 2M
    #[arg(long, value_name = "BYTES", default_value = "900k", value_parser = amounts::bytes)]
    pub max_size: u64,
    /// Width in characters; the terminal's if not given; at most 2000
    #[arg(long, value_name = "CHARS", value_parser = crate::screen::width_or_pixels_arg)]
    pub width: Option<usize>,
    /// svg: the width of the image in pixels [default: 900]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub image_width: Option<u32>,
    /// Height in lines (of the curve); chosen by the height of the terminal if not given; at most 1000
    #[arg(long, value_name = "LINES", value_parser = crate::screen::height_arg)]
    pub height: Option<usize>,
    /// Exit with 4 if anything could not be read, such as a line of a run table
    #[arg(long)]
    pub strict: bool,
    /// Overwrite an existing file (one that is no report)
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

/// How long the p99 may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// So long.
    pub within: Nanos,
    /// Whether it was written without the measure, as until this release.
    pub bare: bool,
}

/// Reads a limit of the p99.
fn limit(text: &str) -> Result<Limit, TypedError> {
    if let Ok(within) = typed::duration(text) {
        return Ok(Limit { within, bare: true });
    }
    let condition: Condition = text.parse()?;
    match (condition.measure, condition.limit) {
        (Measure::Percentile(99.0), typed::Limit::Time(within)) if !condition.above => {
            Ok(Limit { within, bare: false })
        }
        _ => {
            let why = "a limit here is one of the p99, with < and a length of time";
            Err(condition.refuse(why, ["p99<5ms", "p99<500us"]))
        }
    }
}

impl AnalyzeArgs {
    /// The form that is asked for, or that the name of the file says; a table where neither does.
    pub fn form(&self) -> Result<AnalyzeFormat, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let Some(path) = self.output.as_deref().filter(|path| *path != Path::new("-")) else {
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
                "{}: the name has no known ending: end it in .csv, .html, .md, .json, \
                 .svg or .txt, or say --format",
                path.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_condition_on_the_p99() {
        let within = Nanos::from_millis(5);
        assert_eq!(limit("p99<5ms"), Ok(Limit { within, bare: false }));
        assert_eq!(limit("p99 <= 0.005s"), Ok(Limit { within, bare: false }));
        assert_eq!(limit("5ms"), Ok(Limit { within, bare: true }));
        for text in ["p99>5ms", "mean<5ms", "p99.9<5ms", "p99<5%", "fast"] {
            assert!(limit(text).unwrap_err().to_string().contains(text), "{text}");
        }
    }
}
