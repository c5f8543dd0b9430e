//! The table for people.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use isotherm_frame::{Nanos, shown_name};
use isotherm_oracle::awr::{Latency, NamedReport, Rate};

use super::printed::shown;

/// The heads, and whether the column is of text, which begins at the left.
const HEADS: [(&str, bool); 12] = [
    ("report", true),
    ("begin", true),
    ("minutes", false),
    ("IOPS", false),
    ("MiB/s", false),
    ("redo KiB/s", false),
    ("calls/s", false),
    ("tx/s", false),
    ("seq read", false),
    ("db write", false),
    ("log write", false),
    ("log sync", false),
];

/// An average that may be off by a larger part is marked.
const CLOSE: f64 = 0.02;

/// Writes a row for each report under the heads.
pub fn awr_table(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 12]> = reports.iter().map(row).collect();
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
        "\nseq read: db file sequential read, db write: db file parallel write, log write: log file \
         parallel write,\nlog sync: log file sync; averages. ≈ may be off by more than 2 %; - is not \
         in the report, or rounded away."
    )
}

fn line(cells: &[String; 12], widths: &[usize], out: &mut dyn Write) -> io::Result<()> {
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

fn row(read: &NamedReport) -> [String; 12] {
    let NamedReport { file, report, summary, .. } = read;
    let name =
        run_name(Path::new(file)).map_or_else(|| file.clone(), |n| n.to_string_lossy().into());
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
        shown_name(&name),
        shown_name(&begin),
        minutes.unwrap_or_else(none),
        per_second(summary.io_requests),
        per_second(summary.io_mib),
        per_second(redo),
        per_second(summary.user_calls),
        per_second(summary.transactions),
        next(),
        next(),
        next(),
        next(),
    ]
}

fn none() -> String {
    "-".to_owned()
}

/// Three digits are enough to look at.
fn per_second(rate: Option<Rate>) -> String {
    let Some(Rate { per_second, .. }) = rate else { return none() };
    match per_second.value {
        ..10.0 => format!("{:.2}", per_second.value),
        10.0..100.0 => format!("{:.1}", per_second.value),
        value => format!("{value:.0}"),
    }
}

fn latency(latency: &Latency) -> String {
    let Some(average) = latency.average_us else { return none() };
    let about = if average.relative() > CLOSE { "≈" } else { "" };
    let length = Nanos::from_secs_f64(average.value / 1e6);
    length.map_or_else(none, |length| format!("{about}{length}"))
}
