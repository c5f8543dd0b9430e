//! The points and the doubts of sweeps as tables.

use isotherm_experiment::{PointSummary, Spread};

use super::summary::SweepRuns;
use crate::numbers::{length, megabytes, quantity};
use crate::section::Table;

/// The headings of the points.
const HEADS: [&str; 12] = [
    "point",
    "operations/s",
    "range",
    "MB/s",
    "mean",
    "p50",
    "p99",
    "range of p99",
    "waiting",
    "CPU each",
    "steady",
    "warnings",
];

/// A table of the points of each sweep.
pub(super) fn points(sweeps: &[&SweepRuns]) -> Vec<Table> {
    let summary = |sweep: &&SweepRuns| Table {
        caption: format!("{}: {}", sweep.name, sweep.target),
        head: HEADS.map(str::to_owned).to_vec(),
        rows: sweep.table.points().iter().map(row).collect(),
    };
    sweeps.iter().map(summary).collect()
}

fn row(point: &PointSummary) -> Vec<String> {
    let number = |spread: Option<Spread>| spread.map_or_else(none, |one| quantity(one.median));
    let time = |spread: Option<Spread>| spread.map_or_else(none, |one| length(one.median));
    let repeats = point.runs.len() > 1;
    let range = |spread: Option<Spread>, written: fn(f64) -> String| {
        let spread = spread.filter(|_| repeats);
        spread.map_or_else(none, |one| format!("{}–{}", written(one.low), written(one.high)))
    };
    vec![
        point.label.to_owned(),
        number(point.throughput),
        range(point.throughput, quantity),
        // Some systems move no bytes.
        point
            .megabytes
            .filter(|moved| moved.high > 0.0)
            .map_or_else(none, |one| megabytes(one.median)),
        time(point.mean_s),
        time(point.p50_s),
        time(point.p99_s),
        range(point.p99_s, length),
        number(point.waited),
        time(point.cpu_s),
        steady(point),
        warnings(point),
    ]
}

fn none() -> String {
    "-".to_owned()
}

/// `yes`, `no`, `2 of 3`, or nothing known.
fn steady(point: &PointSummary) -> String {
    match point.steady() {
        (_, 0) => none(),
        (steady, known) if steady == known => "yes".to_owned(),
        (0, _) => "no".to_owned(),
        (steady, known) => format!("{steady} of {known}"),
    }
}

fn warnings(point: &PointSummary) -> String {
    let mut words: Vec<String> = point.verdicts().iter().map(|one| one.code.to_owned()).collect();
    match point.unusable.len() {
        0 => {}
        repeats => words.push(format!("{repeats} without result")),
    }
    words.join(", ")
}

/// Warnings about each run, in words; no table where nothing is.
pub(super) fn verdicts(sweeps: &[&SweepRuns]) -> Option<Table> {
    let mut rows = Vec::new();
    for sweep in sweeps {
        for run in sweep.table.latest() {
            for verdict in &run.verdicts {
                let point = format!("{}: {}", sweep.name, run.label);
                let weight = if verdict.serious { "serious" } else { "remark" };
                let repeat = run.repeat.saturating_add(1).to_string();
                rows.push(vec![
                    if sweeps.len() > 1 { point } else { run.label.clone() },
                    repeat,
                    weight.to_owned(),
                    verdict.code.clone(),
                    verdict.words.clone(),
                ]);
            }
        }
    }
    let head = ["point", "repeat", "weight", "what", "words"].map(str::to_owned).to_vec();
    (!rows.is_empty()).then(|| Table { caption: "Every warning".to_owned(), head, rows })
}
