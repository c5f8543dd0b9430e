//! `isotherm awr`: the numbers of AWR and Statspack reports, one row for each.

mod collect;
mod conditions;
mod history;

use std::io::Write;

use clap::{Args, Subcommand, ValueEnum};
use isotherm_frame::numbers::counted;
use isotherm_frame::{Ends, Timestamp};
use isotherm_live::{Address, read_whole};
use isotherm_oracle::awr::{self, NamedReport, Snapshot};
use isotherm_pipeline::{Input, missing_slob_runs, slob_run, timestamp};
use isotherm_views::{AwrJson, OutputForm, ThresholdJson, awr_csv, awr_table};
use jiff::tz::TimeZone;

use crate::failure::{Code, Failure};
use crate::input;
use crate::oracle_args::OracleArgs;
use crate::range_args::RangeArgs;
use crate::screen;
use crate::threshold_args::FailIfArgs;
use crate::thresholds;
use crate::when::Span;

pub const EXAMPLES: &str = "Examples:
  isotherm awr awrrpt_1_155_156.html
  isotherm awr reports/ --csv > reports.csv
  isotherm awr awr.*.txt --format json | jq '.reports[].summary'
  isotherm awr awr.*.txt --fail-if 'p99>20ms'   for continuous integration
  isotherm awr sp_*.lst                         Statspack reports, 9i to 19c
  isotherm awr slob-runs/ --csv                 a tree of awr.PCT.WORKERS directories of SLOB's harness
  isotherm awr collect oracle://mon@db1/SALES --since 7d --licensed diagnostics -o history/
  isotherm awr report awr-*.csv -o prod.html    AWR's history as one page
  isotherm show reports/*.html --series 'log file sync'    their histograms as a heat map

Average latencies are computed from the totals of the report (time waited divided by waits), or from
its averages where these have more digits. Reports round, so each average has an error bound. db file
sequential read and log file sync are waits of the foreground, db file parallel write and log file
parallel write of the background; 10g prints both together. Requests are I/O requests, never blocks.
Waits for reads by read requests says how many of the instance's reads were waits: near 1, wait times
add up to the time of its reads; at 0.7, three reads of ten had no wait of their own, and a sum of
wait times is too small. --from and --to choose reports by their snapshots, in the local time of the
database's host. A file called report or collect is given as ./report.";

/// The help of `--fail-if`, which is about the histograms of reports.
const FAIL_IF: &str = "Exit with 99 if this holds (for the histogram of any wait event that is not idle, or \
    if the reports have none): p99>20ms, mean>1ms, max>1s, rate<10/s, waited>50% (of all time waited); may \
    be repeated; docs/guide/grammar.md says what there is";

/// `awr`
#[derive(Args, Debug)]
#[command(mut_arg("from", |from| from.help(crate::range_args::FROM_SNAPSHOTS)))]
#[command(mut_arg("fail_if", |fail_if| fail_if.help(FAIL_IF)))]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct AwrArgs {
    #[command(subcommand)]
    pub action: Option<AwrAction>,
    /// AWR reports, text or HTML, or Statspack reports, also compressed; a directory stands for its files, - for
    /// standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The form of the output: a table for people, CSV with everything that is computed, JSON with
    /// everything that is read
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub format: AwrFormat,
    /// The same as --format csv
    #[arg(long, conflicts_with = "format")]
    pub csv: bool,
    #[command(flatten)]
    pub stretch: RangeArgs,
    #[command(flatten)]
    pub thresholds: FailIfArgs,
    /// Exit with 4 if anything could not be read, such as a file that is no AWR or Statspack report, or a
    /// damaged part of one
    #[arg(long)]
    pub strict: bool,
}

/// What else `awr` does.
#[derive(Subcommand, Debug)]
pub enum AwrAction {
    /// Draw AWR's history, the CSV files of `awr collect` or `sqlplus-script`, as one page
    #[command(after_help = history::EXAMPLES)]
    Report(history::AwrReportArgs),
    /// Ask a database for AWR's history: CSV files, one for each of 14 predefined queries
    #[command(after_help = collect::EXAMPLES)]
    Collect(collect::AwrCollectArgs),
}

/// Forms of the numbers.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum AwrFormat {
    /// One row for each report
    Table,
    /// One row for each report, every column
    Csv,
    /// One JSON object (docs/schema has its schema)
    Json,
}

/// The reports of a command line, in the order of time.
pub struct AwrReports {
    pub reports: Vec<NamedReport>,
    /// What the user should know of them together.
    pub warnings: Vec<String>,
    files: usize,
    bad: usize,
    unreadable: usize,
}

/// More than any report.
const MOST_BYTES: u64 = 256 << 20;
/// How many faults of one report are listed one by one.
const MOST_FAULTS: usize = 5;

pub fn run(args: &AwrArgs) -> Result<(), Failure> {
    match &args.action {
        Some(AwrAction::Report(args)) => return history::run(args),
        Some(AwrAction::Collect(args)) => return collect::run(args),
        None => {}
    }
    let gathered = gather(&args.files, args.strict, &args.stretch);
    let gathered = thresholds::or_unsure(&args.thresholds.fail_if, gathered)?;
    let judgement = gathered.judge(&args.thresholds.fail_if)?;
    write(args, &gathered, &judgement.json)?;
    judgement.conclude()?;
    gathered.verdict(args.strict)
}

/// Reads the reports that `files` stand for and tells what is wrong with them; gives those of this part
/// of time. Fails when there is none.
pub fn gather(files: &[String], strict: bool, stretch: &RangeArgs) -> Result<AwrReports, Failure> {
    let inputs = input::expand(files, &OracleArgs::default())?;
    let mut reports = Vec::new();
    let (mut bad, mut unreadable) = (0_usize, 0_usize);
    for input in &inputs {
        match read(input) {
            Ok(read) => {
                bad += usize::from(warn_of(&read));
                reports.push(read);
            }
            Err(failure) => {
                screen::warn(&format!("{}: {failure}", input.address));
                // What lies beside reports in a directory is no fault of theirs.
                let beside = input.found_in.is_some() && failure.code == Code::BadData;
                bad += usize::from(!beside);
                unreadable += usize::from(failure.code == Code::Runtime);
            }
        }
    }
    if reports.is_empty() {
        let code = if strict && unreadable == 0 { Code::BadData } else { Code::Runtime };
        return Err(Failure::new(code, "there is no AWR or Statspack report to show"));
    }
    reports.sort_by_key(|read| {
        let local = read.report.begin.time.local;
        let run = read.slob.as_ref().map(|run| (run.update_pct, run.workers));
        (local.is_none(), local, run)
    });
    let reports = within(reports, stretch, &input::title(files))?;
    let mut warnings = awr::warnings(&reports);
    let run = |read: &NamedReport| {
        let run = read.slob.as_ref()?;
        run.update_pct.zip(run.workers)
    };
    let done = reports.iter().filter_map(run).collect();
    warnings.extend(missing_slob_runs(files, &done));
    for warning in &warnings {
        screen::warn(warning);
    }
    Ok(AwrReports { reports, warnings, files: inputs.len(), bad, unreadable })
}

/// The reports between snapshots of this part of time, which is in their own local time.
fn within(
    reports: Vec<NamedReport>,
    stretch: &RangeArgs,
    title: &str,
) -> Result<Vec<NamedReport>, Failure> {
    if !stretch.is_given() {
        return Ok(reports);
    }
    let ends: Ends = reports.iter().filter_map(span).collect();
    let part = stretch.within(ends.get().map(Span::from), title)?.some()?;
    let lies_there = |read: &NamedReport| {
        let span = span(read);
        if span.is_none() {
            let file = &read.file;
            screen::warn(&format!("{file}: left out: its snapshots have no time that can be read"));
        }
        span.is_some_and(|span| part.range.place(span, false).is_some())
    };
    let reports: Vec<NamedReport> = reports.into_iter().filter(lies_there).collect();
    match part.nothing().filter(|_| reports.is_empty()) {
        Some(nothing) => Err(nothing),
        None => Ok(reports),
    }
}

/// From the first snapshot of a report to the second, in its own local time.
fn span(read: &NamedReport) -> Option<(Timestamp, Timestamp)> {
    let at = |snapshot: &Snapshot| {
        let zoned = snapshot.time.local?.to_zoned(TimeZone::UTC).ok()?;
        Some(timestamp(zoned.timestamp()))
    };
    at(&read.report.begin).zip(at(&read.report.end))
}

impl AwrReports {
    /// How the command ends once what could be read is written.
    pub fn verdict(&self, strict: bool) -> Result<(), Failure> {
        let AwrReports { files, bad, unreadable, .. } = self;
        match (unreadable, bad) {
            (1.., _) => {
                let text = format!("{} could not be read", counted(*unreadable as u64, "file"));
                Err(Failure::new(Code::Runtime, text))
            }
            (0, 1..) if strict => {
                let text = format!(
                    "faults found in {bad} of {}, and --strict is set",
                    counted(*files as u64, "file")
                );
                Err(Failure::new(Code::BadData, text))
            }
            _ => Ok(()),
        }
    }

    /// Writes the table for people.
    pub fn write_table(&self, out: &mut impl Write) -> std::io::Result<()> {
        awr_table(&self.reports, out)
    }
}

fn read(input: &Input) -> Result<NamedReport, Failure> {
    let (bytes, damage) = read_whole(&input.address, MOST_BYTES)?;
    let report =
        awr::parse(&bytes).map_err(|error| Failure::new(Code::BadData, error.to_string()))?;
    let file = match &input.address {
        Address::File(path) => path.display().to_string(),
        other => other.to_string(),
    };
    if let Some(damage) = damage {
        screen::warn(&format!("{file}: {damage}"));
    }
    let summary = report.summary();
    let slob = slob_run(&input.address, &bytes);
    Ok(NamedReport { file, slob, report, summary })
}

/// Tells what is wrong with a report; whether anything is.
fn warn_of(read: &NamedReport) -> bool {
    let NamedReport { file, report, .. } = read;
    for fault in report.faults.iter().take(MOST_FAULTS) {
        let (line, byte) = (fault.at.line, fault.at.byte);
        screen::warn(&format!("{file}: line {line} (byte {byte}): {}", fault.text));
    }
    if let Some(more) = report.faults.len().checked_sub(MOST_FAULTS).filter(|more| *more > 0) {
        screen::warn(&format!("{file}: {more} more faults"));
    }
    report.remarks.iter().for_each(|remark| screen::warn(&format!("{file}: {remark}")));
    if report.cut_off {
        screen::warn(&format!("{file}: the report has no end: tables may be missing"));
    }
    report.cut_off || !report.faults.is_empty()
}

fn write(args: &AwrArgs, read: &AwrReports, thresholds: &[ThresholdJson]) -> Result<(), Failure> {
    let AwrReports { reports, warnings, .. } = read;
    let format = if args.csv { AwrFormat::Csv } else { args.format };
    let form = match format {
        AwrFormat::Table => OutputForm::Text,
        AwrFormat::Csv => screen::for_programs(),
        AwrFormat::Json => OutputForm::Json,
    };
    let mut out = screen::output(form);
    let written = match format {
        AwrFormat::Table => awr_table(reports, &mut out),
        AwrFormat::Csv => awr_csv(reports, &mut out),
        AwrFormat::Json => {
            AwrJson::new(reports, warnings).with_thresholds(thresholds).write(&mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))
}
