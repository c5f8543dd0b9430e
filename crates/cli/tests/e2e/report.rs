//! One file with everything: its numbers, its size, and what it refuses.

use std::fmt::Write;
use std::io::Read;

use testing::bounded;

use super::{RECORDS, Room, isotherm, run, succeed};

/// Two minutes of events of two programs, the second slow in the middle.
fn events() -> String {
    let mut text = String::new();
    for second in 0..120 {
        for number in 0..20 {
            let at = 1_700_000_000.0 + f64::from(second) + f64::from(number) / 20.0;
            let slow = number % 4 == 0 && (50..70).contains(&second);
            let (latency, program) =
                if slow { (9_000 + number * 50, "batch") } else { (200 + number, "app") };
            writeln!(text, "{at:.3} {latency} {program}").unwrap();
        }
    }
    text
}

const COLUMNS: [&str; 4] = ["--columns", "time,latency,program", "--unit", "us"];

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

fn stats(file: &str, more: &[&str]) -> serde_json::Value {
    json(&succeed(&[&["stats", "--format", "json", file], more].concat()))
}

fn message(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    let room = Room::new();
    let file = room.file("events.txt", events());
    let page = room.name("page.html");
    let output = run(&[&["report", &file, "-o", &page], &COLUMNS[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    assert!(output.stdout.is_empty(), "the file is the artefact");
    assert!(message(&output).contains(&format!("wrote {page} (")), "{}", message(&output));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.len() < 300_000);
    assert!(text.contains("<title>events.txt</title>"));
    assert!(text.contains("2,400"), "the number of events stands in the page without scripts");
    for reference in ["src=\"http", "href=\"http", "src='http", "href='http", "@import", "url(http"]
    {
        assert!(!text.contains(reference), "{reference}");
    }
    let beside = std::fs::read_dir(room.dir()).unwrap().count();
    assert_eq!(beside, 2, "nothing is left behind");
}

#[test]
fn the_numbers_are_those_of_stats() {
    let room = Room::new();
    let file = room.file("events.txt", events());
    let report = room.name("x.json");
    succeed(&[&["report", &file, "-o", &report], &COLUMNS[..]].concat());
    let report = json(&std::fs::read_to_string(&report).unwrap());
    let stats = stats(&file, &COLUMNS);
    let entries = report["entries"].as_array().unwrap();
    let mut compared = 0;
    for series in stats["series"].as_array().unwrap() {
        let own = |entry: &&serde_json::Value| {
            entry["kind"] == "series" && entry["attributes"] == series["attributes"]
        };
        let entry = entries.iter().find(own).unwrap();
        assert_eq!(entry["events"], series["events"]);
        assert_eq!(entry["waited_s"], series["time_waited_s"]);
        assert_eq!(entry["exact"], series["time_waited_exact"]);
        assert_eq!(entry["mean_ns"], series["mean_ns"]);
        assert_eq!(entry["buckets"], series["buckets"]);
        let quantiles = entry["quantiles"].as_array().unwrap();
        for (own, other) in quantiles.iter().zip(series["quantiles"].as_array().unwrap()) {
            for key in ["q", "lo_ns", "hi_ns", "estimate_ns"] {
                assert_eq!(own[key], other[key], "{key}");
            }
        }
        compared += 1;
    }
    assert_eq!(compared, 2);
    let recording = &report["recordings"][0];
    assert_eq!(recording["input"]["events"], stats["input"]["events"]);
    assert_eq!(recording["bytes"], events().len());
    assert_eq!(recording["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn a_recording_says_where_it_comes_from_and_what_was_marked() {
    let room = Room::new();
    let (text, recording) = (room.file("a.txt", RECORDS), room.name("run.heat"));
    succeed(&["import", &text, "-o", &recording]);
    succeed(&["mark", &recording, "deploy <v2>", "--at", "2023-11-14T22:13:20.5Z"]);
    let note = succeed(&["report", &recording, "-o", "-", "--format", "md"]);
    for wanted in ["# run.heat", "| 45 |", "deploy &lt;v2>", "- host: ", "isotherm import"] {
        assert!(note.contains(wanted), "{wanted}: {note}");
    }
    let page = succeed(&["report", &recording, "-o", "-", "--title", "Tuesday"]);
    assert!(page.contains("<title>Tuesday</title>") && page.contains("deploy &lt;v2&gt;"));
}

#[test]
fn several_inputs_are_recordings_of_one_report_and_time_may_be_chosen() {
    let room = Room::new();
    let (one, two) = (room.file("one.txt", events()), room.file("two.txt", events()));
    let args =
        ["report", &one, &two, "-o", "-", "--format", "json", "--from", "50s", "--to", "70s"];
    let report = json(&succeed(&[&args[..], &COLUMNS[..]].concat()));
    let labels: Vec<&str> = report["recordings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["one.txt", "two.txt"]);
    let whole: Vec<&serde_json::Value> = report["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"] == "name")
        .collect();
    let events: Vec<u64> = whole.iter().map(|entry| entry["events"].as_u64().unwrap()).collect();
    assert_eq!(events, [400, 400], "20 seconds of 20 events each");
}

#[test]
fn standard_input_and_a_name_made_from_the_input() {
    let room = Room::new();
    let mut command = isotherm(&["report", "-", "-o", "-", "--format", "json"]);
    let input = std::fs::File::open(room.file("in.txt", RECORDS)).unwrap();
    let output = bounded::output(command.stdin(input));
    let report = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(report["title"], "standard input");
    assert_eq!(report["recordings"][0]["sha256"], serde_json::Value::Null);
    let mut command = isotherm(&["report", "in.txt"]);
    assert!(bounded::output(command.current_dir(room.dir())).status.success());
    assert!(room.path("in.html").exists());
}

#[test]
fn what_is_no_report_is_not_overwritten_and_a_report_is() {
    let room = Room::new();
    let file = room.file("a.txt", RECORDS);
    let precious = room.file("notes.md", "my notes");
    let output = run(&["report", &file, "-o", &precious]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message(&output).contains("no report of isotherm in this form and is not overwritten"),
        "{}",
        message(&output)
    );
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "my notes");
    succeed(&["report", &file, "-o", &precious, "--force"]);
    for name in ["notes.md", "x.html", "x.json"] {
        let path = room.name(name);
        succeed(&["report", &file, "-o", &path]);
        succeed(&["report", &file, "-o", &path]);
    }
}

#[test]
fn refusals_say_what_to_do() {
    let room = Room::new();
    let file = room.file("a.txt", RECORDS);
    let refused = |more: &[&str], code: i32, words: &str| {
        let output = run(&[&["report", &file], more].concat());
        assert_eq!(output.status.code(), Some(code), "{}", message(&output));
        assert!(message(&output).contains(words), "{}", message(&output));
    };
    refused(&["-o", &room.name("x.pdf")], 2, "end it in .html");
    refused(&["-o", &room.name("x.html"), "--max-size", "1k"], 1, "raise --max-size");
    refused(&["-o", &room.name("x.html"), "--max-size", "much"], 2, "number of bytes");
    refused(&["-o", &room.name("x.html"), "--series", "nothing like it"], 2, "no series contains");
    refused(
        &["-o", &room.name("x.html"), "--from", "9s", "--to", "1s"],
        2,
        "--from 9s --to 1s: a.txt has nothing there; it is ",
    );
    refused(&["-o", &room.name("no/such/x.html")], 1, "cannot write");
    assert!(!room.path("x.html").exists(), "nothing is left of what was refused");
    assert_eq!(run(&["report", &room.name("missing.heat")]).status.code(), Some(1));
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let room = Room::new();
    let file = room.file("a.txt", RECORDS);
    succeed(&["report", &file, "-o", "/dev/null", "--format", "html"]);
    let mut nothing = Vec::new();
    std::fs::File::open("/dev/null").unwrap().read_to_end(&mut nothing).unwrap();
    assert!(nothing.is_empty(), "it is still the device");
}

/// Recording `n` of eight waits `n` milliseconds ten times a second, so that the last waits most.
#[test]
fn of_many_recordings_those_that_waited_most_are_spoken_of_with_their_names() {
    let room = Room::new();
    let file = |n: u64| {
        let line =
            |event: u64| format!("{}.{},{}\n", 1_700_000_000 + event / 10, event % 10, n * 1_000);
        let lines: Vec<String> = (0..600).map(line).collect();
        room.file(&format!("run{n}.csv"), format!("time,latency_us\n{}", lines.concat()))
    };
    let files: Vec<String> = (1..=8).map(file).collect();
    let mut words = vec!["report", "-o", "-", "--format", "md"];
    words.extend(files.iter().map(String::as_str));
    let text = succeed(&words);
    let spoken: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("- run")).collect();
    let runs: Vec<&str> = spoken.iter().filter_map(|line| line.split('.').next()).collect();
    assert_eq!(runs, ["8", "7", "6", "5", "4", "3"], "{text}");
    assert!(text.contains("- In 2 more recordings less time was waited."), "{text}");
}

/// Seven traces whose waits before the client calls again take 10, 20, ... 70 ms.
#[test]
fn what_many_inputs_have_in_common_is_said_once() {
    let room = Room::new();
    let trace = |ms: u64| {
        let idle = ms * 1_000;
        room.file(
            &format!("s{ms}.trc"),
            format!(
                "*** 2026-11-21T09:08:07.123456+01:00\n\
                 WAIT #1: nam='db file sequential read' ela= 2000 file#=7 block#=1 blocks=1 obj#=8 tim=7000000\n\
                 WAIT #1: nam='SQL*Net message from client' ela= {idle} driver id=1 #bytes=1 p3=0 obj#=-1 tim=7200000\n\
                 WAIT #1: nam='db file sequential read' ela= 2000 file#=7 block#=1 blocks=1 obj#=8 tim=7300000\n"
            ),
        )
    };
    let files: Vec<String> = (1..=7).map(|tens| trace(tens * 10)).collect();
    let mut words = vec!["report", "-o", "-", "--format", "json"];
    words.extend(files.iter().map(String::as_str));
    let output = run(&words);
    assert!(output.status.success());
    let said = message(&output);
    let idle: Vec<&str> = said.lines().filter(|line| line.contains("idle waits")).collect();
    let sum =
        "isotherm: left out: 7 idle waits, 280 ms: SQL*Net message from client 280 ms (--idle)";
    assert_eq!(idle, [sum], "{said}");
}
