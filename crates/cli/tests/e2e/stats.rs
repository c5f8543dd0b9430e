//! The numbers of an input, for people and for programs.

use std::fmt::Write as _;

use super::{RECORDS, Room, run, succeed};

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(args)).unwrap()
}

#[test]
fn json_keeps_its_contract() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let stats = json(&["stats", "--format", "json", &file]);
    assert_eq!(stats["schema_version"], 1);
    let input = &stats["input"];
    assert_eq!((&input["records"], &input["rejected"]), (&2.into(), &0.into()));
    assert_eq!(
        (&input["resets"], &input["gaps"], &input["events"]),
        (&0.into(), &0.into(), &45.into())
    );
    let series = &stats["series"][0];
    assert_eq!(series["name"], "log file sync");
    assert_eq!(series["events"], 45);
    let bucket = |lo: u64, hi: u64, count: u64| serde_json::json!({"lo_ns": lo, "hi_ns": hi, "count": count});
    let expected = [
        bucket(0, 1_000_000, 30),
        bucket(1_000_000, 2_000_000, 10),
        bucket(4_000_000, 8_000_000, 5),
    ];
    assert_eq!(series["buckets"], serde_json::Value::from(expected.to_vec()));
    // 30 x 0.5 ms + 10 x 1.5 ms + 5 x 6 ms.
    assert!((series["time_waited_s"].as_f64().unwrap() - 0.060).abs() < 1e-12);
    assert_eq!(series["time_waited_exact"], false);
    assert!((series["mean_ns"].as_f64().unwrap() - 60e6 / 45.0).abs() < 1e-3);
    let median = &series["quantiles"][0];
    assert_eq!(
        (&median["q"], &median["lo_ns"], &median["hi_ns"]),
        (&0.5.into(), &0.into(), &1_000_000.into())
    );
}

#[test]
fn a_counter_reset_is_counted_and_never_negative() {
    let room = Room::new();
    let third = RECORDS.rsplit("<begin record>").next().unwrap();
    let third = third.replace("1700000001", "1700000002").replace("130", "7");
    let file = room.file("reset.txt", format!("{RECORDS}<begin record>{third}"));
    let stats = json(&["stats", "--format", "json", &file]);
    assert_eq!(stats["input"]["records"], 3);
    assert_eq!(stats["input"]["resets"], 1);
    assert_eq!(stats["input"]["gaps"], 1);
    assert_eq!(stats["series"][0]["events"], 45);
}

#[test]
fn events_have_exact_time() {
    let room = Room::new();
    let file = room.file("events.txt", "1700000000.1 100\n1700000000.2 300\n1700000005.0 200\n");
    let args = ["stats", &file, "--columns", "time,latency", "--unit", "us", "--format", "json"];
    let series = &json(&args)["series"][0];
    assert_eq!(series["events"], 3);
    assert_eq!(series["time_waited_exact"], true);
    assert_eq!(series["mean_ns"], 200_000.0);
}

#[test]
fn thresholds_fail_with_99_and_say_which() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let output = run(&["stats", &file, "--fail-if", "max>4ms"]);
    assert_eq!(output.status.code(), Some(99));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = "UNSURE max>4ms: log file sync{datasource=oracle} has 4–8ms: buckets too coarse";
    assert!(message.contains(expected), "{message}");
    let output = run(&["stats", &file, "--fail-if", "p99>1ms"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.contains("FAIL p99>1ms: log file sync{datasource=oracle} has 4–8ms\n"),
        "{message}"
    );
    assert_eq!(run(&["stats", &file, "--fail-if", "max>3ms"]).status.code(), Some(99));
    assert_eq!(run(&["stats", &file, "--fail-if", "max>8ms"]).status.code(), Some(0));
}

#[test]
fn a_threshold_that_no_event_was_asked_of_fails_with_99() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let (first, _) = RECORDS.split_at(RECORDS.rfind("<begin record>").unwrap());
    let snapshot = room.file("snapshot.txt", first);
    let empty = room.file("empty.txt", "");
    let rejected = room.file("rejected.txt", "1700000000.1 fast\n1700000000.2 slow\n");
    let broken = room.file("broken.txt", RECORDS.replace("timestamp, microsec", "timestamp"));
    let columns = ["--columns", "time,latency", "--unit", "us"];
    for args in [
        &["stats", &file, "--series", "typo"][..],
        &["stats", &snapshot],
        &["stats", &empty],
        &["stats", &broken],
        &[&["stats", &rejected][..], &columns].concat(),
        &["compare", &file, &file, "--series", "typo"],
        &["compare", &snapshot, &snapshot],
        &["compare", &file, &empty],
        &["compare", &file, "--a", "..1s", "--b", "1h..2h"],
    ] {
        let output = run(&[args, &["--fail-if", "p99>1ns", "--fail-if", "mean<1s"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(99), "{args:?}: {said}");
        for condition in ["p99>1ns", "mean<1s"] {
            let line = format!("UNSURE {condition}: no events");
            assert!(said.lines().any(|said| said.ends_with(&line)), "{args:?}: {said}");
        }
    }
    // What cannot be read is another failure.
    let missing = room.name("missing.txt");
    assert_eq!(run(&["stats", &missing, "--fail-if", "p99>1ns"]).status.code(), Some(1));
}

#[test]
fn a_limit_is_asked_of_what_only_the_second_side_has() {
    let room = Room::new();
    let before = room.file("before.txt", RECORDS);
    let both = RECORDS.to_owned() + &RECORDS.replace("log file sync", "latch free");
    let after = room.file("after.txt", both);
    let output = run(&["compare", &before, &after, "--fail-if", "p50>10ns"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(99), "{said}");
    assert!(said.contains("p50>10ns: latch free"), "{said}");
}

#[test]
fn a_series_that_is_not_there_is_answered_with_those_that_are() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    for command in ["stats", "show", "report", "explain", "export", "replay"] {
        let heat = room.name(&format!("{command}.heat"));
        super::succeed(&["import", &file, "-o", &heat]);
        let mut args = vec![command, &heat, "--series", "typo"];
        match command {
            "export" => args.extend(["--format", "csv"]),
            "report" => args.extend(["-o", "-"]),
            "explain" => args.extend(["--above", "1us"]),
            "replay" => args.extend(["--ui", "stream", "--speed", "max"]),
            _ => {}
        }
        let said = String::from_utf8(run(&args).stderr).unwrap();
        assert!(said.contains("There are: log file sync"), "{command}: {said}");
    }
}

#[test]
fn the_table_shows_ranges_not_false_precision() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let table = succeed(&["stats", &file]);
    assert!(table.contains("log file sync"), "{table}");
    assert!(table.contains('≈'), "an estimated time is marked: {table}");
    assert!(table.contains("4–8ms") || table.contains("4ms–8ms"), "{table}");
}

/// An hour of reads a second apart: 0.3 ms, and from 00:25:10 to 00:33:05 also 20 ms.
fn backup() -> String {
    let mut text = String::new();
    for second in 0..3_600_u32 {
        for step in 0..20 {
            let at = 1_763_683_200 + second;
            writeln!(text, "{at}.{:02} {}", 3 * step, 280 + 2 * step).unwrap();
        }
        if (1_510..1_985).contains(&second) {
            for step in 0..3 {
                writeln!(text, "{}.9{step} 20000", 1_763_683_200 + second).unwrap();
            }
        }
    }
    text
}

/// What each surface says, most important first: `stats --describe`, `stats --format json`,
/// `show --describe`, `report` as Markdown and as JSON.
fn sentences_of(file: &str, columns: &[&str]) -> Vec<(&'static str, Vec<String>)> {
    let run = |args: &[&str]| succeed(&[args, &[file], columns].concat());
    let object = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let strings = |value: &serde_json::Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().skip(1).take_while(|line| line.starts_with("  "));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let markdown = run(&["report", "--format", "md", "-o", "-"]);
    let markdown = markdown.replace('\\', "");
    let items = markdown.lines().skip_while(|line| !line.starts_with("- "));
    let items = items.take_while(|line| line.starts_with("- "));
    let report = object(&run(&["report", "--format", "json", "-o", "-"]));
    vec![
        ("stats --describe", lines(&run(&["stats", "--describe"]))),
        (
            "stats --format json",
            strings(&object(&run(&["stats", "--format", "json"]))["sentences"]),
        ),
        ("show --describe", lines(&run(&["show", "--describe"]))),
        ("report md", items.map(|line| line.trim_start_matches("- ").to_owned()).collect()),
        ("report json", strings(&report["entries"][0]["sentences"])),
    ]
}

#[test]
fn what_there_is_to_see_is_described_alike_everywhere() {
    let room = Room::new();
    let file = room.file("backup.txt", backup());
    let columns = ["--columns", "time,latency", "--unit", "us"];
    let all = sentences_of(&file, &columns);
    let first = &all[0].1;
    assert!((1..=5).contains(&first.len()), "{first:?}");
    // Within a column of 4 s.
    let begin = ["From ≈00:25:08", "From ≈00:25:1"];
    assert!(begin.iter().any(|begin| first[0].starts_with(begin)), "{first:?}");
    assert!(first[0].contains(" to ≈00:33:0"), "{first:?}");
    // By hand: 475 s of 3 waits of 20 ms are 28.5 s of these and 3,600 s of 20 waits of 0.3 ms,
    // 21.5 s: 57 %; they are 3 of 23 events then.
    assert!(first[0].contains("UTC, 13 % of the events took "), "{first:?}");
    assert!(first[0].ends_with("almost none before: ≈57 % of all time waited."), "{first:?}");
    for (surface, sentences) in &all {
        assert_eq!(sentences, first, "{surface}");
    }
    let run = |args: &[&str]| succeed(&[args, &[&file], &columns].concat());
    let map = run(&["show", "--width", "200"]);
    assert!(map.contains(&first[0]), "{map}");
    assert!(!run(&["show", "--describe"]).contains("FREQUENCY"));
    let replayed = run(&["replay", "--ui", "stream", "--speed", "max", "--describe"]);
    assert!(replayed.lines().last().unwrap().starts_with("# "), "{replayed}");
}

/// Ten minutes of twelve sessions: each reads ten times a second for 1 ms; from 05:11:00 on, for
/// half a minute, s7 for 80 ms instead.
fn culprit() -> String {
    let mut text = String::new();
    for second in 0..600_u32 {
        for session in 0..12_u32 {
            for read in 0..10_u32 {
                let at = 1_763_701_560 + second;
                let slow = session == 7 && (300..330).contains(&second);
                let us = if slow { 80_000 } else { 960 + 8 * read };
                let millis = 100 * read + 5 * session;
                writeln!(text, "{at}.{millis:03} {us} s{session}").unwrap();
            }
        }
    }
    text
}

#[test]
fn of_many_series_the_incident_leads_with_its_culprit_on_every_surface() {
    let room = Room::new();
    let file = room.file("sessions.txt", culprit());
    let columns = ["--columns", "time,latency,session", "--unit", "us"];
    let all = sentences_of(&file, &columns);
    let first = &all[0].1;
    // By hand: 300 waits of 80 ms are 24 s, all others 71,700 of 1 ms, 71.4 s: 25 % of 95.4 s.
    // Within a column of a second: a wait that ended at 05:11:00.035 began 80 ms before.
    let begin = ["From 05:10:59", "From 05:11:00"];
    assert!(begin.iter().any(|begin| first[0].starts_with(begin)), "{first:?}");
    // Within a column of a second.
    let end = [" to 05:11:30", " to 05:11:31"];
    assert!(end.iter().any(|end| first[0].contains(end)), "{first:?}");
    assert!(first[0].contains("s7") && first[0].contains("25 % of all time waited"), "{first:?}");
    for (surface, sentences) in &all {
        assert_eq!(sentences, first, "{surface}");
    }
    let described = succeed(&[&["stats", "--describe", &file], &columns[..]].concat());
    assert!(described.lines().count() <= 1 + 5 + 1 + 11, "{described}");
    let first = described.lines().skip_while(|line| !line.starts_with('%')).nth(1).unwrap();
    // s7: 24 s and 5,700 waits of 1 ms: 29.7 s of 95.4 s.
    assert!(first.contains("31 %") && first.contains("s7"), "{described}");
}

#[test]
fn a_device_too_fast_to_be_true_is_said_to_be_a_cache() {
    let room = Room::new();
    let file = room.file("backup.txt", backup());
    let columns = ["--columns", "time,latency", "--unit", "us"];
    let run =
        |more: &[&str]| succeed(&[&["stats", "--describe", &file], &columns[..], more].concat());
    assert!(run(&["--device", "hdd"]).contains("this was the cache"));
    assert!(!run(&["--device", "ssd"]).contains("cache"));
    assert!(run(&["--device", "2ms"]).contains("faster than the fastest measured on this device"));
    assert!(!run(&[]).contains("Too good"));
    let report = ["report", &file, "--format", "md", "-o", "-", "--device", "hdd"];
    assert!(succeed(&[&report, &columns[..]].concat()).contains("this was the cache"));
}

/// A log of `PostgreSQL` with three statements, and the lengths of each in microseconds: the second of
/// them took most of its time in one call, on line 251.
fn statements_log() -> (String, [Vec<f64>; 3]) {
    let (mut text, mut lengths) = (String::new(), [Vec::new(), Vec::new(), Vec::new()]);
    for number in 0..300_u32 {
        let which = (number % 3) as usize;
        let us = match number {
            250 => 4_000_000,
            _ => 500 + 37 * (number * 7919 % 101) * (which as u32 + 1),
        };
        lengths[which].push(f64::from(us));
        let statement = [
            "select a from t where b = ",
            "update t set a = 1 where b = ",
            "delete from t where b = ",
        ];
        let (second, ms) = (f64::from(us) / 1e3, number % 1_000);
        writeln!(
            text,
            "2026-11-22 22:{:02}:{:02}.{ms:03} UTC [7] app@shop LOG:  duration: {second:.3} ms  statement: {}{number}",
            10 + number / 60,
            number % 60,
            statement[which]
        )
        .unwrap();
    }
    (text, lengths)
}

#[test]
fn statements_of_a_log_have_their_spread_and_their_longest_call() {
    let room = Room::new();
    let (text, lengths) = statements_log();
    let file = room.file("pg.log", text);
    let stats = json(&["stats", "--format", "json", &file]);
    for (statement, lengths) in [(1, &lengths[1]), (0, &lengths[0]), (2, &lengths[2])] {
        let name = [
            "select a from t where b = ?",
            "update t set a = ? where b = ?",
            "delete from t where b = ?",
        ];
        let series = stats["series"].as_array().unwrap();
        let found = series.iter().find(|one| one["name"] == name[statement]).unwrap();
        let number = lengths.len() as f64;
        let mean = lengths.iter().sum::<f64>() / number;
        let ratio_ns =
            lengths.iter().map(|us| (us - mean).powi(2)).sum::<f64>() / number / mean * 1e3;
        let bound = |key: &str| found["variance_to_mean"][key].as_f64().unwrap();
        assert!((bound("lo_ns")..=bound("hi_ns")).contains(&ratio_ns), "{ratio_ns} {found}");
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        assert_eq!(found["longest"]["latency_ns"].as_f64(), Some(longest * 1e3));
    }
    let longest = &stats["series"][0]["longest"];
    assert_eq!((&longest["file"], &longest["line"]), (&"pg.log".into(), &251.into()));
    assert_eq!(longest["text"], "update t set a = 1 where b = 250");
    let table = succeed(&["stats", &file]);
    let row = table.lines().find(|line| line.contains("1. update t set a = ?")).unwrap();
    assert!(
        row.contains("  100  ") && row.ends_with("4s  22:14:10.250 UTC  pg.log:251"),
        "{table}"
    );
    assert!(table.contains("\n    update t set a = 1 where b = 250\n"), "{table}");
    // The longest call lies outside of what is looked at: another would be a wrong one.
    let part = json(&["stats", "--format", "json", &file, "--to", "22:14:00"]);
    let update = part["series"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"].as_str().unwrap().starts_with("update"));
    assert_eq!(update.unwrap()["longest"], serde_json::Value::Null);
    let page = succeed(&["report", &file, "--format", "md", "-o", "-"]);
    assert!(page.contains("## Statements with the most time"), "{page}");
    assert!(
        page.contains("pg.log:251") && page.contains("update t set a = 1 where b = 250"),
        "{page}"
    );
}
