//! Batches in words, tables and charts.

use isotherm_frame::numbers::grouped;
use isotherm_frame::percent;
use isotherm_queueing::{Model, PublishedCase, published};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::measure::SESSIONS;
use super::model::{Models, servers};
use super::stretch::{Round, Stretch, ratio, totals};
use crate::server::Server;
use crate::{Estimate, Finding, Verdict};

/// Places at which a curve is computed.
const STEPS: u32 = 60;
/// The response times that a curve reaches, in those of the observation.
const HIGHEST: f64 = 4.0;

/// What the rounds come to.
pub fn finding(rounds: &[Round], server: &Server<'_>) -> Finding {
    let batches = totals(rounds);
    let models = Models::of(&batches);
    let ends = (
        batches.last().map_or(1, |most| most.batch),
        batches.first().map_or(1, |least| least.batch),
    );
    let changes = [
        ratio(rounds, ends, Stretch::response_s),
        ratio(rounds, ends, Stretch::service_s),
        ratio(rounds, ends, Stretch::queue_s),
    ];
    let mut remarks: Vec<String> = predicted(&batches, &models).into_iter().collect();
    remarks.extend(fitted(&models));
    remarks.extend(closed(&batches));
    remarks.push(counted(&batches));
    remarks.extend(server.remarks.iter().cloned());
    Finding {
        verdict: judged(changes),
        sentence: sentence(&batches),
        uncertainty: uncertainty(ends, changes),
        remarks,
        tables: vec![times(&batches), predictions(&batches, &models), example()],
        charts: vec![curve(&batches, &models), parts(&batches)],
        figures: Vec::new(),
    }
}

/// By the intervals of response, service and queue time, as shares of those of one row a commit.
fn judged(changes: [Option<Estimate>; 3]) -> Verdict {
    let all = |lo: f64, hi: f64| {
        changes.iter().all(|change| change.is_some_and(|change| change.lies_within(lo, hi)))
    };
    let any_above = changes
        .iter()
        .any(|change| change.is_some_and(|change| change.lies_within(1.0, f64::INFINITY)));
    match () {
        () if all(f64::NEG_INFINITY, 1.0) => Verdict::Holds,
        () if any_above => Verdict::Fails,
        () => Verdict::Unsure,
    }
}

fn sentence(batches: &[Stretch]) -> String {
    let (Some(one), Some(most)) = (batches.first(), batches.last()) else { return String::new() };
    format!(
        "with {} rows a commit a row takes {} instead of {}: {} of service instead of {}, {} of queueing \
         instead of {}; {} rows/s instead of {}.",
        most.batch,
        waited(most.response_s()),
        waited(one.response_s()),
        waited(most.service_s()),
        waited(one.service_s()),
        waited(most.queue_s()),
        waited(one.queue_s()),
        rate(most),
        rate(one)
    )
}

fn uncertainty((batch, _): (u64, u64), changes: [Option<Estimate>; 3]) -> String {
    let parts =
        ["response", "service", "queue"].iter().zip(changes).filter_map(|(name, change)| {
            let change = change.filter(|change| change.reach.is_finite())?;
            Some(format!("{:.1} % ± {:.1} % ({name})", change.mean * 100.0, change.reach * 100.0))
        });
    let parts = parts.collect::<Vec<String>>().join(", ");
    let rounds = changes[0].map_or(0, |change| change.count);
    format!(
        "Of the time with one row a commit, {batch} rows a commit leave {parts}; ± is an interval of 90 % \
         confidence, of {rounds} rounds."
    )
}

/// What one observation predicts of the other batches, and how far off that is.
fn predicted(batches: &[Stretch], models: &Models) -> Option<String> {
    let (_, others) = batches.split_first()?;
    let [cpu, _] = models.solved?;
    let errors: Vec<f64> = others
        .iter()
        .filter_map(|batch| {
            Some(models.predicted(Model::OrapubCpu, batch)? / batch.response_s() - 1.0)
        })
        .collect();
    let never = errors.iter().filter(|error| error.is_infinite()).count();
    let finite = || errors.iter().copied().filter(|error| error.is_finite());
    let found = match finite().count() {
        0 => String::new(),
        _ => format!(
            "; where it predicts a time, that is {} to {} of the measured one",
            percent(1.0 + finite().fold(f64::INFINITY, f64::min)),
            percent(1.0 + finite().fold(f64::NEG_INFINITY, f64::max))
        ),
    };
    Some(format!(
        "One observation (one row a commit) gives {:.4} effective servers by the CPU form. In {never} of {} \
         other batches these could not do what was done{found}.",
        cpu.servers,
        errors.len()
    ))
}

fn fitted(models: &Models) -> Option<String> {
    let (servers, error) = models.fitted?;
    Some(format!(
        "Fitted to all batches: {servers:.4} effective servers, rms error {}.",
        percent(error)
    ))
}

fn closed(batches: &[Stretch]) -> Option<String> {
    let (one, most) = (batches.first()?, batches.last()?);
    let in_flight = |stretch: &Stretch| stretch.rate() * stretch.response_s();
    Some(format!(
        "{SESSIONS} sessions without pauses are a closed system: {:.2} and {:.2} rows in flight with one and \
         {} rows a commit (Little's law). Busy processors (S × L): {:.3} and {:.3}; only where these are \
         alike must the formula agree.",
        in_flight(one),
        in_flight(most),
        most.batch,
        one.busy(),
        most.busy()
    ))
}

fn counted(batches: &[Stretch]) -> String {
    let rows: u64 = batches.iter().map(|batch| batch.work.rows).sum();
    format!(
        "The sessions reported {} rows, and count(*) of the table found as many after every round.",
        grouped(rows)
    )
}

fn rate(batch: &Stretch) -> String {
    isotherm_frame::numbers::whole(batch.rate())
}

fn times(batches: &[Stretch]) -> Table {
    let row = |batch: &Stretch| {
        vec![
            batch.batch.to_string(),
            grouped(batch.work.rows),
            grouped(batch.work.rows / batch.batch),
            rate(batch),
            waited(batch.response_s()),
            waited(batch.service_s()),
            waited(batch.queue_s()),
            waited(batch.runnable_s()),
            format!("{:.3}", batch.busy()),
        ]
    };
    let head = [
        "rows a commit",
        "rows",
        "commits",
        "rows/s",
        "response",
        "service",
        "queue",
        "for a processor",
        "busy",
    ];
    Table {
        caption: "Times of one row: response is service (CPU) and queue (everything else, of it the wait \
                  for a processor)"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: batches.iter().map(row).collect(),
    }
}

fn predictions(batches: &[Stretch], models: &Models) -> Table {
    let time = |time: Option<f64>| match time {
        Some(time) if time.is_finite() => waited(time),
        Some(_) => "never".to_owned(),
        None => "-".to_owned(),
    };
    let row = |batch: &Stretch| {
        vec![
            batch.batch.to_string(),
            waited(batch.response_s()),
            time(models.predicted(Model::OrapubCpu, batch)),
            time(models.predicted(Model::OrapubIo, batch)),
            time(models.fitted_at(batch)),
            servers(batch).map_or_else(|| "-".to_owned(), |servers| format!("{servers:.4}")),
        ]
    };
    let head =
        ["rows a commit", "measured", "CPU form", "I/O form", "fitted", "servers of its own"];
    Table {
        caption: "The response time of a row: measured, predicted by the first line (never: more work than \
                  its servers can do), and by the servers that fit all lines"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: batches.iter().map(row).collect(),
    }
}

/// OraPub's own example, computed again.
fn example() -> Table {
    let example = published();
    let row = |case: &PublishedCase| {
        let observed =
            case.observed.map_or_else(|| "-".to_owned(), |observed| format!("{observed:.4}"));
        let in_flight = case
            .observed
            .map_or_else(|| "-".to_owned(), |observed| format!("{:.3}", observed * case.arrival));
        let printed = match case.off_by() {
            Some(factor) => format!("{} (misprint: × {factor:.0})", case.printed),
            None => case.printed.to_string(),
        };
        vec![
            case.name.to_owned(),
            format!("{:.4}", case.service),
            format!("{:.4}", case.arrival),
            observed,
            printed,
            format!("{:.6}", case.computed),
            in_flight,
            format!("{:.3}", case.service * case.arrival),
        ]
    };
    let head = ["", "S, ms", "L, 1/ms", "measured", "printed", "computed", "R × L", "S × L"];
    Table {
        caption: format!(
            "The published example (OraPub, Oracle), with M = {}",
            example.servers_printed
        ),
        head: head.map(str::to_owned).to_vec(),
        rows: example.cases.iter().map(row).collect(),
    }
}

fn point(x: f64, y: f64) -> ChartPoint {
    ChartPoint { x, y, ..ChartPoint::default() }
}

/// Response time by arrival rate: what was measured, what one observation predicts of each batch, and
/// its curve at other rates.
fn curve(batches: &[Stretch], models: &Models) -> Chart {
    let measured = batches.iter().map(|batch| ChartPoint {
        label: Some(batch.batch.to_string()),
        ..point(batch.rate(), batch.response_s())
    });
    let mut curves = vec![Curve {
        name: "measured, with the rows of a commit".to_owned(),
        stroke: Stroke::Measured,
        points: measured.collect(),
    }];
    if let Some([cpu, _]) = models.solved {
        let seen = cpu.observation;
        let capacity = cpu.servers / seen.service_s;
        let rates = (1..STEPS).map(|step| capacity * f64::from(step) / f64::from(STEPS));
        let points = rates.map(|rate| point(rate, cpu.at(rate).response));
        curves.push(Curve {
            name: "one row a commit at other rates, by one observation".to_owned(),
            stroke: Stroke::Line,
            points: points.filter(|at| at.y <= HIGHEST * seen.response_s).collect(),
        });
    }
    let fitted =
        batches.iter().filter_map(|batch| Some(point(batch.rate(), models.fitted_at(batch)?)));
    curves.push(Curve {
        name: "fitted to all".to_owned(),
        stroke: Stroke::Dashed,
        points: fitted.collect(),
    });
    Chart {
        title: "Response time of a row by arrival rate".to_owned(),
        x: ChartAxis { label: "rows/s".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "response time".to_owned(), unit: ChartUnit::Seconds, log: true },
        curves,
        ..Chart::default()
    }
}

fn parts(batches: &[Stretch]) -> Chart {
    let curve = |name: &str, of: fn(&Stretch) -> f64| Curve {
        name: name.to_owned(),
        stroke: Stroke::Measured,
        points: batches.iter().map(|batch| point(batch.batch as f64, of(batch))).collect(),
    };
    Chart {
        title: "Service and queue time of a row by the rows of a commit".to_owned(),
        x: ChartAxis { label: "rows a commit".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "time of a row".to_owned(), unit: ChartUnit::Seconds, log: true },
        curves: vec![curve("queue", Stretch::queue_s), curve("service", Stretch::service_s)],
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(of: [&[f64]; 3]) -> Verdict {
        judged(of.map(Estimate::of))
    }

    #[test]
    fn batches_help_only_if_every_part_of_the_time_is_surely_shorter() {
        let (less, more) = (&[0.2, 0.21, 0.19, 0.2][..], &[1.5, 1.52, 1.48, 1.5][..]);
        let wide = &[0.2, 1.9, 0.8][..];
        assert_eq!(verdict([less, less, less]), Verdict::Holds);
        assert_eq!(verdict([less, more, less]), Verdict::Fails);
        assert_eq!(verdict([less, less, wide]), Verdict::Unsure);
        assert_eq!(verdict([less, less, &[]]), Verdict::Unsure);
    }

    #[test]
    fn the_published_example_is_shown_with_its_misprint() {
        let table = example();
        assert_eq!(table.rows[2][5], "0.153798");
        assert!(table.rows[1][4].contains("misprint: × 10"), "{:?}", table.rows[1]);
        assert_eq!([&table.rows[0][6], &table.rows[2][6]], ["2.462", "2.481"]);
        assert_eq!([&table.rows[0][7], &table.rows[2][7]], ["0.991", "0.996"]);
    }
}
