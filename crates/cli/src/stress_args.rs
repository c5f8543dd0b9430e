//! The command line of `isotherm stress`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use isotherm_analysis::{DeviceClass, Threshold};

use crate::choices::StatsFormat;
use crate::choices::UiArg;
use crate::failure::Failure;
use crate::load_address;
use crate::load_args::{DatabaseArgs, FileArgs, LoadArgs};
use crate::screen_args::ScreenArgs;

/// Below the help of `stress`.
pub const EXAMPLES: &str = "Examples:
  isotherm stress file:test.dat --size 1G --in-flight 8          reads of 8k; makes the file
  isotherm stress file:test.dat --rate 5k --for 1m --record run.heat   open loop, recorded
  isotherm stress file:log.dat --size 1G --sequential --block 4k --update 100 --dsync --in-flight 1
  isotherm stress /dev/nvme0n1 --in-flight 32 --device nvme      a device, only read
  isotherm stress setup postgres://me@db1/test --schemas 4 --scale 1G
  isotherm stress postgres://me@db1/test --workers 16 --update 25 --schemas 4 --scale 1G
  isotherm stress oracle://me@db1/SALES --workers 8 --alongside disk:vda
  isotherm stress redis://localhost --rate 20k --fail-if 'p99>2ms'
  isotherm stress sim:servers=4,service=1ms --rate 3k            a simulated queue, known exactly

Closed loop (--in-flight): when an operation ends, the next one begins. Open loop (--rate):
operations are due at fixed or random times, and their response time counts from when they were due:
it includes what a stall of the system delays. docs/guide/load.md explains both, and names the
parameters of SLOB.

`setup` makes the tables of a database and `teardown` removes them; --create or --size makes a file
that does not exist. Without --i-mean-it isotherm never writes to anything that it did not make.

Ctrl-C ends the load and prints what was measured (exit code 130); a second one ends at once. In the
view, q and Ctrl-C do the same with exit code 0.

A file named setup or teardown is written file:setup.";

/// `stress`
#[derive(Args, Debug)]
#[command(mut_arg("target", |target| target.help(load_address::target_help())))]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct StressArgs {
    #[command(subcommand)]
    pub command: Option<StressCommand>,
    /// What to load
    #[arg(required = true, value_name = "TARGET")]
    pub target: Option<String>,
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// The device: hdd, ssd, nvme, san, or the measured time of its fastest reads, such as 80us;
    /// warns about latencies that are too short for it
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceClass>,
    /// Exit with 99 if this holds: p99>20ms; may be repeated
    ///
    /// It is asked of the response times of all operations; it holds, too, if nothing was measured.
    #[arg(long, value_name = "CONDITION", value_parser = crate::threshold_args::of_load)]
    pub fail_if: Vec<Threshold>,
    /// The view (while it runs)
    #[arg(long, value_enum, default_value = "auto")]
    pub ui: StressUi,
    /// The form of the output: a table for people, JSON for programs
    #[arg(long, value_enum, default_value = "table")]
    pub format: StatsFormat,
    /// Write the summary to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print everything that is known, not only what fits on one screen
    #[arg(long)]
    pub details: bool,
    /// Overwrite an existing file (one that is no summary in JSON)
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub quiet: QuietArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What is kept, and what else is watched.
#[derive(Args, Debug, Clone, Default)]
pub struct KeepArgs {
    /// Record the latencies to this file
    #[arg(long, value_name = "FILE.heat")]
    pub record: Option<PathBuf>,
    /// Sync every interval to disk, so that it survives a power loss, too
    #[arg(long, requires = "record")]
    pub durable: bool,
    /// Also watch and record this source while it runs, such as disk:vda or oracle://...; may be
    /// repeated
    #[arg(long, value_name = "SOURCE")]
    pub alongside: Vec<String>,
    /// cmd: keep the whole command line in the recording: any part of it may be a password
    #[arg(long)]
    pub keep_command: bool,
    /// oracle: do not watch the wait events of the database itself
    #[arg(long)]
    pub no_alongside: bool,
}

/// What is said while it runs.
#[derive(Args, Debug, Clone, Default)]
pub struct QuietArgs {
    /// Do not show progress on standard error
    #[arg(long)]
    pub no_progress: bool,
    /// Print only errors on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Before and after.
#[derive(Subcommand, Debug)]
#[command(infer_subcommands = false)]
pub enum StressCommand {
    /// Make the target of the load: the tables of a database, or a file
    Setup(SetupArgs),
    /// Remove what setup made, and nothing else
    Teardown(SetupArgs),
}

/// `stress setup` and `stress teardown`
#[derive(Args, Debug)]
pub struct SetupArgs {
    /// What to make or remove, as for stress itself
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// Use this many threads; the engine chooses if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub threads: Option<u32>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(flatten)]
    pub quiet: QuietArgs,
}

/// Which view while it runs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum StressUi {
    /// Both maps on a terminal, none elsewhere
    Auto,
    /// Both maps with cursor, zoom and history
    Tui,
    /// One line per interval
    Stream,
    /// PyLatencyMap's two scrolling maps
    Classic,
    /// Every bucket of every series as a table for each interval
    Buckets,
    /// Only the summary, at the end
    None,
}

impl StressUi {
    /// The view of the live kind, if there is to be one.
    pub fn live(self, terminal: bool) -> Option<UiArg> {
        match self {
            StressUi::Auto => terminal.then_some(UiArg::Tui),
            StressUi::Tui => Some(UiArg::Tui),
            StressUi::Stream => Some(UiArg::Stream),
            StressUi::Classic => Some(UiArg::Classic),
            StressUi::Buckets => Some(UiArg::Buckets),
            StressUi::None => None,
        }
    }
}

/// What is shown of several runs while they are made.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsUi {
    /// Both maps and the runs so far on a terminal, lines elsewhere
    Auto,
    /// Both maps and the runs so far
    Tui,
    /// Lines on standard error
    None,
}

impl RunsUi {
    /// Whether there is to be a live screen; it is progress, too, and needs a terminal.
    pub fn is_screen(self, quiet: &QuietArgs, terminal: bool) -> Result<bool, Failure> {
        match self {
            RunsUi::Tui if terminal => Ok(true),
            RunsUi::Tui => Err(Failure::usage(
                "--ui tui needs a terminal: standard output is none; leave it out for lines",
            )),
            RunsUi::Auto => Ok(terminal && !quiet.quiet && !quiet.no_progress),
            RunsUi::None => Ok(false),
        }
    }
}

impl SetupArgs {
    /// The options as those of a load.
    pub fn load(&self) -> LoadArgs {
        LoadArgs {
            threads: self.threads,
            file: self.file.clone(),
            database: self.database.clone(),
            ..LoadArgs::default()
        }
    }
}
