//! The command line of `isotherm sweep`.

#![allow(clippy::doc_markdown, reason = "help texts are no Markdown")]

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use isotherm_analysis::{DeviceClass, Threshold};
use isotherm_experiment::{Order, Plan, StopRule, Variable};
use isotherm_frame::Nanos;
use isotherm_load::Job;

use crate::failure::Failure;
use crate::load_address;
use crate::load_args::LoadArgs;
use crate::screen_args::ScreenArgs;
use crate::stress_args::{QuietArgs, RunsUi};

/// Below the help of `sweep`.
pub const EXAMPLES: &str = "Examples:
  isotherm sweep file:test.dat --size 1G --vary in-flight=1..256x2 -o disk
  isotherm sweep file:test.dat --vary in-flight=1..64x2 --vary update-pct=0,20 --repeats 3 \\
      --order random --cool-down 2s --for 10s -o mixed
  isotherm sweep redis://localhost --rate 4k --vary rate=4k..64k+4k --stop-when 'p99>5ms' -o ramp
  isotherm sweep postgres://me@db1/test --vary in-flight=1..128x2 --write-plan night.toml
  isotherm sweep oracle://me@db1/orcl --inf slob2-harness.inf --inf slob.conf -o slob
  isotherm sweep --plan night.toml -o night       the same again, from its plan
  isotherm sweep -o night --resume                continue where it stopped
  isotherm sweep sim:servers=4 --vary in-flight=1..64x2 --for 2s --dry-run

What can be varied: in-flight, rate, slots, threads, update-pct, pattern, block, size, method,
direct, dsync, huge-pages, chunk, schemas, scale, work-unit, redo. Values: 1,2,4 (a list),
1..256x2 (times), 10..100+10 (plus). Several are crossed.

The directory holds plan.toml (give it to --plan to do the same again), runs.jsonl (a line for each
run, as soon as it is done) and a recording of each run. The same command again makes the runs that
are missing: those that were cut short, and those that failed. `isotherm analyze` and `isotherm fit`
read the directory. docs/guide/sweep.md explains the plan.

Ctrl-C ends the sweep (exit code 130). What was measured of the present run is kept and marked as
interrupted. The sweep also ends when three runs in a row fail.";

/// `sweep`
#[derive(Args, Debug)]
#[command(mut_arg("target", |target| target.help(load_address::target_help())))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct SweepArgs {
    /// What to load
    #[arg(value_name = "TARGET", required_unless_present_any = ["plan", "resume"])]
    pub target: Option<String>,
    /// The directory of the sweep; made if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Continue the sweep in the directory
    #[arg(long, requires = "output", conflicts_with_all = PLANNING, conflicts_with_all = ["plan", "extend", "write_plan"])]
    pub resume: bool,
    /// Add points or repeats to the sweep in the directory
    #[arg(long, requires = "output")]
    pub extend: bool,
    /// Only print the runs in their order and how long they take
    #[arg(long)]
    pub dry_run: bool,
    /// Exit with 99 if this holds (for the response times of any run, or if there was none): p99>20ms,
    /// mean>1ms, max>1s, rate<10k; may be repeated
    #[arg(long, value_name = "CONDITION", value_parser = crate::threshold_args::of_load)]
    pub fail_if: Vec<Threshold>,
    /// The form of the output (the points at the end): a table for people, JSON for programs, CSV for spreadsheets
    #[arg(long, value_enum, default_value = "table")]
    pub format: SweepFormat,
    /// Print everything that is known, not only what fits on one screen (every point with all its
    /// warnings)
    #[arg(long)]
    pub details: bool,
    /// The view (while it runs)
    #[arg(long, value_enum, default_value = "auto")]
    pub ui: RunsUi,
    #[command(flatten)]
    pub quiet: QuietArgs,
    #[command(flatten)]
    pub load: LoadArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// The options that make a plan: of no use beside one.
const PLANNING: [&str; 17] = [
    "LoadArgs",
    "DatabaseArgs",
    "block",
    "size",
    "method",
    "buffered",
    "dsync",
    "small_pages",
    "chunk",
    "vary",
    "inf",
    "repeats",
    "order",
    "order_seed",
    "cool_down",
    "stop_when",
    "device",
];

/// What is done, and in which order.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Plan")]
pub struct PlanArgs {
    /// Take everything from this plan
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = PLANNING)]
    pub plan: Option<PathBuf>,
    /// Write the plan to this file (- for standard output) and end
    #[arg(long, value_name = "FILE.toml", conflicts_with = "dry_run")]
    pub write_plan: Option<PathBuf>,
    /// Overwrite an existing file (with the plan)
    #[arg(long, requires = "write_plan")]
    pub force: bool,
    /// Vary this, such as in-flight=1..256x2; may be repeated, then all are crossed
    #[arg(long, value_name = "NAME=VALUES")]
    pub vary: Vec<Variable>,
    /// Vary the UPDATE_PCT and WORKERS of a SLOB harness (its .inf), with the settings of slob.conf;
    /// may be repeated; other options win
    #[arg(long, value_name = "FILE")]
    pub inf: Vec<PathBuf>,
    /// Run each point this many times [default: 1]
    #[arg(long, value_name = "N")]
    pub repeats: Option<u32>,
    /// The order of runs [default: rounds]
    #[arg(long, value_enum)]
    pub order: Option<OrderArg>,
    /// Seed of a random order of runs: the same seed gives the same order [default: 1]
    #[arg(long, value_name = "N")]
    pub order_seed: Option<u64>,
    /// Wait this long before each run except the first [default: 0s]
    #[arg(long, value_name = "TIME")]
    pub cool_down: Option<Nanos>,
    /// Limit the time of the whole sweep: do not start a run that could end after it
    #[arg(long, value_name = "TIME", conflicts_with_all = ["plan", "resume"])]
    pub most_time: Option<Nanos>,
    /// Stop raising the load when this holds: p99>20ms, or gain<5% (the growth of throughput as a
    /// share of the growth of load); may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub stop_when: Vec<StopRule>,
    /// The device: hdd, ssd, nvme, san, or the measured time of its fastest reads, such as 80us;
    /// warns about latencies that are too short for it
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<DeviceClass>,
}

/// The order of runs.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderArg {
    /// All points once, then all of them again: slow drift is not mistaken for an effect
    Rounds,
    /// In rounds, each in a new random order
    Random,
    /// Each point with all its repeats before the next
    AsWritten,
}

/// Forms of the points.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepFormat {
    /// Aligned columns
    Table,
    /// One JSON object (docs/schema has its schema)
    Json,
    /// A row for each point
    Csv,
}

impl SweepArgs {
    /// The plan that the options make of a job and what is varied.
    pub fn made(&self, job: Job, vary: Vec<Variable>) -> Result<Plan, Failure> {
        let PlanArgs { repeats, order, order_seed, cool_down, .. } = &self.plan;
        let before = Plan::default();
        let plan = Plan {
            vary,
            repeats: repeats.unwrap_or(before.repeats),
            order: match order {
                None | Some(OrderArg::Rounds) => Order::Rounds,
                Some(OrderArg::Random) => Order::Random,
                Some(OrderArg::AsWritten) => Order::AsWritten,
            },
            seed: order_seed.unwrap_or(before.seed),
            cool_down: cool_down.unwrap_or(before.cool_down),
            most_time: self.plan.most_time,
            stop_when: self.plan.stop_when.clone(),
            device: self.plan.device,
            job,
            ..before
        };
        plan.check().map_err(|error| Failure::usage(error.to_string()))?;
        Ok(plan)
    }
}
