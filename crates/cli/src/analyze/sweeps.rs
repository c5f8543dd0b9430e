//! Sweeps: read, and written in every form.

use isotherm_analysis::Threshold;
use isotherm_experiment::{Csv, RunTable};
use isotherm_frame::Nanos;
use isotherm_frame::numbers::counted;
use isotherm_views::{AnalyzeJson, AnalyzeSummary, SweepRuns, write_json};

use super::content::{Content, svg, text};
use super::page;
use super::sweep::Sweep;
use crate::analyze_args::{AnalyzeArgs, AnalyzeFormat};
use crate::failure::{Code, Failure};
use crate::report::command_line;
use crate::spelling::old_spelling;
use crate::thresholds::Judgement;
use crate::{run_thresholds, screen, threshold_args};

/// How long the p99 may be, each.
fn limits(args: &AnalyzeArgs) -> Vec<Nanos> {
    for limit in args.latency_limit.iter().filter(|limit| limit.bare) {
        let old = format!("--latency-limit {}", limit.within);
        let new = format!("--latency-limit 'p99<{}'", limit.within);
        screen::warn(&old_spelling(&old, &new));
    }
    args.latency_limit.iter().map(|limit| limit.within).collect()
}

/// Everything about the sweeps in the form that is asked for.
pub fn content(args: &AnalyzeArgs, form: AnalyzeFormat) -> Result<Content, Failure> {
    let sweeps =
        args.inputs.iter().map(|name| Sweep::read(name)).collect::<Result<Vec<Sweep>, _>>()?;
    let end = strict(args, &sweeps);
    let judgement = judge(&args.fail_if, &sweeps)?;
    let runs: Vec<&SweepRuns> = sweeps.iter().map(|sweep| &sweep.runs).collect();
    let summary = AnalyzeSummary::of(runs, limits(args));
    let mut bytes = Vec::new();
    match form {
        AnalyzeFormat::Csv => screen::written(table(&summary).write(&mut bytes))?,
        AnalyzeFormat::Json => {
            let command = command_line();
            let object = AnalyzeJson::of_sweeps(&summary, &command);
            let object = object.with_thresholds(&judgement.json);
            screen::written(write_json(&object, &mut bytes))?;
        }
        AnalyzeFormat::Svg => bytes = svg(&summary.latency(), args),
        AnalyzeFormat::Html | AnalyzeFormat::Md => {
            bytes = page::of_sweeps(args, form, &sweeps, &summary)?;
        }
        AnalyzeFormat::Table => {
            bytes = text(args, &summary.points(), &summary.latency(), &summary.sentences());
        }
    }
    Ok(Content { bytes, end, judgement })
}

/// What conditions come to for every run that counts.
fn judge(conditions: &[Threshold], sweeps: &[Sweep]) -> Result<Judgement, Failure> {
    if let Some(share) = conditions.iter().find(|condition| condition.is_of_share()) {
        let refused = threshold_args::of_load(&share.to_string()).err();
        let why = refused.map_or_else(String::new, |error| error.to_string());
        return Err(Failure::usage(format!("--fail-if: {why}")));
    }
    let mut runs = Vec::new();
    for Sweep { runs: SweepRuns { name, table, .. }, .. } in sweeps {
        let of = if sweeps.len() > 1 { format!("{name}, ") } else { String::new() };
        let named = |run| (format!("{of}{}", run_thresholds::name(run)), run);
        runs.extend(table.latest().into_iter().map(named));
    }
    Ok(run_thresholds::of_runs(conditions, &runs))
}

/// A row for each run.
fn table(summary: &AnalyzeSummary<'_>) -> Csv {
    let named: Vec<(&str, &RunTable)> =
        summary.sweeps.iter().map(|sweep| (sweep.name.as_str(), &sweep.table)).collect();
    Csv::of_runs(&named)
}

/// Fails when a line was rejected and the user wants that to be fatal.
fn strict(args: &AnalyzeArgs, sweeps: &[Sweep]) -> Result<(), Failure> {
    let rejected: u64 = sweeps.iter().map(|sweep| sweep.runs.table.rejected).sum();
    if args.strict && rejected > 0 {
        let text = format!(
            "{} rejected in tables of runs, and --strict is set",
            counted(rejected, "line")
        );
        return Err(Failure::new(Code::BadData, text));
    }
    Ok(())
}
