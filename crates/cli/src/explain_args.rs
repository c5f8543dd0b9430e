//! The command line of `isotherm explain`.

use clap::{Args, ValueEnum};
use isotherm_analysis::Threshold;
use isotherm_frame::Nanos;

use crate::input_args::InputArgs;
use crate::range_args::RangeArgs;
use crate::screen_args::ScreenArgs;

/// Below the help of `explain`.
pub const EXAMPLES: &str = "Examples:
  isotherm explain run.heat                     the stretch that stands out
  isotherm explain run.heat --from 14:33:20 --to 14:34:20 --above 8ms
  isotherm explain waits.csv --columns time,latency,session,file --unit ns --above 8ms
  isotherm explain traces/ --by session,sql_id,file --above 20ms
  isotherm explain run.heat --above 8ms --by session --format json
  isotherm explain run.heat --above 8ms --fail-if 'waited>20%'

The selected events are compared with all others of the input. An attribute is a column that is
neither time nor latency, or what --by names. Times of day are in UTC.
Single events are selected one by one; of recordings and histograms, whole buckets are selected.
With --from or --to the input is read twice, so it must be a file.";

/// Forms of an explanation.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplainFormat {
    /// Sentences and tables
    Text,
    /// One JSON object (docs/schema has its schema)
    Json,
}

/// `explain`
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Recordings, files that can be read, directories of them; - for standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    /// Select events that took at least this long, such as 8ms
    #[arg(long, value_name = "TIME")]
    pub above: Option<Nanos>,
    /// Select events that took less than this
    #[arg(long, value_name = "TIME")]
    pub below: Option<Nanos>,
    /// List at most this many (values of each attribute)
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub top: u32,
    /// The form of the output: text for people, JSON for programs
    #[arg(long, value_enum, default_value = "text")]
    pub format: ExplainFormat,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    /// Exit with 99 if this holds (for the selected events): p99>20ms, mean>1ms, max>1s, rate>100/s,
    /// waited>50% (of all time waited); may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Threshold>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
