//! `isotherm frames FILE@A..B`: ranges of a file add up to the file, or are refused with the reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use testing::bounded;

use super::{RECORDS, Room, run, succeed};

/// A trace of a minute, with a stamp every ten seconds by a clock that gains 7 ms on each.
fn trace() -> String {
    let mut text =
        "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n".to_owned();
    for number in 0..6_000_u64 {
        if number % 1_000 == 0 {
            let (second, ms) = (number / 100, 100 + number / 1_000 * 7);
            writeln!(text, "*** 2026-11-21T09:08:{second:02}.{ms:03}000+00:00").unwrap();
        }
        let event = ["log file sync", "latch free"][usize::try_from(number % 2).unwrap()];
        let (ela, tim) = (number * 7_919 % 200_000, 5_000_000 + number * 10_000);
        writeln!(text, "WAIT #1: nam='{event}' ela= {ela} p1=1 p2=2 p3=3 obj#=4 tim={tim}")
            .unwrap();
    }
    text
}

/// The names of five ranges of a file.
fn ranges(file: &str, length: usize) -> Vec<String> {
    let cuts = [0, length / 7, length / 3, length / 2, length / 2 + 1];
    let ends = cuts.iter().skip(1).map(ToString::to_string).chain([String::new()]);
    cuts.iter().zip(ends).map(|(from, to)| format!("{file}@{from}..{to}")).collect()
}

/// What is counted in each second, series and bucket: sum, count and time waited; and the tallies.
fn cells(tables: &[String]) -> BTreeMap<(u64, String), [u64; 3]> {
    let mut cells = BTreeMap::new();
    for line in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let row: Vec<&str> = line.split(',').collect();
        let second = row[0].parse::<u64>().unwrap() / 1_000_000_000;
        let tally = if row[2].is_empty() { row[4] } else { "" };
        let cell: &mut [u64; 3] =
            cells.entry((second, [row[2], row[3], tally, row[6]].join(","))).or_default();
        for (sum, number) in cell.iter_mut().zip([row[5], row[8], row[9]]) {
            *sum += number.parse::<u64>().unwrap_or(0);
        }
    }
    cells.retain(|_, cell| *cell != [0; 3]);
    cells
}

#[test]
fn five_ranges_are_the_file_whoever_reads_them() {
    let room = Room::new();
    let text = trace();
    let file = room.file("x.trc", &text);
    let whole = cells(&[succeed(&["frames", &file])]);
    let ranges = ranges(&file, text.len());
    let alone: Vec<String> = ranges.iter().map(|range| succeed(&["frames", range])).collect();
    assert_eq!(cells(&alone), whole);
    let ranges: Vec<&str> = ranges.iter().map(String::as_str).collect();
    let at_once = succeed(&[&["frames"][..], &ranges, &["-j", "3"]].concat());
    assert_eq!(at_once, succeed(&[&["frames"][..], &ranges].concat()));
    assert_eq!(cells(&[at_once]), whole);
    // By a sum of their own.
    let time: u64 = (0..6_000).map(|number| number * 7_919 % 200_000 * 1_000).sum();
    assert_eq!(whole.values().map(|cell| cell[0]).sum::<u64>(), time);
    let events = |(key, cell): (&(u64, String), &[u64; 3])| if key.0 > 0 { cell[1] } else { 0 };
    assert_eq!(whole.iter().map(events).sum::<u64>(), 6_000);
}

#[test]
fn recordings_made_of_ranges_have_the_numbers_of_the_whole() {
    let room = Room::new();
    let text = trace();
    let file = room.file("x.trc", &text);
    let tables: Vec<String> = ranges(&file, text.len())
        .iter()
        .enumerate()
        .map(|(at, range)| room.file(&format!("{at}.csv"), succeed(&["frames", range])))
        .collect();
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let (merged, imported) = (room.name("merged.heat"), room.name("imported.heat"));
    succeed(&[&["merge"][..], &tables, &["-o", &merged]].concat());
    succeed(&["import", &file, "-o", &imported]);
    let numbers = |recording: &str| {
        let stats = succeed(&["stats", recording, "--format", "json"]);
        let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
        let of = |series: &serde_json::Value| {
            ["name", "events", "buckets", "time_waited_s"].map(|key| series[key].clone())
        };
        stats["series"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&merged), numbers(&imported));
}

#[test]
fn columns_and_logs_have_ranges_too() {
    let room = Room::new();
    let mut columns = "end,latency_us,path\n".to_owned();
    let mut logs = String::new();
    for number in 0..3_000_u64 {
        let (at, us) = (1_770_000_000_000 + number * 11, number * 7_919 % 90_000);
        writeln!(columns, "{at},{us},/{}", number % 3).unwrap();
        let (minute, second, ms) =
            (number * 11 / 60_000, number * 11 / 1_000 % 60, number * 11 % 1_000);
        writeln!(
            logs,
            "{{\"ts\":\"2026-11-21T09:{minute:02}:{second:02}.{ms:03}Z\",\"latency_us\":{us},\"path\":\"/{}\"}}",
            number % 3
        )
        .unwrap();
    }
    for (name, text, flags) in [
        ("x.csv", columns, &[][..]),
        ("x.jsonl", logs, &["--columns", "latency_us=latency_us,time=ts,path"]),
    ] {
        let file = room.file(name, &text);
        let read = |name: &str| succeed(&[&["frames", name][..], flags].concat());
        let alone: Vec<String> =
            ranges(&file, text.len()).iter().map(|range| read(range)).collect();
        let whole = cells(&[read(&file)]);
        assert!(whole.len() > 100, "{name}");
        assert_eq!(cells(&alone), whole, "{name}");
    }
}

#[test]
fn what_has_no_ranges_is_refused_with_the_reason() {
    let room = Room::new();
    let text = trace();
    room.file("x.trc", &text);
    room.file("totals.txt", RECORDS);
    let packed = bounded::status(Command::new("gzip").args(["--keep", &room.name("x.trc")]));
    assert!(packed.success());
    let lines: Vec<String> = (0..60).map(|n| format!("05:02:{n:02} 0.5\n")).collect();
    room.file("day.txt", lines.concat());
    room.file("bare.csv", "latency_us\n".to_owned() + &"5\n".repeat(50));
    room.file("rows.csv", succeed(&["frames", &room.name("x.trc")]));
    succeed(&["import", &room.name("x.trc"), "-o", &room.name("x.heat")]);
    for (name, flags, why) in [
        ("totals.txt@10..", &[][..], "each total is subtracted from the one before"),
        ("x.trc.gz@10..", &[], "compressed (gzip)"),
        (
            "x.trc@10..",
            &["--by", "event,sql"],
            "'sql' of a wait is what any line before it said last",
        ),
        ("x.trc@10..", &["--where", "module=m"], "'module' of a wait"),
        ("x.trc@10..", &["--from", "2026-11-21 09:08:20"], "give them to isotherm merge"),
        ("x.trc@10..", &["--to=-10s"], "which a range of it does not say"),
        ("day.txt@10..", &["--columns", "time,latency", "--unit", "s"], "no date"),
        ("bare.csv@10..", &["--columns", "latency", "--unit", "us"], "no column has a time"),
        ("rows.csv@10..", &[], "a table of rows"),
        ("x.heat@10..", &[], "it is a recording"),
        ("x.trc@20..10", &[], "ends behind its beginning"),
        ("x.trc@5q..", &[], "5q"),
    ] {
        let output = run(&[&["frames", &room.name(name)][..], flags].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.contains(why), "{name}: {error}");
    }
    let output = run(&["frames", "-@1..2"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_file_whose_name_ends_like_a_range_is_read() {
    let room = Room::new();
    let text = trace();
    let odd = room.file("x.trc@1..2", &text);
    let plain = room.file("x.trc", &text);
    assert_eq!(succeed(&["frames", &odd]), succeed(&["frames", &plain]));
    let part = format!("{odd}@0..100000");
    assert_eq!(succeed(&["frames", &part]), succeed(&["frames", &format!("{plain}@..100000")]));
}

#[test]
fn a_range_without_records_and_one_behind_the_end_are_empty() {
    let room = Room::new();
    let text = trace();
    let file = room.file("x.trc", &text);
    let middle = text.len() / 2;
    for range in
        [format!("{file}@{middle}..{middle}"), format!("{file}@1T.."), format!("{file}@9..10")]
    {
        let table = succeed(&["frames", &range]);
        assert_eq!(table.lines().filter(|line| !line.contains("tally.")).count(), 1, "{range}");
    }
}

/// 6,000 events, ten a second, of 5 ms each; one of them took an hour.
fn ten_a_second() -> String {
    let mut text = "end,latency_us\n".to_owned();
    for number in 0..6_000_u64 {
        let us = if number == 4_000 { 3_600_000_000_u64 } else { 5_000 };
        writeln!(text, "{},{us}", 1_795_000_000_370_000 + number * 100_000).unwrap();
    }
    text
}

/// Events per second, and what is said while a recording is made of tables.
fn rate_of(room: &Room, tables: &[&str]) -> (f64, String) {
    let recording = room.name("made.heat");
    let made = run(&[&["merge"][..], tables, &["-o", &recording]].concat());
    assert!(made.status.success());
    let stats = succeed(&["stats", &recording, "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    std::fs::remove_file(&recording).unwrap();
    let rate = stats["series"][0]["rate_per_s"].as_f64().unwrap_or(f64::NAN);
    (rate, String::from_utf8(made.stderr).unwrap())
}

#[test]
fn the_time_before_the_first_end_of_a_range_is_not_observed() {
    let room = Room::new();
    let text = ten_a_second();
    let file = room.file("x.csv", &text);
    let half = text.len() / 2;
    let table = |name: &str, range: String| {
        room.file(name, succeed(&["frames", &format!("{file}@{range}")]))
    };
    let (a, b) = (table("a.csv", format!("..{half}")), table("b.csv", format!("{half}..")));
    for tables in [&[&*a, &*b][..], &[&b], &[&a]] {
        let (rate, said) = rate_of(&room, tables);
        // The second in which it begins counts as a whole: a part of a second in 300.
        assert!((rate - 10.0).abs() < 0.05, "{rate} {tables:?}");
        assert!(!said.contains("twice"), "{said}");
    }
}

#[test]
fn rows_of_a_stretch_of_time_are_intervals_that_do_not_overlap() {
    let room = Room::new();
    let file = room.file("x.csv", ten_a_second());
    // From 3.13 s after the first end on: 6,000 - 32 events, the first of them 70 ms later.
    let from = "2026-11-18 11:06:43.5";
    let rows = succeed(&["frames", &file, "--from", from]);
    let mut intervals: Vec<(i64, i64)> = Vec::new();
    for line in rows.lines().skip(1).filter(|line| !line.contains("tally.")) {
        let row: Vec<&str> = line.split(',').collect();
        intervals.push((row[0].parse().unwrap(), row[1].parse().unwrap()));
    }
    intervals.dedup();
    assert_eq!(intervals[0].0, 1_795_000_003_500_000_000_i64);
    assert!(intervals.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{intervals:?}");
    let table = room.file("rows.csv", rows);
    let (rate, said) = rate_of(&room, &[&table]);
    assert!((rate - 10.0).abs() < 0.05, "{rate}");
    assert!(!said.contains("overlap"), "{said}");
}
