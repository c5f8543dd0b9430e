//! The command line.

#![allow(rustdoc::broken_intra_doc_links, reason = "help texts write optional parts in brackets")]

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::config_args::ConfigArgs;
use crate::examples;

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
    Live(crate::live_args::LiveArgs),
    /// Show the active sessions of a database: who works, who waits for what, who blocks whom
    #[command(after_help = crate::top_args::EXAMPLES)]
    Top(crate::top_args::TopArgs),
    /// Record a source to a file without showing it
    #[command(visible_alias = "rec", after_help = examples::RECORD)]
    Record(crate::record_args::RecordArgs),
    /// Show sources or recordings in a browser, as they happen
    #[command(after_help = crate::serve_args::EXAMPLES)]
    Serve(crate::serve_args::ServeArgs),
    #[command(
        about = "Send totals of a source or recording to Prometheus, VictoriaMetrics or a collector (OTLP)",
        after_help = crate::push_args::EXAMPLES)]
    Push(crate::push_args::PushArgs),
    /// Show a recording, or any file, as it happened
    #[command(visible_alias = "play", after_help = examples::REPLAY)]
    Replay(crate::replay_args::ReplayArgs),
    /// Draw a whole recording or file as one still picture
    #[command(after_help = examples::SHOW)]
    Show(crate::show_args::ShowArgs),
    /// Print the numbers of a recording or file: events, rate, time waited, percentiles
    #[command(visible_alias = "pct", after_help = examples::STATS)]
    Stats(crate::stats_args::StatsArgs),
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
    Mark(crate::exchange_args::MarkArgs),
    /// Write a recording as CSV, JSON lines or PyLatencyMap records
    #[command(after_help = examples::EXPORT)]
    Export(crate::exchange_args::ExportArgs),
    /// Make a recording from an exported file or any file that can be read
    #[command(after_help = examples::IMPORT)]
    Import(crate::exchange_args::ImportArgs),
    /// Add up recordings, exports and tables of many files or machines to one recording
    #[command(after_help = examples::MERGE)]
    Merge(crate::exchange_args::MergeArgs),
    #[command(
        about = "Write intervals as rows of a table that Spark, DuckDB or ClickHouse add up",
        after_help = examples::FRAMES)]
    Frames(crate::exchange_args::FramesArgs),
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
    Bpftrace(crate::bpftrace::BpftraceArgs),
    /// Print a script for SQL*Plus, for Oracle hosts where nothing else may run
    #[command(after_help = crate::oracle_script::EXAMPLES)]
    SqlplusScript(crate::oracle_script::SqlplusScriptArgs),
    /// Check this terminal and machine: colours, bpftrace, privileges, clock
    Doctor(crate::screen_args::ScreenArgs),
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
