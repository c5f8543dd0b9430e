//! Both orders of the simulation in words, a table and a chart.

use isotherm_frame::numbers;
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::queue::{
    PERCENTILES, REPLICATIONS, Replication, SERVICE_NS, UTILISATION, formula_s, formula_squares,
};
use crate::{Estimate, Finding, Verdict};

fn estimate(replications: &[Replication], of: impl Fn(&Replication) -> f64) -> Option<Estimate> {
    Estimate::of(&replications.iter().map(of).collect::<Vec<f64>>())
}

/// What the simulations come to.
pub fn finding(replications: &[Replication]) -> Finding {
    let arrivals = replications.first().map_or(0, |one| one.arrivals);
    let p99 = PERCENTILES.iter().position(|(name, _)| *name == "p99").unwrap_or_default();
    let equal = replications.iter().all(|one| one.means_are_equal);
    let ratio = estimate(replications, |one| one.random[p99] / one.fifo[p99]);
    let squares = estimate(replications, |one| one.squares.1 / one.squares.0);
    let verdict = match ratio.map(Estimate::interval) {
        Some((lo, _)) if equal && lo > 1.0 => Verdict::Holds,
        Some((_, hi)) if !equal || hi < 1.0 => Verdict::Fails,
        _ => Verdict::Unsure,
    };
    let mean =
        |of: &dyn Fn(&Replication) -> f64| estimate(replications, of).map_or(f64::NAN, |e| e.mean);
    let (fifo, raced) = (mean(&|one| one.fifo[p99]), mean(&|one| one.random[p99]));
    let same = if equal { "the same mean to the nanosecond" } else { "different means" };
    let with_reach = |estimate: Option<Estimate>| {
        estimate.map_or_else(String::new, |one| format!("{:.3} ± {:.3}", one.mean, one.reach))
    };
    Finding {
        verdict,
        sentence: format!(
            "first come first served and random order have {same} ({}), and p99 is {} in order and \
             {} at random.",
            waited(mean(&|one| one.mean_s)),
            waited(fifo),
            waited(raced)
        ),
        uncertainty: format!(
            "p99 at random is {} times p99 in order (90 % confidence, {REPLICATIONS} simulations of {} \
             arrivals).",
            with_reach(ratio),
            numbers::grouped(arrivals as u64)
        ),
        remarks: vec![
            format!(
                "Random order multiplies the mean square of the waiting time by {} here; the formula \
                 2 / (2 - U) gives {:.3}.",
                with_reach(squares),
                formula_squares()
            ),
            format!(
                "In order the formula of M/M/1 gives a mean of {} and a p99 of {}.",
                waited(SERVICE_NS / 1e9 / (1.0 - UTILISATION)),
                waited(formula_s(0.99))
            ),
        ],
        tables: vec![table(replications)],
        charts: vec![chart(replications)],
        figures: Vec::new(),
    }
}

fn table(replications: &[Replication]) -> Table {
    let cell = |of: &dyn Fn(&Replication) -> f64| {
        estimate(replications, of).map_or_else(String::new, |one| {
            format!("{:.2} ± {:.2} ms", one.mean * 1e3, one.reach * 1e3)
        })
    };
    let rows = PERCENTILES.iter().enumerate().map(|(at, &(name, q))| {
        let formula = if q < 1.0 { waited(formula_s(q)) } else { "-".to_owned() };
        vec![name.to_owned(), cell(&|one| one.fifo[at]), formula, cell(&|one| one.random[at])]
    });
    Table {
        caption: "Response times by order of service: mean of the simulations ± 90 % interval"
            .to_owned(),
        head: ["", "in order", "formula (M/M/1)", "at random"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn chart(replications: &[Replication]) -> Chart {
    // The maximum has no place on an axis of 1 / (1 - q).
    let shown = || PERCENTILES.iter().enumerate().filter(|(_, (_, q))| *q < 1.0);
    let measured = |of: &dyn Fn(&Replication, usize) -> f64| -> Vec<ChartPoint> {
        let point = |(at, &(name, q)): (usize, &(&str, f64))| {
            let estimate = estimate(replications, |one| of(one, at))?;
            Some(ChartPoint {
                x: 1.0 / (1.0 - q),
                y: estimate.mean,
                y_range: Some(estimate.interval()),
                label: Some(name.to_owned()),
                ..ChartPoint::default()
            })
        };
        shown().filter_map(point).collect()
    };
    let formula = shown().map(|(_, &(_, q))| ChartPoint {
        x: 1.0 / (1.0 - q),
        y: formula_s(q),
        ..ChartPoint::default()
    });
    let curve = |name: &str, stroke: Stroke, points: Vec<ChartPoint>| Curve {
        name: name.to_owned(),
        stroke,
        points,
    };
    Chart {
        title: "Response time by percentile and order of service".to_owned(),
        x: ChartAxis {
            label: "one in this many is slower".to_owned(),
            log: true,
            ..ChartAxis::default()
        },
        y: ChartAxis { label: "response time".to_owned(), unit: ChartUnit::Seconds, log: true },
        curves: vec![
            curve("in order", Stroke::Measured, measured(&|one, at| one.fifo[at])),
            curve("at random", Stroke::Measured, measured(&|one, at| one.random[at])),
            curve("M/M/1 in order", Stroke::Dashed, formula.collect()),
        ],
        ..Chart::default()
    }
}
