//! The points of a sweep for people.

use std::io::{self, Write};

use isotherm_experiment::{PointSummary, PointVerdict, Spread, SweepSummary};
use isotherm_frame::Nanos;

use crate::Style;
use crate::grid::{Column, Grid, Page, Row};
use crate::narration::percent;
use crate::numbers::{quantity, seconds};

/// The points as a table.
#[derive(Clone, Debug)]
pub struct SweepTable {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
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

impl SweepTable {
    /// Writes the table. Fails only when `out` does.
    pub fn render(
        &self,
        summary: &SweepSummary,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        page.words(summary.target, true);
        if summary.points.is_empty() {
            page.words("no run yet", false);
        } else {
            let rows = summary.points.iter();
            let rows = rows.map(|point| Row {
                text: verdicts(point),
                ..Row::new(point.label.to_owned(), values(point))
            });
            let rows = rows.collect();
            page.grid(&Grid { title: "point", columns: COLUMNS.to_vec(), rows });
        }
        legend(&mut page, summary);
        warnings(&mut page, summary);
        page.write_to(out)
    }
}

/// What the numbers are.
fn legend(page: &mut Page, summary: &SweepSummary) {
    if summary.points.iter().any(|point| point.runs.len() > 1) {
        page.remark("medians over repeats; ranges are the lowest and the highest repeat");
    }
    if summary.points.iter().any(PointSummary::p99_withheld) {
        page.remark("no p99 where it depends on the length of the run, or where too much failed or was not measured");
    }
}

fn warnings(page: &mut Page, summary: &SweepSummary) {
    for verdict in &summary.verdicts {
        let sign = if verdict.serious { "⚠" } else { "·" };
        let more = match verdict.runs {
            ..=1 => String::new(),
            2 => " and 1 more run".to_owned(),
            runs => format!(" and {} more runs", runs - 1),
        };
        let words =
            format!("{sign} {} at {}{more}: {}", verdict.code, verdict.first_at, verdict.words);
        page.words(&words, verdict.serious);
    }
    for stopped in summary.stopped.iter().take(MOST_NAMED) {
        page.words(&format!("· {} was not run: {}", stopped.label, stopped.why), false);
    }
    if let Some(more) = summary.stopped.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        let were = if more == 1 { "point was" } else { "points were" };
        page.words(&format!("· {more} more {were} not run"), false);
    }
    if summary.runs_left > 0 {
        page.words(&format!("· {} still to be done", run_count(summary.runs_left)), false);
    }
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
        of(point.megabytes_moved(), quantity),
        missing(of(point.mean_s, time)),
        missing(of(point.p50_s, time)),
        missing(of(p99, time)),
        spread(p99, time),
        missing(of(point.waited, seconds)),
        missing(of(point.cpu_s, time)),
        of(failed, percent),
        steady(point.steady()),
    ]
}

fn time(seconds: f64) -> String {
    Nanos::from_secs_f64(seconds).unwrap_or_default().to_string()
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
