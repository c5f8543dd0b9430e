//! `isotherm stats`: the numbers of an input.

use std::io::Write;

use isotherm_analysis::{Account, Circumstances, Digest, Findings, Summary, Threshold, Verdict};
use isotherm_frame::{BinnerLimits, Clock, Nanos};
use isotherm_views::{
    Description, InputAccount, Moments, StatsJson, StatsTable, findings_json, narration,
};

use crate::args::{StatsArgs, StatsFormat};
use crate::failure::{Code, Failure};
use crate::input::{self, Binning};
use crate::intake::Happening;
use crate::screen;

/// Intervals as `show` has them, so that both find the same.
const BINNING: Binning =
    Binning { interval: Nanos::new(1_953_125), limits: BinnerLimits::cells(2_048) };

/// Counts kept of the course of all series: 8 MB.
const MOST_CELLS: usize = 1 << 20;

pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let mut account = Account::default();
    let telling = args.story.describe || matches!(args.format, StatsFormat::Json);
    let mut digest = Digest::new(MOST_CELLS);
    let wanted = args.series.as_deref();
    let read =
        input::read_all(&args.inputs, &args.input, BINNING, &mut |happening| match happening {
            Happening::Frame(frame) if screen::matches(wanted, &frame.series) => {
                account.add(&frame);
                if telling {
                    digest.push(&frame);
                }
            }
            Happening::Said(text) => screen::warn(&text),
            _ => {}
        })?;
    let input = InputAccount {
        records: read.tally.records,
        rejected: read.tally.rejected,
        rejected_events: read.tally.rejected_events,
        lost: read.tally.lost.saturating_add(account.lost),
        ignored_lines: read.tally.ignored_lines,
        resets: account.resets,
        gaps: account.gaps,
        events: account.events,
        clock: read.tally.clock,
        span: account.span,
    };
    let story = Story { account: &account, digest: &digest, clock: read.tally.clock, args };
    let mut out = screen::output();
    let written = match args.format {
        StatsFormat::Json => story.json().render(&account, &input, &mut out),
        StatsFormat::Table if args.story.describe => story.description().render(&mut out),
        StatsFormat::Table => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            StatsTable { width }.render(&account, &input, style, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    judge(&args.fail_if, &account)
}

/// What is told of each series.
struct Story<'a> {
    account: &'a Account,
    digest: &'a Digest,
    clock: Clock,
    args: &'a StatsArgs,
}

impl Story<'_> {
    /// The findings of a series and what is worth saying of them. Without its course over time
    /// that of its total.
    fn of(&self, summary: &Summary) -> (Findings, Vec<String>) {
        let circumstances = Circumstances::of([&summary.series], self.args.story.device);
        let findings = self.digest.findings(&summary.series, &circumstances).unwrap_or_else(|| {
            Findings::of_total(&summary.latencies, summary.covered_s, &circumstances)
        });
        let zero = self.account.span.map(|(start, _)| start).unwrap_or_default();
        let moments = Moments::new(self.clock, zero);
        let sentences = narration::sentences(&findings.remarks(), &moments);
        (findings, sentences)
    }

    fn json(&self) -> StatsJson {
        let found = |summary: &Summary| {
            let (findings, sentences) = self.of(summary);
            (summary.series.clone(), findings_json::value(&findings, &sentences))
        };
        StatsJson { findings: self.account.by_time_waited().into_iter().map(found).collect() }
    }

    fn description(&self) -> Description {
        let part = |summary: &Summary| (summary.series.to_string(), self.of(summary).1);
        let parts = self.account.by_time_waited().into_iter().map(part).collect();
        let width = screen::is_terminal().then(|| screen::width(None));
        Description { parts, width }
    }
}

/// Fails when a threshold holds, or might hold, for any series.
fn judge(thresholds: &[Threshold], account: &Account) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for summary in account.by_time_waited() {
        for threshold in thresholds {
            match threshold.judge(&summary.latencies) {
                Verdict::Holds => failed.push(format!("{threshold} holds for {}", summary.series)),
                Verdict::Unknown => failed.push(format!(
                    "{threshold} may hold for {}: its buckets are too coarse to tell",
                    summary.series
                )),
                Verdict::DoesNotHold => {}
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Code::Threshold, failed.join("\n")))
}
