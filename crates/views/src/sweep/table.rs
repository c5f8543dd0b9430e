//! The points of a sweep for people.

use std::io::{self, Write};

use isotherm_experiment::{PointSummary, PointVerdict, Spread, SweepSummary};
use isotherm_frame::narrow_percent;

use crate::fitting::{Extent, Warning, warnings};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{length, megabytes, quantity, seconds};
use crate::{Style, ThresholdJson, threshold_line};

/// The points as a table.
#[derive(Clone, Debug)]
pub struct SweepTable<'a> {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
    /// How much of it is printed.
    pub extent: Extent,
    /// What the conditions of --fail-if came to.
    pub thresholds: &'a [ThresholdJson],
}

/// The columns, and in which order they give way in a narrow page.
const COLUMNS: [Column; 12] = [
    Column { title: "runs", gives_way: 5 },
    Column { title: "per s", gives_way: 0 },
    Column { title: "range", gives_way: 7 },
    Column { title: "MB/s", gives_way: 3 },
    Column { title: "mean", gives_way: 2 },
    Column { title: "p50", gives_way: 0 },
    Column { title: "p99", gives_way: 0 },
    Column { title: "p99 range", gives_way: 6 },
    Column { title: "waiting", gives_way: 4 },
    Column { title: "CPU/op", gives_way: 9 },
    Column { title: "failed", gives_way: 1 },
    Column { title: "steady", gives_way: 8 },
];
/// The most points that were not run that are named one by one.
const MOST_NAMED: usize = 3;
/// The lines that are kept for warnings where there are many points, and the fewest points shown.
const FOR_WARNINGS: usize = 4;
const LEAST_POINTS: usize = 4;

impl SweepTable<'_> {
    /// Writes the table. Fails only when `out` does.
    pub fn render(
        &self,
        summary: &SweepSummary,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        let best = best(&summary.points);
        page.words(&result(summary, best), true);
        page.words(summary.target, false);
        let warned = warnings_of(summary);
        let after = legend(summary).len() + self.thresholds.len() + warned.len().min(FOR_WARNINGS);
        let room = self.room(page.lines() + 1 + after);
        let shown = thinned(summary.points.len(), room, best);
        if !shown.is_empty() {
            let points = shown.iter().filter_map(|index| summary.points.get(*index));
            let rows = points.map(|point| row(point, self.extent.details)).collect();
            page.grid(&Grid { title: "point", columns: COLUMNS.to_vec(), rows });
        }
        if shown.len() < summary.points.len() {
            let (some, all) = (shown.len(), summary.points.len());
            page.remark(&format!("{some} of {all} points: --details shows all"));
        }
        for words in legend(summary) {
            page.remark(words);
        }
        for threshold in self.thresholds {
            page.words(&threshold_line::line_of(threshold, style), false);
        }
        warnings(&mut page, &warned, self.extent, 0);
        page.write_to(out)
    }

    /// How many points have room beside so many other lines.
    fn room(&self, others: usize) -> usize {
        let height = self.extent.height.filter(|_| !self.extent.details);
        // A line says that there are more.
        height.map_or(usize::MAX, |height| height.saturating_sub(others + 1).max(LEAST_POINTS))
    }
}

/// The point with the highest throughput.
fn best(points: &[PointSummary]) -> Option<usize> {
    let rate = |point: &PointSummary| point.throughput.map(|range| range.median);
    let known = points.iter().enumerate().filter_map(|(index, one)| Some((index, rate(one)?)));
    known.max_by(|one, two| one.1.total_cmp(&two.1)).map(|(index, _)| index)
}

/// The result in one line: the highest throughput with its latencies.
fn result(summary: &SweepSummary, best: Option<usize>) -> String {
    let Some(point) = best.and_then(|best| summary.points.get(best)) else {
        return "No run yet.".to_owned();
    };
    let unit = crate::rate_unit(summary.target);
    let of = |range: Option<Spread>| range.map_or_else(|| "-".to_owned(), |one| length(one.median));
    let rate = point.throughput.map(|range| quantity(range.median)).unwrap_or_default();
    let p99 = of(point.p99_s.filter(|_| !point.p99_withheld()));
    format!(
        "Highest throughput: {rate} {unit} at {}: p50 {}, p99 {p99}",
        point.label,
        of(point.p50_s)
    )
}

/// Which of the points are shown where there is room for so many: the first, the last, the best, and
/// others evenly between.
fn thinned(points: usize, room: usize, best: Option<usize>) -> Vec<usize> {
    if points <= room {
        return (0..points).collect();
    }
    let steps = room.saturating_sub(1).max(1);
    let mut shown: Vec<usize> =
        (0..room).map(|step| step * points.saturating_sub(1) / steps).collect();
    let nearest = |best: &usize| {
        let inner = shown.iter().enumerate().take(room.saturating_sub(1)).skip(1);
        inner.min_by_key(|(_, index)| index.abs_diff(*best)).map(|(place, _)| place)
    };
    if let Some(best) = best.filter(|best| !shown.contains(best))
        && let Some(place) = nearest(&best)
    {
        shown[place] = best;
    }
    shown.sort_unstable();
    shown
}

/// A point, with its warnings below it or only a sign that there are serious ones.
fn row(point: &PointSummary, details: bool) -> Row {
    let values = values(point);
    if details {
        return Row { text: verdicts(point), ..Row::new(point.label.to_owned(), values) };
    }
    let serious = point.verdicts().iter().any(|verdict| verdict.serious);
    Row::new(format!("{}{}", point.label, if serious { " ⚠" } else { "" }), values)
}

/// What the numbers are.
fn legend(summary: &SweepSummary) -> Vec<&'static str> {
    let repeated = summary.points.iter().any(|point| point.runs.len() > 1);
    let withheld = summary.points.iter().any(PointSummary::p99_withheld);
    let repeats = "medians over repeats; ranges are the lowest and the highest repeat";
    let no_p99 = "no p99 where it depends on the length of the run, or where too much failed or was not measured";
    [(repeated, repeats), (withheld, no_p99)]
        .into_iter()
        .filter_map(|(is_so, words)| is_so.then_some(words))
        .collect()
}

/// Warnings, serious ones first, and what was not run.
fn warnings_of(summary: &SweepSummary) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    for verdict in &summary.verdicts {
        let more = match verdict.runs {
            ..=1 => String::new(),
            2 => " and 1 more run".to_owned(),
            runs => format!(" and {} more runs", runs - 1),
        };
        let words = format!("{} at {}{more}: {}", verdict.code, verdict.first_at, verdict.words);
        warnings.push(Warning { serious: verdict.serious, words });
    }
    warnings.sort_by_key(|warning| !warning.serious);
    let left_out = not_run(summary).into_iter().map(|words| Warning { serious: false, words });
    warnings.extend(left_out);
    warnings
}

/// Which points and runs are missing.
fn not_run(summary: &SweepSummary) -> Vec<String> {
    let named = summary.stopped.iter().take(MOST_NAMED);
    let mut missing: Vec<String> =
        named.map(|stopped| format!("{} was not run: {}", stopped.label, stopped.why)).collect();
    if let Some(more) = summary.stopped.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        let were = if more == 1 { "point was" } else { "points were" };
        missing.push(format!("{more} more {were} not run"));
    }
    if summary.runs_left > 0 {
        missing.push(format!("{} still to be done", run_count(summary.runs_left)));
    }
    missing
}

fn run_count(runs: usize) -> String {
    format!("{runs} run{}", if runs == 1 { "" } else { "s" })
}

fn values(point: &PointSummary) -> Vec<String> {
    let several = point.runs.len() > 1;
    let of = |range: Option<Spread>, text: fn(f64) -> String| {
        range.map_or_else(String::new, |range| text(range.median))
    };
    let spread = |range: Option<Spread>, text: fn(f64) -> String| {
        let range = range.filter(|_| several);
        range.map_or_else(String::new, |range| format!("{}–{}", text(range.low), text(range.high)))
    };
    let p99 = point.p99_s.filter(|_| !point.p99_withheld());
    let failed = point.failed_share.filter(|share| share.high > 0.0);
    let runs = match (point.runs.len(), point.unusable.len()) {
        (runs, 0) => runs.to_string(),
        (runs, unusable) => format!("{runs} of {}", runs + unusable),
    };
    let missing = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    vec![
        runs,
        missing(of(point.throughput, quantity)),
        spread(point.throughput, quantity),
        of(point.megabytes_moved(), megabytes),
        missing(of(point.mean_s, length)),
        missing(of(point.p50_s, length)),
        missing(of(p99, length)),
        spread(p99, length),
        missing(of(point.waited, seconds)),
        missing(of(point.cpu_s, length)),
        of(failed, narrow_percent),
        steady(point.steady()),
    ]
}

fn steady((steady, known): (usize, usize)) -> String {
    match (steady, known) {
        (_, 0) => "?".to_owned(),
        (steady, known) if steady == known => "yes".to_owned(),
        (0, _) => "no".to_owned(),
        (steady, known) => format!("{steady} of {known}"),
    }
}

fn verdicts(point: &PointSummary) -> String {
    let code = |PointVerdict { code, serious }| {
        if serious { format!("⚠ {code}") } else { code.to_owned() }
    };
    point.verdicts().into_iter().map(code).collect::<Vec<String>>().join(", ")
}
