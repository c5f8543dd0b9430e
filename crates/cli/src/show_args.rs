//! The flags of `show`.

use clap::Args;

use crate::describe::DescriptionArgs;
use crate::geometry_args::GeometryArgs;
use crate::input_args::InputArgs;
use crate::range_args::RangeArgs;
use crate::screen_args::ScreenArgs;
use crate::threshold_args::FailIfArgs;

/// `show`
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Recordings, files that can be read, directories of them; - for standard input
    #[arg(default_value = "-", value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Width in characters; the terminal's if not given; at most 2000
    #[arg(long, value_name = "CHARS", value_parser = crate::screen::width_arg)]
    pub width: Option<usize>,
    /// Height in lines; the terminal's if not given; at most 1000
    #[arg(long, value_name = "LINES", value_parser = crate::screen::height_arg)]
    pub height: Option<usize>,
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
    pub geometry: GeometryArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
