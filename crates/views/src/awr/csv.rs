//! One row for each report, with every column that is computed.

use std::io::{self, Write};

use isotherm_experiment::text_cell;
use isotherm_oracle::awr::{Latency, Moment, NamedReport, Rate, TimeFrom, WaitsOf};

use super::printed::shown;

/// Writes the heads and the rows.
pub fn awr_csv(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    for (index, read) in reports.iter().enumerate() {
        let fields = fields(read);
        if index == 0 {
            let heads: Vec<String> = fields.iter().map(|(head, _)| text_cell(head)).collect();
            writeln!(out, "{}", heads.join(","))?;
        }
        let cells: Vec<String> = fields.iter().map(|(_, text)| cell(text)).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// Every column of a report with its head.
fn fields(read: &NamedReport) -> Vec<(String, String)> {
    let NamedReport { file, report, summary, .. } = read;
    let mut fields = Vec::new();
    let mut add = |head: &str, cell: String| fields.push((head.to_owned(), cell));
    let number = |number: Option<u64>| number.map(|n| n.to_string()).unwrap_or_default();
    add("file", file.clone());
    add("db_name", report.database.name.clone());
    add("db_id", number(report.database.id));
    add("container", report.database.container.clone().unwrap_or_default());
    add("release", report.database.release.clone());
    add("instance", report.instance.name.clone());
    add("inst_num", number(report.instance.number.map(u64::from)));
    add("host", report.instance.host.clone());
    add("cpus", number(report.instance.cpus.map(u64::from)));
    add("begin_snap", number(report.begin.id));
    add("end_snap", number(report.end.id));
    add("begin_local_time", moment(&report.begin.time));
    add("end_local_time", moment(&report.end.time));
    add("elapsed_s", summary.elapsed.map(shown).unwrap_or_default());
    add("db_time_s", report.db_time.map(shown).unwrap_or_default());
    for (head, rate) in [
        ("io_requests_per_s", summary.io_requests),
        ("io_mib_per_s", summary.io_mib),
        ("redo_bytes_per_s", summary.redo_bytes),
        ("user_calls_per_s", summary.user_calls),
        ("transactions_per_s", summary.transactions),
        ("logical_reads_per_s", summary.logical_reads),
    ] {
        add(head, rate.map(|rate| shown(rate.per_second)).unwrap_or_default());
    }
    add("io_requests_from", source(summary.io_requests).to_owned());
    for latency in &summary.latencies {
        fields.extend(latency_fields(latency));
    }
    let notes = summary.latencies.iter().filter_map(|latency| {
        let missing = latency.missing.as_ref()?;
        Some(format!("{}: {missing}", latency.event))
    });
    fields.push(("notes".to_owned(), notes.collect::<Vec<_>>().join("; ")));
    fields
}

fn latency_fields(latency: &Latency) -> [(String, String); 5] {
    let head = |what: &str| format!("{}_{what}", latency.event.replace(' ', "_"));
    let average = latency.average_us;
    let of = match latency.of {
        WaitsOf::Foreground => "foreground",
        WaitsOf::Background => "background",
        WaitsOf::All => "all",
    };
    let from = match latency.from {
        Some(TimeFrom::Total) => "total",
        Some(TimeFrom::Average) => "average",
        None => "",
    };
    [
        (head("of"), latency.waits.map(|_| of.to_owned()).unwrap_or_default()),
        (head("waits"), latency.waits.map(|waits| waits.to_string()).unwrap_or_default()),
        (head("avg_us"), average.map(shown).unwrap_or_default()),
        (head("avg_plus_minus_us"), average.map(|a| uncertainty(a.half)).unwrap_or_default()),
        (head("avg_from"), from.to_owned()),
    ]
}

/// Two digits of how far a number may be off.
fn uncertainty(half: f64) -> String {
    match half {
        10.0.. => format!("{half:.0}"),
        1.0..10.0 => format!("{half:.1}"),
        0.1..1.0 => format!("{half:.2}"),
        _ => format!("{half:.4}"),
    }
}

fn source(rate: Option<Rate>) -> &'static str {
    rate.map_or("", |rate| rate.from)
}

/// The local time where it could be read, else what is printed.
fn moment(moment: &Moment) -> String {
    moment.local.map_or_else(|| moment.text.clone(), |local| local.to_string())
}

/// A number as it is, words as words.
fn cell(text: &str) -> String {
    if text.parse::<f64>().is_ok() { text.to_owned() } else { text_cell(text) }
}
