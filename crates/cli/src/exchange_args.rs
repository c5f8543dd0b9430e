//! The options of the commands that write recordings in other forms and read them back.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::choices::ExchangeFormat;
use crate::input_args::{InputArgs, threads};
use crate::range_args::RangeArgs;

/// `mark`
#[derive(Args, Debug)]
pub struct MarkArgs {
    /// The recording
    pub recording: PathBuf,
    /// The text of the mark
    pub text: String,
    /// The moment, if it is not now: a time of day or a date and time, both in local time, a length of
    /// time from the start (10m), or one before the end (-10m)
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Times in UTC: --at is
    #[arg(long)]
    pub utc: bool,
}

/// `export`
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The recording
    pub recording: PathBuf,
    /// The form of the output (where the name of the file does not say)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ExchangeFormat>,
    /// The file to write: .csv, .jsonl, or of any name with --format; standard output if not given
    #[arg(short, long)]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no export in this form)
    #[arg(long)]
    pub force: bool,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    #[command(flatten)]
    pub stretch: RangeArgs,
}

impl ExportArgs {
    /// The form that `--to` says, as it did before it was a moment.
    pub fn old_form(&self) -> Option<ExchangeFormat> {
        let text = self.stretch.to.as_deref().filter(|_| self.format.is_none())?;
        ExchangeFormat::from_str(text, false).ok()
    }
}

/// `frames`
#[derive(Args, Debug)]
pub struct FramesArgs {
    /// What to read: files and directories of what `isotherm sources` lists, recordings, exports; of a
    /// file FILE@A..B the records that begin in these bytes (1G..2G, ..4096, 2G..)
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Write the table to this file instead of standard output
    #[arg(short, long, value_name = "FILE.csv")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no table of isotherm)
    #[arg(long)]
    pub force: bool,
    /// Read this many files at the same time, each with its share of --memory; the rows are the same
    /// for any number
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = threads)]
    pub jobs: NonZeroUsize,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// `merge`
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// What to add up: recordings, tables of `isotherm frames`, exports, compressed or not, and
    /// directories of them
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// The recording to write
    #[arg(short, long, value_name = "FILE.heat")]
    pub output: PathBuf,
    /// Overwrite an existing file (only a recording)
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// `import`
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// What to read: exports, compressed or not, and files and directories of what `isotherm
    /// sources` lists; intervals that several have are added up
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// The recording to write
    #[arg(short, long, value_name = "FILE.heat")]
    pub output: PathBuf,
    /// Overwrite an existing file (only a recording)
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub input: InputArgs,
}
