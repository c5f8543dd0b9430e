//! The run queue in words, a table and a chart.

use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, Curve, Stroke};
use isotherm_views::section::Table;

use super::measure::Level;
use crate::{Estimate, Finding, Verdict};

const HEAD: [&str; 9] = [
    "hogs",
    "of them ran",
    "and waited",
    "/proc/loadavg",
    "sd",
    "procs_running",
    "vmstat r",
    "sar runq-sz",
    "in state R",
];

/// What the levels come to.
pub fn finding(
    levels: &[Level],
    cores: usize,
    (verdict, missing): (Verdict, Option<Estimate>),
) -> Finding {
    Finding {
        verdict,
        sentence: sentence(levels, cores, verdict),
        uncertainty: uncertainty(missing),
        remarks: remarks(levels),
        tables: vec![table(levels, cores)],
        charts: vec![chart(levels, cores)],
        figures: Vec::new(),
    }
}

fn sentence(levels: &[Level], cores: usize, verdict: Verdict) -> String {
    let said = match verdict {
        Verdict::Holds => "the run queue counts tasks that run and tasks that wait",
        Verdict::Fails => "the run queue counts tasks that wait only",
        Verdict::Unsure => "this run does not decide what the run queue counts",
    };
    let most = levels.last().and_then(|level| {
        let (counted, there) = (Estimate::of(&level.loadavg)?, Estimate::of(&level.in_state_r)?);
        Some(format!(
            ". With {} hogs on {cores} processors /proc/loadavg counted {:.1}; {:.1} tasks were in \
             state R, {cores} of them running",
            level.hogs, counted.mean, there.mean
        ))
    });
    format!("{said}{}.", most.unwrap_or_default())
}

fn uncertainty(missing: Option<Estimate>) -> String {
    missing.filter(|share| share.reach.is_finite()).map_or_else(
        || "Too few samples for an interval.".to_owned(),
        |share| {
            format!(
                "It leaves out {:.1} % ± {:.1} % of the running tasks (90 % confidence, {} batches); 0 % \
                 is running and waiting, 100 % is waiting only.",
                share.mean * 100.0,
                share.reach * 100.0,
                share.count
            )
        },
    )
}

fn remarks(levels: &[Level]) -> Vec<String> {
    let idle = levels.iter().find(|level| level.hogs == 0);
    let others = idle.and_then(|level| Estimate::of(&level.in_state_r)).map(|estimate| {
        format!(
            "Without hogs {:.1} tasks were in state R: the task that looks, and {:.1} of others.",
            estimate.mean,
            (estimate.mean - 1.0).max(0.0)
        )
    });
    let vmstat = levels.iter().all(|level| level.vmstat.is_empty());
    let absent = vmstat.then(|| "vmstat is not installed: its column is empty.".to_owned());
    let without_sar = levels.iter().all(|level| level.sar.is_empty());
    let sar = if without_sar {
        "sar (package sysstat) is not installed: its column is empty."
    } else {
        "sar leaves itself out of what it counts; each of its numbers is one look a second."
    };
    let uncounted = levels.iter().any(|level| level.ran_and_waited.is_none());
    let no_times = uncounted.then(|| {
        "This kernel has no schedstat: how many hogs ran and how many waited is not known."
            .to_owned()
    });
    others.into_iter().chain(absent).chain([sar.to_owned()]).chain(no_times).collect()
}

fn table(levels: &[Level], cores: usize) -> Table {
    let with_reach = |values: &[f64]| {
        Estimate::of(values).map_or_else(
            || "-".to_owned(),
            |estimate| {
                if estimate.reach.is_finite() {
                    format!("{:.2} ± {:.2}", estimate.mean, estimate.reach)
                } else {
                    format!("{:.2}", estimate.mean)
                }
            },
        )
    };
    let rows = levels.iter().map(|level| {
        let ran = level.ran_and_waited.unzip();
        let number = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
        };
        let deviation = Estimate::of(&level.loadavg).map(|one| one.deviation);
        vec![
            level.hogs.to_string(),
            number(ran.0),
            number(ran.1),
            with_reach(&level.loadavg),
            number(deviation.filter(|value| value.is_finite())),
            with_reach(&level.stat),
            with_reach(&level.vmstat),
            with_reach(&level.sar),
            with_reach(&level.in_state_r),
        ]
    });
    Table {
        caption: format!("Runnable tasks on {cores} processors: mean ± 90 % interval of the mean"),
        head: HEAD.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn chart(levels: &[Level], cores: usize) -> Chart {
    let points = |of: &dyn Fn(&Level) -> Option<Estimate>| -> Vec<ChartPoint> {
        let point = |level: &Level| {
            let estimate = of(level)?;
            Some(ChartPoint {
                x: level.hogs as f64,
                y: estimate.mean,
                y_range: estimate.reach.is_finite().then(|| estimate.interval()),
                ..ChartPoint::default()
            })
        };
        levels.iter().filter_map(point).collect()
    };
    let there = points(&|level| Estimate::of(&level.in_state_r));
    let waiting = there.iter().map(|point| ChartPoint {
        y: (point.y - cores as f64).max(0.0),
        y_range: None,
        ..point.clone()
    });
    let waiting = waiting.collect();
    let curve = |name: &str, stroke: Stroke, points: Vec<ChartPoint>| Curve {
        name: name.to_owned(),
        stroke,
        points,
    };
    Chart {
        title: format!("Runnable tasks by number of hogs, {cores} processors"),
        x: ChartAxis { label: "hogs".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "tasks".to_owned(), ..ChartAxis::default() },
        curves: vec![
            curve("/proc/loadavg", Stroke::Measured, points(&|level| Estimate::of(&level.loadavg))),
            curve("tasks in state R", Stroke::Line, there),
            curve("waiting only", Stroke::Dashed, waiting),
        ],
        ..Chart::default()
    }
}
