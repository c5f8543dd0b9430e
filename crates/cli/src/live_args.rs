//! The flags of `live`.

#![allow(rustdoc::broken_intra_doc_links, reason = "help texts write optional parts in brackets")]

use std::path::PathBuf;

use clap::Args;
use isotherm_frame::Nanos;

use crate::choices::UiArg;
use crate::geometry_args::GeometryArgs;
use crate::input_args::InputArgs;
use crate::probe_args::ProbeArgs;
use crate::screen_args::ScreenArgs;
use crate::threshold_args::FailIfArgs;

/// `live`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct LiveArgs {
    /// The source: -, FILE, probe:DIR, disk:[DEVICE], diskstats:[DEVICE], runq:, syscall:PID, fs:,
    /// tcp:, pgprobe:WHAT, bpftrace:FILE.bt, cmd:'...', oracle://..., sqlplus:..., awr:...,
    /// postgres://..., mysql://..., redis://..., prom+http://... or otlp:[ADDRESS]
    #[arg(default_value = "-")]
    pub source: String,
    /// The view
    #[arg(long, value_enum, default_value = "auto")]
    pub ui: UiArg,
    /// The view that prints every bucket of every series: short for --ui buckets
    #[arg(long, conflicts_with = "ui")]
    pub table: bool,
    /// Read a file from its beginning, and continue as it grows
    #[arg(long)]
    pub follow: bool,
    /// Record what is shown to this file
    #[arg(long, value_name = "FILE.heat")]
    pub record: Option<PathBuf>,
    /// Keep only the last TIME, such as 30m (a flight recorder): in a file, named after the source
    /// unless --record names it, to be saved with `x` after an incident
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
    /// oracle, postgres, redis: list the events the server has counted by time waited, and end
    #[arg(long, conflicts_with_all = ["record", "keep", "duration", "ui", "table", "fail_if"])]
    pub events: bool,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub geometry: GeometryArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
