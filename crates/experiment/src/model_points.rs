//! The points that models are fitted to, of a run table or of a table of points.

use isotherm_analysis::queueing::{Loop, Point, Points, PointsError, Sample};
use isotherm_frame::Histogram;
use isotherm_load::{Arrival, Distribution, Job};
use thiserror::Error;

use crate::points_csv::{PointsRow, PointsTable};
use crate::{Run, RunTable};

/// An open loop that delivers less than this share of what was asked was not steady: its queue
/// grew all the time.
const DELIVERED: f64 = 0.98;
/// The largest gap of Little's law that passes without being told.
const LITTLE: f64 = 0.02;

/// Points with what belongs to them.
#[derive(Clone, Debug)]
pub struct ModelPoints {
    /// The points.
    pub points: Points,
    /// The latencies at each point over its repeats, in their order; empty where only means are
    /// known.
    pub latencies: Vec<Histogram>,
    /// What is to be known of them, in words for people.
    pub remarks: Vec<String>,
    /// Runs or rows that were passed over.
    pub passed_over: u64,
}

/// Why there are no points.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelPointsError {
    /// Nothing can be used.
    #[error("no run of it can be used: {0}")]
    NothingUsable(String),
    /// More than the load was varied.
    #[error(
        "more than the load is varied: {}; choose one with --only and a part of its name",
        .0.join("; ")
    )]
    Several(Vec<String>),
    /// A number is no number.
    #[error(transparent)]
    Points(#[from] PointsError),
}

impl ModelPoints {
    /// The points of a run table. Where more than the load was varied, only runs whose label or
    /// setting contains `only`.
    pub fn of_runs(table: &RunTable, only: Option<&str>) -> Result<ModelPoints, ModelPointsError> {
        let matches =
            |run: &&Run| only.is_none_or(|text| setting(run).contains(&text.to_lowercase()));
        let usable: Vec<&Run> = table.usable().into_iter().filter(matches).collect();
        let settings = settings(&usable);
        if settings.len() > 1 {
            return Err(ModelPointsError::Several(settings));
        }
        let first = usable.first().ok_or_else(|| {
            let said = table.account().unwrap_or_else(|| "there are none of that name".to_owned());
            ModelPointsError::NothingUsable(said)
        })?;
        let mut remarks: Vec<String> = table.account().into_iter().collect();
        let mut kept = usable.clone();
        let arrivals = arrivals(&first.job);
        if arrivals == Loop::Open {
            kept.retain(|run| delivers(run));
            let lost = usable.len() - kept.len();
            remarks.extend((lost > 0).then(|| {
                format!(
                    "{lost} of {} runs are left out: their rate was not met, so that their queue grew \
                     for as long as they lasted.",
                    usable.len()
                )
            }));
        }
        let passed_over = table.rejected + (usable.len() - kept.len()) as u64;
        remarks.extend(doubts(&kept));
        let (points, latencies) = grouped(&kept, arrivals);
        if points.is_empty() {
            return Err(ModelPointsError::NothingUsable("no rate was met".to_owned()));
        }
        let points = Points::new(arrivals, points)?;
        Ok(ModelPoints { points, latencies, remarks, passed_over })
    }

    /// The points of a table of points: closed where it tells the number in flight, else open.
    pub fn of_table(table: &PointsTable) -> Result<ModelPoints, ModelPointsError> {
        let closed = table.rows.iter().any(|row| row.in_flight.is_some());
        let arrivals = if closed { Loop::Closed } else { Loop::Open };
        let rows = table.rows.iter().filter_map(|row| point(row, arrivals));
        let points: Vec<Point> = rows.collect();
        if points.is_empty() {
            let said = table.account().unwrap_or_else(|| "it has no rows".to_owned());
            return Err(ModelPointsError::NothingUsable(said));
        }
        Ok(ModelPoints {
            points: Points::new(arrivals, points)?,
            latencies: Vec::new(),
            remarks: on_table(table, arrivals),
            passed_over: table.rejected,
        })
    }

    /// Only the points whose load lies from `least` to `most`.
    pub fn between(mut self, (least, most): (f64, f64)) -> ModelPoints {
        let inside = |point: &Point| (least..=most).contains(&point.load);
        let kept: Vec<bool> = self.points.points.iter().map(inside).collect();
        let mut keep = kept.iter();
        self.latencies.retain(|_| keep.next().copied().unwrap_or(false));
        self.points.points.retain(inside);
        let out = kept.iter().filter(|kept| !**kept).count();
        self.remarks
            .extend((out > 0).then(|| format!("{out} points outside of --loads are left out.")));
        self
    }
}

fn arrivals(job: &Job) -> Loop {
    match job.arrival {
        Arrival::Closed { .. } => Loop::Closed,
        Arrival::Open { .. } => Loop::Open,
    }
}

/// What a run is but for its load: the label without the parts that name it.
fn setting(run: &Run) -> String {
    let parts = run.label.split(',').map(str::trim);
    let rest = parts.filter(|part| !part.starts_with("in-flight") && !part.starts_with("rate"));
    let rest = rest.collect::<Vec<&str>>().join(", ").to_lowercase();
    let kind = if arrivals(&run.job) == Loop::Closed { "closed" } else { "open" };
    let updates = run.job.work.update_pct;
    format!("{kind}, {updates}% updates{}{rest}", if rest.is_empty() { "" } else { ", " })
}

fn settings(runs: &[&Run]) -> Vec<String> {
    let mut found: Vec<String> = runs.iter().map(|run| setting(run)).collect();
    found.sort();
    found.dedup();
    found
}

fn asked(run: &Run) -> f64 {
    match run.job.arrival {
        Arrival::Closed { in_flight, .. } => f64::from(in_flight),
        Arrival::Open { rate_hz, .. } => rate_hz,
    }
}

fn delivers(run: &Run) -> bool {
    run.outcome.per_second() >= DELIVERED * asked(run)
}

/// Runs of one load as one point, by rising load.
fn grouped(runs: &[&Run], arrivals: Loop) -> (Vec<Point>, Vec<Histogram>) {
    let mut sorted = runs.to_vec();
    sorted.sort_by(|a, b| asked(a).total_cmp(&asked(b)));
    let groups = sorted.chunk_by(|a, b| asked(a).total_cmp(&asked(b)).is_eq());
    let one = |group: &[&Run]| {
        let repeats = group.iter().map(|run| samples(run, arrivals)).collect();
        let load = match arrivals {
            Loop::Closed => group.first().map_or(f64::NAN, |run| asked(run)),
            Loop::Open => {
                let delivered = group.iter().map(|run| run.outcome.per_second()).sum::<f64>();
                delivered / group.len() as f64
            }
        };
        let responses: Vec<Distribution> = group.iter().map(|run| run.outcome.response()).collect();
        (Point::measured(load, repeats), Distribution::merged(&responses).histogram())
    };
    let mut both: Vec<(Point, Histogram)> = groups.map(one).collect();
    // Delivered rates need not rise as the asked ones do.
    both.sort_by(|a, b| a.0.load.total_cmp(&b.0.load));
    both.into_iter().unzip()
}

/// The intervals of a run; the run as one where it has none.
fn samples(run: &Run, arrivals: Loop) -> Vec<Sample> {
    let sample = |operations: f64, seconds: f64, waited: f64| match arrivals {
        Loop::Closed => Sample { amount: operations, base: seconds },
        Loop::Open => Sample { amount: waited, base: operations },
    };
    let intervals = run.outcome.intervals.iter().filter(|interval| interval.length_s > 0.0);
    let all: Vec<Sample> = intervals
        .map(|one| sample(one.operations as f64, one.length_s, one.waited_ns as f64 / 1e9))
        .collect();
    if all.iter().map(|one| one.base).sum::<f64>() > 0.0 {
        return all;
    }
    let outcome = &run.outcome;
    let waited = outcome.waited_per_second() * outcome.measured_s;
    vec![sample(outcome.operations() as f64, outcome.measured_s, waited)]
}

/// What is doubtful about the runs themselves.
fn doubts(runs: &[&Run]) -> Vec<String> {
    let count = |holds: &dyn Fn(&&&Run) -> bool| runs.iter().filter(|run| holds(run)).count();
    let mut said = Vec::new();
    let little =
        count(&|run| !run.outcome.offered.think && run.outcome.little.gap().abs() > LITTLE);
    said.extend((little > 0).then(|| {
        format!(
            "In {little} of {} runs X·R differs from N by more than 2 % (Little's law).",
            runs.len()
        )
    }));
    let unsteady = count(&|run| run.steady.steady == Some(false));
    said.extend(
        (unsteady > 0).then(|| format!("{unsteady} of {} runs were not steady.", runs.len())),
    );
    let serious = count(&|run| run.verdicts.iter().any(|verdict| verdict.serious));
    said.extend((serious > 0).then(|| {
        format!("{serious} of {} runs have a serious doubt of their own: see analyze.", runs.len())
    }));
    let thinking = count(&|run| run.outcome.offered.think);
    said.extend((thinking > 0).then(|| {
        "Operations pause between each other: N/X holds the pauses too (a delay: model mva)."
            .to_owned()
    }));
    said
}

fn point(row: &PointsRow, arrivals: Loop) -> Option<Point> {
    match arrivals {
        Loop::Closed => {
            let load = row.in_flight?;
            let throughput = row.throughput.or_else(|| Some(load / row.response_time()?))?;
            Some(Point::bare(load, throughput))
        }
        Loop::Open => Some(Point::bare(row.arrival.or(row.throughput)?, row.response_time()?)),
    }
}

fn on_table(table: &PointsTable, arrivals: Loop) -> Vec<String> {
    let mut said: Vec<String> = table.account().into_iter().collect();
    if !table.without_unit.is_empty() {
        let names = table.without_unit.join(", ");
        said.push(format!("{names}: no unit is in the heading, so these are seconds."));
    }
    let from_throughput = table.rows.iter().any(|row| row.arrival.is_none());
    if arrivals == Loop::Open && from_throughput {
        said.push(
            "Without a number in flight, throughput is taken for an arrival rate.".to_owned(),
        );
    }
    let gap = |row: &PointsRow| {
        let little = row.throughput? * row.response_time()? / row.in_flight?;
        ((little - 1.0).abs() > LITTLE).then_some(())
    };
    let gaps = table.rows.iter().filter_map(gap).count();
    if gaps > 0 {
        said.push(format!(
            "In {gaps} of {} rows X·R differs from N by more than 2 % (Little's law): R = N/X is used.",
            table.rows.len()
        ));
    }
    said
}
