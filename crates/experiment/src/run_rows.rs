//! Run tables as tables for spreadsheets: a row for each run.

use isotherm_analysis::{is_unstable, modes};
use isotherm_frame::{Histogram, Nanos, Timestamp};
use isotherm_load::{Distribution, Ended, Outcome};
use serde_json::Value;

use crate::csv::{Cell, Csv, NamedRow};
use crate::{Run, RunTable};

/// The quantiles of a row, each with the beginning of its headings.
const QUANTILES: [(f64, &str); 5] =
    [(0.5, "p50"), (0.9, "p90"), (0.95, "p95"), (0.99, "p99"), (0.999, "p999")];

/// What is said of a load by columns of its own.
const LOAD: [&str; 2] = ["arrival.in-flight", "arrival.rate-hz"];
/// What differs from run to run by itself.
const SEED: &str = "work.seed";

impl Csv {
    /// A row for each run that counts of each sweep, in the order of points and repeats. Times are
    /// in the units that the headings say; `docs/guide/analyze.md` explains every column.
    pub fn of_runs(sweeps: &[(&str, &RunTable)]) -> Csv {
        let runs: Vec<(&str, &Run)> = sweeps
            .iter()
            .flat_map(|(name, table)| table.latest().into_iter().map(move |run| (*name, run)))
            .collect();
        let varied = varied(&runs);
        Csv::of(runs.iter().map(|(sweep, run)| row(sweep, run, &varied)).collect())
    }
}

/// The settings of a job that differ between runs, by their names in plan files.
fn varied(runs: &[(&str, &Run)]) -> Vec<String> {
    let settings: Vec<Vec<(String, Cell)>> = runs.iter().map(|(_, run)| settings(run)).collect();
    let mut varied = Vec::new();
    for (name, cell) in settings.iter().flatten() {
        let differs = settings.iter().any(|other| {
            other.iter().find(|(known, _)| known == name).is_none_or(|(_, found)| found != cell)
        });
        let known = LOAD.contains(&name.as_str())
            || ["target", SEED].contains(&name.as_str())
            || varied.contains(name);
        if differs && !known {
            varied.push(name.clone());
        }
    }
    varied
}

/// Every setting of a run's job with its name in a plan file: `work.update-pct`.
fn settings(run: &Run) -> NamedRow {
    let mut found = Vec::new();
    if let Ok(job) = serde_json::to_value(&run.job) {
        flatten("", &job, &mut found);
    }
    found
}

fn flatten(name: &str, value: &Value, found: &mut NamedRow) {
    match value {
        Value::Object(parts) => {
            for (key, part) in parts {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&name, part, found);
            }
        }
        Value::Null => {}
        Value::Number(number) => found.push((name.to_owned(), Cell::number(number.as_f64()))),
        Value::String(text) => found.push((name.to_owned(), Cell::text(text.clone()))),
        other => found.push((name.to_owned(), Cell::text(other.to_string()))),
    }
}

fn row(sweep: &str, run: &Run, varied: &[String]) -> NamedRow {
    let mut row = Row::default();
    row.add("sweep", Cell::text(sweep));
    row.add("point", Cell::Count(u64::from(run.point)));
    row.add("repeat", Cell::Count(u64::from(run.repeat)));
    row.add("label", Cell::text(run.label.clone()));
    row.add("target", Cell::text(run.job.target.clone()));
    let settings = settings(run);
    for name in varied {
        let found = settings.iter().find(|(known, _)| known == name);
        row.add(name, found.map_or(Cell::Empty, |(_, cell)| cell.clone()));
    }
    load(&run.outcome, &mut row);
    rates(&run.outcome, &mut row);
    let response = run.outcome.response();
    latencies("", &response, &mut row);
    services(&run.outcome, &mut row);
    kinds(&run.outcome, &mut row);
    costs(&run.outcome, &mut row);
    judged(run, &mut row);
    row.0
}

#[derive(Default)]
struct Row(NamedRow);

impl Row {
    fn add(&mut self, name: &str, cell: Cell) {
        self.0.push((name.to_owned(), cell));
    }
}

fn load(outcome: &Outcome, row: &mut Row) {
    let offered = &outcome.offered;
    let began =
        jiff::Timestamp::from_nanosecond(i128::from(Timestamp::new(outcome.began_ns).as_nanos()));
    row.add("loop", Cell::text(if offered.rate_hz.is_some() { "open" } else { "closed" }));
    row.add("in_flight", Cell::Count(u64::from(offered.in_flight)));
    row.add("asked_per_s", Cell::number(offered.rate_hz));
    row.add("threads", Cell::Count(u64::from(offered.threads)));
    row.add("began_utc", began.map_or(Cell::Empty, |at| Cell::text(at.to_string())));
    row.add("warmup_s", Cell::number(Some(outcome.warmup_s)));
    row.add("measured_s", Cell::number(Some(outcome.measured_s)));
}

fn rates(outcome: &Outcome, row: &mut Row) {
    row.add("operations", Cell::Count(outcome.operations()));
    row.add("ops_per_s", Cell::number(Some(outcome.per_second())));
    row.add("mb_per_s", Cell::number(Some(outcome.megabytes_per_second())));
    row.add("waited_s_per_s", Cell::number(Some(outcome.waited_per_second())));
}

/// The mean, the quantiles with their buckets, and the maximum, in microseconds.
fn latencies(prefix: &str, response: &Distribution, row: &mut Row) {
    let latencies = response.histogram();
    let modes = modes(&latencies);
    row.add(&format!("{prefix}mean_us"), Cell::number(response.mean_ns().map(|ns| ns / 1e3)));
    for (q, name) in QUANTILES {
        quantile(&format!("{prefix}{name}"), q, (&latencies, &modes, response.max_ns), row);
    }
    let most = (response.events > 0).then(|| response.max_ns as f64 / 1e3);
    row.add(&format!("{prefix}max_us"), Cell::number(most));
}

fn quantile(
    name: &str,
    q: f64,
    (latencies, modes, max_ns): (&Histogram, &[isotherm_analysis::Mode], u64),
    row: &mut Row,
) {
    let found = latencies.quantile(q).ok();
    let us = |length: Nanos| length.as_nanos() as f64 / 1e3;
    // Nothing took longer than the longest, which is known exactly.
    let estimate = found.as_ref().map(|found| us(found.estimate.min(Nanos::new(max_ns))));
    row.add(&format!("{name}_us"), Cell::number(estimate));
    row.add(
        &format!("{name}_lo_us"),
        Cell::number(found.as_ref().map(|found| us(found.bucket.lo))),
    );
    let hi = found.as_ref().and_then(|found| found.bucket.hi);
    row.add(&format!("{name}_hi_us"), Cell::number(hi.map(us)));
    let unstable = found.is_some().then(|| is_unstable(latencies, modes, q));
    row.add(&format!("{name}_unstable"), Cell::yes(unstable));
}

/// Service times, where an open loop tells them from response times.
fn services(outcome: &Outcome, row: &mut Row) {
    let parts: Vec<&Distribution> =
        outcome.kinds.iter().filter_map(|kind| kind.service.as_ref()).collect();
    if parts.is_empty() {
        return;
    }
    let service = Distribution::merged(parts);
    let p99 = service.histogram().quantile(0.99).ok();
    row.add("service_mean_us", Cell::number(service.mean_ns().map(|ns| ns / 1e3)));
    let p99 = p99.map(|found| found.estimate.as_nanos() as f64 / 1e3);
    row.add("service_p99_us", Cell::number(p99));
    row.add("queued", Cell::Count(outcome.offered.queued));
    let lag = outcome.offered.longest_lag_ns as f64 / 1e3;
    row.add("longest_lag_us", Cell::number(Some(lag)));
}

/// Each kind of operation by itself, where there are several.
fn kinds(outcome: &Outcome, row: &mut Row) {
    if outcome.kinds.len() < 2 {
        return;
    }
    for kind in &outcome.kinds {
        let per_s = kind.response.events as f64 / outcome.measured_s;
        let p99 = kind.response.histogram().quantile(0.99).ok();
        let name = &kind.name;
        row.add(&format!("{name}_ops_per_s"), Cell::number(Some(per_s)));
        let mean = kind.response.mean_ns().map(|ns| ns / 1e3);
        row.add(&format!("{name}_mean_us"), Cell::number(mean));
        let p99 = p99.map(|found| found.estimate.as_nanos() as f64 / 1e3);
        row.add(&format!("{name}_p99_us"), Cell::number(p99));
    }
}

fn costs(outcome: &Outcome, row: &mut Row) {
    let cpu = &outcome.cpu;
    row.add("little_gap", Cell::number(Some(outcome.little.gap())));
    row.add("cpu_us_per_op", Cell::number(outcome.cpu_per_operation_ns().map(|ns| ns / 1e3)));
    let whole = outcome.measured_s * f64::from(cpu.processors);
    row.add("machine_busy", Cell::number(cpu.machine_s.map(|busy| busy / whole)));
    row.add("processors", Cell::Count(u64::from(cpu.processors)));
}

fn judged(run: &Run, row: &mut Row) {
    let outcome = &run.outcome;
    row.add("failed", Cell::Count(outcome.failed()));
    let faults: u64 = outcome.faults.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    row.add("faults", Cell::Count(faults));
    let worst = outcome.faults.first().map(|(words, _)| words.clone());
    row.add("most_frequent_fault", Cell::text(worst.unwrap_or_default()));
    row.add(
        "ended",
        Cell::text(match &outcome.ended {
            Ended::Time => "time",
            Ended::Operations => "operations",
            Ended::Interrupted => "interrupted",
            Ended::Failed(_) => "failed",
        }),
    );
    row.add("steady", Cell::yes(run.steady.steady));
    row.add("drift", Cell::number(Some(run.steady.drift)));
    row.add("deviation", Cell::number(Some(run.steady.deviation)));
    let serious = run.verdicts.iter().filter(|verdict| verdict.serious).count();
    row.add("serious_verdicts", Cell::Count(serious as u64));
    let codes: Vec<&str> = run.verdicts.iter().map(|verdict| verdict.code.as_str()).collect();
    row.add("verdicts", Cell::text(codes.join(" ")));
    row.add("recording", Cell::text(run.recording.clone().unwrap_or_default()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_runs::run_of;

    fn cell<'a>(csv: &'a Csv, row: usize, name: &str) -> &'a Cell {
        let column = csv.heads.iter().position(|head| head == name).unwrap();
        &csv.rows[row][column]
    }

    #[test]
    fn a_row_holds_what_came_of_a_run() {
        let mut mixed = run_of(1, 0, 400, 2_000_000);
        mixed.job.work.update_pct = 20.0;
        mixed.outcome.cpu.machine_s = Some(0.5);
        mixed.outcome.faults = vec![("reset, by peer".to_owned(), 3)];
        let table =
            RunTable { runs: vec![run_of(0, 0, 100, 1_000_000), mixed], ..RunTable::default() };
        let csv = Csv::of_runs(&[("a", &table)]);
        assert_eq!(csv.rows.len(), 2);
        assert_eq!(cell(&csv, 0, "ops_per_s"), &Cell::Number(100.0));
        assert_eq!(cell(&csv, 0, "mean_us"), &Cell::Number(1_000.0));
        // 100 operations of a millisecond in a second.
        assert_eq!(cell(&csv, 0, "waited_s_per_s"), &Cell::Number(0.1));
        assert_eq!(cell(&csv, 0, "cpu_us_per_op"), &Cell::Number(1_250.0));
        assert_eq!(cell(&csv, 0, "machine_busy"), &Cell::Empty);
        assert_eq!(cell(&csv, 1, "machine_busy"), &Cell::Number(0.25));
        assert_eq!(cell(&csv, 1, "work.update-pct"), &Cell::Number(20.0));
        assert_eq!(cell(&csv, 0, "began_utc"), &Cell::Text("2023-11-14T22:13:20Z".to_owned()));
        let (Cell::Number(lo), Cell::Number(hi)) =
            (cell(&csv, 1, "p99_lo_us"), cell(&csv, 1, "p99_hi_us"))
        else {
            panic!("{csv:?}");
        };
        assert!(*lo <= 2_000.0 && 2_000.0 < *hi && hi / lo < 1.01);
        assert!(
            !csv.heads
                .iter()
                .any(|head| head.starts_with("arrival.in-flight") || head == "file.block")
        );
        assert_eq!(cell(&csv, 1, "most_frequent_fault"), &Cell::Text("reset, by peer".to_owned()));
        assert!(csv.rows.iter().all(|row| row.len() == csv.heads.len()));
    }
}
