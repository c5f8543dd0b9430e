//! `isotherm analyze`: a sweep and AWR reports in every form.
//!
//! The run table in `fixtures/saturation.sweep` was made by hand: four servers of one millisecond,
//! so that throughput is the number in flight up to four, and four thousand per second beyond.
//! Nine in ten operations take 0.8 times the mean, nineteen in two hundred twice it, the rest
//! eighteen times.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{Room, run, succeed};

const RUNS: &str = include_str!("fixtures/saturation.sweep/runs.jsonl");

fn fixture() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/fixtures/saturation.sweep").to_owned()
}

fn report(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/awrreport");
    let extension = if name.starts_with("html") { "html" } else { "txt" };
    format!("{folder}/{name}/input.{extension}")
}

/// Reads RFC 4180 as it is written there: quoted cells, doubled quotes, CRLF.
fn read_csv(text: &str) -> Vec<HashMap<String, String>> {
    let mut records: Vec<Vec<String>> = vec![vec![String::new()]];
    let (mut inside, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        let record = records.last_mut().unwrap();
        let cell = record.last_mut().unwrap();
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => cell.push(letters.next().unwrap()),
            '"' => inside = !inside,
            ',' if !inside => record.push(String::new()),
            '\r' if !inside => {
                assert_eq!(letters.next(), Some('\n'), "a record ends with CRLF");
                records.push(vec![String::new()]);
            }
            other => cell.push(other),
        }
    }
    assert_eq!(records.pop(), Some(vec![String::new()]), "the last record ends, too");
    let heads = records.remove(0);
    let named = |record: Vec<String>| {
        assert_eq!(record.len(), heads.len(), "{record:?}");
        heads.iter().cloned().zip(record).collect()
    };
    records.into_iter().map(named).collect()
}

/// A sweep with recordings: as many operations each second as were in flight.
fn with_recordings(room: &Room) -> String {
    let sweep = room.path("disk.sweep");
    std::fs::create_dir(&sweep).unwrap();
    std::fs::write(sweep.join("runs.jsonl"), RUNS).unwrap();
    for line in RUNS.lines() {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(name) = run["recording"].as_str() else { continue };
        let began = run["outcome"]["began_ns"].as_i64().unwrap() / 1_000_000_000;
        let in_flight = run["outcome"]["offered"]["in_flight"].as_u64().unwrap();
        let mut text = String::new();
        for second in 0..10 {
            for operation in 0..in_flight {
                let us = 1_000 * in_flight.max(4) / 4 + operation;
                writeln!(text, "{} {us}", began + second).unwrap();
            }
        }
        let input = room.file("input.txt", text);
        let output = sweep.join(name);
        let columns = ["--columns", "time,latency", "--unit", "us", "--interval", "1s"];
        let mut words = vec!["import", &input, "-o", output.to_str().unwrap()];
        words.extend(columns);
        succeed(&words);
    }
    sweep.to_str().unwrap().to_owned()
}

#[test]
fn the_csv_reads_back_with_one_number_a_cell() {
    let rows = read_csv(&succeed(&["analyze", &fixture(), "--format", "csv"]));
    assert_eq!(rows.len(), 13);
    let row = rows.iter().find(|row| row["in_flight"] == "8" && row["repeat"] == "0").unwrap();
    assert_eq!((row["sweep"].as_str(), row["label"].as_str()), ("saturation.sweep", "in-flight 8"));
    assert_eq!((row["ops_per_s"].as_str(), row["mean_us"].as_str()), ("4000", "2000"));
    // By Little's law eight operations wait all the time.
    assert_eq!(row["waited_s_per_s"], "8");
    assert_eq!((row["cpu_us_per_op"].as_str(), row["machine_busy"].as_str()), ("5", "0.2"));
    assert_eq!((row["steady"].as_str(), row["recording"].as_str()), ("yes", "point-3-0.heat"));
    let p99: f64 = row["p99_us"].parse().unwrap();
    assert!((p99 / 4_000.0 - 1.0).abs() < 0.01 && row["p99_unstable"] == "no", "{p99}");
    let texts = [
        "sweep",
        "label",
        "target",
        "loop",
        "began_utc",
        "most_frequent_fault",
        "ended",
        "steady",
        "verdicts",
        "recording",
    ];
    for row in &rows {
        for (name, cell) in row {
            let is_text = texts.contains(&name.as_str()) || name.ends_with("_unstable");
            assert!(is_text || cell.is_empty() || cell.parse::<f64>().is_ok(), "{name}: {cell}");
        }
    }
    let failed = rows.iter().find(|row| row["in_flight"] == "64").unwrap();
    assert_eq!((failed["ended"].as_str(), failed["verdicts"].as_str()), ("failed", "failed"));
}

#[test]
fn the_table_says_where_saturation_begins_and_what_is_doubtful() {
    let text = succeed(&[
        "analyze",
        &fixture(),
        "--width",
        "120",
        "--latency-limit",
        "p99<2500us",
        "--latency-limit",
        "p99<10us",
    ]);
    assert!(text.contains("Saturation begins at about 3.88k/s at in-flight 4"), "{text}");
    let flowing = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let within = "Highest throughput with p99 ≤ 2.5ms in every repeat: 3.88k/s at in-flight 4; \
                  ≤ 10µs: none.";
    assert!(flowing.contains(within), "{text}");
    assert!(text.contains("Repeats disagree at in-flight 32 by 42 % in throughput"), "{text}");
    assert!(text.contains("not steady at in-flight 32"), "{text}");
    let serious = "Warning: page-cache at in-flight 16 (and 1 more run)";
    assert!(text.contains(serious), "{text}");
    assert!(
        text.contains("One run has no result") && text.contains("(the server went away)"),
        "{text}"
    );
    assert!(text.contains("○32") && text.contains("●2"), "doubtful points are hollow: {text}");
    let narrow = succeed(&["analyze", &fixture(), "--width", "70", "--ascii"]);
    assert!(narrow.is_ascii() && narrow.contains("the terminal is narrow"), "{narrow}");
    assert!(narrow.lines().all(|line| line.len() <= 72), "{narrow}");
}

#[test]
fn the_page_has_one_map_over_the_whole_sweep() {
    let room = Room::new();
    let sweep = with_recordings(&room);
    let page = room.name("disk.html");
    succeed(&["analyze", &sweep, "-o", &page]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("id=\"sections\"") && page.contains("id=\"isotherm-data\""));
    assert!(page.contains("Saturation begins at about") && page.contains("isotherm fit"));
    // Twelve runs of ten seconds: 2 x (1 + 2 + 4 + 8 + 16 + 32) operations each second.
    let events = 2 * 63 * 10;
    assert!(page.contains("1,260") && events == 1_260, "all operations are on one map");
    assert_eq!(page.matches("in-flight 8 #").count(), 2, "a mark for each run");
    assert!(page.contains("answered &lt;the rest&gt;") && !page.contains("<the rest>"));
    let again = run(&["analyze", &sweep, "-o", &room.name("disk.html")]);
    assert!(again.status.success(), "a report of ours is replaced");
}

#[test]
fn every_form_is_written_and_replaced() {
    let room = Room::new();
    let sweep = fixture();
    for (name, begin) in [
        ("a.csv", "sweep,point,repeat,label,"),
        ("a.json", "{"),
        ("a.md", "<!-- isotherm report -->"),
        ("a.svg", "<svg"),
        ("a.html", "<!doctype html>"),
    ] {
        let path = room.name(name);
        for _ in 0..2 {
            succeed(&["analyze", &sweep, "-o", &path]);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(begin), "{name}: {}", text.get(..80).unwrap_or(&text));
    }
    let other = room.file("mine.csv", "not,ours\n");
    assert_eq!(run(&["analyze", &sweep, "-o", &other]).status.code(), Some(2));
    assert_eq!(run(&["analyze", &sweep, "-o", &room.name("a.xyz")]).status.code(), Some(2));
}

#[test]
fn json_has_curves_and_rows() {
    let json = succeed(&["analyze", &fixture(), "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema_version"], 1);
    let curve = &json["curves"][0];
    assert_eq!((&curve["loop"], &curve["saturation"]["load"]), (&"closed".into(), &4.0.into()));
    assert_eq!(curve["points"].as_array().unwrap().len(), 6);
    assert_eq!(curve["points"][2]["operations_per_s"]["median"], 3_880.0);
    assert_eq!(curve["points"][2]["operations_per_s"]["low"], 3_860.0);
    assert_eq!(json["rows"].as_array().unwrap().len(), 13);
}

#[test]
fn several_sweeps_are_one_curve_each() {
    let room = Room::new();
    let other = room.path("other.sweep");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("runs.jsonl"), RUNS).unwrap();
    let text = succeed(&["analyze", &fixture(), other.to_str().unwrap(), "--width", "120"]);
    assert!(text.contains("● saturation.sweep   ■ other.sweep"), "{text}");
    assert!(text.contains("other.sweep: Saturation begins at"), "{text}");
}

#[test]
fn what_is_no_run_is_reported_and_fatal_if_wanted() {
    let room = Room::new();
    let table = room.file("runs.jsonl", format!("{RUNS}{{\"format\":1,\"poi"));
    let output = run(&["analyze", &table, "--format", "csv"]);
    assert!(output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("cut off while it was written"));
    assert_eq!(run(&["analyze", &table, "--format", "csv", "--strict"]).status.code(), Some(4));
    let empty = room.file("empty.jsonl", "");
    assert_eq!(run(&["analyze", &empty]).status.code(), Some(1));
    assert_eq!(run(&["analyze", &fixture(), &report("html-12201")]).status.code(), Some(2));
}

#[test]
fn awr_reports_have_the_columns_that_users_of_slob_know() {
    let (late, early) = (report("html-12201"), report("text-11201-noise"));
    let csv = succeed(&["analyze", &late, &early, "--format", "csv"]);
    let known = "FILE,SESSIONS,ELAPSED,DB CPU,DB Tm,EXECUTES,LIO,PREADS,READ_MBS,PWRITES,WRITE_MBS,\
                 REDO_MBS,DFSR_LAT,DPR_LAT,DFPR_LAT,DFPW_LAT,LFPW_LAT,TOP WAIT,";
    assert!(csv.starts_with(known), "{csv}");
    let rows = read_csv(&csv);
    assert_eq!((rows.len(), &rows[0]["FILE"]), (2, &early));
    assert_eq!((rows[0]["ELAPSED"].as_str(), rows[0]["LIO"].as_str()), ("900", "2000"));
    // 103 s of 39,995 waits.
    assert_eq!(rows[0]["DFSR_LAT"], "2575");
    // 90,000 read requests and 27,000 writes in 900 s.
    assert_eq!((rows[1]["PREADS"].as_str(), rows[1]["PWRITES"].as_str()), ("100", "30"));
    // 7.20 minutes in 900 s; 120 s of CPU.
    let number = |name: &str| rows[0][name].parse::<f64>().unwrap();
    assert!((number("DB Tm") - 0.48).abs() < 0.02, "{}", rows[0]["DB Tm"]);
    assert!((number("DB CPU") - 0.13).abs() < 0.04, "{}", rows[0]["DB CPU"]);
    assert!(!rows[0]["TOP WAIT"].is_empty() && rows[0]["TOP WAIT"] != "DB CPU");
    let page = succeed(&["analyze", &late, &early, "--format", "html"]);
    assert!(page.contains("Average waits against I/O requests"));
}
