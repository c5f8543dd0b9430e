//! A recording read without isotherm: the views in the file, by Python's `sqlite3`.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;

use testing::bounded;

use super::{Room, succeed};

/// Intervals of every kind: with the time known and not, an estimate, a bucket without an upper bound,
/// losses, a gap, time without events, a correction of time, a name that has two kinds of buckets.
const INTERVALS: &str = r#"{"isotherm_export":1,"source":"made up","command_line":"","host":"","isotherm_version":"0","clock":"epoch","started_ns":1764000000000000000,"tally":{"records":30,"rejected":0,"rejected_events":0,"lost":12,"ignored_lines":0}}
{"mark_at_ns":1764000001000000000,"text":"deploy","origin":"me"}
{"scheme":0,"bounds_ns":[0,1000,2000,4000,8000,null]}
{"scheme":1,"bounds_ns":[0,500,600]}
{"start_ns":1764000000000000000,"end_ns":1764000001000000000,"series":"read","attributes":{"device":"vda","op":"R"},"quality":"complete","sum_ns":23500,"scheme":0,"bounds_ns":[1000,2000,4000,8000,null],"counts":[7,0,0,1]}
{"start_ns":1764000000000000000,"end_ns":1764000001000000000,"series":"log file sync","attributes":{},"quality":"complete","sum_ns":null,"scheme":1,"bounds_ns":[0,500,600],"counts":[3,4]}
{"start_ns":1764000000000000000,"end_ns":1764000001000000000,"series":"lock","attributes":{},"quality":"complete","sum_ns":7000,"scheme":0,"bounds_ns":[2000,4000,8000],"counts":[2,0],"waited_ns":[6000,100]}
{"start_ns":1764000001000000000,"end_ns":1764000002000000000,"series":"read","attributes":{"device":"vda","op":"R"},"quality":"lost 12","sum_ns":1500,"scheme":0,"bounds_ns":[1000,2000],"counts":[1]}
{"start_ns":1764000001000000000,"end_ns":1764000002000000000,"series":"log file sync","attributes":{},"quality":"reset","sum_ns":null,"scheme":1,"bounds_ns":[0,500],"counts":[0]}
{"start_ns":1764000001000000000,"end_ns":1764000002000000000,"series":"lock","attributes":{},"quality":"complete","sum_ns":5000,"scheme":0,"bounds_ns":[4000,8000],"counts":[1],"waited_ns":[900]}
{"start_ns":1764000001000000000,"end_ns":1764000002000000000,"series":"lock","attributes":{},"quality":"amendment","sum_ns":0,"scheme":0,"bounds_ns":[4000,8000],"counts":[0],"waited_ns":[4000]}
{"start_ns":1764000002000000000,"end_ns":1764000003000000000,"series":"read","attributes":{"device":"vda","op":"R"},"quality":"late poll","sum_ns":550,"scheme":1,"bounds_ns":[500,600],"counts":[1]}
"#;

/// Averages: events and their time, and no buckets.
const AVERAGES: &str = "\
start_ns,end_ns,series,quality,sum_ns,lo_ns,hi_ns,count,attribute.op
1764000000000000000,1764000001000000000,disk,complete; averages,364000,,,91,r
1764000001000000000,1764000002000000000,disk,complete; averages,5000,,,1,w
";

/// Compares the views with the rows of `isotherm frames`; prints the sums and the marks.
const COMPARE: &str = r#"
import collections, csv, json, sqlite3, sys

connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
number = lambda text: int(text) if text else None
kept = lambda quality: quality.split(";")[0]
pairs = lambda attributes: ";".join(sorted(f"{k}={v}" for k, v in json.loads(attributes).items()))

rows = [row for row in csv.DictReader(open(sys.argv[2])) if not row["quality"].startswith("tally.")]
key = lambda row: (int(row["start_ns"]), int(row["end_ns"]), row["series"], row["attributes"], kept(row["quality"]))
numbers = lambda row: tuple(number(row[name]) for name in ("lo_ns", "hi_ns", "count", "waited_ns"))
of_isotherm = collections.Counter(key(row) + numbers(row) for row in rows if int(row["count"]) or number(row["waited_ns"]))
of_views = collections.Counter(
    (start, end, series, pairs(attributes), kept(quality), lo, hi, count, waited)
    for start, end, series, attributes, quality, lo, hi, count, waited in connection.execute(
        "select start_ns, end_ns, series, attributes, quality, lo_ns, hi_ns, count, waited_ns from buckets"))
assert of_views == of_isotherm, (of_views - of_isotherm, of_isotherm - of_views)

def added(rows):
    found = {}
    for *key, count, sum_ns, waited_ns in rows:
        of = found.setdefault(tuple(key), [0, 0, 0])
        for place, value in enumerate((count, sum_ns, waited_ns)):
            of[place] += value or 0
    return found

of_isotherm = added(key(row) + tuple(number(row[name]) for name in ("count", "sum_ns", "waited_ns")) for row in rows)
of_views = added(
    (start, end, series, pairs(attributes), kept(quality), count, sum_ns, waited_ns)
    for start, end, series, attributes, quality, count, sum_ns, waited_ns in connection.execute(
        "select start_ns, end_ns, series, attributes, quality, count, sum_ns, waited_ns from intervals"))
assert of_views == of_isotherm, (of_views, of_isotherm)

events = connection.execute("select series, sum(count) from intervals group by series").fetchall()
times = connection.execute("select series, sum(sum_ns) from intervals where sum_ns is not null group by series").fetchall()
print(json.dumps({"rows": len(rows), "events": dict(events), "times": dict(times),
    "marks": connection.execute("select at_ns, at, text, origin from marks").fetchall(),
    "names": [name for name, in connection.execute("select distinct name from series order by name")],
    "cells": connection.execute("select sum(count) from cells").fetchone()[0]}))
"#;

fn has_python() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import sqlite3; sqlite3.connect(':memory:').execute('select json(1)')"]);
    let found = bounded::try_output(&mut python).is_ok_and(|output| output.status.success());
    if !found {
        writeln!(std::io::stderr(), "SKIPPED: no python3 that reads SQLite").expect("said");
    }
    found
}

/// What the views of a recording hold, which are compared with `isotherm frames` first.
fn views(room: &Room, heat: &str) -> serde_json::Value {
    let rows = room.name("rows.csv");
    succeed(&["frames", heat, "-o", &rows, "--force"]);
    let mut python = Command::new("python3");
    let output = bounded::output(python.args(["-c", COMPARE, heat, &rows]));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The events of each series, as `isotherm stats` counts them.
fn events_of_stats(heat: &str) -> serde_json::Value {
    let stats: serde_json::Value =
        serde_json::from_str(&succeed(&["stats", "--format", "json", heat])).unwrap();
    let mut events = BTreeMap::<&str, u64>::new();
    for series in stats["series"].as_array().unwrap() {
        *events.entry(series["name"].as_str().unwrap()).or_default() +=
            series["events"].as_u64().unwrap();
    }
    serde_json::json!(events)
}

#[test]
fn python_reads_what_isotherm_reads() {
    if !has_python() {
        return;
    }
    let room = Room::new();
    let (file, heat) = (room.file("all.jsonl", INTERVALS), room.name("all.heat"));
    succeed(&["import", &file, "-o", &heat]);
    let found = views(&room, &heat);
    let events = serde_json::json!({"lock": 3, "log file sync": 7, "read": 10});
    assert_eq!(found["events"], events);
    assert_eq!(events_of_stats(&heat), events);
    assert_eq!(found["times"], serde_json::json!({"lock": 12_000, "read": 25_550}));
    let at = 1_764_000_001_000_000_000_i64;
    let marks = serde_json::json!([[at, "2025-11-24 16:00:01", "deploy", "me"]]);
    assert_eq!(found["marks"], marks);
    assert_eq!(found["names"], serde_json::json!(["lock", "log file sync", "read"]));
    assert_eq!(found["cells"], 20);
}

#[test]
fn python_reads_averages() {
    if !has_python() {
        return;
    }
    let room = Room::new();
    let (file, heat) = (room.file("averages.csv", AVERAGES), room.name("averages.heat"));
    succeed(&["import", &file, "-o", &heat]);
    let found = views(&room, &heat);
    assert_eq!(found["events"], serde_json::json!({"disk": 92}));
    assert_eq!(found["times"], serde_json::json!({"disk": 369_000}));
}

#[test]
fn python_reads_a_recording_of_many_events() {
    if !has_python() {
        return;
    }
    let room = Room::new();
    let line = |n: u64| {
        let (second, name) = (1_764_000_000 + n / 50, ["a", "b", "c"][(n % 3) as usize]);
        format!("{second}.{:02},{},{name}\n", n % 50, 90 + n * 7_919 % 20_011)
    };
    let lines: String = (0..=3_000).map(line).collect();
    let file = room.file("events.csv", &lines);
    let heat = room.name("events.heat");
    let columns = ["--columns", "time,latency,name", "--unit", "us", "--by", "name"];
    succeed(&[&["import", &file, "-o", &heat][..], &columns].concat());
    let total_us: u64 = (0..=3_000).map(|n: u64| 90 + n * 7_919 % 20_011).sum();
    let mut python = Command::new("python3");
    let sum = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(\
        'select sum(count), sum(sum_ns) from intervals').fetchone())";
    let output = bounded::output(python.args(["-c", sum, &heat]));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.trim(), format!("3001 {}", total_us * 1_000));
}
