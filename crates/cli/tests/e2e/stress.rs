//! Load made by the program, on a system whose truth is known and on a file.

use serde_json::Value;
use testing::bounded;

use super::terminal::Terminal;
use super::{RECORDS, Room, run, signal, start, succeed, terminal};

/// Two servers of 2 ms, one queue.
const QUEUE: &str = "sim:servers=2,service=2ms";

fn stress(args: &[&str]) -> Value {
    let all: Vec<&str> = ["stress"].into_iter().chain(args.iter().copied()).collect();
    let text = succeed(&[&all[..], &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap()
}

/// Events of a recording, those of the load and none watched besides.
fn recorded(heat: &str) -> u64 {
    recorded_so_far(heat).unwrap()
}

/// The same of a recording that may not have any yet.
fn recorded_so_far(heat: &str) -> Option<u64> {
    let output = run(&["stats", heat, "--series", "engine=sim", "--format", "json"]);
    let stats: Value = serde_json::from_slice(&output.stdout).ok()?;
    stats["input"]["events"].as_u64()
}

fn until_operations_are_recorded(heat: &str) {
    bounded::until("recorded operations", || recorded_so_far(heat).filter(|events| *events > 0));
}

fn operations(summary: &Value) -> u64 {
    summary["latency"]["response"]["events"].as_u64().unwrap()
}

#[test]
fn every_operation_of_a_closed_loop_is_in_the_summary_and_in_the_recording() {
    let room = Room::new();
    let heat = room.name("run.heat");
    let outcome = stress(&[
        QUEUE,
        "--in-flight",
        "4",
        "--operations",
        "500",
        "--for",
        "1m",
        "--warmup",
        "0",
        "--update",
        "20",
        "--record",
        &heat,
    ]);
    let summary = &outcome["summary"];
    assert_eq!(operations(summary), 500);
    assert_eq!(recorded(&heat), 500);
    assert_eq!(summary["ended"]["reason"], "operations");
    assert_eq!(outcome["run"]["recording"], "run.heat");
    assert_eq!(outcome["run"]["label"], "in-flight 4");
    let kinds = summary["latency"]["kinds"].as_array().unwrap();
    let of = |kind: &Value| kind["response"]["events"].as_u64().unwrap();
    assert_eq!(kinds.iter().map(of).sum::<u64>(), 500);
    // What the run table keeps is the same.
    let table = outcome["run"]["outcome"]["kinds"].as_array().unwrap();
    let kept = |kind: &Value| kind["response"]["events"].as_u64().unwrap();
    assert_eq!(table.iter().map(kept).sum::<u64>(), 500);
    // Four were in flight all the time, whatever the machine did.
    let gap = summary["little"]["gap"].as_f64().unwrap();
    assert!(gap.abs() < 0.1, "{gap}");
    let page = succeed(&["report", &heat, "-o", "-", "--format", "md"]);
    assert!(page.contains("sim"), "{page}");
}

#[test]
fn what_warms_up_is_recorded_and_not_measured() {
    let room = Room::new();
    let heat = room.name("run.heat");
    let outcome =
        stress(&[QUEUE, "--in-flight", "4", "--for", "1s", "--warmup", "1s", "--record", &heat]);
    let measured = operations(&outcome["summary"]);
    assert!(measured > 0 && recorded(&heat) > measured, "{measured}");
    let export = succeed(&["export", &heat, "--format", "jsonl"]);
    assert!(export.contains("measured from here") && export.contains("measured until here"));
}

#[test]
fn an_open_loop_keeps_response_and_service_apart() {
    let outcome = stress(&[QUEUE, "--rate", "100", "--for", "2s", "--warmup", "0"]);
    let summary = &outcome["summary"];
    assert_eq!(summary["arrival"]["loop"], "open");
    assert!((summary["schedule"]["asked_hz"].as_f64().unwrap() - 100.0).abs() < 1e-9);
    let events = operations(summary);
    assert_eq!(summary["latency"]["service"]["events"].as_u64().unwrap(), events);
    let mean = |of: &str| summary["latency"][of]["mean_s"].as_f64().unwrap();
    assert!(mean("response") >= mean("service"), "{summary}");
    assert!(mean("service") > 0.0005, "{summary}");
}

#[test]
fn a_rate_that_is_not_met_has_no_p99() {
    let args = ["stress", QUEUE, "--rate", "4k", "--for", "1s", "--warmup", "0"];
    let text = succeed(&args);
    assert!(text.contains("No p99 can be named: the rate asked for was not met"), "{text}");
    assert!(text.contains("⚠"), "{text}");
}

#[test]
fn an_interrupt_prints_what_was_measured_and_ends_with_130() {
    let room = Room::new();
    let heat = room.name("run.heat");
    let child = start(&[
        "stress",
        QUEUE,
        "--in-flight",
        "4",
        "--for",
        "10m",
        "--warmup",
        "0",
        "--record",
        &heat,
    ]);
    until_operations_are_recorded(&heat);
    signal(&child, rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("Interrupted: this is what was measured until then."), "{text}");
    assert!(text.contains("IOPS: p50"), "{text}");
    assert!(recorded(&heat) > 0);
}

#[test]
fn what_is_killed_leaves_a_recording_that_can_be_read() {
    let room = Room::new();
    let heat = room.name("run.heat");
    let mut child =
        start(&["stress", QUEUE, "--in-flight", "4", "--for", "10m", "--record", &heat]);
    until_operations_are_recorded(&heat);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(recorded(&heat) > 0);
    succeed(&["replay", &heat, "--speed", "max", "--ui", "stream"]);
}

#[test]
fn a_condition_that_holds_is_99_and_one_that_does_not_is_0() {
    let args = ["stress", QUEUE, "--operations", "100", "--fail-if"];
    let output = run(&[&args[..], &["p50>10us"]].concat());
    assert_eq!(output.status.code(), Some(99));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("FAIL p50>10us: response time of all operations has "),
        "{output:?}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("IOPS"), "the summary is missing");
    assert_eq!(run(&[&args[..], &["p50>10m"]].concat()).status.code(), Some(0));
}

#[test]
fn nonsense_is_refused_with_2_and_leaves_nothing_behind() {
    let room = Room::new();
    let (heat, other) = (room.name("run.heat"), room.file("mine.dat", vec![7; 65_536]));
    let text = format!("file:{other}");
    for (args, part) in [
        (vec!["stress"], "TARGET"),
        (vec!["stress", "http://h/x"], "cannot be put under load"),
        (vec!["stress", "sim:servers=many", "--record", &heat], "servers"),
        (vec!["stress", QUEUE, "--in-flight", "2", "--rate", "5"], "cannot be used with"),
        (vec!["stress", QUEUE, "--scale", "9"], "--scale is for postgres://..."),
        (vec!["stress", QUEUE, "--ui", "stream", "--format", "json"], "with -o"),
        (vec!["stress", &text, "--update", "50", "--record", &heat], "was not made by isotherm"),
    ] {
        let output = run(&args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(part), "{args:?}: {error}");
    }
    assert!(!room.path("run.heat").exists(), "a recording of nothing was left");
    assert_eq!(std::fs::read(&other).unwrap(), vec![7; 65_536], "the file was written to");
}

#[test]
fn a_recording_that_is_there_is_not_overwritten() {
    let room = Room::new();
    let mine = room.file("mine.heat", "precious");
    let output = run(&["stress", QUEUE, "--operations", "10", "--record", &mine]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "precious");
}

#[test]
fn what_is_watched_alongside_is_recorded_beside_the_load() {
    let room = Room::new();
    let heat = room.name("run.heat");
    let records = format!("cmd:cat {}; sleep 60", room.file("records.txt", RECORDS));
    let args = [
        "stress",
        QUEUE,
        "--in-flight",
        "2",
        "--for",
        "10m",
        "--warmup",
        "0",
        "--record",
        &heat,
        "--alongside",
        &records,
        "--alongside",
        "nonsense://x",
        "--ui",
        "none",
    ];
    let child = start(&args);
    let beside = || -> Option<(Value, u64)> {
        let stats: Value =
            serde_json::from_slice(&run(&["stats", &heat, "--format", "json"]).stdout).ok()?;
        let mut series = stats["series"].as_array()?.iter();
        let beside =
            series.find(|one| one["attributes"]["alongside"] == "cmd:cat (3 arguments)")?;
        Some((beside["name"].clone(), beside["events"].as_u64()?))
    };
    bounded::until("the events watched", || beside().filter(|(_, events)| *events >= 45));
    until_operations_are_recorded(&heat);
    signal(&child, rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{error}");
    // One of them cannot be watched: that is a warning.
    assert!(error.contains("nonsense://x is not watched"), "{error}");
    assert_eq!(beside(), Some(("log file sync".into(), 45)));
    assert!(recorded(&heat) > 0);
}

#[test]
fn the_view_shows_the_load_and_q_ends_it_with_the_summary() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    terminal
        .line(&terminal::isotherm(&format!("stress {QUEUE} --in-flight 4 --for 9m; echo code $?")));
    terminal.shows("FREQUENCY");
    terminal.shows("read{engine=sim}");
    terminal.key("q");
    terminal.shows("was measured until then");
    terminal.shows("code 0");
    assert!(!terminal.screen().contains("FREQUENCY"), "the screen is not restored");
}

#[test]
fn the_view_ends_with_the_load() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    terminal.line(&terminal::isotherm(&format!("stress {QUEUE} --operations 200; echo code $?")));
    terminal.shows("Finished 200 operations");
    terminal.shows("code 0");
}

#[test]
fn a_file_is_made_loaded_and_taken_away() {
    let room = Room::new();
    let file = format!("file:{}", room.name("test.dat"));
    let setup = succeed(&["stress", "setup", &file, "--size", "8M"]);
    assert!(setup.contains("test.dat"), "{setup}");
    let heat = room.name("run.heat");
    let args = [
        "--in-flight",
        "4",
        "--update",
        "25",
        "--operations",
        "400",
        "--warmup",
        "0",
        "--record",
        &heat,
    ];
    let outcome = stress(&[&[file.as_str()], &args[..]].concat());
    let summary = &outcome["summary"];
    assert_eq!(operations(summary), 400);
    assert_eq!(summary["rate"]["unit"], "IOPS");
    let moved = summary["rate"]["bytes_per_s"].as_f64().unwrap();
    let (rate, block) = (summary["rate"]["per_s"].as_f64().unwrap(), 8_192.0);
    assert!((moved / (rate * block) - 1.0).abs() < 1e-6, "{moved} {rate}");
    let codes: Vec<&Value> =
        summary["verdicts"].as_array().unwrap().iter().map(|verdict| &verdict["code"]).collect();
    assert!(!codes.contains(&&Value::from("damaged")), "{summary}");
    succeed(&["stress", "teardown", &file]);
    assert!(!room.path("test.dat").exists());
    // What it did not make it does not take away.
    let mine = format!("file:{}", room.file("mine.dat", vec![7; 65_536]));
    assert_ne!(run(&["stress", "teardown", &mine]).status.code(), Some(0));
    assert!(room.path("mine.dat").exists());
}
