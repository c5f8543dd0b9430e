//! One row for each report, with every column that is computed.

use std::io::{self, Write};

use isotherm_experiment::text_cell;
use isotherm_oracle::awr::{Latency, Moment, NamedReport, Rate, Summary, TimeFrom, WaitsOf};

use super::printed::shown;

/// Events of the top list with columns of their own.
const TOP: usize = 3;

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
    added_later(summary, &mut fields);
    let notes = summary.latencies.iter().filter_map(|latency| {
        let missing = latency.missing.as_ref()?;
        Some(format!("{}: {missing}", latency.event))
    });
    fields.push(("notes".to_owned(), notes.collect::<Vec<_>>().join("; ")));
    fields
}

/// Columns that came after those before, which keep their places.
fn added_later(summary: &Summary, fields: &mut Vec<(String, String)>) {
    let mut add = |head: &str, cell: String| fields.push((head.to_owned(), cell));
    add("active_sessions", summary.active_sessions.map(shown).unwrap_or_default());
    for (head, rate) in [
        ("read_requests_per_s", summary.read_requests),
        ("write_requests_per_s", summary.write_requests),
        ("read_mib_per_s", summary.read_mib),
        ("write_mib_per_s", summary.write_mib),
    ] {
        add(head, rate.map(|rate| shown(rate.per_second)).unwrap_or_default());
    }
    for index in 0..TOP {
        let top = summary.top_events.get(index);
        let number = index + 1;
        add(&format!("top_{number}_event"), top.map(|top| top.event.clone()).unwrap_or_default());
        add(&format!("top_{number}_s"), top.map(|top| shown(top.seconds)).unwrap_or_default());
    }
    let reads = summary.read_waits.as_ref();
    add("read_waits", reads.map(|reads| reads.waits.to_string()).unwrap_or_default());
    add("read_requests", reads.map(|reads| reads.requests.to_string()).unwrap_or_default());
    let ratio = reads.map(|reads| format!("{:.4}", reads.ratio.value));
    add("waits_per_read_request", ratio.unwrap_or_default());
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
