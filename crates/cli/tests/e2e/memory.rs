//! Memory is bounded whatever comes in.

use std::fs::{self, File};
use std::path::Path;

use testing::{bounded, grid};

use super::{Room, isotherm, succeed};

/// The most resident memory of a command, in KiB. All take 47 to 86 MiB, of 30,000 seconds of history as of 3,000.
const MOST_KIB: u64 = 128 << 10;

/// The most memory of a process that was resident at once so far, in KiB.
fn peak(status: &Path) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Runs isotherm, which must succeed with little memory; gives its standard output.
fn run_in_little_memory(room: &Room, args: &[&str]) -> String {
    let (stdout, stderr) = (room.path("stdout"), room.path("stderr"));
    let mut command = isotherm(args);
    command.stdout(File::create(&stdout).unwrap()).stderr(File::create(&stderr).unwrap());
    let mut child = bounded::spawn(&mut command);
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut most = 0;
    let end = bounded::until("its end", || {
        // The kernel keeps the peak: only what comes in the last milliseconds of the process is missed.
        most = peak(&status).unwrap_or(most);
        child.try_wait().unwrap()
    });
    let message = fs::read_to_string(&stderr).unwrap();
    assert!(end.success(), "{args:?}: {message}");
    assert!((1..=MOST_KIB).contains(&most), "{args:?} took {most} KiB");
    fs::read_to_string(&stdout).unwrap()
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
    // A sample still finds what keeps 16 KiB a second: a frame for each of the 100 series is more.
    let seconds = grid::cases(30_000, 4_000);
    let (file, heat) = (room.file("history.csv", history(seconds)), room.name("history.heat"));
    let columns = ["--columns", "time,latency,name", "--unit", "us"];
    run_in_little_memory(&room, &[&["record", &file, "-o", &heat][..], &columns].concat());
    let stats = run_in_little_memory(&room, &["stats", &heat, "--format", "json"]);
    assert_eq!(events(&stats), u64::from(seconds));
    let (page, png) = (room.name("x.html"), room.name("x.png"));
    for args in [
        &["show", &heat, "--memory", "32M"][..],
        &["compare", &heat, &heat, "--memory", "32M"],
        &["report", &heat, "-o", &page, "--memory", "32M"],
        &["report", &heat, "-o", &png, "--memory", "32M"],
        &["replay", &heat, "--speed", "max", "--ui", "stream"],
    ] {
        run_in_little_memory(&room, args);
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
