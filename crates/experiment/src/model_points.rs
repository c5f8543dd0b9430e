//! The points that models are fitted to, of a run table or of a table of points.

use isotherm_frame::Histogram;
use isotherm_load::{Arrival, Distribution, Job};
use isotherm_queueing::{Loop, Observation, Point, Points, PointsError, Sample};
use thiserror::Error;

use crate::points_csv::{PointsRow, PointsTable};
use crate::{Run, RunTable};

/// An open loop that delivers less than this share of what was asked was not steady: its queue
/// grew all the time.
const DELIVERED: f64 = 0.98;
/// The largest gap of Little's law that passes without being reported.
const LITTLE: f64 = 0.02;

/// Points with what belongs to them.
#[derive(Clone, Debug)]
pub struct ModelPoints {
    /// The points.
    pub points: Points,
    /// The latencies at each point over its repeats, in their order; empty where only means are
    /// known.
    pub latencies: Vec<Histogram>,
    /// The rows of a table that all have arrivals, service and response time; empty otherwise.
    pub observations: Vec<Observation>,
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
        "more than the load is varied: {}; choose one with --series and a part of its name",
        .0.join("; ")
    )]
    Several(Vec<String>),
    /// Columns do not describe the same operations.
    #[error(
        "in {rows} of {of} rows throughput × response time is not the number in flight ({columns}): \
         these columns do not belong together (Little's law). Name those to use, such as --columns \
         n=HEADING,x=HEADING or arrivals=HEADING,response_us=HEADING"
    )]
    Mismatch {
        /// Rows that contradict themselves.
        rows: usize,
        /// Rows there are.
        of: usize,
        /// The columns that were chosen.
        columns: String,
    },
    /// The load of a recording hardly changes.
    #[error(
        "the load hardly changes ({least:.3} to {most:.3} events/s over {intervals} intervals), so \
         nothing can be fitted: record while load goes from light to heavy, or use isotherm sweep"
    )]
    SteadyLoad {
        /// Events per second of the quietest group of intervals.
        least: f64,
        /// The same of the busiest.
        most: f64,
        /// Intervals there are.
        intervals: usize,
    },
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
                    "Left out are runs that did not keep their rate; their queue grew as long as they \
                     lasted: {lost} of {}.",
                    usable.len()
                )
            }));
        }
        let passed_over = table.rejected + (usable.len() - kept.len()) as u64;
        remarks.extend(warnings(&kept));
        let (points, latencies) = grouped(&kept, arrivals);
        if points.is_empty() {
            return Err(ModelPointsError::NothingUsable("no rate was met".to_owned()));
        }
        let points = Points::new(arrivals, points)?;
        Ok(ModelPoints { points, latencies, observations: Vec::new(), remarks, passed_over })
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
        mismatch(table)?;
        Ok(ModelPoints {
            points: Points::new(arrivals, points)?,
            latencies: Vec::new(),
            observations: observations(table, arrivals),
            remarks: on_table(table, arrivals),
            passed_over: table.rejected,
        })
    }

    /// Only the points whose load lies from `least` to `most`.
    #[must_use]
    pub fn between(mut self, (least, most): (f64, f64)) -> ModelPoints {
        let inside = |point: &Point| (least..=most).contains(&point.load);
        let kept: Vec<bool> = self.points.points.iter().map(inside).collect();
        let mut keep = kept.iter();
        self.latencies.retain(|_| keep.next().copied().unwrap_or(false));
        self.points.points.retain(inside);
        self.observations.retain(|one| (least..=most).contains(&one.arrival_per_s));
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
    format!("{kind}, {updates} % updates{}{rest}", if rest.is_empty() { "" } else { ", " })
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
        (Point::measured(load, repeats), latencies(group))
    };
    let mut both: Vec<(Point, Histogram)> = groups.map(one).collect();
    // Delivered rates need not rise as the asked ones do.
    both.sort_by(|a, b| a.0.load.total_cmp(&b.0.load));
    both.into_iter().unzip()
}

/// The latencies of several runs; none where they are more than can be counted.
fn latencies(runs: &[&Run]) -> Histogram {
    let responses: Vec<Distribution> = runs.iter().map(|run| run.outcome.response()).collect();
    let mut events = responses.iter().map(|response| response.events);
    let countable = events.try_fold(0_u64, u64::checked_add).is_some();
    let all = if countable { Distribution::merged(&responses) } else { Distribution::default() };
    all.histogram()
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

/// Warnings about the runs themselves.
fn warnings(runs: &[&Run]) -> Vec<String> {
    let count = |holds: &dyn Fn(&&&Run) -> bool| runs.iter().filter(|run| holds(run)).count();
    let mut said = Vec::new();
    let little =
        count(&|run| !run.outcome.offered.think && run.outcome.little.gap().abs() > LITTLE);
    said.extend((little > 0).then(|| {
        format!(
            "In {little} of {} runs throughput × response time differs from the number in flight by \
             more than 2 % (Little's law).",
            runs.len()
        )
    }));
    let unsteady = count(&|run| run.steady.steady == Some(false));
    said.extend((unsteady > 0).then(|| format!("Not steady: {unsteady} of {} runs.", runs.len())));
    let serious = count(&|run| run.verdicts.iter().any(|verdict| verdict.serious));
    said.extend((serious > 0).then(|| {
        format!("{} have serious warnings; see `isotherm analyze`.", of_all(serious, runs.len()))
    }));
    let thinking = count(&|run| run.outcome.offered.think);
    said.extend((thinking > 0).then(|| {
        "Operations pause between each other: N/X holds the pauses too (a delay: model mva)."
            .to_owned()
    }));
    said
}

/// `All 5 runs`, `3 of 5 runs`.
fn of_all(count: usize, all: usize) -> String {
    if count == all { format!("All {all} runs") } else { format!("{count} of {all} runs") }
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

/// The rows of an open table as observations; none if one of them does not say how much is service.
fn observations(table: &PointsTable, arrivals: Loop) -> Vec<Observation> {
    let one = |row: &PointsRow| {
        let response_s = row.response_time()?;
        let service_s = row.service.or_else(|| Some(response_s - row.queue?))?;
        Some(Observation { arrival_per_s: row.arrival.or(row.throughput)?, service_s, response_s })
    };
    let all: Option<Vec<Observation>> = table.rows.iter().map(one).collect();
    all.filter(|_| arrivals == Loop::Open).unwrap_or_default()
}

/// Columns that contradict each other: more waits than is in flight, or so much less that the column
/// of response times must be of something else. Users who name columns know of pauses.
fn mismatch(table: &PointsTable) -> Result<(), ModelPointsError> {
    const BELONGS: std::ops::RangeInclusive<f64> = 0.1..=2.0;
    let little = |row: &PointsRow| Some(row.throughput? * row.response_time()? / row.in_flight?);
    let all: Vec<f64> = table.rows.iter().filter_map(little).collect();
    let rows = all.iter().filter(|little| !BELONGS.contains(little)).count();
    if table.named || rows * 2 <= all.len() {
        return Ok(());
    }
    Err(ModelPointsError::Mismatch { rows, of: all.len(), columns: table.chosen.join(", ") })
}

fn on_table(table: &PointsTable, arrivals: Loop) -> Vec<String> {
    let mut said = vec![format!("Columns: {}.", table.chosen.join(", "))];
    said.extend(table.notes.iter().cloned());
    said.extend(table.account());
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
            "In {gaps} of {} rows throughput × response time differs from the number in flight by more \
             than 2 % (Little's law): R = N/X is used.",
            table.rows.len()
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use isotherm_load::Spacing;

    use super::*;
    use crate::sample_runs::{run, run_of};

    fn table(runs: Vec<Run>) -> RunTable {
        RunTable { runs, ..RunTable::default() }
    }

    fn open(point: u32, rate_hz: f64, operations: u64) -> Run {
        let arrival = Arrival::Open { rate_hz, spacing: Spacing::Poisson, slots: 64 };
        let mut run = run_of(point, 0, operations, 2_000_000);
        run.job.arrival = arrival;
        run.label = format!("rate {rate_hz}");
        run
    }

    #[test]
    fn repeats_of_a_load_are_one_point() {
        let runs = vec![run(3, 0, 400), run(0, 0, 100), run(0, 1, 120), run(3, 1, 380)];
        let found = ModelPoints::of_runs(&table(runs), None).unwrap();
        assert_eq!(found.points.arrivals, Loop::Closed);
        assert_eq!(found.points.loads(), [1.0, 4.0]);
        let values: Vec<f64> = found.points.points.iter().map(|point| point.value).collect();
        assert_eq!(values, [110.0, 390.0]);
        // 10 of 110 and 10 of 390, pooled: two repeats tell little of how much runs of one load differ.
        let pooled = f64::midpoint((10.0_f64 / 110.0).powi(2), (10.0_f64 / 390.0).powi(2));
        assert!((found.points.points[0].sigma.unwrap() - pooled.sqrt()).abs() < 1e-12);
        assert_eq!(found.latencies.iter().map(Histogram::events).collect::<Vec<_>>(), [220, 780]);
        assert_eq!(found.between((2.0, 9.0)).points.loads(), [4.0]);
    }

    #[test]
    fn an_open_loop_has_response_times_over_what_was_delivered() {
        let runs = vec![open(0, 100.0, 101), open(1, 200.0, 199), open(2, 400.0, 300)];
        let found = ModelPoints::of_runs(&table(runs), None).unwrap();
        assert_eq!(found.points.arrivals, Loop::Open);
        assert_eq!(found.points.loads(), [101.0, 199.0]);
        assert!((found.points.points[0].value - 0.002).abs() < 1e-12);
        assert_eq!(found.passed_over, 1);
        assert!(found.remarks[0].contains("1 of 3"), "{:?}", found.remarks);
    }

    #[test]
    fn where_more_than_the_load_varies_one_must_be_chosen() {
        let mixed = |point, updates: f64| {
            let mut run = run(point, 0, 100);
            run.job.work.update_pct = updates;
            run.label = format!("in-flight {}, update-pct {updates}", point + 1);
            run
        };
        let table = table(vec![mixed(0, 0.0), mixed(1, 0.0), mixed(2, 20.0)]);
        let Err(ModelPointsError::Several(settings)) = ModelPoints::of_runs(&table, None) else {
            panic!("two settings were taken for one")
        };
        assert_eq!(settings.len(), 2, "{settings:?}");
        let found = ModelPoints::of_runs(&table, Some("update-pct 20")).unwrap();
        assert_eq!(found.points.loads(), [3.0]);
        let none = ModelPoints::of_runs(&table, Some("update-pct 50"));
        assert!(matches!(none, Err(ModelPointsError::NothingUsable(_))));
    }

    #[test]
    fn a_table_is_closed_where_it_tells_the_number_in_flight() {
        let read = |text: &str| ModelPoints::of_table(&PointsTable::read(text).unwrap()).unwrap();
        let closed = read("n,x,r_ms\n1,100,10\n2,180,10\n");
        assert_eq!(closed.points.arrivals, Loop::Closed);
        assert_eq!(
            closed.remarks[0],
            "Columns: in flight = n, throughput = x, response time = r_ms."
        );
        assert!(closed.remarks[1].contains("1 of 2 rows"), "{:?}", closed.remarks);
        let by_response = read("n,r_ms\n1,10\n4,20\n");
        let values: Vec<f64> = by_response.points.points.iter().map(|point| point.value).collect();
        assert!((values[0] - 100.0).abs() < 1e-9 && (values[1] - 200.0).abs() < 1e-9);
        let open = read("x,r_ms\n100,10\n180,12\n");
        assert_eq!(open.points.arrivals, Loop::Open);
        assert!(open.remarks[1].contains("taken for an arrival rate"), "{:?}", open.remarks);
        assert!(closed.observations.is_empty() && open.observations.is_empty());
        let services = |text: &str| -> Vec<f64> {
            read(text).observations.iter().map(|one| one.service_s).collect()
        };
        assert_eq!(services("l,s,q\n100,0.5,0.25\n200,0.5,1\n"), [0.5, 0.5]);
        assert_eq!(services("l,r,q\n100,0.75,0.25\n"), [0.5]);
        assert_eq!(services("l,s,r\n100,0.5,0.75\n100,,0.75\n"), Vec::<f64>::new());
    }

    #[test]
    fn columns_that_contradict_each_other_are_refused_unless_they_are_named() {
        // 65 sessions, .685 transactions a second of 1.7 ms each: not the same things.
        let text = "sessions,transactions_per_s,latency_us\n65,0.685,1700\n70,0.9,1900\n";
        let table = PointsTable::read(text).unwrap();
        let refused = ModelPoints::of_table(&table).unwrap_err().to_string();
        assert!(refused.contains("in 2 of 2 rows") && refused.contains("--columns"), "{refused}");
        let columns = [("n", "sessions"), ("x", "transactions_per_s"), ("r_us", "latency_us")];
        let columns = columns.map(|(role, name)| (role.to_owned(), name.to_owned())).to_vec();
        let choice = crate::ColumnChoice { columns, only: None };
        let named = PointsTable::read_as(text, &choice).unwrap();
        assert!(ModelPoints::of_table(&named).is_ok());
    }

    #[test]
    fn tables_that_a_sweep_writes_give_the_points_of_the_sweep() {
        let label = |point: u32, repeat, operations| {
            let mut run = run(point, repeat, operations);
            run.label = format!("in-flight {}", point + 1);
            run.outcome.offered.in_flight = point + 1;
            run
        };
        let table = table(vec![label(0, 0, 100), label(3, 0, 380), label(3, 1, 420)]);
        let direct = ModelPoints::of_runs(&table, None).unwrap();
        for csv in [crate::Csv::of_points(&table), crate::Csv::of_runs(&[("a", &table)])] {
            let mut text = Vec::new();
            csv.write(&mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let read = PointsTable::read(&text).unwrap();
            let found = ModelPoints::of_table(&read).unwrap();
            assert_eq!(found.points.arrivals, Loop::Closed, "{text}");
            assert_eq!(found.points.loads(), direct.points.loads());
            let values = |points: &Points| {
                points.points.iter().map(|point| point.value).collect::<Vec<f64>>()
            };
            for (one, two) in values(&found.points).iter().zip(values(&direct.points)) {
                assert!((one / two - 1.0).abs() < 1e-6, "{one} {two}");
            }
        }
    }
}
