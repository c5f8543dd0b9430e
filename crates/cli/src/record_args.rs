//! The flags of `record`.

use std::path::PathBuf;

use clap::Args;
use isotherm_frame::Nanos;

use crate::input_args::InputArgs;
use crate::probe_args::ProbeArgs;
use crate::threshold_args::FailIfArgs;

/// `record`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct RecordArgs {
    /// The source, as for `live`
    pub source: String,
    /// The file to write
    #[arg(short, long, value_name = "FILE.heat")]
    pub output: PathBuf,
    /// Read a file from its beginning, and continue as it grows
    #[arg(long)]
    pub follow: bool,
    /// Append to an existing recording
    #[arg(long)]
    pub append: bool,
    /// Keep only the last TIME, such as 30m (a flight recorder): older intervals go as new ones come
    #[arg(long, value_name = "TIME")]
    pub keep: Option<Nanos>,
    /// Sync every interval to disk, so that it survives a power loss, too
    #[arg(long)]
    pub durable: bool,
    /// cmd: keep the whole command line in the recording: any part of it may be a password
    #[arg(long)]
    pub keep_command: bool,
    /// End after this time
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Nanos>,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub probe: ProbeArgs,
}
