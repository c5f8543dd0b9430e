//! Statistics as an aligned table, or as blocks where it does not fit.

use std::io::{self, Write};

use isotherm_analysis::{FrameTotals, Metrics, ShortNames, Summary};
use isotherm_frame::{Bucket, Histogram, LONGEST_NAME, narrow_percent, shortened};

use crate::Style;
use crate::ansi::Ansi;
use crate::description;
use crate::document;
use crate::headline::TIME_ONLY;
use crate::input_account::InputAccount;
use crate::numbers::{self, seconds};
use crate::ranges::{Digits, mean, range};
use crate::statements::statement_section;
use crate::times::TimeFormat;
use crate::view::ViewMeta;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "table",
    about: "The numbers of a whole input, series by series, most time waited first.",
    when: "Right for a summary of a file or a recording, and for a line in a report.",
    reading: &[
        "The sentence above the table is what is most worth saying of all series together: what \
         happened, when, how much, compared with what. `--describe` prints all of them.",
        "What the names of all series have in common stands once, above the table; CSV and JSON have \
         every name in full.",
        "`waited` is the total time and `% waited` its share of all time waited; `waiting` is the \
         time per second: how many were waiting on average. `≈` marks what is estimated from bucket \
         mid-points.",
        "Percentiles and the maximum are the bounds of the bucket that holds them; `>1.05s` means \
         that the bucket has no upper bound. There is no finer truth in bucket counts.",
        "Rates are per second of time about which anything was said, the same for all series, so \
         that they add up: gaps do not thin them.",
        "Of logs of PostgreSQL and MySQL ten statements stand below with the longest call of each: its line in the \
         file and its text. `V/M` is variance / mean, as `pt-query-digest` has it, as a range.",
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
    /// The time waited, in seconds, in series that the table leaves out: a part of all time waited.
    pub left_out_s: f64,
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
        account: &FrameTotals,
        input: &InputAccount,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.render_said(None, (account, input), style, out)
    }

    /// Writes the statistics below what is worth saying first. Fails only when `out` does.
    pub fn render_said(
        &self,
        sentence: Option<&str>,
        (account, input): (&FrameTotals, &InputAccount),
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let summaries = account.by_time_waited();
        let shown_s: f64 = summaries.iter().map(|summary| summary.waited().seconds).sum();
        let all_waited_s = shown_s + self.left_out_s;
        let short = ShortNames::of(summaries.iter().map(|summary| &summary.series));
        let line = |summary: &&Summary| line_of(account, (summary, &short), all_waited_s);
        let mut lines: Vec<Line> = summaries.iter().map(line).collect();
        lines.extend(all(account, &summaries, self.left_out_s));
        let mut ansi = Ansi::new(style);
        if let Some(sentence) = sentence {
            for line in description::wrapped(sentence, self.width) {
                ansi.line(&line);
            }
            ansi.end_line();
        }
        for line in
            short.common_line().iter().flat_map(|line| description::wrapped(line, self.width))
        {
            ansi.faint(&line);
            ansi.end_line();
        }
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
        statements(&mut ansi, (account, input), self.width);
        averages(&mut ansi, &summaries, self.width.unwrap_or(usize::MAX));
        footer(&mut ansi, input, self.width.unwrap_or(usize::MAX));
        windows(&mut ansi, input, self.width.unwrap_or(usize::MAX));
        ansi.write_to(out)
    }
}

/// The line of all series. Metrics may count the same events: of them only the foremost is in it, and
/// the line says so.
fn all(account: &FrameTotals, summaries: &[&Summary], left_out_s: f64) -> Option<Line> {
    let totals = |of: &[&Summary], together: &Histogram| totals(account, of, together, left_out_s);
    let Some(maps) = Metrics::of_summaries(summaries) else {
        let together = account.together().filter(|_| summaries.len() > 1);
        return together.map(|together| totals(summaries, &together));
    };
    let held: Vec<&Summary> =
        summaries.iter().copied().filter(|summary| maps.holds(&summary.series)).collect();
    let together = Histogram::merged(held.iter().map(|summary| &summary.latencies));
    let line = together.filter(|_| held.len() > 1).map(|together| totals(&held, &together))?;
    Some(Line { name: format!("{} without {}", line.name, maps.others.join(", ")), ..line })
}

/// The numbers of a series beside all time waited.
fn line_of(
    account: &FrameTotals,
    (summary, short): (&Summary, &ShortNames),
    all_waited_s: f64,
) -> Line {
    let name = short.name(&summary.series);
    Line { name, values: values(account, &summary.latencies, all_waited_s) }
}

/// Whether a bucket that others were merged into still says where a percentile lies: within two
/// octaves.
fn says_something(bucket: Bucket) -> bool {
    bucket.hi.is_some_and(|hi| hi.as_nanos() / 4 <= bucket.lo.as_nanos())
}

/// Rates and times add up over series. Percentiles are those of all events together. Where
/// series count in different buckets, what these have in common may be one wide bucket: such a
/// percentile is left out.
fn totals(
    account: &FrameTotals,
    summaries: &[&Summary],
    together: &Histogram,
    left_out_s: f64,
) -> Line {
    let mut values = values(account, together, together.time_waited().seconds + left_out_s);
    let schemes = summaries.iter().map(|summary| summary.latencies.scheme());
    let unlike = schemes.clone().zip(schemes.skip(1)).any(|(one, next)| one != next);
    for (value, q) in values.iter_mut().skip(PERCENTILES).zip(QUANTILES) {
        if unlike && !together.quantile(q).is_ok_and(|found| says_something(found.counted_in)) {
            "-".clone_into(value);
        }
    }
    Line { name: format!("all {}", summaries.len()), values }
}

/// Every rate is of the same time, so that rates add up.
fn values(account: &FrameTotals, latencies: &Histogram, all_waited_s: f64) -> Vec<String> {
    let (events, waited) = (latencies.events(), latencies.time_waited());
    let rate = account.rate(events);
    let waiting = account.per_second(waited.seconds);
    let about = if waited.exact || latencies.is_blank() { "" } else { "≈" };
    let share = if all_waited_s > 0.0 {
        narrow_percent(waited.seconds / all_waited_s)
    } else {
        "-".to_owned()
    };
    let mut values = vec![
        events.to_string(),
        rate.map_or("-".to_owned(), numbers::rate),
        format!("{about}{}", numbers::waited(waited.seconds)),
        share,
        waiting.map_or("-".to_owned(), |waiting| format!("{about}{}", seconds(waiting))),
        mean(latencies.mean_ns(), latencies.latency_total().exact || events == 0),
    ];
    values.extend(QUANTILES.map(|q| {
        let found = latencies.quantile(q).ok();
        found.map_or("-".to_owned(), |found| range(found.bucket, Digits::Three))
    }));
    values
}

/// The width of the names and of each column of values.
fn widths(lines: &[Line]) -> (usize, Vec<usize>) {
    let names = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0);
    let names = names.clamp(6, LONGEST_NAME);
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

/// The statements of a log, where it gives examples, and these examples below them.
fn statements(
    ansi: &mut Ansi,
    (totals, input): (&FrameTotals, &InputAccount),
    width: Option<usize>,
) {
    let Some(section) = statement_section(totals, input) else { return };
    ansi.bold(&section.title);
    ansi.end_line();
    for table in &section.tables {
        for line in document::table_lines(table) {
            ansi.line(&shortened(&line, width.unwrap_or(usize::MAX)));
        }
        for line in description::wrapped(&table.caption, width) {
            ansi.line(&line);
        }
    }
    for detail in &section.details {
        ansi.line(&detail.summary);
        for sentence in &detail.sentences {
            for line in description::wrapped(sentence, width) {
                ansi.line(&format!("    {line}"));
            }
        }
    }
    ansi.end_line();
}

/// The stretches of time that lie far apart, each with its own numbers.
fn windows(ansi: &mut Ansi, input: &InputAccount, width: usize) {
    if let Some(head) = input.windows_message() {
        ansi.line(&head);
    }
    for window in input.each_window() {
        wrapped(ansi, &window, width);
    }
}

fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// What stands in place of percentiles where there are none.
fn averages(ansi: &mut Ansi, summaries: &[&Summary], width: usize) {
    let some = summaries.iter().filter(|summary| summary.latencies.is_averages()).count();
    if some == 0 {
        return;
    }
    let which = if some == summaries.len() { "" } else { "series marked (averages): " };
    let sampled = summaries.iter().filter(|summary| summary.latencies.is_time_only()).count();
    let what = match sampled {
        0 => "averages only: no percentiles",
        _ if sampled == some => TIME_ONLY,
        _ => "averages only, or samples of who waits: no percentiles",
    };
    ansi.plain("note");
    wrapped(ansi, &[format!("{which}{what}")], width);
}

fn footer(ansi: &mut Ansi, input: &InputAccount, width: usize) {
    let mut parts = vec![
        counted(input.read.records, "record"),
        counted(input.events, "event"),
        format!("{} rejected", input.read.rejected),
        format!("{} lost", input.lost),
        counted(input.resets, "reset"),
        counted(input.gaps, "gap"),
    ];
    if input.read.rejected_events > 0 {
        parts.push(format!("{} in rejected records", counted(input.read.rejected_events, "event")));
    }
    if input.read.ignored_lines > 0 {
        parts.push(counted(input.read.ignored_lines, "other line"));
    }
    parts.extend(
        input.span.map(|(start, end)| TimeFormat::new(input.read.clock, start).between(start, end)),
    );
    ansi.plain("input");
    wrapped(ansi, &parts, width);
    for assumed in &input.read.assumptions {
        ansi.plain("note");
        wrapped(ansi, &[assumed.to_string()], width);
    }
}
