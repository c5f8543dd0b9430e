//! The points of a sweep, each over its repeats.

use std::collections::BTreeMap;

use isotherm_frame::Histogram;
use isotherm_load::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Run, RunTable};

/// What came of one point of a sweep: each number over the repeats whose numbers can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSummary<'a> {
    /// The number of the point.
    pub point: u32,
    /// The point in words.
    pub label: &'a str,
    /// The runs that count, one for each repeat.
    pub runs: Vec<&'a Run>,
    /// Repeats that were cut short, failed, or had no operation that succeeded.
    pub unusable: Vec<&'a Run>,
    /// Operations per second.
    pub throughput: Option<Spread>,
    /// Megabytes (10^6) per second.
    pub megabytes: Option<Spread>,
    /// Mean response time, seconds.
    pub mean_s: Option<Spread>,
    /// The response time that half of the operations kept within, seconds.
    pub p50_s: Option<Spread>,
    /// That 99 % of them kept within, seconds.
    pub p99_s: Option<Spread>,
    /// Seconds waited per second.
    pub waited: Option<Spread>,
    /// CPU of the load generator for one operation, seconds.
    pub cpu_s: Option<Spread>,
    /// Operations that failed, as a share of all.
    pub failed_share: Option<Spread>,
}

/// A number over repeats.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spread {
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

/// A warning about any repeat of a point.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PointVerdict<'a> {
    /// A short name that stays the same, as in the runs.
    pub code: &'a str,
    /// Whether the numbers must not be used without it.
    pub serious: bool,
}

impl Spread {
    /// Of numbers; those that are not finite are left out, and without any there is none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (low, high) = (*values.first()?, *values.last()?);
        let (upper, lower) = (values.len() / 2, (values.len() - 1) / 2);
        let median = f64::midpoint(*values.get(lower)?, *values.get(upper)?);
        Some(Spread { median, low, high })
    }
}

impl RunTable {
    /// The points of the sweep by number, each with what came of it.
    pub fn points(&self) -> Vec<PointSummary<'_>> {
        let mut points: BTreeMap<u32, Vec<&Run>> = BTreeMap::new();
        for run in self.latest() {
            points.entry(run.point).or_default().push(run);
        }
        points.into_iter().map(|(point, runs)| PointSummary::of(point, runs)).collect()
    }
}

impl<'a> PointSummary<'a> {
    /// Of the runs that count of a point.
    pub fn of(point: u32, all: Vec<&'a Run>) -> PointSummary<'a> {
        let label = all.last().map_or("", |run| run.label.as_str());
        let (runs, unusable): (Vec<&Run>, Vec<&Run>) =
            all.into_iter().partition(|run| run.is_usable());
        let histograms: Vec<Histogram> =
            runs.iter().map(|run| run.outcome.response().histogram()).collect();
        let over = |number: fn(&Outcome) -> Option<f64>| {
            Spread::of(runs.iter().filter_map(|run| number(&run.outcome)))
        };
        let quantile = |q: f64| {
            let estimate = |latencies: &Histogram| latencies.quantile(q).ok().map(|at| at.estimate);
            Spread::of(
                histograms.iter().filter_map(estimate).map(isotherm_frame::Nanos::as_secs_f64),
            )
        };
        PointSummary {
            point,
            label,
            throughput: over(|outcome| Some(outcome.per_second())),
            megabytes: over(|outcome| Some(outcome.megabytes_per_second())),
            mean_s: over(|outcome| outcome.mean_ns().map(|ns| ns / 1e9)),
            p50_s: quantile(0.5),
            p99_s: quantile(0.99),
            waited: over(|outcome| Some(outcome.waited_per_second())),
            cpu_s: over(|outcome| outcome.cpu_per_operation_ns().map(|ns| ns / 1e9)),
            failed_share: over(|outcome| Some(failed_share(outcome))),
            runs,
            unusable,
        }
    }

    /// Of how many repeats it is known that throughput was steady, and of how many whether it was.
    pub fn steady(&self) -> (usize, usize) {
        let known = self.runs.iter().filter_map(|run| run.steady.steady);
        (known.clone().filter(|steady| *steady).count(), known.count())
    }

    /// Whether the p99 must not be named: what was offered did not go through, so that it depends
    /// on how long was measured; or too much was not measured or failed.
    pub fn p99_withheld(&self) -> bool {
        let mut verdicts = self.runs.iter().flat_map(|run| &run.verdicts);
        verdicts.any(|verdict| verdict.withholds_tail().is_some())
    }

    /// Warnings about any repeat, each code once, serious ones first.
    pub fn verdicts(&self) -> Vec<PointVerdict<'a>> {
        let mut found: Vec<PointVerdict> = Vec::new();
        for verdict in self.runs.iter().chain(&self.unusable).flat_map(|run| &run.verdicts) {
            match found.iter_mut().find(|one| one.code == verdict.code) {
                Some(one) => one.serious |= verdict.serious,
                None => {
                    found.push(PointVerdict { code: &verdict.code, serious: verdict.serious });
                }
            }
        }
        found.sort_by_key(|verdict| !verdict.serious);
        found
    }

    /// [`PointSummary::megabytes`], where any bytes were moved.
    pub fn megabytes_moved(&self) -> Option<Spread> {
        self.megabytes.filter(|megabytes| megabytes.high > 0.0)
    }

    /// [`PointSummary::p99_s`], where it may be named.
    pub fn named_p99_s(&self) -> Option<Spread> {
        self.p99_s.filter(|_| !self.p99_withheld())
    }
}

fn failed_share(outcome: &Outcome) -> f64 {
    let failed = outcome.failed() as f64;
    failed / (failed + outcome.operations() as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::sample_runs::{run, run_of};

    #[test]
    fn medians_and_ranges_over_repeats() {
        let runs = vec![run_of(0, 0, 100, 2_000_000), run_of(0, 1, 400, 1_000_000), run(0, 2, 200)];
        let table = RunTable { runs, ..RunTable::default() };
        let points = table.points();
        assert_eq!(points.len(), 1);
        let spread = |median, low, high| Some(Spread { median, low, high });
        assert_eq!(points[0].throughput, spread(200.0, 100.0, 400.0));
        assert_eq!(points[0].mean_s, spread(0.001, 0.001, 0.002));
        // 100 operations of 2 ms, 400 of 1 ms and 200 of 1 ms, each in one second.
        assert_eq!(points[0].waited, spread(0.2, 0.2, 0.4));
        // 0.125 s of CPU in each.
        assert_eq!(points[0].cpu_s, spread(0.125 / 200.0, 0.125 / 400.0, 0.125 / 100.0));
        let p99 = points[0].p99_s.unwrap_or_default();
        assert!((p99.high / 0.002 - 1.0).abs() < 0.004, "{p99:?}");
        assert_eq!(points[0].steady(), (3, 3));
    }

    #[test]
    fn repeats_without_result_are_distinguished() {
        let mut gone = run(1, 1, 50);
        gone.outcome.ended = isotherm_load::Ended::Failed("gone".to_owned());
        let verdict =
            |code: &str, serious| Verdict { code: code.to_owned(), serious, words: String::new() };
        gone.verdicts = vec![verdict("little", false), verdict("failed", true)];
        let table =
            RunTable { runs: vec![run(1, 0, 80), gone, run(0, 0, 40)], ..RunTable::default() };
        let points = table.points();
        let seen: Vec<_> = points
            .iter()
            .map(|point| (point.point, point.runs.len(), point.unusable.len()))
            .collect();
        assert_eq!(seen, [(0, 1, 0), (1, 1, 1)]);
        assert_eq!(points[1].throughput.map(|spread| spread.high), Some(80.0));
        let verdict = |code, serious| PointVerdict { code, serious };
        assert_eq!(points[1].verdicts(), [verdict("failed", true), verdict("little", false)]);
    }

    #[test]
    fn an_even_number_has_two_in_the_middle() {
        let spread = Spread::of([4.0, 1.0, f64::NAN, 2.0, 8.0]);
        assert_eq!(spread, Some(Spread { median: 3.0, low: 1.0, high: 8.0 }));
        assert_eq!(Spread::of([f64::NAN]), None);
    }
}
