//! The flags of `stats`.

use clap::Args;

use crate::choices::StatsFormat;
use crate::describe::DescriptionArgs;
use crate::input_args::InputArgs;
use crate::range_args::RangeArgs;
use crate::screen_args::ScreenArgs;
use crate::threshold_args::FailIfArgs;

/// `stats`
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Recordings, files that can be read, directories of them; - for standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// The form of the output: a table for people, JSON for programs
    #[arg(long, value_enum, default_value = "table")]
    pub format: StatsFormat,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    #[command(flatten)]
    pub description: DescriptionArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

impl StatsArgs {
    /// Whether words are wanted and nothing else.
    pub fn describes(&self) -> bool {
        self.description.describe && self.format == StatsFormat::Table
    }
}
