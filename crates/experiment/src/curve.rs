//! Curves of a sweep: the points that differ in their load only, and where they bend.

use isotherm_frame::Nanos;

use crate::{PointSummary, Run, RunTable};

/// Repeats that differ in throughput by a larger part of their median disagree.
const APART: f64 = 0.1;
/// Repeats whose p99 differ by a larger factor disagree.
const TIMES_APART: f64 = 1.5;
/// The most limits that are chosen where none are asked for.
const LIMITS: usize = 4;

/// Points that differ in their load only, by load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCurve<'a> {
    /// What tells it from the other curves of its sweep: `update-pct 20`; empty where there is one.
    pub name: String,
    /// Whether the load is a rate of arrivals (open loop) instead of operations in flight.
    pub open: bool,
    /// The points that have a throughput and latencies, by load.
    pub points: Vec<CurvePoint<'a>>,
}

/// A point of a curve: medians over its repeats, with their ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint<'a> {
    /// Operations in flight, or arrivals asked for per second.
    pub load: f64,
    /// Median throughput, operations per second.
    pub throughput: f64,
    /// Median of the mean response times, seconds.
    pub mean_s: f64,
    /// The largest p99 of any repeat, seconds.
    pub worst_p99_s: f64,
    /// Everything about it.
    pub summary: PointSummary<'a>,
}

/// The point of a curve where throughput by mean response time is largest, and where on it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Bend<'a> {
    /// The point.
    pub at: &'a CurvePoint<'a>,
    /// Whether no point has a smaller load: it may lie below all of them.
    pub is_first: bool,
    /// Whether no point has a larger load: it may lie beyond all of them.
    pub is_last: bool,
}

/// How far apart the repeats of a point are.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// The range of throughput as a share of its median.
    pub throughput: f64,
    /// The largest p99 by the smallest.
    pub p99: f64,
    /// Whether that is much.
    pub is_large: bool,
}

impl RunTable {
    /// The curves of the sweep, in the order of their first points.
    pub fn curves(&self) -> Vec<LoadCurve<'_>> {
        let mut curves: Vec<LoadCurve> = Vec::new();
        for point in self.points().into_iter().filter_map(CurvePoint::of) {
            let (name, open) = (rest_of(point.summary.label), point.is_open());
            match curves.iter_mut().find(|curve| curve.name == name && curve.open == open) {
                Some(curve) => curve.points.push(point),
                None => curves.push(LoadCurve { name, open, points: vec![point] }),
            }
        }
        for curve in &mut curves {
            curve.points.sort_by(|one, other| one.load.total_cmp(&other.load));
        }
        curves
    }
}

impl<'a> CurvePoint<'a> {
    fn of(summary: PointSummary<'a>) -> Option<CurvePoint<'a>> {
        let offered = &summary.runs.first()?.outcome.offered;
        Some(CurvePoint {
            load: offered.rate_hz.unwrap_or(f64::from(offered.in_flight)),
            throughput: summary.throughput?.median,
            mean_s: summary.mean_s?.median,
            worst_p99_s: summary.p99_s?.high,
            summary,
        })
    }

    fn is_open(&self) -> bool {
        self.summary.runs.first().is_some_and(|run| run.outcome.offered.rate_hz.is_some())
    }

    /// Whether it is to be taken with care: a repeat that was not steady, or of which something
    /// serious is doubtful.
    pub fn is_doubtful(&self) -> bool {
        let (steady, known) = self.summary.steady();
        let serious = |run: &&Run| run.verdicts.iter().any(|verdict| verdict.serious);
        steady < known || self.summary.runs.iter().any(serious)
    }

    /// How far its repeats are apart; `None` without repeats.
    pub fn disagreement(&self) -> Option<Disagreement> {
        let (throughput, p99) = (self.summary.throughput?, self.summary.p99_s?);
        if self.summary.runs.len() < 2 || throughput.median <= 0.0 || p99.low <= 0.0 {
            return None;
        }
        let apart = (throughput.high - throughput.low) / throughput.median;
        let times = p99.high / p99.low;
        let is_large = apart > APART || times > TIMES_APART;
        Some(Disagreement { throughput: apart, p99: times, is_large })
    }
}

impl<'a> LoadCurve<'a> {
    /// Where saturation begins: where power, throughput by mean response time, is largest
    /// (Kleinrock, Power and deterministic rules of thumb for probabilistic problems, 1979). Up
    /// to there more load brings more throughput than waiting. `None` with fewer than two points.
    pub fn bend(&'a self) -> Option<Bend<'a>> {
        let power = |point: &CurvePoint| point.throughput / point.mean_s;
        let usable = self.points.iter().enumerate().filter(|(_, point)| power(point).is_finite());
        let (index, at) = usable.max_by(|one, two| power(one.1).total_cmp(&power(two.1)))?;
        let last = self.points.len().checked_sub(1).filter(|last| *last > 0)?;
        Some(Bend { at, is_first: index == 0, is_last: index == last })
    }

    /// The point with the most throughput.
    pub fn most(&self) -> Option<&CurvePoint<'a>> {
        self.points.iter().max_by(|one, two| one.throughput.total_cmp(&two.throughput))
    }

    /// The point with the most throughput of those whose p99 kept within a limit in every repeat.
    pub fn within(&self, limit: Nanos) -> Option<&CurvePoint<'a>> {
        let limit = limit.as_secs_f64();
        let kept = self.points.iter().filter(|point| point.worst_p99_s <= limit);
        kept.max_by(|one, two| one.throughput.total_cmp(&two.throughput))
    }

    /// Round limits of response time that different points keep within, smallest first: at most
    /// four.
    pub fn limits(&self) -> Vec<Nanos> {
        let mut chosen: Vec<(Nanos, f64)> = Vec::new();
        let powers = (0..11_u32).map(|power| 10_u64.pow(power));
        let ladder = powers.flat_map(|power| [1, 2, 5].map(|step| Nanos::new(step * power)));
        for limit in ladder {
            let Some(point) = self.within(limit) else { continue };
            if chosen.last().is_none_or(|(_, throughput)| point.throughput > *throughput) {
                chosen.push((limit, point.throughput));
            }
        }
        let skipped = chosen.len().saturating_sub(LIMITS);
        chosen.into_iter().skip(skipped).map(|(limit, _)| limit).collect()
    }
}

/// A label without the load: what tells one curve from another.
pub(crate) fn rest_of(label: &str) -> String {
    let is_load = |part: &&str| part.starts_with("in-flight ") || part.starts_with("rate ");
    let rest: Vec<&str> = label.split(", ").filter(|part| !is_load(part)).collect();
    rest.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_runs::run_of;

    /// A closed sweep: in flight, operations in one second, latency of each.
    fn table(points: &[(u32, u64, u64)]) -> RunTable {
        let runs = points.iter().map(|&(in_flight, operations, latency_ns)| {
            let mut run = run_of(in_flight - 1, 0, operations, latency_ns);
            run.outcome.offered.in_flight = in_flight;
            run
        });
        RunTable { runs: runs.collect(), ..RunTable::default() }
    }

    #[test]
    fn power_is_largest_at_the_bend() {
        // Four servers of one millisecond: X = min(N, 4) * 1000, R = N / X.
        let table = table(&[
            (1, 1_000, 1_000_000),
            (2, 2_000, 1_000_000),
            (4, 4_000, 1_000_000),
            (8, 4_000, 2_000_000),
            (16, 4_000, 4_000_000),
        ]);
        let curves = table.curves();
        let bend = curves[0].bend().unwrap();
        assert_eq!((curves.len(), bend.at.load), (1, 4.0));
        assert!(!bend.is_first && !bend.is_last);
        let limit = |ns| curves[0].within(Nanos::new(ns)).map(|point| point.load);
        assert_eq!(limit(900_000), None);
        assert_eq!(limit(1_100_000), Some(4.0), "within a bucket of one millisecond");
        assert_eq!(curves[0].limits(), [Nanos::from_millis(2)]);
    }

    #[test]
    fn a_sweep_that_ended_too_soon_says_so() {
        let table = table(&[(1, 1_000, 1_000_000), (2, 2_000, 1_000_000)]);
        let curves = table.curves();
        assert!(curves[0].bend().unwrap().is_last);
        let single = RunTable { runs: table.runs[..1].to_vec(), ..RunTable::default() };
        assert_eq!(single.curves()[0].bend(), None, "one point has no bend");
    }

    #[test]
    fn what_else_is_varied_makes_curves_of_their_own() {
        let mut table = table(&[(1, 1_000, 1_000_000), (2, 2_000, 1_000_000), (3, 900, 9_000)]);
        for (run, label) in table.runs.iter_mut().zip([
            "in-flight 1, update-pct 0",
            "in-flight 2, update-pct 0",
            "in-flight 3, update-pct 50",
        ]) {
            run.label = label.to_owned();
        }
        table.runs[2].outcome.offered.rate_hz = Some(900.0);
        let seen: Vec<_> =
            table.curves().iter().map(|c| (c.name.clone(), c.open, c.points.len())).collect();
        assert_eq!(
            seen,
            [("update-pct 0".to_owned(), false, 2), ("update-pct 50".to_owned(), true, 1)]
        );
    }

    #[test]
    fn repeats_that_are_far_apart_disagree() {
        let mut runs = vec![run_of(0, 0, 1_000, 1_000_000), run_of(0, 1, 1_050, 1_000_000)];
        let of = |runs: &[crate::Run]| {
            let table = RunTable { runs: runs.to_vec(), ..RunTable::default() };
            table.curves()[0].points[0].disagreement()
        };
        let near = of(&runs).unwrap();
        assert!(!near.is_large && (near.throughput - 50.0 / 1_025.0).abs() < 1e-12);
        runs.push(run_of(0, 2, 1_000, 2_000_000));
        assert!(of(&runs).unwrap().is_large && (of(&runs).unwrap().p99 - 2.0).abs() < 0.01);
        assert_eq!(of(&runs[..1]), None, "nothing to compare");
    }

    #[test]
    fn what_was_not_steady_or_is_doubtful_is_reported() {
        let mut table = table(&[(1, 1_000, 1_000_000)]);
        let doubtful = |table: &RunTable| table.curves()[0].points[0].is_doubtful();
        assert!(!doubtful(&table));
        table.runs[0].steady.steady = Some(false);
        assert!(doubtful(&table));
        table.runs[0].steady.steady = None;
        assert!(!doubtful(&table), "nothing is known");
    }
}
