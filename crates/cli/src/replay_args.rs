//! The flags of `replay`.

use clap::Args;

use crate::choices::UiArg;
use crate::geometry_args::GeometryArgs;
use crate::input_args::InputArgs;
use crate::screen_args::ScreenArgs;
use crate::threshold_args::FailIfArgs;

/// `replay`
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Recordings, files that can be read, or directories of them
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// How many times faster than it happened, or max
    #[arg(long, value_name = "N", default_value = "1")]
    pub speed: String,
    /// Begin here: a time of day or a date and time, both in the zone of the view, a length of time
    /// from the start (10m), or one before the end (-10m)
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End here
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Print a description in plain words (after the last interval)
    #[arg(long)]
    pub describe: bool,
    /// The view
    #[arg(long, value_enum, default_value = "auto")]
    pub ui: UiArg,
    /// The view that prints every bucket of every series: short for --ui buckets
    #[arg(long, conflicts_with = "ui")]
    pub table: bool,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub geometry: GeometryArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
