//! Memory is bounded whatever comes in.

use std::process::Command;

use super::{Room, succeed};

/// Runs isotherm in so many kilobytes of address space.
fn within(kilobytes: u32, args: &[&str]) -> String {
    let limited = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
    let isotherm = env!("CARGO_BIN_EXE_isotherm");
    let output = Command::new("sh").args(["-c", &limited, isotherm]).args(args).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {message}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// One event a second, each of another of 100 series than the one before.
fn history(seconds: u32) -> String {
    let line = |s: u32| format!("{}.5,{},s{}\n", 1_700_000_000 + s, 100 + s % 7, s % 100);
    (0..seconds).map(line).collect::<Vec<String>>().concat()
}

fn events(stats: &str) -> u64 {
    let stats: serde_json::Value = serde_json::from_str(stats).unwrap();
    stats["input"]["events"].as_u64().unwrap()
}

#[test]
fn history_that_comes_fast_is_recorded_and_looked_at_in_little_memory() {
    let room = Room::new();
    let (file, heat) = (room.file("history.csv", history(30_000)), room.name("history.heat"));
    let columns = ["--columns", "time,latency,name", "--unit", "us"];
    within(800_000, &[&["record", &file, "-o", &heat][..], &columns].concat());
    assert_eq!(events(&within(800_000, &["stats", &heat, "--format", "json"])), 30_000);
    let (page, png) = (room.name("x.html"), room.name("x.png"));
    for args in [
        &["show", &heat, "--memory", "32M"][..],
        &["compare", &heat, &heat, "--memory", "32M"],
        &["report", &heat, "-o", &page, "--memory", "32M"],
        &["report", &heat, "-o", &png, "--memory", "32M"],
        &["replay", &heat, "--speed", "max", "--ui", "stream"],
    ] {
        within(800_000, args);
    }
}

#[test]
fn longer_intervals_lose_no_event() {
    let room = Room::new();
    let file = room.file("history.csv", history(60_000));
    let columns = ["--columns", "time,latency", "--unit", "us", "-i", "1s"];
    let of = |memory: &str| {
        let args = ["report", &file, "--format", "json", "-o", "-", "--memory", memory];
        let report = succeed(&[&args[..], &columns].concat());
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        report["entries"][0]["events"].as_u64().unwrap()
    };
    assert_eq!([of("32M"), of("1G")], [60_000; 2]);
}

#[test]
fn too_little_memory_is_a_usage_error() {
    let room = Room::new();
    let file = room.file("history.csv", history(10));
    let output = super::run(&["show", &file, "--columns", "time,latency", "--memory", "1M"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("at least 32M"));
}
