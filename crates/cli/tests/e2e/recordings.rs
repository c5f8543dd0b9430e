//! Recordings: made, replayed, exported, imported.

use std::io::Write;
use std::process::{Output, Stdio};

use testing::bounded;

use super::{RECORDS, Room, isotherm, run, succeed};

fn events(input: &str) -> u64 {
    let text = succeed(&["stats", "--format", "json", input]);
    let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
    stats["input"]["events"].as_u64().unwrap()
}

fn imported(room: &Room) -> String {
    let (file, heat) = (room.file("records.txt", RECORDS), room.name("run.heat"));
    succeed(&["import", &file, "-o", &heat]);
    heat
}

#[test]
fn importing_conserves_and_replays() {
    let room = Room::new();
    let heat = imported(&room);
    assert_eq!(events(&heat), 45);
    let stream = succeed(&["replay", &heat, "--speed", "max", "--ui", "stream"]);
    assert_eq!(stream.lines().filter(|line| !line.starts_with('#')).count(), 1, "{stream}");
}

#[test]
fn exports_come_back_as_they_went() {
    let room = Room::new();
    let heat = imported(&room);
    for form in ["jsonl", "csv", "pylatencymap"] {
        let file = room.name(&format!("out.{form}"));
        succeed(&["export", &heat, "--format", form, "-o", &file]);
        let back = room.name(&format!("{form}.heat"));
        succeed(&["import", &file, "-o", &back]);
        assert_eq!(events(&back), 45, "{form}");
    }
    let (one, two) = (succeed(&["export", &heat, "--format", "csv"]), room.name("jsonl.heat"));
    assert_eq!(one, succeed(&["export", &two, "--format", "csv"]));
}

/// Imports what comes through a pipe, by both of its names.
fn imported_from_pipe(room: &Room, content: &[u8], options: &[&str]) -> [(Output, String); 2] {
    ["-", "/dev/stdin"].map(|input| {
        let heat = room.name(&format!("of-pipe-{}.heat", input.len()));
        let _ = std::fs::remove_file(&heat);
        let mut command = isotherm(&[&["import", input, "-o", &heat], options].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = bounded::spawn(&mut command);
        let mut pipe = child.stdin.take().unwrap();
        let content = content.to_owned();
        // A reader that gives up leaves a pipe that takes no more.
        let writer = std::thread::spawn(move || drop(pipe.write_all(&content)));
        let output = child.wait_with_output().unwrap();
        bounded::join(writer);
        (output, heat)
    })
}

#[test]
fn a_pipe_is_imported_from_its_first_byte() {
    let room = Room::new();
    let heat = imported(&room);
    let lines: Vec<String> = (0..60).map(|s| format!("{}.5 250\n", 1_700_000_000 + s)).collect();
    let columns = ["--columns", "time,latency", "--unit", "us"];
    let exported = |form| succeed(&["export", &heat, "--to", form]);
    for (content, options, expected) in [
        (exported("jsonl"), &[][..], 45),
        (exported("csv"), &[], 45),
        (exported("pylatencymap"), &[], 45),
        (exported("hlog"), &[], 45),
        (RECORDS.to_owned(), &[], 45),
        (lines.concat(), &columns, 60),
    ] {
        for (output, heat) in imported_from_pipe(&room, content.as_bytes(), options) {
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{message}");
            assert_eq!(events(&heat), expected, "{content:.60}");
        }
    }
}

#[test]
fn what_nobody_knows_of_a_pipe_is_a_clear_error_and_no_recording() {
    let room = Room::new();
    let heat = imported(&room);
    let recording = std::fs::read(&heat).unwrap();
    let row = "1700000000000000000,1700000001000000000,a,complete,,1000,2000,1,\n";
    let columns = "start_ns,end_ns,series,quality,sum_ns,lo_ns,hi_ns,count,waited_ns\n";
    let large = [columns, &row.repeat(200_000)].concat();
    let little = ["--memory", "32M"];
    for (content, options, word) in [
        (&b"a letter to my aunt\nin two lines\n"[..], &[][..], "which no decoder knows"),
        (b"", &[], "is empty"),
        (&recording, &[], "recording"),
        (large.as_bytes(), &little, "save it to a file first"),
    ] {
        for (output, heat) in imported_from_pipe(&room, content, options) {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{message}");
            assert!(message.contains(word), "{word}: {message}");
            assert!(!std::path::Path::new(&heat).exists(), "{message}");
        }
    }
}

#[test]
fn a_part_can_be_replayed() {
    let room = Room::new();
    let lines: Vec<String> = (0..60).map(|s| format!("{}.5 250\n", 1_700_000_000 + s)).collect();
    let (file, heat) = (room.file("events.txt", lines.concat()), room.name("run.heat"));
    succeed(&["import", &file, "-o", &heat, "--columns", "time,latency", "--unit", "us"]);
    let columns = ["--columns", "time,latency", "--unit", "us"];
    for input in [&[heat.as_str()][..], &[&[file.as_str()][..], &columns].concat()] {
        let args = ["--speed", "max", "--ui", "stream", "--from", "10s", "--to", "20s"];
        let stream = succeed(&[&["replay"], input, &args[..]].concat());
        let shown = stream.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(shown, 10, "{stream}");
    }
}

#[test]
fn a_recording_from_the_future_is_refused_clearly() {
    let room = Room::new();
    let heat = imported(&room);
    let bytes = std::fs::read(&heat).unwrap();
    let mut newer = bytes.clone();
    // The user version of an SQLite file: a big-endian number at byte 60.
    newer[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    let output = run(&["stats", &room.file("newer.heat", newer)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("newer"), "{output:?}");
    let cut = room.file("cut.heat", &bytes[..bytes.len() / 2]);
    assert_eq!(run(&["stats", &cut]).status.code(), Some(1));
}

#[test]
fn a_recording_without_a_frame_that_can_be_read_is_an_error_everywhere() {
    let room = Room::new();
    let heat = imported(&room);
    let mut bytes = std::fs::read(&heat).unwrap();
    // The counts of the one frame: every digit of them is another.
    let counts = bytes.windows(6).rposition(|text| text == b"[30,10").unwrap();
    bytes[counts + 1] ^= 1;
    std::fs::write(&heat, bytes).unwrap();
    for command in ["stats", "show", "report", "compare"] {
        let other = if command == "compare" { vec![heat.as_str()] } else { Vec::new() };
        let output = run(&[&[command, &heat], &other[..]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{command}: {error}");
        assert!(error.contains("none of its frames can be read"), "{command}: {error}");
    }
    for inputs in [vec![heat.as_str()], vec![heat.as_str(), heat.as_str()]] {
        let output = run(&[&["replay", "--speed", "max", "--ui", "stream"], &inputs[..]].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{error}");
        assert!(error.contains("none of its frames can be read"), "{error}");
    }
}

#[test]
fn another_database_is_called_what_it_is() {
    let room = Room::new();
    let mut bytes = std::fs::read(imported(&room)).unwrap();
    bytes[68..72].copy_from_slice(&0x1234_5678_u32.to_be_bytes());
    let other = room.file("places.sqlite", bytes);
    for command in
        [vec!["stats", &other], vec!["show", &other], vec!["export", "--format", "csv", &other]]
    {
        let output = run(&command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        let expected = "this is an SQLite database, but not a recording of isotherm \
                        (application_id 0x12345678)";
        assert!(error.contains(expected), "{command:?}: {error}");
    }
    // Among the files of a directory it is one that is skipped.
    let output = run(&["stats", room.dir().to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.contains("skipped"), "{error}");
}

#[test]
fn a_mark_outside_of_a_recording_is_reported() {
    let room = Room::new();
    let lines: Vec<String> = (0..60).map(|s| format!("{}.5 250\n", 1_700_000_000 + s)).collect();
    let (text, heat) = (room.file("steady.txt", lines.concat()), room.name("steady.heat"));
    succeed(&["import", &text, "--columns", "time,latency", "--unit", "us", "-o", &heat]);
    let warning = |at: &[&str]| {
        let output = run(&[&["mark", &heat, "a word"], at].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(warning(&["--utc", "--at", "2023-11-14 22:13:50"]), "");
    let early = warning(&["--utc", "--at", "2023-11-14 22:10:00"]);
    assert!(early.contains("begins later; no view shows it"), "{early}");
    let now = warning(&[]);
    assert!(now.contains("ended before that; no view shows it"), "{now}");
}
