//! The document against sums of a seeded generator.

use std::fmt::Write as _;

use isotherm_frame::MemoryAccount;
use isotherm_oracle::awr::history::HistoryReader;
use serde_json::Value;

use super::*;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Thirty events in ten hours; their total time in microseconds, and the table.
fn events() -> (u64, String) {
    let mut text =
        "end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,\
                    foreground_time_us\n"
            .to_owned();
    let (mut state, mut total) = (11, 0);
    for hour in 0..10 {
        for event in 0..30 {
            let time = next(&mut state) % 1_000_000_000;
            total += time;
            writeln!(text, "2026-03-01T{hour:02}:00:00Z,3600.000,5,1,{hour},\"event {event}\",\"Other\",7,{time},7,{time}").expect("a text takes everything");
        }
        writeln!(text, "2026-03-01T{hour:02}:00:00Z,3600.000,5,1,{hour},\"SQL*Net message from client\",\"Idle\",7,1,7,1").expect("a text takes everything");
    }
    (total, text)
}

fn document(files: &[(&str, &str)]) -> (AwrHistoryDocument, Value) {
    let mut reader = HistoryReader::within(MemoryAccount::of_bytes(256 << 20));
    for (name, text) in files {
        reader.read(name, text.as_bytes()).expect("bytes in memory");
    }
    let history = reader.finish().expect("one clock");
    let document = AwrHistoryDocument::of(&history).expect("it fits a page");
    let json = serde_json::to_value(&document).expect("JSON");
    (document, json)
}

#[test]
fn what_is_cut_is_one_member_and_nothing_is_lost() {
    let (total, text) = events();
    let (_, json) = document(&[("awr-system-events.csv", &text)]);
    let table = &json["tables"][0];
    assert_eq!(table["members"][20][0], "10 others");
    assert_eq!(table["members"].as_array().expect("members").len(), 21);
    let times = table["columns"][1].as_array().expect("times");
    let sum: u64 = times.iter().map(|time| time.as_u64().expect("whole")).sum();
    assert_eq!(sum, total);
    assert_eq!(times.len(), 210);
    assert!(json["absent"].to_string().contains("no rows of wait-classes"));
}

#[test]
fn the_page_opens_with_the_busiest_interval() {
    let text = "end,seconds,dbid,instance,snap_id,wait_class,waits,time_us,foreground_waits,foreground_time_us
2026-03-01T08:00:00Z,3600,5,1,11,\"User I/O\",2,1800000000,2,1800000000
2026-03-01T09:00:00Z,3600,5,1,12,\"User I/O\",2,27000000000,2,27000000000
2026-03-01T09:00:00Z,3600,5,1,12,\"CPU\",0,9500000000,0,9000000000
2026-03-01T10:00:00Z,3600,5,1,13,\"User I/O\",2,3600000000,2,3600000000
2026-03-01T10:00:00Z,3600,5,1,13,\"Idle\",2,3600000000000,2,3600000000000
";
    let (document, json) = document(&[("awr-wait-classes.csv", text)]);
    assert_eq!(
        json["sentences"][0],
        "From 08:00 to 09:00 UTC on 2026-03-01, instance 1 had 10.0 active sessions on average, 10.0 times the \
         median of its intervals (1.00): 75 % waiting for User I/O and 25 % on CPU."
    );
    // (0.5 + 7.5 + 1) / 3 and 2.5 / 3.
    let classes = document.classes();
    assert!(classes[0].0 == "User I/O" && (classes[0].1 - 3.0).abs() < 1e-9, "{classes:?}");
    assert!((classes[1].1 - 2.5 / 3.0).abs() < 1e-9, "{classes:?}");
    assert_eq!(classes.len(), 2, "sessions that are idle are not active");
}

#[test]
fn an_event_with_more_buckets_than_awr_has_is_named_and_not_drawn() {
    let mut text =
        "end,seconds,dbid,instance,snap_id,event,wait_class,wait_time_ms,waits\n".to_owned();
    // Only an event of several classes has more than 64.
    for power in 0..32 {
        for (event, classes) in [("usual", 1), ("strange", 3)] {
            for class in 0..classes {
                writeln!(
                    text,
                    "2026-03-01T01:00:00Z,3600.000,5,1,1,\"{event}\",\"Class {class}\",{},9",
                    1_u64 << power
                )
                .expect("a text takes everything");
            }
        }
    }
    let (document, json) = document(&[("awr-event-histograms.csv", &text)]);
    assert_eq!(json["tables"][0]["members"].as_array().expect("members").len(), 32);
    assert!(document.absent()[0].ends_with("the first of them strange with 96"), "{document:?}");
}

#[test]
fn a_page_of_many_intervals_holds_fewer_of_each_table() {
    let heads = "end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,\
                 foreground_time_us\n";
    let mut text = heads.to_owned();
    let start = jiff::civil::date(2026, 3, 1).at(0, 0, 0, 0);
    for interval in 0..40_000_i64 {
        let end = start + jiff::SignedDuration::from_secs(interval + 1);
        for event in 0..15 {
            writeln!(
                text,
                "{end}Z,1.000,5,1,{interval},\"event {event}\",\"Other\",7,{event},7,{event}"
            )
            .expect("a text takes everything");
        }
    }
    let (document, json) = document(&[("awr-system-events.csv", &text)]);
    // 15 × 40,000 rows are too many: 10 members and the others are 440,000.
    let table = &json["tables"][0];
    assert_eq!(table["members"].as_array().expect("members").len(), 11);
    let times = table["columns"][1].as_array().expect("times").iter();
    let sum: u64 = times.map(|time| time.as_u64().expect("whole")).sum();
    assert_eq!(sum, 40_000 * (0..15).sum::<u64>());
    assert!(document.notes().iter().any(|note| note.contains("one of 2 of those")), "{document:?}");
}
