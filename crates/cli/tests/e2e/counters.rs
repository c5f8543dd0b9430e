//! Waits longer than an interval, counted by a server when they end: nobody knows when they were
//! waited, and nothing may be made of that.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Room, succeed};

/// Six minutes of totals as Oracle keeps them, one poll a second: one session that waits for 5 s, and
/// again; `short` waits of up to 1 ms in each second beside it.
fn records(short: u64) -> String {
    let mut text = String::new();
    for second in 0..360_u64 {
        let at_us = (1_700_000_000 + second) * 1_000_000;
        writeln!(text, "<begin record>\ntimestamp, microsec, {at_us}, 14-NOV-23").unwrap();
        writeln!(text, "label, enq: TX\ndatasource, oracle\nlatencyunit, millisec").unwrap();
        writeln!(text, "1, {}\n8192, {}\n<end record>\n", second * short, second / 5).unwrap();
    }
    text
}

/// The same as bpftrace prints totals in microseconds.
fn prints(short: u64) -> String {
    let mut text = String::from("Attaching 3 probes...\n");
    for second in 0..360_u64 {
        writeln!(text, "{}.000000\n@usecs[lock]: ", 1_700_000_000 + second).unwrap();
        if second * short > 0 {
            writeln!(text, "[512, 1K)          {} |@@@@@@|", second * short).unwrap();
        }
        if second >= 5 {
            writeln!(text, "[4M, 8M)           {} |@@@@@@|", second / 5).unwrap();
        }
        text.push_str("\n\n");
    }
    text
}

#[test]
fn no_burst_and_no_period_is_reported_that_the_latency_itself_explains() {
    for (name, content) in [
        ("oracle.rec", records(0)),
        ("oracle-busy.rec", records(200)),
        ("bpftrace.txt", prints(0)),
        ("bpftrace-busy.txt", prints(200)),
    ] {
        let room = Room::new();
        let file = room.file(name, content);
        let stats: Value =
            serde_json::from_str(&succeed(&["stats", "--format", "json", &file])).unwrap();
        let found = &stats["series"][0]["findings"];
        for key in ["period", "busiest"] {
            assert!(found[key].is_null(), "{name} {key}: {}", found[key]);
        }
        for key in ["bursts", "changes"] {
            assert_eq!(found[key], Value::Array(Vec::new()), "{name} {key}");
        }
        assert!(found["unplaced"]["time_share"].as_f64().unwrap() > 0.8, "{name}: {found}");
        let markdown = room.name("report.md");
        succeed(&["report", &file, "-o", &markdown]);
        let markdown = std::fs::read_to_string(markdown).unwrap();
        let surfaces = [
            succeed(&["stats", "--describe", &file]),
            succeed(&["show", "--describe", &file]),
            succeed(&["show", &file]),
            markdown,
        ];
        for text in &surfaces {
            let lower = text.to_lowercase();
            for word in ["burst", "every 5", "sessions"] {
                assert!(!lower.contains(word), "{name}: {word} in {text}");
            }
            assert!(text.contains("events longer than 1s"), "{name}: {text}");
        }
        assert!(surfaces[2].contains("s of waits ended per second"), "{name}: {}", surfaces[2]);
    }
}

#[test]
fn where_all_time_lies_where_it_was_waited_nothing_is_said() {
    let room = Room::new();
    let mut lines = String::new();
    for wait in 1..=60 {
        writeln!(lines, "{}.5 5000000", 1_700_000_000 + 5 * wait).unwrap();
    }
    let file = room.file("events.txt", lines);
    let columns = ["--columns", "end,latency", "--unit", "us"];
    for command in [&["show"][..], &["stats", "--describe"]] {
        let text = succeed(&[command, &[&file], &columns].concat());
        assert!(!text.contains("longer than"), "{text}");
        assert!(!text.contains("counted where"), "{text}");
    }
}
