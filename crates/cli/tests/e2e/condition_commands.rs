//! `--fail-if` of the commands that add up, select, fit and calibrate.

use std::fmt::Write as _;

use super::{Room, run, succeed};

const SWEEP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/fixtures/saturation.sweep");
const REPORT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/awrreport/html-12201/input.html");

/// The lines of the conditions, and the exit code.
fn judged(args: &[&str], condition: &str) -> (Vec<String>, i32) {
    let output = run(&[args, &["--fail-if", condition]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_judged =
        |line: &&str| ["PASS ", "FAIL ", "UNSURE "].iter().any(|word| line.contains(word));
    let lines: Vec<String> = said.lines().filter(is_judged).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{args:?}: {said}");
    (lines, output.status.code().unwrap())
}

fn assert_judged(args: &[&str], condition: &str, word: &str, of: &str) {
    let (lines, code) = judged(args, condition);
    assert_eq!(code, if word == "PASS" { 0 } else { 99 }, "{lines:?}");
    let begin = format!("{word} {condition}: ");
    assert!(lines.iter().all(|line| line.contains(&begin)), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(of)), "{lines:?}");
}

/// Reads of 2 ms (two) and 50 ms (one), a commit of 6 ms, in a second.
const TRACE: &str = "\
*** 2026-11-21T09:08:07.000000+01:00
EXEC #1:c=0,e=10,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=9,tim=1000000
WAIT #1: nam='db file sequential read' ela= 2000 file#=7 block#=131 blocks=1 obj#=8042 tim=1100000
WAIT #1: nam='db file sequential read' ela= 2000 file#=7 block#=131 blocks=1 obj#=8042 tim=1200000
WAIT #1: nam='db file sequential read' ela= 50000 file#=7 block#=131 blocks=1 obj#=8042 tim=1300000
FETCH #1:c=300,e=300000,p=1,cr=3,cu=0,mis=0,r=5,dep=0,og=1,plh=9,tim=1310000
WAIT #1: nam='log file sync' ela= 6000 buffer#=1 sync scn=2 p3=0 obj#=-1 tim=1400000
WAIT #1: nam='SQL*Net message from client' ela= 590000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1999990
";

#[test]
fn a_trace_is_asked_of_its_waits() {
    let room = Room::new();
    let trace = room.file("a.trc", TRACE);
    let args = ["trace", trace.as_str()];
    assert_judged(&args, "max>20ms", "FAIL", "db file sequential read has");
    // Idle waits are not asked: the longest lasts 590 ms.
    assert_judged(&args, "max>500ms", "PASS", "(highest of 2)");
    assert_judged(&args, "mean>6ms", "FAIL", "db file sequential read has 18ms");
    // 54 of 60 ms are reads.
    assert_judged(&args, "waited>90.5%", "PASS", "db file sequential read has 90.0 %");
    assert_judged(&args, "waited>89%", "FAIL", "db file sequential read has 90.0 %");
    // One wait in the second that was traced.
    assert_judged(&args, "rate<2/s", "FAIL", "log file sync has 1.00 events/s");
    // Before the 50 ms, but its call ends behind the limit.
    let part = ["trace", trace.as_str(), "--to", "250ms"];
    assert_judged(&part, "max>1ms", "UNSURE", "no events");
    let part = ["trace", trace.as_str(), "--from", "350ms"];
    assert_judged(&part, "max>20ms", "PASS", "log file sync has");
}

#[test]
fn a_part_of_a_trace_adds_up() {
    let room = Room::new();
    let trace = room.file("a.trc", TRACE);
    let profile = |part: &[&str]| -> serde_json::Value {
        let text = succeed(&[&["trace", &trace, "--format", "json"], part].concat());
        serde_json::from_str(&text).unwrap()
    };
    let response = |part: &[&str]| profile(part)["response_time"]["response_s"].clone();
    // 10 µs, 300 ms and the commit between calls.
    assert_eq!(response(&[]), 0.306_01);
    assert_eq!(response(&["--to", "08:08:07.35"]), 0.300_01);
    assert_eq!(response(&["--from", "350ms"]), 0.006);
    // From the beginning of the commit on.
    assert_eq!(profile(&["--from", "350ms"])["input"]["traced_s"], 0.605_99);
}

#[test]
fn runs_of_a_sweep_are_asked_one_by_one() {
    // Four servers of 1 ms: 8 in flight give 4,000 a second, 1 some 1,000.
    for command in ["analyze", "fit"] {
        assert_judged(&[command, SWEEP], "rate<100", "PASS", "in");
        assert_judged(&[command, SWEEP], "rate>3k", "FAIL", "8");
        assert_judged(&[command, SWEEP], "mean>1s", "PASS", "in");
        let output = run(&[command, SWEEP, "--fail-if", "waited>5%"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("operations of a load have all time waited"), "{said}");
    }
}

#[test]
fn a_table_of_points_has_no_latencies_to_ask() {
    let room = Room::new();
    let table = room.file("t.csv", "n,x\n1,1000\n2,1900\n4,3500\n8,4000\n");
    let output = run(&["fit", &table, "--fail-if", "p99>5ms"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a table of points does not have"), "{said}");
}

#[test]
fn reports_are_asked_as_stats_reads_them() {
    let stats = judged(&["stats", REPORT], "p99>20ms");
    for command in ["awr", "analyze"] {
        assert_eq!(judged(&[command, REPORT], "p99>20ms"), stats, "{command}");
        assert_judged(&[command, REPORT], "rate>1M", "PASS", "events/s");
    }
}

#[test]
fn selected_events_are_asked() {
    let room = Room::new();
    // 99 events of 1 ms and one of 101 ms in 10 s: the slow one has 50.5 % of all time waited.
    let mut text = String::new();
    for event in 0..100_u64 {
        let us = if event == 50 { 101_000 } else { 1_000 };
        writeln!(text, "{}.{}5,{us},f", 1_763_733_600 + event / 10, event % 10).unwrap();
    }
    let file = room.file("a.csv", text);
    let args =
        ["explain", &file, "--columns", "time,latency,file", "--unit", "us", "--above", "50ms"];
    assert_judged(&args, "waited>50%", "FAIL", "the selected events have 50.5 %");
    assert_judged(&args, "waited>51%", "PASS", "50.5 %");
    assert_judged(&args, "max<50ms", "PASS", "the selected events have");
    assert_judged(&args, "rate>1/s", "PASS", "events/s");
}

#[test]
fn a_calibration_is_asked_at_the_highest_load_within_the_limit() {
    // Four servers of 1 ms do 4,000 a second at most.
    let args =
        ["calibrate", "sim:servers=4,service=1ms", "--for", "6s", "--latency-limit", "p99<1m"];
    assert_judged(&args, "rate<20", "PASS", "loop within p99<60s");
    assert_judged(&args, "rate<10M", "FAIL", "closed loop within p99<60s");
}
