//! Statistics as an aligned table, or as blocks where it does not fit.

use std::io::{self, Write};

use isotherm_analysis::{Account, Summary};
use isotherm_frame::{Bucket, Histogram, TimeWaited};

use crate::Style;
use crate::ansi::{Ansi, shortened};
use crate::input_account::InputAccount;
use crate::narration::percent;
use crate::numbers::{self, quantity, seconds};
use crate::ranges::{Digits, mean, range};
use crate::times::Moments;
use crate::view::ViewMeta;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "table",
    about: "The numbers of a whole input, series by series, most time waited first.",
    when: "Right for a summary of a file or a recording, and for a line in a report.",
    reading: &[
        "`waited` is the total time and `% waited` its share of all time waited; `waiting` is the \
         time per second: how many were waiting on average. `≈` marks what is estimated from bucket \
         mid-points.",
        "Percentiles and the maximum are the bounds of the bucket that holds them; `>1.05s` means \
         that the bucket has no upper bound. There is no finer truth in bucket counts.",
        "Rates are per second of time about which the source said something: gaps do not thin them.",
        "The last lines give account of the input: what was read, rejected, lost and missing.",
        "In a narrow terminal each series is a block of lines instead of a row.",
    ],
    example: "isotherm stats run.heat",
};

/// The table.
#[derive(Clone, Debug)]
pub struct StatsTable {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
}

/// A row of the table: the series and its values, one for each column.
struct Line {
    name: String,
    values: Vec<String>,
}

const COLUMNS: [&str; 11] = [
    "events", "events/s", "waited", "% waited", "waiting", "mean", "p50", "p90", "p99", "p99.9",
    "max",
];
/// The first column that is a percentile.
const PERCENTILES: usize = 6;
/// The percentiles, in the order of their columns; 1 is the maximum.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];
/// The least number of characters of a series' name before the table becomes blocks.
const LEAST_NAME: usize = 16;

impl StatsTable {
    /// Writes the statistics. Fails only when `out` does.
    pub fn render(
        &self,
        account: &Account,
        input: &InputAccount,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let summaries = account.by_time_waited();
        let all: f64 = summaries.iter().map(|summary| summary.waited().seconds).sum();
        let mut lines: Vec<Line> = summaries.iter().map(|one| line_of(one, all)).collect();
        if summaries.len() > 1 {
            lines.extend(account.together().map(|together| totals(&summaries, &together)));
        }
        let mut ansi = Ansi::new(style);
        let (names, values) = widths(&lines);
        let needed: usize = values.iter().map(|width| width + 2).sum();
        let room = self.width.unwrap_or(usize::MAX).saturating_sub(needed);
        if lines.is_empty() {
            ansi.line("no events");
        } else if room >= names.min(LEAST_NAME) {
            table(&mut ansi, &lines, names.min(room), &values);
        } else {
            blocks(&mut ansi, &lines, self.width.unwrap_or(usize::MAX));
        }
        ansi.end_line();
        footer(&mut ansi, input, self.width.unwrap_or(usize::MAX));
        ansi.write_to(out)
    }
}

/// The numbers of a series; `all` is all time waited.
fn line_of(summary: &Summary, all: f64) -> Line {
    Line {
        name: summary.series.to_string(),
        values: values(
            &summary.latencies,
            summary.rate(),
            (summary.waited(), all),
            summary.sessions_waiting(),
        ),
    }
}

/// Whether a bucket that others were merged into still says where a percentile lies: within two
/// octaves.
fn says_something(bucket: Bucket) -> bool {
    bucket.hi.is_some_and(|hi| hi.as_nanos() / 4 <= bucket.lo.as_nanos())
}

/// Rates and sessions add up over series. Percentiles are those of all events together. Where
/// series count in different buckets, what these have in common may be one wide bucket: such a
/// percentile is left out.
fn totals(summaries: &[&Summary], together: &Histogram) -> Line {
    let sum = |amount: fn(&Summary) -> Option<f64>| -> Option<f64> {
        Some(summaries.iter().filter_map(|summary| amount(summary)).sum())
    };
    let waited: f64 = summaries.iter().map(|summary| summary.waited().seconds).sum();
    let exact = summaries.iter().all(|summary| summary.waited().exact);
    let all = TimeWaited { seconds: waited, exact };
    let mut values =
        values(together, sum(Summary::rate), (all, waited), sum(Summary::sessions_waiting));
    let schemes = summaries.iter().map(|summary| summary.latencies.scheme());
    let unlike = schemes.clone().zip(schemes.skip(1)).any(|(one, next)| one != next);
    for (value, q) in values.iter_mut().skip(PERCENTILES).zip(QUANTILES) {
        if unlike && !together.quantile(q).is_ok_and(|found| says_something(found.bucket)) {
            "-".clone_into(value);
        }
    }
    Line { name: format!("all {}", summaries.len()), values }
}

fn values(
    latencies: &Histogram,
    rate: Option<f64>,
    (waited, all): (TimeWaited, f64),
    waiting: Option<f64>,
) -> Vec<String> {
    let events = latencies.events();
    let exact = waited.exact || events == 0;
    let about = if exact { "" } else { "≈" };
    let mean_ns = (events > 0).then(|| waited.seconds * 1e9 / events as f64);
    let share = if all > 0.0 { percent(waited.seconds / all) } else { "-".to_owned() };
    let mut values = vec![
        events.to_string(),
        rate.map_or("-".to_owned(), quantity),
        format!("{about}{}", numbers::waited(waited.seconds)),
        share,
        waiting.map_or("-".to_owned(), |waiting| format!("{about}{}", seconds(waiting))),
        mean(mean_ns, exact),
    ];
    values.extend(QUANTILES.map(|q| {
        let found = latencies.quantile(q).ok();
        found.map_or("-".to_owned(), |found| range(found.bucket, Digits::Three))
    }));
    values
}

/// The width of the names and of each column of values.
fn widths(lines: &[Line]) -> (usize, Vec<usize>) {
    let names = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(6);
    let width = |column: usize| {
        let values = lines.iter().filter_map(|line| line.values.get(column));
        values.map(|value| value.chars().count()).max().unwrap_or(0).max(COLUMNS[column].len())
    };
    (names, (0..COLUMNS.len()).map(width).collect())
}

fn table(ansi: &mut Ansi, lines: &[Line], names: usize, widths: &[usize]) {
    ansi.bold(&format!("{:<names$}", "series"));
    for (title, width) in COLUMNS.iter().zip(widths) {
        ansi.bold(&format!("  {title:>width$}"));
    }
    ansi.end_line();
    for line in lines {
        ansi.plain(&format!("{:<names$}", shortened(&line.name, names)));
        for (value, width) in line.values.iter().zip(widths) {
            ansi.plain(&format!("  {value:>width$}"));
        }
        ansi.end_line();
    }
}

/// Each series as a name and lines of `title value`, as many on a line as fit.
fn blocks(ansi: &mut Ansi, lines: &[Line], width: usize) {
    for line in lines {
        ansi.bold(&shortened(&line.name, width));
        ansi.end_line();
        let parts = COLUMNS.iter().zip(&line.values);
        let (counts, percentiles): (Vec<_>, Vec<_>) = parts
            .map(|(title, value)| format!("{title} {value}"))
            .enumerate()
            .partition(|(i, _)| *i < PERCENTILES);
        for group in [counts, percentiles] {
            let parts: Vec<String> = group.into_iter().map(|(_, part)| part).collect();
            wrapped(ansi, &parts, width);
        }
    }
}

/// The parts, indented, on as many lines as they need.
fn wrapped(ansi: &mut Ansi, parts: &[String], width: usize) {
    for part in parts {
        if ansi.width() > 0 && ansi.width() + 2 + part.chars().count() > width {
            ansi.end_line();
        }
        ansi.plain("  ");
        ansi.plain(part);
    }
    ansi.end_line();
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn footer(ansi: &mut Ansi, input: &InputAccount, width: usize) {
    let mut parts = vec![
        counted(input.records, "record"),
        counted(input.events, "event"),
        format!("{} rejected", input.rejected),
        format!("{} lost", input.lost),
        counted(input.resets, "reset"),
        counted(input.gaps, "gap"),
    ];
    if input.rejected_events > 0 {
        parts.push(format!("{} events in rejected records", input.rejected_events));
    }
    if input.ignored_lines > 0 {
        parts.push(format!("{} other lines", input.ignored_lines));
    }
    parts.extend(
        input.span.map(|(start, end)| Moments::new(input.clock, start).between(start, end)),
    );
    ansi.plain("input");
    wrapped(ansi, &parts, width);
}
