//! The command line.

#![allow(rustdoc::broken_intra_doc_links, reason = "help texts write optional parts in brackets")]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use isotherm_frame::Nanos;

use crate::config_args::ConfigArgs;
use crate::describe::DescriptionArgs;
use crate::examples;
use crate::geometry_args::GeometryArgs;
use crate::range_args::RangeArgs;
use crate::screen_args::ScreenArgs;
use crate::threshold_args::FailIfArgs;

pub use crate::bpftrace::BpftraceArgs;
pub use crate::choices::{
    ColorArg, ExchangeFormat, PaletteArg, StatsFormat, TemporalityChoice, ThemeArg, UiArg,
};
pub use crate::exchange_args::{ExportArgs, FramesArgs, ImportArgs, MarkArgs, MergeArgs};
pub use crate::input_args::InputArgs;
pub use crate::probe_args::ProbeArgs;

/// Latency heat maps over time: how often, and how long.
#[derive(Parser, Debug)]
#[command(
    name = "isotherm",
    version,
    about = "Latency heat maps over time: how often (frequency) and how long (time waited)",
    before_help = "Try: isotherm demo, or any histogram or latency text from a pipe: biolatency 1 | isotherm",
    after_help = "docs/guide/grammar.md says what can be typed.\nExit codes: 0 good, 1 runtime error, 2 usage, 3 source unreachable or privilege missing,\n4 bad data with --strict, 99 a threshold failed, 130 interrupted.",
    propagate_version = true,
    infer_subcommands = true
)]
pub struct Cli {
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Show a simulated incident, explained as it runs
    #[command(after_help = examples::DEMO)]
    Demo(crate::demo::DemoArgs),
    /// Show a source as it happens
    #[command(visible_alias = "watch", after_help = examples::LIVE)]
    Live(LiveArgs),
    /// Show the active sessions of a database: who works, who waits for what, who blocks whom
    #[command(after_help = crate::top_args::EXAMPLES)]
    Top(crate::top_args::TopArgs),
    /// Record a source to a file without showing it
    #[command(visible_alias = "rec", after_help = examples::RECORD)]
    Record(RecordArgs),
    /// Show sources or recordings in a browser, as they happen
    #[command(after_help = crate::serve_args::EXAMPLES)]
    Serve(crate::serve_args::ServeArgs),
    #[command(
        about = "Send totals of a source or recording to Prometheus, VictoriaMetrics or a collector (OTLP)",
        after_help = crate::push_args::EXAMPLES)]
    Push(crate::push_args::PushArgs),
    /// Show a recording, or any file, as it happened
    #[command(visible_alias = "play", after_help = examples::REPLAY)]
    Replay(ReplayArgs),
    /// Draw a whole recording or file as one still picture
    #[command(after_help = examples::SHOW)]
    Show(ShowArgs),
    /// Print the numbers of a recording or file: events, rate, time waited, percentiles
    #[command(visible_alias = "pct", after_help = examples::STATS)]
    Stats(StatsArgs),
    /// Compare two recordings, or two stretches of one: what differs by more than chance
    #[command(visible_alias = "diff", after_help = crate::compare_args::EXAMPLES)]
    Compare(crate::compare_args::CompareArgs),
    /// Find what distinguishes slow events from all others: which session, file, statement
    #[command(after_help = crate::explain_args::EXAMPLES)]
    Explain(crate::explain_args::ExplainArgs),
    /// Write everything about recordings or files to one file: HTML, Markdown or JSON
    #[command(after_help = crate::report_args::EXAMPLES)]
    Report(crate::report_args::ReportArgs),
    /// Rank the hosts of a fleet by how differently they wait, from Prometheus or from recordings
    #[command(after_help = crate::fleet_args::EXAMPLES)]
    Fleet(crate::fleet_args::FleetArgs),
    /// Draw flame graphs: where code runs or waits, from perf, bpftrace and SQL traces
    #[command(after_help = crate::flame::EXAMPLES)]
    Flame(crate::flame::FlameArgs),
    /// Print the numbers of AWR and Statspack reports, one row for each: DB time, top events, I/O, redo
    #[command(after_help = crate::awr::EXAMPLES)]
    Awr(crate::awr::AwrArgs),
    /// Show where the time of Oracle sessions went, from their SQL traces (event 10046), or the path of each
    /// I/O on a time axis
    #[command(after_help = crate::trace_args::EXAMPLES)]
    Trace(crate::trace_args::TraceArgs),
    /// Make load on a file, a device or a database, and see its latencies
    #[command(visible_alias = "load", after_help = crate::stress_args::EXAMPLES)]
    Stress(crate::stress_args::StressArgs),
    /// Step through loads and keep the results of each: throughput against latency
    #[command(after_help = crate::sweep_args::EXAMPLES)]
    Sweep(crate::sweep_args::SweepArgs),
    /// Make tables, curves and one heat map of a sweep, or of AWR reports
    #[command(after_help = crate::analyze_args::EXAMPLES)]
    Analyze(crate::analyze_args::AnalyzeArgs),
    /// Fit queueing models to a sweep: service time, servers, knee, what if
    #[command(after_help = crate::fit_args::EXAMPLES)]
    Fit(crate::fit_args::FitArgs),
    /// Measure what a disk or file can do, in minutes: each rate with its latencies
    #[command(after_help = crate::calibrate_args::EXAMPLES)]
    Calibrate(crate::calibrate_args::CalibrateArgs),
    /// Run a classic experiment on this machine, with a verdict and the lesson it teaches
    #[command(after_help = crate::lab_args::EXAMPLES)]
    Lab(crate::lab_args::LabArgs),
    /// Show what a cache holds, and what one of each size would miss; model one
    #[command(after_help = crate::cache_args::EXAMPLES)]
    Cache(crate::cache_args::CacheArgs),
    /// Mark a moment in a recording, also while it is being written
    #[command(after_help = examples::MARK)]
    Mark(MarkArgs),
    /// Write a recording as CSV, JSON lines or PyLatencyMap records
    #[command(after_help = examples::EXPORT)]
    Export(ExportArgs),
    /// Make a recording from an exported file or any file that can be read
    #[command(after_help = examples::IMPORT)]
    Import(ImportArgs),
    /// Add up recordings, exports and tables of many files or machines to one recording
    #[command(after_help = examples::MERGE)]
    Merge(MergeArgs),
    #[command(
        about = "Write intervals as rows of a table that Spark, DuckDB or ClickHouse add up",
        after_help = examples::FRAMES)]
    Frames(FramesArgs),
    #[command(
        about = "Print the query that makes those rows of a table in DuckDB, ClickHouse, Spark or \
                 PostgreSQL",
        after_help = crate::sql_buckets::EXAMPLES)]
    SqlBuckets(crate::sql_buckets::SqlBucketsArgs),
    /// List what can be read, what each needs and what it costs
    #[command(after_help = crate::sources_args::EXAMPLES)]
    Sources(crate::sources_args::SourcesArgs),
    /// Write a bpftrace program that looks inside Oracle, or at the path of each I/O of a database
    #[command(after_help = examples::BPFTRACE)]
    Bpftrace(BpftraceArgs),
    /// Print a script for SQL*Plus, for Oracle hosts where nothing else may run
    #[command(after_help = crate::oracle_script::EXAMPLES)]
    SqlplusScript(crate::oracle_script::SqlplusScriptArgs),
    /// Check this terminal and machine: colours, bpftrace, privileges, clock
    Doctor(ScreenArgs),
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages into a directory
    Man {
        /// The directory; made if it is not there
        directory: PathBuf,
    },
    /// Write the generated documentation pages into a directory
    #[command(hide = true)]
    Pages {
        /// The documentation directory
        directory: PathBuf,
    },
}

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
