//! The command line of `isotherm calibrate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use isotherm_analysis::{DeviceClass, Threshold};
use isotherm_experiment::calibrate::LatencyLimit;
use isotherm_frame::Nanos;

use crate::amounts;
use crate::screen_args::ScreenArgs;
use crate::stress_args::{QuietArgs, RunsUi};

/// Below the help of `calibrate`.
pub const EXAMPLES: &str = "Examples:
  isotherm calibrate /data                       makes a file in /data, removed at the end
  isotherm calibrate /data --size 64G -o data.html   larger than the caches; a report
  isotherm calibrate big.dbf --quick             an existing file, only read, 45 seconds
  isotherm calibrate /dev/nvme0n1 --device nvme  a device, only read
  isotherm calibrate /data --disks 24 --device hdd --latency-limit 'mean<10ms'
  isotherm calibrate /data --with-writes --record data.heat
  isotherm calibrate /data --fail-if 'rate<20k'  not enough reads a second within --latency-limit

Every rate is printed with the latencies measured at it. Loads of a few seconds follow each other:
one read at a time; more and more at once until throughput no longer grows; the highest load within
--latency-limit, as a closed loop and as an open loop; sequential streams; and reads from 1 to 100 %
of the target, to find caches. docs/guide/calibrate.md explains each number.

Ctrl-C ends it and shows what was measured until then (exit code 130). Existing data is only read:
--with-writes writes only to a file that isotherm made.";

/// The most reads in flight that are ever tried: each has a buffer.
const MOST_IN_FLIGHT: i64 = 4_096;

/// `calibrate`
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct CalibrateArgs {
    /// A directory (a file is made in it), a file or a block device (only read)
    #[arg(value_name = "PATH")]
    pub target: String,
    /// End after this time (of load, in all) [default: 3m]
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Nanos>,
    /// Short for --for 45s
    #[arg(long, conflicts_with = "duration")]
    pub quick: bool,
    /// The working set: how much of the file or device to use, from its beginning; the file made in a
    /// directory is that large [default: 4G in a directory, else all of it]
    #[arg(long, value_name = "BYTES", value_parser = amounts::bytes)]
    pub size: Option<u64>,
    /// Keep the file made in a directory, for the next calibration
    #[arg(long, alias = "keep")]
    pub keep_file: bool,
    /// The highest acceptable latency: a limit of a percentile, the mean or the max
    #[arg(long, value_name = "CONDITION", default_value = "p99<5ms")]
    pub latency_limit: LatencyLimit,
    /// Exit with 99 if this holds (at the highest load within --latency-limit, as a closed or as an open
    /// loop, or if no load is within it): rate<20k, max>1s, p99.9>20ms; may be repeated
    #[arg(long, value_name = "CONDITION", value_parser = crate::threshold_args::of_load)]
    pub fail_if: Vec<Threshold>,
    /// The number of disks behind it: checks whether that many disks can do what was measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub disks: Option<u32>,
    /// The device: hdd, ssd, nvme, san, or the measured time of its fastest reads, such as 80us;
    /// warns about latencies that are too short for it
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceClass>,
    /// Measure writing, too; only to a file that isotherm made
    #[arg(long, alias = "write")]
    pub with_writes: bool,
    /// Bytes per operation (of small reads)
    #[arg(long, value_name = "BYTES", default_value = "8k", value_parser = amounts::bytes)]
    pub block: u64,
    /// The most reads in flight
    #[arg(long, value_name = "N", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(2..=MOST_IN_FLIGHT))]
    pub max_in_flight: u32,
    /// Seed of random numbers: the same seed visits the same places in the same order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write a report: .html, .md or .json; may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Print everything that is known, not only what fits on one screen
    #[arg(long)]
    pub details: bool,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
    /// Record the latencies of all loads to this file
    #[arg(long, value_name = "FILE.heat")]
    pub record: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    pub format: CalibrateFormat,
    /// The view (while it runs)
    #[arg(long, value_enum, default_value = "auto")]
    pub ui: RunsUi,
    #[command(flatten)]
    pub quiet: QuietArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What is printed.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalibrateFormat {
    /// One screen for people
    Text,
    /// One JSON object for programs (docs/schema has its schema)
    Json,
}
