//! Several inputs at once, directories, compressed files and files that grow.

use std::io::{BufRead, BufReader, Write};
use std::process::Command;

use rustix::process::Signal;
use testing::bounded;

use super::{RECORDS, Room, run, signal, start, succeed};

fn events(args: &[&str]) -> (u64, u64) {
    let text = succeed(&[&["stats", "--format", "json"], args].concat());
    let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
    (stats["input"]["records"].as_u64().unwrap(), stats["input"]["events"].as_u64().unwrap())
}

/// The same polls an hour later, with other counts.
fn later() -> String {
    RECORDS.replace("17000000", "17000036").replace("130", "170")
}

fn gzip(path: &str) -> String {
    let done = bounded::status(Command::new("gzip").args(["--keep", path]));
    assert!(done.success());
    format!("{path}.gz")
}

#[test]
fn several_inputs_are_read_as_one_and_nothing_is_subtracted_across_them() {
    let room = Room::new();
    let first = room.file("1.txt", RECORDS);
    let second = room.file("2.txt", later());
    assert_eq!(events(&[&first]), (2, 45));
    assert_eq!(events(&[&second]), (2, 85));
    assert_eq!(events(&[&first, &second]), (4, 130));
    let picture = succeed(&["show", "--width", "100", &first, &second]);
    assert!(picture.contains("1.txt and 1 more"), "{picture}");
}

#[test]
fn a_directory_stands_for_the_files_in_it_that_can_be_read() {
    let room = Room::new();
    std::fs::create_dir(room.path("waits")).unwrap();
    room.file("waits/a.txt", RECORDS);
    room.file("waits/b.txt", later());
    room.file("waits/notes.md", "nothing about latencies here\n");
    let directory = room.name("waits");
    assert_eq!(events(&[&directory]), (4, 130));
    let output = run(&["stats", &directory]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("1 of 3 files skipped: "), "{message}");
    assert!(message.contains("notes.md"), "{message}");
    let recording = room.name("both.heat");
    succeed(&["import", &directory, "-o", &recording]);
    assert_eq!(events(&[&recording]).1, 130);
    // Those below it, too.
    std::fs::create_dir(room.path("waits/below")).unwrap();
    std::fs::rename(room.path("waits/b.txt"), room.path("waits/below/b.txt")).unwrap();
    assert_eq!(events(&[&directory]), (4, 130));
}

/// A log of fio: 40 operations, one every 10 ms, that take `us` microseconds each.
fn fio_log(us: u64) -> String {
    let line = |n: u64| format!("{}, {}, 0, 4096, 0\n", n * 10, us * 1_000);
    (1..=40).map(line).collect()
}

/// Each of two jobs made 40 operations, and fio timed them three times.
#[test]
fn operations_that_fio_timed_in_several_logs_are_counted_once() {
    let room = Room::new();
    std::fs::create_dir(room.path("run")).unwrap();
    let mut files = Vec::new();
    for (name, us) in [("lat", 50), ("clat", 40), ("slat", 10)] {
        files.push(room.file(&format!("run/j_{name}.1.log"), fio_log(us)));
    }
    room.file("run/j_clat.2.log", fio_log(40));
    let lone = room.file("run/j_slat.2.log", fio_log(10));
    let directory = room.name("run");
    assert_eq!(events(&[&directory]).1, 80);
    assert_eq!(events(&[&files[0], &files[1], &files[2]]).1, 40);
    // Alone, a log is read as what it is.
    assert_eq!(events(&[&lone]).1, 40);
    let output = run(&["stats", &directory]);
    let said = String::from_utf8(output.stderr).unwrap();
    for left_out in ["j_clat.1.log (", "j_slat.1.log (", "j_slat.2.log ("] {
        assert!(said.contains(left_out), "{said}");
    }
    assert!(!said.contains("j_clat.2.log ("), "{said}");
}

/// Two of a hundred calls are asked for; the trace is of 99 s.
#[test]
fn the_rate_of_chosen_events_is_one_of_all_time_that_the_input_covers() {
    let room = Room::new();
    let call = |n: u64| {
        let call = if n == 50 || n == 51 { "fsync" } else { "read" };
        format!("{} {call}(3) = 0 <0.001000>\n", 1_700_000_000 + n)
    };
    let trace = room.file("calls.txt", (0..100).map(call).collect::<String>());
    let recording = room.name("chosen.heat");
    succeed(&["import", &trace, "--where", "call=fsync", "-o", &recording]);
    for args in [&[&trace[..], "--where", "call=fsync"][..], &[&recording]] {
        let text = succeed(&[&["stats", "--format", "json"], args].concat());
        let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
        let series = &stats["series"][0];
        assert_eq!((&series["name"], &series["events"]), (&"fsync".into(), &2.into()));
        let rate = series["rate_per_s"].as_f64().unwrap();
        assert!((rate - 0.02).abs() < 0.0005, "{rate}");
    }
}

/// Lines of `columns time,latency` in microseconds: `events` events of 100 us in each of the
/// seconds from `first` on.
fn seconds(first: u64, seconds: u64, events: u64) -> String {
    let line = |second: u64, event: u64| format!("{second}.{:06} 100\n", event * 1_000);
    let each = |second| (0..events).map(move |event| line(second, event));
    (first..first + seconds).flat_map(each).collect()
}

fn frames_of(recording: &str) -> Vec<String> {
    let text = succeed(&["export", recording, "--format", "csv"]);
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn inputs_that_overlap_in_time_are_added_up() {
    let room = Room::new();
    let names: Vec<String> = (0..16)
        .map(|n| room.file(&format!("{n}.txt"), seconds(1_700_000_000, 60, 10 + n)))
        .collect();
    let recording = room.name("all.heat");
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let options = ["-i", "1s", "--columns", "end,latency", "--unit", "us", "-o", &recording];
    succeed(&[&["import"][..], &names, &options].concat());
    // 10 + 11 + ... + 25 = 280 events of 100 us in each of the 60 seconds, in one frame each.
    let rows = frames_of(&recording);
    // What ends on the second was waited before it.
    let rows: Vec<&String> = rows.iter().filter(|row| row.split(',').nth(7) != Some("0")).collect();
    assert_eq!(rows.len(), 60, "{rows:?}");
    for (row, second) in rows.iter().zip(1_700_000_000_u64..) {
        let fields: Vec<&str> = row.split(',').collect();
        assert_eq!(fields[0], format!("{second}000000000"));
        assert_eq!((fields[4], fields[7]), ("28000000", "280"), "{row}");
    }
}

#[test]
fn intervals_are_as_long_as_the_user_asks_for() {
    let room = Room::new();
    // Eight seconds with events, spread over half a day: 36,000 intervals.
    let line = |n: u64| format!("{}.5 100\n", 1_700_000_000 + n * 4_500);
    let text: String = (0..8).map(line).collect();
    let file = room.file("sparse.txt", text);
    let recording = room.name("sparse.heat");
    let columns = ["--columns", "end,latency", "--unit", "us"];
    let output = run(&[&["import", "-i", "1s", &file, "-o", &recording][..], &columns].concat());
    assert!(output.status.success());
    let rows = frames_of(&recording);
    let length = |row: &String| {
        let bound = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
        let mut fields = row.split(',');
        let (start, end) = (bound(fields.next()), bound(fields.next()));
        end.zip(start).map(|(end, start)| end - start)
    };
    // The first begins with the first wait and the last ends with the last; silence is one frame.
    let events: Vec<&String> =
        rows.iter().filter(|row| row.split(',').nth(7) == Some("1")).collect();
    assert_eq!(events.len(), 8);
    let whole = &events[1..7];
    assert!(whole.iter().all(|row| length(row) == Some(1_000_000_000)), "{events:?}");
    assert!(rows.len() < 3 * 8, "{}", rows.len());
}

#[test]
fn exports_are_imported_in_every_form() {
    let room = Room::new();
    let recording = room.name("first.heat");
    let file = room.file("events.txt", seconds(1_700_000_000, 5, 7));
    succeed(&["import", &file, "-o", &recording, "--columns", "end,latency", "--unit", "us"]);
    let frames = frames_of(&recording);
    std::fs::create_dir(room.path("exports")).unwrap();
    for form in ["csv", "jsonl"] {
        let export = succeed(&["export", &recording, "--format", form]);
        let plain = room.file(&format!("exports/whole.{form}"), export);
        let packed = gzip(&plain);
        for source in [&plain, &packed] {
            let again = room.name("again.heat");
            succeed(&["import", source, "-o", &again]);
            assert_eq!(frames_of(&again), frames, "{source}");
            std::fs::remove_file(&again).unwrap();
        }
        std::fs::remove_file(&plain).unwrap();
    }
    // Both exports of the directory tell of the same seconds: they are added up.
    let both = room.name("both.heat");
    succeed(&["import", &room.name("exports"), "-o", &both]);
    assert_eq!(events(&[&both]).1, 2 * 5 * 7);
    assert_eq!(frames_of(&both).len(), frames.len());
}

#[test]
fn compressed_files_are_read_as_what_they_hold() {
    let room = Room::new();
    let plain = room.file("records.txt", RECORDS);
    let packed = gzip(&plain);
    assert_eq!(events(&[&packed]), (2, 45));
    let streamed = succeed(&["live", "--ui", "stream", &packed]);
    assert_eq!(streamed.lines().filter(|line| !line.starts_with('#')).count(), 1, "{streamed}");

    let mut bytes = std::fs::read(&packed).unwrap();
    bytes.truncate(bytes.len() - 4);
    let cut = room.file("cut.gz", bytes);
    let output = run(&["stats", &cut]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    assert!(message.contains("the gzip file is cut off: only the"), "{message}");
}

#[test]
fn a_file_that_grows_is_followed_and_may_be_replaced() {
    let room = Room::new();
    let path = room.file("growing.txt", "1700000000.5 100\n1700000001.5 200\n1700000002.5 300\n");
    let recording = room.name("followed.heat");
    let columns = ["--columns", "time,latency", "--unit", "us", "--record", &recording];
    let mut child = start(&[&["live", "--follow", &path][..], &columns].concat());
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .filter(|line| !line.starts_with('#'));
    assert!(lines.next().is_some(), "what was there before is shown");
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    writeln!(file, "1700000010.5 400\n1700000015.5 500").unwrap();
    assert!(lines.next().is_some(), "what was added is shown");
    std::fs::rename(&path, room.path("growing.txt.1")).unwrap();
    std::fs::write(&path, "1700000020.5 600\n1700000025.5 700\n").unwrap();
    assert!(lines.next().is_some(), "what is in the new file is shown");
    // The last line of the new file is counted only when all of it has been read.
    bounded::until("all events", || {
        let output = run(&["stats", "--format", "json", &recording]);
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        (stats["series"][0]["events"].as_u64()? >= 6).then_some(())
    });
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    assert!(message.contains("was replaced: the new file is read"), "{message}");
    assert_eq!(events(&[&recording]).1, 7);
}

/// 500 sessions and four files are 2,000 combinations, of which 1,000 are told apart: each file has its own
/// events all the same, and nothing is said to have happened to what is counted together.
#[test]
fn attributes_of_few_values_keep_their_counts_beyond_the_most_combinations() {
    let room = Room::new();
    let line = |number: usize| {
        let (session, file) = (number * 7 % 500, number % 4);
        let took_us = if file == 1 { 900 } else { 200 } + number * 13 % 50;
        format!(
            "{}.{:03},{took_us},s{session},f{file}\n",
            1_700_000_000 + number / 20,
            number % 20 * 50
        )
    };
    let text: String = (0..12_000).map(|number| line(number * 3 % 12_001)).collect();
    let path = room.file("many.csv", &text);
    let columns = ["--columns", "time,latency,session,file", "--unit", "us"];
    let output = succeed(&[&["stats", "--format", "json", &path][..], &columns].concat());
    let stats: serde_json::Value = serde_json::from_str(&output).unwrap();
    for file in ["f0", "f1", "f2", "f3"] {
        let series = stats["series"].as_array().unwrap();
        let own = series.iter().filter(|one| one["attributes"]["file"] == file);
        let events: u64 = own.map(|one| one["events"].as_u64().unwrap()).sum();
        let expected = text.lines().filter(|line| line.ends_with(&format!(",{file}"))).count();
        assert_eq!(events, expected as u64, "{file}");
    }
    let said = stats["sentences"].to_string();
    assert!(!said.contains("(other)"), "{said}");
}

/// Stamps of whole seconds: what is in one second has the rate of a second, and no moment within it is
/// named; an interval that is asked for cannot be finer.
#[test]
fn nothing_is_finer_than_the_stamps_of_the_lines() {
    let room = Room::new();
    let line = |second: usize, number: usize| {
        let took_ms = 8 + number * 7 % 60;
        format!(
            "10.0.0.1 - - [28/Nov/2026:06:26:{second:02} +0000] \"GET / HTTP/1.1\" 200 154 \"-\" \"c\" \
             0.{took_ms:03}\n"
        )
    };
    for seconds in [1_usize, 3, 8] {
        let all = 21 * seconds;
        let text: String = (0..all).map(|number| line(1 + number / 21, number)).collect();
        let path = room.file(&format!("{seconds}.log"), text);
        let stats: serde_json::Value =
            serde_json::from_str(&succeed(&["stats", "--format", "json", &path])).unwrap();
        let rate = stats["series"][0]["rate_per_s"].as_f64().unwrap();
        assert!((rate - 21.0).abs() < 0.1, "{seconds}: {rate}");
        let said = succeed(&["stats", "--describe", &path]);
        assert!(said.contains("nothing stands out"), "{seconds}: {said}");
        let shown = succeed(&["show", "--width", "100", &path]);
        assert!(seconds == 1 || shown.contains("1s a column"), "{seconds}: {shown}");
    }
    let output = run(&["stats", "-i", "100ms", &room.name("8.log")]);
    let message = String::from_utf8(output.stderr).unwrap();
    let said =
        "events are in intervals of 1s instead of 100ms: their times are whole multiples of 1s";
    assert!(message.contains(said), "{message}");
}

#[test]
fn the_end_of_a_file_says_how_to_read_on() {
    let room = Room::new();
    let path = room.file("done.txt", "1700000000.5 100\n1700000001.5 200\n");
    let recording = room.name("done.heat");
    let columns = ["--columns", "time,latency", "--unit", "us", "-o", &recording];
    let output = run(&[&["record", &path][..], &columns].concat());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    assert!(message.contains("--follow continues with what is written next"), "{message}");
}

#[test]
fn only_files_can_be_followed() {
    let output = run(&["live", "--follow", "probe:."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a file that grows"));
}

#[test]
fn an_export_of_a_series_that_is_not_there_fails_and_writes_nothing() {
    let room = Room::new();
    let (recording, output) = (room.name("a.heat"), room.name("a.csv"));
    succeed(&["import", &room.file("a.txt", RECORDS), "-o", &recording]);
    let done = run(&["export", &recording, "--series", "nosuch", "-o", &output]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("no series contains this text. There are: log file sync"), "{said}");
    assert!(!std::path::Path::new(&output).exists());
}

/// Two events ten seconds apart: one in ten seconds, and a time after the second that nobody observed.
#[test]
fn what_is_covered_after_the_last_of_few_events_is_said() {
    let room = Room::new();
    let stats = |file: &str| -> serde_json::Value {
        let args = ["stats", file, "--columns", "time,latency", "--unit", "ms", "--format", "json"];
        serde_json::from_str(&succeed(&args)).unwrap()
    };
    let said = |stats: &serde_json::Value| stats["input"]["assumed"].to_string();
    let two = stats(&room.file("two.txt", "1700000000 1\n1700000010 1\n"));
    assert!((two["series"][0]["rate_per_s"].as_f64().unwrap() - 0.1).abs() < 1e-6, "{two}");
    assert!(said(&two).contains("for 10s after the last of its 2 events"), "{two}");
    let line = |n: u64| format!("{} 1\n", 1_700_000_000 + n);
    let many: String = (0..40).map(line).collect();
    assert!(!said(&stats(&room.file("many.txt", many))).contains("does not say when it ends"));
}

#[test]
fn a_printed_total_that_contradicts_its_buckets_is_not_used() {
    let room = Room::new();
    let funclatency = |total: &str| {
        format!(
            "Tracing 1 functions for \"vfs_fsync\"... Hit Ctrl-C to end.\n^C\n\
             \x20    msecs               : count    distribution\n\
             \x20        0 -> 1          : 1        |****                                    |\n\
             \x20        2 -> 3          : 0        |                                        |\n\
             \x20      128 -> 255        : 9        |****************************************|\n\n\
             avg = 172 {total}, count: 10\n"
        )
    };
    let systemtap = |sum: u64| {
        format!(
            "accept wait (us)\n\
             value |-------------------------------------------------- count\n\
             \x20  16 |                                                   0\n\
             \x20  32 |@@@@@@@@                                           8\n\
             \x20  64 |                                                   0\n\n\
             count=8 sum={sum} min=32 max=63\n"
        )
    };
    // Ten waits of 1.152 to 2.306 s together, and eight of 256 to 512 us.
    for (name, text, exact) in [
        ("nsecs.txt", funclatency("nsecs, total: 1728 nsecs"), false),
        ("secs.txt", funclatency("msecs, total: 1728000 msecs"), false),
        ("msecs.txt", funclatency("msecs, total: 1728 msecs"), true),
        ("more.stp", systemtap(90_000), false),
        ("less.stp", systemtap(3), false),
        ("right.stp", systemtap(400), true),
    ] {
        let file = room.file(name, text);
        let output = run(&["stats", &file, "--format", "json"]);
        let words = String::from_utf8(output.stderr).unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let one = &stats["series"][0];
        assert_eq!(one["time_waited_exact"], exact, "{name}: {one} {words}");
        let seconds = one["time_waited_s"].as_f64().unwrap();
        let possible = if name.contains(".stp") { 256e-6..512e-6 } else { 1.152..2.306 };
        assert!(possible.contains(&seconds), "{name}: {seconds}");
        assert_eq!(words.contains("contradicts its buckets"), !exact, "{name}: {words}");
    }
}

/// What is shown row by row takes stamps as they are: that these are whole minutes is said, once, where
/// intervals are finer, and not where they are as long.
#[test]
fn stamps_coarser_than_intervals_are_said_where_rows_are_shown_as_they_come() {
    let room = Room::new();
    let line = |number: usize| format!("2026-11-28T06:{:02}:00Z,{}\n", number / 20, 3 + number % 5);
    let path = room.file("minutes.csv", (0..200).map(line).collect::<String>());
    let columns = ["--columns", "time,latency", "--unit", "ms", &path];
    let said = |command: &[&str]| {
        let output = run(&[command, &columns].concat());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{message}");
        message.matches("stamped with whole minutes").count()
    };
    let frames = room.name("frames.csv");
    assert_eq!(said(&["live", "--ui", "stream"]), 1);
    assert_eq!(said(&["live", "--ui", "stream", "-i", "1m"]), 0);
    assert_eq!(said(&["frames", "-o", &frames]), 1);
    assert_eq!(said(&["stats"]), 0);
}

/// What is asked for and is not there is answered with what comes near, by whatever reads.
#[test]
fn a_condition_that_nothing_meets_is_answered_with_near_values() {
    let room = Room::new();
    let call = |n: u64| {
        let call = ["pread64", "pwrite64", "fsync"][n as usize % 3];
        format!("{} {call}(3) = 0 <0.001000>\n", 1_700_000_000 + n)
    };
    let trace = room.file("calls.txt", (0..30).map(call).collect::<Vec<_>>().concat());
    let page = room.name("page.html");
    let recording = room.name("recording.heat");
    for args in [
        &["stats"][..],
        &["show"],
        &["explain"],
        &["report", "-o", &page],
        &["import", "-o", &recording],
    ] {
        for (wanted, near) in [
            ("call=pread", "with call=pread. Near: pread64"),
            ("call=p%rite", "with call=p%rite. Near: pwrite64"),
            ("call=x", "with call=x. There are: fsync, pread64, pwrite64"),
        ] {
            let output = run(&[args, &[&trace, "--where", wanted]].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                said.contains(near) && output.status.code() == Some(2),
                "{args:?} {wanted}: {said}"
            );
        }
        // No event has the attribute, however it is written: there are no values of it.
        for absent in ["file=x", "FILE=x"] {
            let output = run(&[args, &[&trace, "--where", absent]].concat());
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                !said.contains("There are") && output.status.code() == Some(2),
                "{args:?}: {said}"
            );
        }
    }
    assert!(!room.path("page.html").exists() && !room.path("recording.heat").exists());
}
