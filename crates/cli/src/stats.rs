//! `isotherm stats`: the numbers of an input.

use std::io::Write;

use isotherm_analysis::{Account, Threshold, Verdict};
use isotherm_frame::{BinnerLimits, Nanos};
use isotherm_views::{InputAccount, StatsJson, StatsTable};

use crate::args::{StatsArgs, StatsFormat};
use crate::failure::{Code, Failure};
use crate::input::{self, Binning};
use crate::intake::Happening;
use crate::screen;

/// Events need no time axis here: a few long intervals are enough.
const BINNING: Binning = Binning { interval: Nanos::SECOND, limits: BinnerLimits::cells(2_048) };

pub fn run(args: &StatsArgs) -> Result<(), Failure> {
    let mut account = Account::default();
    let wanted = args.series.as_deref();
    let read =
        input::read_all(&args.inputs, &args.input, BINNING, &mut |happening| match happening {
            Happening::Frame(frame) if screen::matches(wanted, &frame.series) => {
                account.add(&frame);
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
    let mut out = screen::output();
    let written = match args.format {
        StatsFormat::Json => StatsJson.render(&account, &input, &mut out),
        StatsFormat::Table => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            StatsTable { width }.render(&account, &input, style, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    judge(&args.fail_if, &account)
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
