//! `isotherm`: latency heat maps over time, live in a terminal, recorded, replayed, summarised.

mod about;
mod amounts;
mod analyze;
mod analyze_args;
mod args;
mod awr;
mod bpftrace;
mod cache;
mod cache_args;
mod cache_graph_args;
mod cache_library_args;
mod cache_show_args;
mod calibrate;
mod calibrate_args;
mod check_format;
mod choices;
mod compare;
mod compare_args;
mod complete;
mod config;
mod config_args;
mod demo;
mod describe;
mod doctor;
mod document;
mod events;
mod examples;
mod exchange;
mod exchange_args;
mod explain;
mod explain_args;
mod failure;
mod fit;
mod fit_args;
mod fit_point;
mod flame;
mod fleet;
mod fleet_args;
mod generate;
mod geometry_args;
#[cfg(test)]
mod grammar_tests;
mod guard;
mod help;
mod idle;
mod input;
mod input_args;
mod lab;
mod lab_args;
mod live;
mod live_args;
mod load_address;
mod load_args;
mod load_choices;
mod memory;
#[cfg(test)]
mod one_meaning_tests;
mod oracle_args;
mod oracle_script;
mod output;
mod pack;
mod probe_args;
mod progress;
mod push;
mod push_args;
mod range;
mod range_args;
mod record_args;
mod redact;
mod replay;
mod replay_args;
mod report;
mod report_args;
mod run_board;
mod run_output;
mod run_screen;
mod run_thresholds;
mod screen;
mod screen_args;
mod serve;
mod serve_args;
mod show;
mod show_args;
mod signals;
mod sources_args;
mod speed;
mod spelling;
mod sql_buckets;
mod stats;
mod stats_args;

mod stress;
mod stress_args;
mod sweep;
mod sweep_args;
mod threshold_args;
mod threshold_text;
mod thresholds;
mod top;
mod top_args;
mod trace;
mod trace_args;
mod try_sources;
mod unmatched_where;
mod unused;
mod view;
mod watch_sums;
mod when;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use isotherm_frame::visible;
use isotherm_views::OutputForm;

use crate::args::{Cli, Command};
use crate::failure::{Code, Failure};

/// Each interval of each series is a piece of memory of its own length: with the allocators of glibc and musl a third of
/// the time of `stats` on many traces went into them (benches/README.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Whether the command of `cmd:` is to be recorded whole.
fn keeps_command(command: &Command) -> bool {
    match command {
        Command::Live(args) => args.keep_command,
        Command::Record(args) => args.keep_command,
        Command::Stress(args) => args.keep.keep_command,
        _ => false,
    }
}

fn main() -> ExitCode {
    if let Some(program) = guard::asked() {
        return guard::run(&program);
    }
    if complete::answered() {
        return ExitCode::SUCCESS;
    }
    isotherm_live::guard_programs(guard::WORD);
    // `--help | head` must end quietly.
    redact::remember();
    let (mut cli, given) = match help::parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => return refused(&error),
    };
    if cli.command.as_ref().is_some_and(keeps_command) {
        redact::keep_commands();
    }
    cli.command.iter().for_each(spelling::hint);
    let useful = cli.command.iter().try_for_each(|command| unused::refuse(command, &given));
    match useful.and_then(|()| configured(&mut cli)).and_then(|()| run(cli.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            match failure.code {
                // A line for each condition, all alike.
                Code::Threshold => failure.message.lines().for_each(screen::warn),
                _ if failure.message.is_empty() => {}
                _ => screen::warn(&failure.message),
            }
            ExitCode::from(failure.code as u8)
        }
    }
}

/// Tells what is wrong with the command line, or what was asked about it: in colours unless it holds
/// a password, or what a terminal would obey: the name of a file may hold anything.
fn refused(error: &clap::Error) -> ExitCode {
    let is_text = |word: OsString| matches!(visible(&word.to_string_lossy()), Cow::Borrowed(_));
    let text = error.to_string();
    let is_open = redact::redacted(&text) == text && std::env::args_os().all(is_text);
    if !error.use_stderr() || is_open {
        error.exit();
    }
    screen::warn(error.render().to_string().trim_end());
    ExitCode::from(Code::Usage as u8)
}

/// Gives the command what the configuration file says, and its decoders what `--series` says.
fn configured(cli: &mut Cli) -> Result<(), Failure> {
    cli.command.iter_mut().for_each(tell_series);
    let named = cli.config.config.clone();
    config::add_formats(named.as_deref(), &cli.config.format_files)?;
    cli.command.iter_mut().try_for_each(|command| config::apply(command, named.as_deref()))
}

/// Tells the decoders which series are wanted, as they choose among several durations by it.
fn tell_series(command: &mut Command) {
    let (series, input) = match command {
        Command::Live(args) => (&args.series, &mut args.input),
        Command::Push(args) => (&args.series, &mut args.input),
        Command::Replay(args) => (&args.series, &mut args.input),
        Command::Show(args) => (&args.series, &mut args.input),
        Command::Stats(args) => (&args.series, &mut args.input),
        Command::Compare(args) => (&args.series, &mut args.input),
        Command::Explain(args) => (&args.series, &mut args.input),
        Command::Report(args) => (&args.series, &mut args.input),
        _ => return,
    };
    input.series.clone_from(series);
}

fn run(command: Option<Command>) -> Result<(), Failure> {
    match command {
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Live(args)) => live::run(&args),
        Some(Command::Top(args)) => top::run(&args),
        Some(Command::Record(args)) => live::record(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Push(args)) => push::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Show(args)) => show::run(&args),
        Some(Command::Stats(args)) => stats::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Flame(args)) => flame::run(&args),
        Some(Command::Fleet(args)) => fleet::run(&args),
        Some(Command::Awr(args)) => awr::run(&args),
        Some(Command::Trace(args)) => trace::run(&args),
        Some(Command::Stress(args)) => stress::run(&args),
        Some(Command::Sweep(args)) => sweep::run(&args),
        Some(Command::Analyze(args)) => analyze::run(&args),
        Some(Command::Fit(args)) => fit::run(&args),
        Some(Command::Calibrate(args)) => calibrate::run(&args),
        Some(Command::Lab(args)) => lab::run(&args),
        Some(Command::Cache(args)) => cache::run(&args),
        Some(Command::Mark(args)) => exchange::mark(&args),
        Some(Command::Export(args)) => exchange::export(&args),
        Some(Command::Import(args)) => exchange::import(&args),
        Some(Command::SqlBuckets(args)) => sql_buckets::run(&args),
        Some(Command::Merge(args)) => exchange::merge(&args),
        Some(Command::Frames(args)) => exchange::frames(&args),
        Some(Command::Sources(args)) => generate::sources(&args),
        Some(Command::Bpftrace(args)) => bpftrace::run(&args),
        Some(Command::SqlplusScript(args)) => oracle_script::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Completions { shell }) => generate::completions(shell),
        Some(Command::Man { directory }) => generate::man(&directory),
        Some(Command::Pages { directory }) => generate::pages(&directory),
        None if std::io::stdin().is_terminal() => screen::print(OutputForm::Text, &short_help()),
        // A pipe and nothing said: show what comes through it.
        None => {
            let words = ["isotherm", "live", "-"].map(OsString::from);
            let (mut cli, _) =
                help::parse(words).map_err(|error| Failure::usage(error.to_string()))?;
            configured(&mut cli)?;
            run(cli.command)
        }
    }
}

fn short_help() -> String {
    help::command().render_help().to_string()
}
