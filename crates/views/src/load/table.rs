//! The summary of a run for people: one screen.

use std::io::{self, Write};

use super::{LoadKind, LoadSheet, LoadSpread, LoadVerdict, words};
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
    spread: &'a LoadSpread,
    per_s: Option<f64>,
    bytes_per_s: Option<f64>,
    /// Whether its high percentiles must not be named.
    withheld: bool,
}

impl LoadTable {
    /// Writes the summary. Fails only when `out` does.
    pub fn render(&self, sheet: &LoadSheet, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        page.words(&words::title(&sheet.what), true);
        page.remark(&words::how(&sheet.what, sheet.latency.all.events));
        if !sheet.what.facts.is_empty() {
            let facts = sheet.what.facts.iter().map(|(name, value)| format!("{name}: {value}"));
            page.remark(&facts.collect::<Vec<String>>().join(" · "));
        }
        page.words("", false);
        page.words(&words::headline(sheet), true);
        if sheet.latency.all.events > 0 {
            page.words("", false);
            page.grid(&grid(sheet));
            page.words("", false);
            numbers(&mut page, sheet);
        }
        doubts(&mut page, sheet);
        page.words(&words::ended(sheet), false);
        page.remark(&words::next(sheet));
        page.write_to(out)
    }
}

/// The lines below the table.
fn numbers(page: &mut Page, sheet: &LoadSheet) {
    let schedule = sheet.schedule.as_ref().map(words::schedule);
    let in_flight = words::in_flight(&sheet.little);
    let mut lines: Vec<String> = schedule.into_iter().chain([in_flight]).collect();
    lines.extend(words::cpu(&sheet.cpu));
    lines.extend(sheet.latency.sentences.iter().cloned());
    lines.extend(sheet.touched.as_ref().map(words::touched));
    lines.extend(words::observed(&sheet.observed));
    let told = |verdict: &LoadVerdict| ["not-steady", "too-short"].contains(&&*verdict.code);
    if !sheet.verdicts.iter().any(told) {
        lines.push(words::steady(&sheet.steady));
    }
    for line in &lines {
        page.words(line, false);
    }
    let marked = |line: &Line| values(line).iter().any(|value| value.ends_with(words::UNSTABLE));
    if lines_of(sheet).iter().any(marked) {
        page.remark("* not repeatable: too few operations, or between two bands");
    }
}

/// What is doubtful, and what failed.
fn doubts(page: &mut Page, sheet: &LoadSheet) {
    // How it ended is told below.
    let told = |verdict: &&LoadVerdict| verdict.code != "interrupted" && verdict.code != "failed";
    let verdicts: Vec<&LoadVerdict> = sheet.verdicts.iter().filter(told).collect();
    if verdicts.is_empty() && sheet.faults.is_empty() {
        return;
    }
    page.words("", false);
    for verdict in verdicts {
        let sign = if verdict.serious { "⚠" } else { "·" };
        page.words(&format!("{sign} {}", verdict.words), verdict.serious);
    }
    for (fault, times) in &sheet.faults {
        page.words(&format!("⚠ failed {}×: {fault}", grouped(*times)), false);
    }
    page.words("", false);
}

/// All operations, each kind where there are several, and their service times.
fn lines_of(sheet: &LoadSheet) -> Vec<Line<'_>> {
    let latency = &sheet.latency;
    let withheld = latency.withheld.is_some();
    let open = latency.service.is_some();
    let response = |name: &str| if open { format!("{name} response") } else { name.to_owned() };
    let mut lines = Vec::new();
    let only = match &latency.kinds[..] {
        [one] => Some(one.name.as_str()),
        _ => None,
    };
    lines.push(Line {
        name: response(only.unwrap_or("all")),
        spread: &latency.all,
        per_s: Some(sheet.rate.per_s),
        bytes_per_s: sheet.rate.bytes_per_s,
        withheld,
    });
    lines.extend(latency.service.as_ref().map(|spread| served(only.unwrap_or("all"), spread)));
    if only.is_none() {
        for kind in &latency.kinds {
            let LoadKind { name, per_s, bytes_per_s, response: spread, service, .. } = kind;
            let (per_s, bytes_per_s) = (Some(*per_s), *bytes_per_s);
            lines.push(Line { name: response(name), spread, per_s, bytes_per_s, withheld });
            lines.extend(service.as_ref().map(|spread| served(name, spread)));
        }
    }
    lines
}

fn served<'a>(name: &str, spread: &'a LoadSpread) -> Line<'a> {
    let name = format!("{name} service");
    Line { name, spread, per_s: None, bytes_per_s: None, withheld: false }
}

fn grid(sheet: &LoadSheet) -> Grid {
    let lines = lines_of(sheet);
    let rows = lines.iter().map(|line| Row::new(line.name.clone(), values(line))).collect();
    Grid { title: "operations", columns: COLUMNS.to_vec(), rows }
}

fn values(line: &Line) -> Vec<String> {
    let Line { spread, per_s, bytes_per_s, withheld, .. } = line;
    let mut values = vec![
        grouped(spread.events),
        per_s.map(quantity).unwrap_or_default(),
        bytes_per_s.map(|bytes| quantity(bytes / 1e6)).unwrap_or_default(),
        words::mean_of(spread),
    ];
    for q in [0.5, 0.9, 0.99, 0.999] {
        let found = spread.quantiles.iter().find(|(found, _)| found.q.total_cmp(&q).is_eq());
        let named = found.filter(|_| q < 0.99 || !withheld);
        values.push(named.map_or_else(|| "-".to_owned(), words::value));
    }
    values.push(spread.extremes.map_or_else(|| "-".to_owned(), |(_, max)| max.to_string()));
    values
}
