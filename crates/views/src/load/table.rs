//! The summary of a run for people: one screen.

use std::io::{self, Write};

use isotherm_experiment::{Run, Verdict};

use super::{LatencySummary, LoadKind, LoadResult, LoadSummary, words};
use crate::Style;
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{grouped, quantity};

/// The summary as text.
#[derive(Clone, Debug)]
pub struct LoadTable {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
}

/// The columns, and in which order they give way in a narrow page.
const COLUMNS: [Column; 9] = [
    Column { title: "count", gives_way: 4 },
    Column { title: "per s", gives_way: 0 },
    Column { title: "MB/s", gives_way: 3 },
    Column { title: "mean", gives_way: 1 },
    Column { title: "p50", gives_way: 0 },
    Column { title: "p90", gives_way: 2 },
    Column { title: "p99", gives_way: 0 },
    Column { title: "p99.9", gives_way: 0 },
    Column { title: "max", gives_way: 0 },
];

/// A row of the table before it is words.
struct Line<'a> {
    name: String,
    latency: &'a LatencySummary,
    per_s: Option<f64>,
    bytes_per_s: Option<f64>,
    /// Whether its high percentiles must not be named.
    withheld: bool,
}

impl LoadTable {
    /// Writes the summary. Fails only when `out` does.
    pub fn render(&self, result: &LoadResult, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let LoadResult { run, summary, .. } = result;
        let mut page = Page::new(style, self.width);
        page.words(&words::title(summary), true);
        page.remark(&words::how(result));
        if !run.facts.is_empty() {
            let facts = run.facts.iter().map(|(name, value)| format!("{name}: {value}"));
            page.remark(&facts.collect::<Vec<String>>().join(" · "));
        }
        page.words("", false);
        page.words(&words::headline(summary), true);
        if summary.latency.response.events > 0 {
            page.words("", false);
            page.grid(&grid(summary));
            page.words("", false);
            numbers(&mut page, run, summary);
        }
        warnings(&mut page, summary);
        page.words(&words::ended(run, summary), false);
        page.remark(&words::next(summary.recording));
        page.write_to(out)
    }
}

/// The lines below the table.
fn numbers(page: &mut Page, run: &Run, summary: &LoadSummary) {
    let schedule = summary.schedule.as_ref().map(words::schedule);
    let in_flight = words::in_flight(&summary.little);
    let mut lines: Vec<String> = schedule.into_iter().chain([in_flight]).collect();
    lines.extend(words::cpu(&summary.cpu));
    lines.extend(summary.latency.sentences.iter().cloned());
    lines.extend(summary.touched.as_ref().map(words::touched));
    lines.extend(words::observed(&run.outcome.observed, summary.latency.response.events));
    let told = |verdict: &Verdict| ["not-steady", "too-short"].contains(&&*verdict.code);
    if !summary.verdicts.iter().any(told) {
        lines.push(words::steady(&summary.steady));
    }
    for line in &lines {
        page.words(line, false);
    }
    let marked = |line: &Line| values(line).iter().any(|value| value.ends_with(words::UNSTABLE));
    if lines_of(summary).iter().any(marked) {
        page.remark("* not repeatable: too few operations, or between two bands");
    }
}

/// Warnings, and what failed.
fn warnings(page: &mut Page, summary: &LoadSummary) {
    // How it ended is told below.
    let told = |verdict: &&Verdict| verdict.code != "interrupted" && verdict.code != "failed";
    let verdicts: Vec<&Verdict> = summary.verdicts.iter().filter(told).collect();
    if verdicts.is_empty() && summary.faults.is_empty() {
        return;
    }
    page.words("", false);
    for verdict in verdicts {
        let sign = if verdict.serious { "⚠" } else { "·" };
        page.words(&format!("{sign} {}", verdict.words), verdict.serious);
    }
    for fault in &summary.faults {
        let (times, words) = (grouped(fault.count), fault.words);
        page.words(&format!("⚠ failed {times}×: {words}"), false);
    }
    page.words("", false);
}

/// All operations, each kind where there are several, and their service times.
fn lines_of<'a>(summary: &'a LoadSummary) -> Vec<Line<'a>> {
    let latency = &summary.latency;
    let withheld = summary.withheld().is_some();
    let open = latency.service.is_some();
    let response = |name: &str| if open { format!("{name} response") } else { name.to_owned() };
    let mut lines = Vec::new();
    let only = match &latency.kinds[..] {
        [one] => Some(one.name),
        _ => None,
    };
    lines.push(Line {
        name: response(only.unwrap_or("all")),
        latency: &latency.response,
        per_s: Some(summary.rate.per_s),
        bytes_per_s: summary.rate.bytes_per_s,
        withheld,
    });
    lines.extend(latency.service.as_ref().map(|service| served(only.unwrap_or("all"), service)));
    if only.is_none() {
        for kind in &latency.kinds {
            let LoadKind { name, per_s, bytes_per_s, response: latency, service, .. } = kind;
            let (per_s, bytes_per_s) = (Some(*per_s), *bytes_per_s);
            lines.push(Line { name: response(name), latency, per_s, bytes_per_s, withheld });
            lines.extend(service.as_ref().map(|service| served(name, service)));
        }
    }
    lines
}

fn served<'a>(name: &str, latency: &'a LatencySummary) -> Line<'a> {
    let name = format!("{name} service");
    Line { name, latency, per_s: None, bytes_per_s: None, withheld: false }
}

fn grid(summary: &LoadSummary) -> Grid {
    let lines = lines_of(summary);
    let rows = lines.iter().map(|line| Row::new(line.name.clone(), values(line))).collect();
    Grid { title: "operations", columns: COLUMNS.to_vec(), rows }
}

fn values(line: &Line) -> Vec<String> {
    let Line { latency, per_s, bytes_per_s, withheld, .. } = line;
    let mut values = vec![
        grouped(latency.events),
        per_s.map(quantity).unwrap_or_default(),
        bytes_per_s.map(|bytes| quantity(bytes / 1e6)).unwrap_or_default(),
        words::mean_of(latency),
    ];
    for q in [0.5, 0.9, 0.99, 0.999] {
        let named = latency.quantile(q).filter(|_| q < 0.99 || !withheld);
        values.push(named.map_or_else(|| "-".to_owned(), words::value));
    }
    values.push(latency.max.map_or_else(|| "-".to_owned(), |longest| longest.to_string()));
    values
}
