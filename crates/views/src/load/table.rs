//! The summary of a run for people: one screen.

use std::io::{self, Write};

use isotherm_experiment::{Run, Verdict};

use super::{LatencySummary, LoadKind, LoadResult, LoadSummary, limit, words};
use crate::fitting::{Extent, Warning, warnings};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{grouped, megabytes, quantity};
use crate::{Style, threshold_line};

/// The summary as text.
#[derive(Clone, Debug)]
pub struct LoadTable {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
    /// How much of it is printed.
    pub extent: Extent,
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
        let details = self.extent.details;
        page.words(&words::headline(summary), true);
        page.words(&words::title(summary), false);
        page.remark(&words::how(result));
        page.words("", false);
        if summary.latency.response.events > 0 {
            page.grid(&grid(summary, details));
            legend(&mut page, summary);
            page.words("", false);
            if let Some(words) = limit::sentence(summary) {
                page.words(&words, false);
            }
        }
        for threshold in result.thresholds {
            page.words(&threshold_line::line(threshold, style), false);
        }
        if details {
            self::details(&mut page, run, summary);
        }
        let last = [words::ended(run, summary), words::next(summary.recording)];
        let after = 1 + last.iter().map(|words| page.lines_of(words)).sum::<usize>();
        warnings(&mut page, &warnings_of(summary), self.extent, after);
        page.words("", false);
        page.words(&last[0], false);
        page.remark(&last[1]);
        page.write_to(out)
    }
}

/// Everything that is not needed to read the result: what is known of the system, and other numbers.
fn details(page: &mut Page, run: &Run, summary: &LoadSummary) {
    page.words("", false);
    if !run.facts.is_empty() {
        let facts = run.facts.iter().map(|(name, value)| format!("{name}: {value}"));
        page.remark(&facts.collect::<Vec<String>>().join(" · "));
    }
    if summary.latency.response.events > 0 {
        numbers(page, run, summary);
    }
    page.words("", false);
}

fn numbers(page: &mut Page, run: &Run, summary: &LoadSummary) {
    let schedule = summary.schedule.as_ref().map(words::schedule);
    let in_flight = words::in_flight(&summary.little);
    let mut lines: Vec<String> = schedule.into_iter().chain([in_flight]).collect();
    lines.extend(words::cpu(&summary.cpu));
    lines.extend(summary.latency.sentences.iter().cloned());
    lines.extend(summary.touched.as_ref().map(words::touched));
    lines.extend(words::observed(&run.outcome.observed, summary.latency.response.events));
    let unsteady = |verdict: &Verdict| ["not-steady", "too-short"].contains(&&*verdict.code);
    if !summary.verdicts.iter().any(unsteady) {
        lines.push(words::steady(&summary.steady));
    }
    for line in &lines {
        page.words(line, false);
    }
}

fn legend(page: &mut Page, summary: &LoadSummary) {
    let marked = |line: &Line| values(line).iter().any(|value| value.ends_with(words::UNSTABLE));
    if lines_of(summary).iter().any(marked) {
        page.remark("* not repeatable: too few operations, or between two bands");
    }
}

/// Warnings and what failed, serious ones first.
fn warnings_of(summary: &LoadSummary) -> Vec<Warning> {
    // How it ended stands below.
    let is_warning = |verdict: &&Verdict| verdict.code != "interrupted" && verdict.code != "failed";
    let verdicts = summary
        .verdicts
        .iter()
        .filter(is_warning)
        .map(|verdict| Warning { serious: verdict.serious, words: verdict.words.clone() });
    let faults = summary.faults.iter().map(|fault| Warning {
        serious: true,
        words: format!("failed {}×: {}", grouped(fault.count), fault.words),
    });
    let mut warnings: Vec<Warning> = verdicts.chain(faults).collect();
    warnings.sort_by_key(|warning| !warning.serious);
    warnings
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

/// The table; the service times of each kind are details.
fn grid(summary: &LoadSummary, details: bool) -> Grid {
    let mut lines = lines_of(summary);
    let several = summary.latency.kinds.len() > 1;
    let of_all = |index: usize| index < 2;
    let mut index = 0..;
    lines.retain(|line| {
        let first = index.next().is_some_and(of_all);
        details || !several || first || line.per_s.is_some()
    });
    let rows = lines.iter().map(|line| Row::new(line.name.clone(), values(line))).collect();
    Grid { title: "operations", columns: COLUMNS.to_vec(), rows }
}

fn values(line: &Line) -> Vec<String> {
    let Line { latency, per_s, bytes_per_s, withheld, .. } = line;
    let mut values = vec![
        grouped(latency.events),
        per_s.map(quantity).unwrap_or_default(),
        bytes_per_s.map(|bytes| megabytes(bytes / 1e6)).unwrap_or_default(),
        words::mean_of(latency),
    ];
    for q in [0.5, 0.9, 0.99, 0.999] {
        let named = latency.quantile(q).filter(|_| q < 0.99 || !withheld);
        values.push(named.map_or_else(|| "-".to_owned(), words::value));
    }
    values.push(latency.max.map_or_else(|| "-".to_owned(), |longest| longest.to_string()));
    values
}
