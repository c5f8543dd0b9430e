//! `--from` and `--to` where a command writes, compares or adds up a part.

use std::fmt::Write as _;

use super::{Room, run, succeed};

/// 2025-11-21 14:00:00 UTC.
const START: u64 = 1_763_733_600;
const COLUMNS: [&str; 4] = ["--columns", "time,latency", "--unit", "us"];

/// A minute: 10 events per second of 200 µs, from the 30th second on of 800 µs.
fn minute(seconds_later: u64) -> String {
    let mut text = String::new();
    for event in 0..600_u64 {
        let (second, us) = (event / 10, if event < 300 { 200 } else { 800 });
        let at = START + seconds_later + second;
        writeln!(text, "{at}.{}5 {us}", event % 10).unwrap();
    }
    text
}

fn events(path: &str) -> u64 {
    let text = succeed(&["stats", path, "--format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    object["input"]["events"].as_u64().unwrap()
}

/// The exit code and what was said.
fn refused(args: &[&str]) -> (i32, String) {
    let output = run(args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn two_parts_of_an_import_are_the_whole() {
    let room = Room::new();
    let text = room.file("minute.txt", minute(0));
    let import = |name: &str, from_to: &[&str]| {
        let heat = room.name(name);
        succeed(&[&["import", &text, "-o", &heat], &COLUMNS[..], from_to].concat());
        events(&heat)
    };
    assert_eq!(import("all.heat", &[]), 600);
    assert_eq!(import("first.heat", &["--to", "20s"]), 200);
    assert_eq!(import("rest.heat", &["--from", "14:00:20"]), 400);
    assert_eq!(import("middle.heat", &["--from", "2025-11-21 14:00:20", "--to", "-20s"]), 200);
}

/// An event ends 50 ms after each tenth of a second: 50 of them between 0.3 s and 5.3 s after the first.
#[test]
fn a_part_begins_and_ends_within_a_second() {
    let room = Room::new();
    let text = room.file("minute.txt", minute(0));
    for (number, (from, to)) in [("300ms", "5300ms"), ("20s", "20200ms")].iter().enumerate() {
        let heat = room.name(&format!("part{number}.heat"));
        let range = ["--from", from, "--to", to];
        succeed(&[&["import", &text, "-o", &heat], &COLUMNS[..], &range].concat());
        let stats = [&["stats", &text, "--format", "json"], &COLUMNS[..], &range].concat();
        let object: serde_json::Value = serde_json::from_str(&succeed(&stats)).unwrap();
        let counted = object["series"][0]["events"].as_u64().unwrap();
        assert!(counted.abs_diff([50, 2][number]) <= 1, "{counted}");
        assert_eq!(events(&heat), counted, "{range:?}");
    }
}

#[test]
fn a_part_of_exports_and_recordings_is_imported() {
    let room = Room::new();
    let (text, all) = (room.file("minute.txt", minute(0)), room.name("all.heat"));
    succeed(&[&["import", &text, "-o", &all], &COLUMNS[..]].concat());
    for export in ["all.csv", "all.jsonl"] {
        let (file, heat) = (room.name(export), room.name(&format!("{export}.heat")));
        succeed(&["export", &all, "-o", &file]);
        succeed(&["import", &file, "-o", &heat, "--from", "20s", "--to", "30s"]);
        assert_eq!(events(&heat), 100, "{export}");
    }
    let heat = room.name("part.heat");
    succeed(&[&["import", &all, &text, "-o", &heat, "--to", "10s"], &COLUMNS[..]].concat());
    assert_eq!(events(&heat), 200, "the intervals of both are added up");
}

/// The events of rows, and how many intervals have some.
fn rows(args: &[&str]) -> (u64, usize) {
    let table = succeed(args);
    let mut intervals = std::collections::BTreeSet::new();
    let mut events = 0;
    for line in table.lines().skip(1).filter(|line| !line.contains("tally.")) {
        let fields: Vec<&str> = line.rsplit(',').collect();
        // The last three fields: the upper bound, the count, the time waited.
        let count: u64 = fields[1].parse().unwrap_or(0);
        events += count;
        if count > 0 {
            intervals.insert(line.split(',').next().unwrap().to_owned());
        }
    }
    (events, intervals.len())
}

#[test]
fn rows_of_two_parts_are_those_of_the_whole() {
    let room = Room::new();
    let text = room.file("minute.txt", minute(0));
    let frames = |range: &[&str]| rows(&[&["frames", &text], &COLUMNS[..], range].concat());
    assert_eq!(frames(&[]), (600, 60));
    // The cut is within the 21st second: half of it is in either part.
    assert_eq!(frames(&["--to", "2025-11-21T14:00:20.5Z"]), (205, 21));
    assert_eq!(frames(&["--from", "2025-11-21T14:00:20.5Z"]), (395, 40));
    let ranged = format!("{text}@0..100");
    let (code, said) = refused(&[&["frames", &ranged, "--to", "20s"], &COLUMNS[..]].concat());
    assert!(code == 2 && said.contains("choose rows by start_ns"), "{code} {said}");
}

#[test]
fn a_part_of_what_is_merged_is_that_part_of_the_sum() {
    let room = Room::new();
    let (one, other) = (room.file("one.txt", minute(0)), room.file("other.txt", minute(0)));
    let merged = |name: &str, range: &[&str]| {
        let heat = room.name(name);
        succeed(&[&["merge", &one, &other, "-o", &heat], &COLUMNS[..], range].concat());
        events(&heat)
    };
    assert_eq!(merged("first.heat", &["--to", "20s"]), 400);
    assert_eq!(merged("rest.heat", &["--from", "20s"]), 800);
    // Of parts that were cut at whole seconds, and of tables.
    let table = room.file("one.csv", succeed(&[&["frames", &one], &COLUMNS[..]].concat()));
    let heat = room.name("third.heat");
    succeed(&["merge", &table, &room.name("rest.heat"), "-o", &heat, "--from", "14:00:50"]);
    assert_eq!(events(&heat), 100 + 200);
}

#[test]
fn a_part_without_anything_in_it_is_no_recording() {
    let room = Room::new();
    let (text, heat) = (room.file("minute.txt", minute(0)), room.name("none.heat"));
    let (code, said) =
        refused(&[&["import", &text, "-o", &heat, "--from", "1h"], &COLUMNS[..]].concat());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("--from 1h: ") && said.contains("has nothing there"), "{said}");
    assert!(!room.path("none.heat").exists());
    for command in ["import", "trace"] {
        let output: &[&str] = if command == "import" { &["-o", &heat] } else { &[] };
        let (code, said) = refused(&[&[command, "-", "--to", "10s"], output].concat());
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("standard input can be read only once"), "{said}");
    }
}

#[test]
fn a_comparison_takes_the_same_part_of_both() {
    let room = Room::new();
    // B is a day later; its first half is that of A.
    let (a, b) = (room.file("a.txt", minute(0)), room.file("b.txt", minute(86_400)));
    let compared = |from_to: &[&str]| -> serde_json::Value {
        let names = ["compare", &a, &b, "--format", "json"];
        serde_json::from_str(&succeed(&[&names[..], &COLUMNS, from_to].concat())).unwrap()
    };
    for from_to in [["--to", "30s"], ["--to", "14:00:30"], ["--to", "-30s"]] {
        let found = compared(&from_to);
        assert_eq!((&found["a"]["events"], &found["b"]["events"]), (&300.into(), &300.into()));
        assert_eq!(found["verdict"], "same", "{from_to:?}");
    }
    let both = ["compare", &a, &b, "--a", "..10s", "--from", "10s"];
    assert_eq!(refused(&[&both[..], &COLUMNS].concat()).0, 2);
    let (code, said) = refused(&[&["compare", &a, &b, "--from", "1h"], &COLUMNS[..]].concat());
    assert!(code == 2 && said.contains("has nothing there"), "{code} {said}");
}
