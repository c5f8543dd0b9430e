//! The same conditions, moments and spellings on every command.

use crate::{Room, run, succeed};

/// A minute with ten events a second of 1 ms, and from 00:30 on of 4 ms; begins at 2023-11-14T22:13:20Z.
fn events() -> String {
    let line = |n: u32| {
        let us = if n < 300 { 1_000 } else { 4_000 };
        format!("{}.{:03} {us}\n", 1_700_000_000 + n / 10, n % 10 * 100 + 50)
    };
    (0..600).map(line).collect()
}

const COLUMNS: [&str; 4] = ["--columns", "time,latency", "--unit", "us"];

/// The standard error and the exit code.
fn said(args: &[&str]) -> (String, i32) {
    let output = run(args);
    let text = String::from_utf8_lossy(&output.stderr).replace("isotherm: ", "");
    (text, output.status.code().unwrap())
}

#[test]
fn every_command_judges_conditions_alike() {
    let room = Room::new();
    let (text, heat) = (room.file("events.txt", events()), room.name("run.heat"));
    succeed(&[&["import", &text, "-o", &heat][..], &COLUMNS].concat());
    let (page, again) = (room.name("x.html"), room.name("again.heat"));
    let commands: [&[&str]; 6] = [
        &["stats", &heat],
        &["show", &heat],
        &["show", &heat, "--describe"],
        &["report", &heat, "-o", &page],
        &["replay", &heat, "--speed", "max", "--ui", "stream"],
        &["record", &text, "-o", &again, "--columns", "time,latency", "--unit", "us"],
    ];
    for command in commands {
        let _ = std::fs::remove_file(&again);
        let judged = |condition: &str| {
            let _ = std::fs::remove_file(&again);
            said(&[command, &["--fail-if", condition]].concat())
        };
        // Ten a second, of 1 and 4 ms: a mean of 2.5 ms.
        for (condition, word, code) in [
            ("mean>2ms", "FAIL", 99),
            ("mean>3ms", "PASS", 0),
            ("max<2ms", "PASS", 0),
            ("rate<9.5/s", "PASS", 0),
            ("rate<660/min", "FAIL", 99),
            ("waited>99%", "FAIL", 99),
        ] {
            let (lines, found) = judged(condition);
            assert!(lines.contains(&format!("{word} {condition}: ")), "{command:?}: {lines}");
            assert_eq!(found, code, "{command:?} {condition}: {lines}");
        }
    }
}

#[test]
fn runs_of_a_sweep_are_judged_each() {
    let room = Room::new();
    let sweep = room.name("sweep");
    let args = [
        "sweep",
        "sim:servers=1,service=2ms,distribution=fixed,seed=1",
        "-o",
        &sweep,
        "--vary",
        "in-flight=1,8",
        "--operations",
        "200",
        "--warmup",
        "0",
        "--fail-if",
        "p50>8ms",
    ];
    let (lines, code) = said(&args);
    // Eight in flight at one server of 2 ms take 16 ms each, and one takes 2 ms.
    assert!(lines.contains("FAIL p50>8ms: in-flight 8, repeat 1 has "), "{lines}");
    assert!(!lines.contains("in-flight 1, repeat 1 has"), "{lines}");
    assert_eq!(code, 99);
}

#[test]
fn parts_of_an_input_add_up_to_all_of_it() {
    let room = Room::new();
    let (text, heat) = (room.file("events.txt", events()), room.name("run.heat"));
    succeed(&[&["import", &text, "-o", &heat][..], &COLUMNS].concat());
    let count = |input: &str, part: &[&str]| {
        let columns: &[&str] = if input == text { &COLUMNS } else { &[] };
        let args = [&["stats", input, "--format", "json"][..], columns, part].concat();
        let found: serde_json::Value = serde_json::from_str(&succeed(&args)).unwrap();
        found["series"][0]["events"].as_u64().unwrap()
    };
    for input in [&text, &heat] {
        assert_eq!(count(input, &[]), 600);
        for cut in ["20s", "+20s", "-40s", "22:13:40", "2023-11-14T22:13:40Z"] {
            let (before, after) = (count(input, &["--to", cut]), count(input, &["--from", cut]));
            assert_eq!(before + after, 600, "{input} {cut}");
            assert!((195..=205).contains(&before), "{input} {cut}: {before}");
        }
    }
    // Only the second half has 4 ms.
    let (lines, code) = said(&["stats", &heat, "--to", "29s", "--fail-if", "max>2ms"]);
    assert!(lines.contains("PASS max>2ms") && code == 0, "{lines}");
    let (lines, code) = said(&["show", &heat, "--from", "-29s", "--fail-if", "max>2ms"]);
    assert!(lines.contains("FAIL max>2ms") && code == 99, "{lines}");
    for wrong in [["--from", "1h"], ["--from", "10"], ["--to", "yesterday"]] {
        let (lines, code) = said(&[&["stats", &heat, "--fail-if", "max>2ms"][..], &wrong].concat());
        assert!(code != 0, "{wrong:?}: {lines}");
    }
}

#[test]
fn a_part_without_anything_in_it_is_reported_alike_by_every_command() {
    let room = Room::new();
    let (text, heat) = (room.file("events.txt", events()), room.name("run.heat"));
    succeed(&[&["import", &text, "-o", &heat][..], &COLUMNS].concat());
    for (part, words) in [
        (&["--from", "1h"][..], "--from 1h"),
        (&["--to", "2001-01-01"], "--to 2001-01-01"),
        (&["--from", "40s", "--to", "20s"], "--from 40s --to 20s"),
    ] {
        for command in [
            &["show"][..],
            &["stats"],
            &["report", "-o", "-"],
            &["explain"],
            &["replay", "--speed", "max", "--ui", "stream"],
            &["export", "--format", "csv"],
            &["fit"],
        ] {
            let args = [&command[..1], &[heat.as_str()], &command[1..], part].concat();
            let (said, code) = said(&args);
            assert!(said.contains(&format!("{words}: ")), "{args:?}: {said}");
            assert!(said.contains(" has nothing there; it is "), "{args:?}: {said}");
            assert_eq!(code, 2, "{args:?}");
        }
    }
    let (_, code) = said(&["stats", &heat, "--from", "1h", "--fail-if", "max>2ms"]);
    assert_eq!(code, 99, "no event to ask");
}

#[test]
fn parts_of_an_export_add_up_to_all_of_it() {
    let room = Room::new();
    let (text, heat) = (room.file("events.txt", events()), room.name("run.heat"));
    succeed(&[&["import", &text, "-o", &heat][..], &COLUMNS].concat());
    let rows = |part: &[&str]| -> Vec<String> {
        let csv = succeed(&[&["export", &heat, "--format", "csv"][..], part].concat());
        csv.lines().skip(1).map(str::to_owned).collect()
    };
    let all = rows(&[]);
    let (before, after) = (rows(&["--to", "20s"]), rows(&["--from", "20s"]));
    assert!(!before.is_empty() && !after.is_empty());
    assert_eq!([before, after].concat(), all);
}

#[test]
fn a_time_of_day_that_several_days_have_is_said_to_be_the_first() {
    let room = Room::new();
    // An event an hour from 2023-11-14 22:13:20 on, for 50 hours.
    let lines: Vec<String> =
        (0..50).map(|n| format!("{} 100", 1_700_000_000 + 3_600 * n)).collect();
    let text = room.file("hours.txt", lines.join("\n"));
    let stats = |from: &str| {
        let args = ["stats", &text, "--columns", "time,latency", "--unit", "us", "--from", from];
        let output = run(&[&args[..], &["--format", "json"]].concat());
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let events = found["series"][0]["events"].as_u64().unwrap();
        (events, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (first, said) = stats("5:00");
    assert!(said.contains("05:00 occurs on several days: 2023-11-15 is used"), "{said}");
    assert!(said.contains("for 2023-11-16 write '2023-11-16 05:00'"), "{said}");
    let (second, said) = stats("2023-11-16 5:00");
    assert!(!said.contains("several days"), "{said}");
    assert_eq!(first - second, 24);
    assert_eq!(stats("2023-11-16 05:00:00 UTC").0, second);
}

#[test]
fn old_spellings_work_once_more_with_a_hint() {
    let room = Room::new();
    let (text, heat) = (room.file("events.txt", events()), room.name("run.heat"));
    succeed(&[&["import", &text, "-o", &heat][..], &COLUMNS].concat());
    let new = succeed(&["export", &heat, "--format", "csv"]);
    let old = run(&["export", &heat, "--to", "csv"]);
    assert_eq!(String::from_utf8_lossy(&old.stdout), new);
    assert!(String::from_utf8_lossy(&old.stderr).contains("--to is now --format"), "{old:?}");
    let (lines, code) = said(&["export", &heat, "--format", "csv"]);
    assert_eq!((lines.as_str(), code), ("", 0));
}
