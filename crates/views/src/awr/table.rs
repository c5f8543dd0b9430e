//! The table for people.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use isotherm_frame::{Nanos, shown_name};
use isotherm_oracle::awr::{Latency, NamedReport, Printed, Rate, TopEvent};

use super::printed::shown;

/// How many columns the table has.
const COLUMNS: usize = 15;

/// The heads, and whether the column is of text, which begins at the left.
const HEADS: [(&str, bool); COLUMNS] = [
    ("report", true),
    ("begin", true),
    ("minutes", false),
    ("active", false),
    ("reads/s", false),
    ("writes/s", false),
    ("read MiB/s", false),
    ("write MiB/s", false),
    ("redo KiB/s", false),
    ("calls/s", false),
    ("tx/s", false),
    ("seq read", false),
    ("db write", false),
    ("log write", false),
    ("log sync", false),
];

/// Events of the top list that are named.
const LISTED: usize = 5;

/// An average that may be off by a larger part is marked.
const CLOSE: f64 = 0.02;

/// Writes a row for each report under the heads.
pub fn awr_table(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; COLUMNS]> = reports.iter().map(row).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADS[column].0.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    line(&HEADS.map(|(head, _)| head.to_owned()), &widths, out)?;
    for row in &rows {
        line(row, &widths, out)?;
    }
    writeln!(
        out,
        "\nactive: average active sessions (DB time by the time elapsed). seq read: db file \
         sequential read,\ndb write: db file parallel write, log write: log file parallel write, log \
         sync: log file sync; averages.\n≈ may be off by more than 2 %; - is not in the report, or \
         rounded away."
    )?;
    top_events(reports, out)?;
    read_waits(reports, out)
}

/// A line for each report that has a top list: its time, and where it went.
fn top_events(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let listed: Vec<_> =
        reports.iter().filter(|read| !read.summary.top_events.is_empty()).collect();
    if !listed.is_empty() {
        writeln!(out, "\nTop events by time:")?;
    }
    for read in listed {
        let total = read.summary.db_time.map(|time| format!("DB time {} s: ", shown(time)));
        let events: Vec<String> =
            read.summary.top_events.iter().take(LISTED).map(top_event).collect();
        writeln!(out, "  {}: {}{}", name(read), total.unwrap_or_default(), events.join(", "))?;
    }
    Ok(())
}

fn top_event(top: &TopEvent) -> String {
    let share = top.percent.map(|percent| format!(" ({percent:.0} %)")).unwrap_or_default();
    format!("{} {} s{share}", shown_name(&top.event), shown(top.seconds))
}

/// A line for each report that counts requests to read: how many of them were waits.
fn read_waits(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let known: Vec<_> =
        reports.iter().filter_map(|read| Some((read, read.summary.read_waits.as_ref()?))).collect();
    if !known.is_empty() {
        writeln!(out, "\nWaits for reads by read requests (physical read total IO requests):")?;
    }
    for (read, reads) in known {
        let (ratio, waits, requests) = (reads.ratio.value, reads.waits, reads.requests);
        let name = name(read);
        writeln!(out, "  {name}: {ratio:.2} ({waits} by {requests}): {}.", reads.meaning)?;
    }
    Ok(())
}

fn line(cells: &[String; COLUMNS], widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let padded = cells.iter().zip(HEADS).zip(widths).map(|((cell, (_, left)), width)| {
        if left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    writeln!(out, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())
}

/// The name of a file, or of its directory where that is what tells a run of SLOB from others.
fn run_name(file: &Path) -> Option<&OsStr> {
    let directory = file.parent().and_then(Path::file_name);
    let is_run = |name: &&OsStr| name.as_encoded_bytes().starts_with(b"awr.");
    let own = file.file_name()?;
    let plain = own.to_str().map(|name| name.trim_end_matches(".gz"));
    let of_run = matches!(plain, Some("awr.html" | "awr.htm" | "awr.txt"));
    directory.filter(|name| of_run && is_run(name)).or(Some(own))
}

/// What a report is called.
pub(super) fn name(read: &NamedReport) -> String {
    let file = &read.file;
    let name =
        run_name(Path::new(file)).map_or_else(|| file.clone(), |n| n.to_string_lossy().into());
    shown_name(&name)
}

fn row(read: &NamedReport) -> [String; COLUMNS] {
    let NamedReport { report, summary, .. } = read;
    let begin = &report.begin.time;
    let begin =
        begin.local.map_or_else(|| begin.text.clone(), |at| at.to_string().replace('T', " "));
    let minutes = summary.elapsed.map(|elapsed| shown(elapsed.times(1.0 / 60.0)));
    let redo = summary
        .redo_bytes
        .map(|rate| Rate { per_second: rate.per_second.times(1.0 / 1_024.0), ..rate });
    let mut latencies = summary.latencies.iter().map(latency);
    let mut next = || latencies.next().unwrap_or_default();
    [
        name(read),
        shown_name(&begin),
        minutes.unwrap_or_else(none),
        summary.active_sessions.map_or_else(none, three_digits),
        per_second(summary.read_requests),
        per_second(summary.write_requests),
        per_second(summary.read_mib),
        per_second(summary.write_mib),
        per_second(redo),
        per_second(summary.user_calls),
        per_second(summary.transactions),
        next(),
        next(),
        next(),
        next(),
    ]
}

pub(super) fn none() -> String {
    "-".to_owned()
}

/// Three digits are enough to look at.
fn per_second(rate: Option<Rate>) -> String {
    rate.map_or_else(none, |rate| three_digits(rate.per_second))
}

pub(super) fn three_digits(printed: Printed) -> String {
    match printed.value {
        ..10.0 => format!("{:.2}", printed.value),
        10.0..100.0 => format!("{:.1}", printed.value),
        value => format!("{value:.0}"),
    }
}

fn latency(latency: &Latency) -> String {
    let Some(average) = latency.average_us else { return none() };
    let about = if average.relative() > CLOSE { "≈" } else { "" };
    let length = Nanos::from_secs_f64(average.value / 1e6);
    length.map_or_else(none, |length| format!("{about}{length}"))
}
