//! The command line of `isotherm sources`.

use clap::{ArgGroup, Args};
use isotherm_frame::Unit;

use crate::choices::StatsFormat;

/// Below the help of `sources`.
pub const EXAMPLES: &str = "Examples:
  isotherm sources
  isotherm sources bpftrace
  isotherm sources --format json
  isotherm sources jmeter > mine.toml       a format to begin your own from
  isotherm sources --check mine.toml run.csv
  isotherm sources --try app.log       who reads it, how, and what is missing";

/// `sources`
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("read").args(["check", "input"]))]
pub struct SourcesArgs {
    /// Explain this source; of a format that is known by name, print its description
    pub name: Option<String>,
    /// Show line by line what a format, by its file or its name, makes of a file
    #[arg(long, num_args = 2, value_names = ["FORMAT", "FILE"], conflicts_with_all = ["name", "input"])]
    pub check: Option<Vec<String>>,
    /// Try every decoder on this file (- for standard input) and show what each of them says
    #[arg(long = "try", value_name = "FILE", conflicts_with = "name")]
    pub input: Option<String>,
    /// Read the input as this source instead of recognising it: no other is tried
    #[arg(long = "as", value_name = "SOURCE", requires = "input")]
    pub as_source: Option<String>,
    /// The columns of a text: as `isotherm show --columns` takes them
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "input"
    )]
    pub columns: Option<Vec<String>>,
    /// The unit of latencies where the input does not say: ns, us, ms, cs or s
    #[arg(long, requires = "read")]
    pub unit: Option<Unit>,
    /// The unit of the time column where it cannot be guessed: ns, us, ms or s
    #[arg(long, requires = "read")]
    pub time_unit: Option<Unit>,
    /// The form of the output: of the list of sources, or with --try
    #[arg(long, value_enum, default_value = "table", conflicts_with_all = ["name", "check"])]
    pub format: StatsFormat,
}
