//! Which zone times are in, on a machine that is not in UTC.

use testing::bounded;

use super::terminal::{Terminal, isotherm as command_line};
use super::{Room, isotherm};

/// One event a second from 2023-11-14 22:13:20 UTC on; in Zurich it is 23:13:20, an hour later.
const SECONDS: i64 = 40;
const BEGIN: i64 = 1_700_000_000;
const COLUMNS: [&str; 4] = ["--columns", "time,latency", "--unit", "us"];

fn events(room: &Room) -> String {
    let lines: Vec<String> =
        (BEGIN..BEGIN + SECONDS).map(|second| format!("{second} 500\n")).collect();
    let lines = lines.concat();
    room.file("events.txt", lines)
}

fn in_zurich(args: &[&str]) -> String {
    let output = bounded::output(isotherm(args).env("TZ", "Europe/Zurich"));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "isotherm {args:?} failed: {error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_is_written_is_in_utc_and_says_so() {
    let room = Room::new();
    let file = events(&room);
    let commands: [&[&str]; 7] = [
        &["show", &file],
        &["stats", &file],
        &["compare", &file, &file],
        &["replay", &file, "--speed", "max", "--ui", "stream"],
        &["replay", &file, "--speed", "max", "--ui", "classic"],
        &["replay", &file, "--speed", "max", "--table"],
        &["report", &file, "--format", "md", "-o", "-"],
    ];
    for command in commands {
        let plain = in_zurich(&[command, &COLUMNS].concat());
        assert!(plain.contains("2023-11-14") && plain.contains("UTC"), "{command:?}: {plain}");
        assert!(plain.contains("22:1") && !plain.contains("23:1"), "{command:?}: {plain}");
        let utc = in_zurich(&[command, &COLUMNS, &["--utc"]].concat());
        // A report says the command that made it.
        assert_eq!(plain, utc.replace(" --utc", ""), "{command:?}");
    }
}

#[test]
fn times_are_typed_as_they_are_printed() {
    let room = Room::new();
    let file = events(&room);
    let report = |from: &str| {
        let command = ["report", &file, "--format", "json", "-o", "-", "--from", from];
        let report = in_zurich(&[&command[..], &COLUMNS].concat());
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        report["entries"][0]["events"].as_u64().unwrap()
    };
    assert_eq!(report("22:13:50"), 10);
    assert_eq!(report("2023-11-14T23:13:50+01:00"), 10);
    let stretches = ["--a", "..22:13:40", "--b", "22:13:40..", "--format", "json"];
    let compared = in_zurich(&[&["compare", &file][..], &COLUMNS, &stretches].concat());
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    assert_eq!(compared["a"]["events"], 20, "{compared}");
}

#[test]
fn the_view_with_both_maps_names_the_zone_of_its_times() {
    let Some(terminal) = Terminal::open(120, 40) else { return };
    let room = Room::new();
    let file = events(&room);
    let columns = COLUMNS.join(" ");
    for (utc, end, from) in
        [("", "23:14:00 CET", "23:13:30"), ("--utc", "22:14:00 UTC", "22:13:30")]
    {
        let replay = format!("replay {file} {columns} --speed max --ui tui --from {from} {utc}");
        // Nothing would be left of the recording if the moment were read in the other zone.
        terminal.line(&format!("TZ=Europe/Zurich {}", command_line(&replay)));
        terminal.shows(end);
        terminal.key("q");
        terminal.line("clear");
        bounded::until("the shell", || (!terminal.screen().contains(end)).then_some(()));
    }
}
