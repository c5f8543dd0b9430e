//! Real reports, with the numbers that an independent program read from them.
//!
//! The samples are not part of the project: `ISOTHERM_SAMPLES` names the folder that holds them.
//! Without it these tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files must fail")]
#![allow(clippy::print_stdout, reason = "what was skipped and compared must be seen")]

use std::path::PathBuf;

use isotherm_oracle::awr::{EventHistogram, Printed, Report, parse};
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    let Some(root) = std::env::var_os("ISOTHERM_SAMPLES") else {
        println!("SKIPPED: ISOTHERM_SAMPLES does not name the folder of samples");
        return None;
    };
    let folder = PathBuf::from(root).join("oracle/awr");
    if !folder.is_dir() {
        println!("SKIPPED: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

/// A printed number without separators and its K; `None` for a blank.
fn number(text: &str) -> Option<f64> {
    let plain = text.replace(',', "");
    let (digits, factor) = match plain.strip_suffix('K') {
        Some(digits) => (digits.to_owned(), 1e3),
        None => (plain, 1.0),
    };
    if digits.is_empty() { None } else { Some(digits.parse::<f64>().unwrap() * factor) }
}

fn close(found: Option<Printed>, expected: f64) {
    let found = found.unwrap();
    assert!((found.value - expected).abs() < 1e-6 * expected.max(1.0), "{found:?} {expected}");
}

fn upper_bound(head: &str, micro: bool) -> u64 {
    let milli: u64 = if micro { 1_024_000 } else { 1_000_000 };
    let text = head.trim_start_matches(['<', '=', ' ']);
    let split = text.find(|c: char| c.is_alphabetic()).unwrap();
    let unit = match &text[split..] {
        "us" => 1_000,
        "ms" => milli,
        "s" => milli * 1_024,
        "m" => milli * 65_536,
        other => panic!("{other}"),
    };
    match text[..split].split_once('/') {
        Some((one, parts)) => one.parse::<u64>().unwrap() * unit / parts.parse::<u64>().unwrap(),
        None => text[..split].trim().parse::<u64>().unwrap() * unit,
    }
}

/// The percent of waits below a bound.
fn percent_below(histogram: &EventHistogram, bound: u64) -> Option<f64> {
    let index = histogram.bounds.iter().position(|at| *at == bound)?;
    let below: u64 = histogram.counts[..index].iter().sum();
    Some(below as f64 * 100.0 / histogram.waits as f64)
}

/// Every table of the report must be found again in the counts: at each bound, what lies below
/// it differs from the sum of the printed percentages by no more than their rounding.
fn compare_table(
    report: &Report,
    columns: &[String],
    rows: &serde_json::Map<String, Value>,
) -> usize {
    let micro = report.histograms.iter().any(|histogram| histogram.bounds[1] == 1_000);
    let mut compared = 0;
    for (event, cells) in rows {
        let cells: Vec<_> = cells.as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        let histogram = report.histograms.iter().find(|one| one.event == *event).unwrap();
        assert_eq!(histogram.counts.iter().sum::<u64>(), histogram.waits, "{event}");
        if columns[0] == "Total Waits" {
            close(Some(histogram.printed), number(cells[0]).unwrap());
        }
        let mut sum = 0.0;
        for (head, cell) in columns[1..8].iter().zip(&cells[1..8]) {
            sum += number(cell).unwrap_or(0.0);
            let Some(below) = percent_below(histogram, upper_bound(head, micro)) else { continue };
            let one_wait = 100.0 / histogram.waits as f64;
            assert!((below - sum).abs() < 0.35 + one_wait, "{event} {head}: {below} for {sum}");
            compared += 1;
        }
    }
    compared
}

fn compare_html(report: &Report, expected: &Value) {
    let header = &expected["header"];
    let text = |name: &str| header[name].as_str().unwrap_or_default();
    assert_eq!(report.database.name, text("DB Name"));
    assert_eq!(report.database.id, text("DB Id").parse().ok());
    assert_eq!(report.database.release, text("Release"));
    assert_eq!(report.database.rac, Some(text("RAC") == "YES"));
    assert_eq!(report.instance.name, text("Instance"));
    assert_eq!(report.instance.startup.as_ref().unwrap().text, text("Startup Time"));
    let host = |name: &str| expected["host"][name].as_str().unwrap();
    assert_eq!(report.instance.host, host("Host Name"));
    assert_eq!(report.instance.platform.as_deref(), Some(host("Platform")));
    assert_eq!(report.instance.cpus, host("CPUs").parse().ok());
    assert_eq!(report.instance.sockets, host("Sockets").parse().ok());
    for (snapshot, label) in [(&report.begin, "Begin Snap:"), (&report.end, "End Snap:")] {
        let cells = expected["snap"][label].as_array().unwrap();
        assert_eq!(snapshot.id, cells[0].as_str().unwrap().parse().ok());
        assert_eq!(snapshot.time.text, cells[1].as_str().unwrap());
        assert!(snapshot.time.local.is_some());
        assert_eq!(snapshot.sessions, cells[2].as_str().unwrap().parse().ok());
    }
    let minutes = |label: &str| {
        number(expected["snap"][label][0].as_str().unwrap().split(' ').next().unwrap()).unwrap()
    };
    close(report.elapsed, minutes("Elapsed:") * 60.0);
    close(report.db_time, minutes("DB Time:") * 60.0);
    compare_load(report, expected);
    compare_top(report, expected);
    compare_functions(report, expected);
    let mut compared = 0;
    for (title, table) in expected["histograms"].as_object().unwrap() {
        let columns = table["columns"].as_array().unwrap();
        let columns: Vec<_> = columns.iter().map(|c| c.as_str().unwrap().to_owned()).collect();
        if title.ends_with("@Total Waits") {
            let found = report.histograms.len() as u64;
            assert_eq!(found, table["n_rows"].as_u64().unwrap(), "histograms");
        }
        compared += compare_table(report, &columns, table["rows"].as_object().unwrap());
    }
    println!("{compared} bounds of histograms compared");
}

fn compare_load(report: &Report, expected: &Value) {
    let lines = expected["load_profile"].as_object().unwrap();
    assert_eq!(report.load_profile.len(), lines.len());
    for (name, values) in lines {
        let load = report.load(&[name]).unwrap();
        let found = [load.per_second, load.per_transaction, load.per_exec, load.per_call];
        for (found, value) in found.iter().zip(values.as_array().unwrap()) {
            let value = number(value.as_str().unwrap());
            assert_eq!(found.map(|printed| printed.value), value, "{name}");
        }
    }
}

fn compare_top(report: &Report, expected: &Value) {
    let rows = expected["top_events"]["rows"].as_array().unwrap();
    assert_eq!(report.top_events.len(), rows.len());
    for (line, row) in report.top_events.iter().zip(rows) {
        let cell = |index: usize| row[index].as_str().unwrap();
        assert_eq!(line.event, cell(0));
        assert_eq!(line.waits.map(|waits| waits as f64), number(cell(1)), "{}", line.event);
        assert_eq!(line.total.map(|total| total.value), number(cell(2)), "{}", line.event);
        assert_eq!(line.time_percent, number(cell(4)), "{}", line.event);
        assert_eq!(line.wait_class.as_deref().unwrap_or(""), cell(5));
    }
}

fn compare_functions(report: &Report, expected: &Value) {
    let rows = expected["iostat_function"]["rows"].as_object().unwrap();
    assert_eq!(report.activity.io_functions.len(), rows.len());
    for (name, row) in rows {
        let functions = &report.activity.io_functions;
        let io = functions.iter().find(|io| io.function == *name).unwrap();
        let cell = |index: usize| row[index].as_str().unwrap();
        close(io.reads_per_second, number(cell(1)).unwrap());
        close(io.writes_per_second, number(cell(4)).unwrap());
        close(io.waits, number(cell(6)).unwrap());
        let (digits, letter) = cell(0).split_at(cell(0).len() - 1);
        let factor = match letter {
            "M" => 1.0,
            "G" => 1_024.0,
            "T" => 1_048_576.0,
            other => panic!("{other}"),
        };
        close(io.read_mib, digits.parse::<f64>().unwrap() * factor);
    }
}

#[test]
fn real_reports_are_read_to_their_numbers() {
    let Some(folder) = folder() else { return };
    let expected: Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    for (name, expected) in expected.as_object().unwrap() {
        let report = parse(&std::fs::read(folder.join(name)).unwrap()).unwrap();
        for fault in &report.faults {
            println!("{name}: {fault:?}");
        }
        assert!(report.faults.is_empty(), "{name}: {:?}", report.faults);
        if expected["header"].is_object() {
            compare_html(&report, expected);
        } else {
            compare_text(&report, expected);
        }
    }
}

fn compare_text(report: &Report, expected: &Value) {
    assert!(report.cut_off, "it is an extract");
    assert_eq!(report.database.name, expected["db"].as_str().unwrap());
    assert_eq!(report.database.id, expected["dbid"].as_u64());
    assert_eq!(report.database.release, expected["release"].as_str().unwrap());
    assert_eq!(report.begin.id, expected["begin_snap"].as_u64());
    let time = |name: &str| expected[name].as_str().unwrap().replace(' ', "T");
    assert_eq!(report.begin.time.local.unwrap().to_string(), time("begin"));
    assert_eq!(report.end.time.local.unwrap().to_string(), time("end"));
    close(report.elapsed, expected["elapsed_min"].as_f64().unwrap() * 60.0);
    close(report.db_time, expected["db_time_min"].as_f64().unwrap() * 60.0);
    for (name, value) in expected["load_profile_per_s"].as_object().unwrap() {
        close(report.load(&[name]).unwrap().per_second, value.as_f64().unwrap());
    }
    let heads = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let cell = |value: &Value| value.as_f64().map(|v| v.to_string()).unwrap_or_default();
    for (event, tables) in expected["hist"].as_object().unwrap() {
        let total = tables["total"].as_str().unwrap();
        let mut main: Vec<String> = vec![total.to_owned()];
        main.extend(tables["main"].as_array().unwrap().iter().map(cell));
        main.resize(9, String::new());
        let mut columns = vec!["Total Waits".to_owned()];
        columns.extend(heads("<1ms <2ms <4ms <8ms <16ms <32ms <=1s >1s"));
        let rows = serde_json::json!({ event: main });
        assert!(compare_table(report, &columns, rows.as_object().unwrap()) > 0);
        let Some(detail) = tables.get("64ms-2s") else { continue };
        let mut cells = vec![detail[0].as_str().unwrap().to_owned()];
        cells.extend(detail.as_array().unwrap()[1..].iter().map(cell));
        let mut columns = vec!["Waits 64ms to 2s".to_owned()];
        columns.extend(heads("<32ms <64ms <1/8s <1/4s <1/2s <1s <2s >=2s"));
        let rows = serde_json::json!({ event: cells });
        assert_eq!(compare_table(report, &columns, rows.as_object().unwrap()), 7);
    }
    assert_eq!(report.top_events.len(), 5);
}
