//! The options of `probe:`.

use clap::Args;

use crate::amounts;

/// How the probe measures.
#[derive(Args, Debug, Clone)]
pub struct ProbeArgs {
    /// probe: operations per second
    #[arg(long, value_name = "RATE", default_value = "64", value_parser = amounts::rate,
          help_heading = "Probe")]
    pub rate: f64,
    /// probe: bytes per operation (a multiple of 512, at most 16M)
    #[arg(long, value_name = "BYTES", default_value = "8k", value_parser = amounts::bytes,
          help_heading = "Probe")]
    pub block: u64,
    /// probe: the working set: bytes of the scratch file
    #[arg(long, value_name = "BYTES", default_value = "64M", value_parser = amounts::bytes,
          help_heading = "Probe")]
    pub size: u64,
    /// probe: write and fdatasync instead of reading
    #[arg(long, help_heading = "Probe")]
    pub write: bool,
}
