//! The points of a sweep, from the run table to what is shown.

use std::io::Write;

use isotherm_experiment::{Csv, PointSummary, Run, RunTable, Spread, Sweep};
use isotherm_load::Ended;
use isotherm_views::{
    OutputForm, SweepDoubt, SweepJson, SweepPoint, SweepRange, SweepSheet, SweepStopped, SweepTable,
};

use crate::failure::Failure;
use crate::screen;
use crate::sweep_args::{SweepArgs, SweepFormat};

/// Prints the points as it is wanted.
pub fn print(args: &SweepArgs, sweep: &Sweep) -> Result<(), Failure> {
    let form = match args.format {
        SweepFormat::Table => OutputForm::Painted,
        SweepFormat::Json => OutputForm::Json,
        SweepFormat::Csv => screen::for_programs(),
    };
    let mut out = screen::output(form);
    let written = match args.format {
        SweepFormat::Table => {
            let width = screen::is_terminal().then(|| screen::width(None));
            let style = screen::style(&args.screen, false);
            SweepTable { width }.render(&sheet(sweep), style, &mut out)
        }
        SweepFormat::Json => SweepJson.render(&sheet(sweep), &mut out),
        SweepFormat::Csv => Csv::of_points(sweep.table()).write(&mut out),
    };
    screen::written(written.and_then(|()| out.flush()))
}

fn sheet(sweep: &Sweep) -> SweepSheet {
    let stopped = sweep.stopped().into_iter();
    let words = |(label, why): (&str, &str)| SweepStopped { label: label.into(), why: why.into() };
    SweepSheet {
        target: sweep.plan().job.target.clone(),
        points: sweep.table().points().iter().map(point).collect(),
        doubts: doubts(sweep.table()),
        stopped: stopped.map(words).collect(),
        left: sweep.left().len(),
    }
}

/// A point as it is shown.
pub fn point(summary: &PointSummary) -> SweepPoint {
    let range = |spread: Option<Spread>| {
        spread.map(|Spread { median, low, high }| SweepRange { median, low, high })
    };
    let moved = summary.megabytes.filter(|megabytes| megabytes.high > 0.0);
    let runs = || summary.runs.iter().chain(&summary.unusable);
    let serious = |code: &str| {
        let mut verdicts = runs().flat_map(|run| &run.verdicts);
        verdicts.any(|verdict| verdict.serious && verdict.code == code)
    };
    let codes = summary.verdicts().into_iter();
    SweepPoint {
        point: summary.point,
        label: summary.label.to_owned(),
        runs: summary.runs.len(),
        unusable: summary.unusable.len(),
        throughput: range(summary.throughput),
        megabytes: range(moved),
        mean_s: range(summary.mean_s),
        p50_s: range(summary.p50_s),
        p99_s: range(summary.p99_s),
        p99_withheld: summary.p99_withheld(),
        waited: range(summary.waited),
        cpu_s: range(summary.cpu_s),
        failed_share: range(summary.failed_share),
        steady: summary.steady(),
        verdicts: codes.map(|code| (code.to_owned(), serious(code))).collect(),
    }
}

/// One for each kind of doubt, serious ones first.
fn doubts(table: &RunTable) -> Vec<SweepDoubt> {
    let mut doubts: Vec<SweepDoubt> = Vec::new();
    for run in table.latest() {
        for verdict in &run.verdicts {
            match doubts.iter_mut().find(|doubt| doubt.code == verdict.code) {
                Some(doubt) => {
                    doubt.runs += 1;
                    doubt.serious |= verdict.serious;
                }
                None => doubts.push(SweepDoubt {
                    code: verdict.code.clone(),
                    serious: verdict.serious,
                    label: run.label.clone(),
                    runs: 1,
                    words: verdict.words.clone(),
                }),
            }
        }
    }
    doubts.sort_by_key(|doubt| !doubt.serious);
    doubts
}

/// Why a run has no numbers that can be used.
pub fn why_not(run: &Run) -> String {
    match &run.outcome.ended {
        Ended::Interrupted => "interrupted; it is done again when the sweep goes on".to_owned(),
        Ended::Failed(words) => format!("failed: {words}"),
        Ended::Time | Ended::Operations => {
            let fault = run.outcome.faults.first().map(|(words, _)| words.as_str());
            format!("no operation succeeded: {}", fault.unwrap_or("none ended"))
        }
    }
}
