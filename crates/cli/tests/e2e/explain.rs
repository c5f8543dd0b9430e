//! What distinguishes selected events, as the program says it.

use std::fmt::Write as _;

use super::{Room, run, succeed};

/// 2025-11-21 14:30:00 UTC.
const START: u64 = 1_763_735_400;
const COLUMNS: [&str; 4] = ["--columns", "time,latency,session,file", "--unit", "us"];

/// Ten minutes of 40 reads a second by 50 sessions; from 14:33:20 to 14:34:20 each read of session
/// s11 takes 30 ms, else 500 to 900 µs.
fn planted() -> String {
    let mut text = String::new();
    for number in 0..24_000_u64 {
        let (second, session) = (number / 40, number * 13 % 50);
        let slow = session == 11 && (200..260).contains(&second);
        let us = if slow { 30_000 } else { 500 + number * 7 % 400 };
        let millis = number % 40 * 25;
        let (at, file) = (START + second, number * 11 % 7);
        let _ = writeln!(text, "{at}.{millis:03},{us},s{session:02},f{file}");
    }
    text
}

fn explain(file: &str, more: &[&str]) -> serde_json::Value {
    let args = [&["explain", file, "--format", "json"], &COLUMNS[..], more].concat();
    serde_json::from_str(&succeed(&args)).unwrap()
}

#[test]
fn a_culprit_is_named_with_its_counts_and_its_time() {
    let room = Room::new();
    let file = room.file("reads.csv", planted());
    let time = ["--from", "2025-11-21T14:33:20Z", "--to", "2025-11-21T14:34:20Z"];
    let explained = explain(&file, &[&time[..], &["--above", "8ms"]].concat());
    // 40 x 60 reads, each fiftieth of s11.
    assert_eq!(
        (&explained["selected"]["events"], &explained["others"]["events"]),
        (&48.into(), &23_952.into())
    );
    let first = &explained["attributes"][0];
    assert_eq!((&first["name"], &first["values_in_all"]), (&"session".into(), &50.into()));
    let value = &first["values"][0];
    assert_eq!((&value["value"], &value["selected"]["events"]), (&"s11".into(), &48.into()));
    assert_eq!(value["others"]["events"], 24_000 / 50 - 48);
    assert_eq!(first["other"]["values"], 45);
    let waited = |key: &str| explained["selected"][key].as_f64().unwrap();
    // Where the first of them began before 14:33:20 its time is not in the selection.
    assert!((waited("time_waited_s") - 48.0 * 0.03).abs() < 0.031, "{}", explained["selected"]);
    let all: f64 = (0..24_000_u64)
        .filter(|n| n * 13 % 50 != 11 || !(200..260).contains(&(n / 40)))
        .map(|n| (500 + n * 7 % 400) as f64 / 1e6)
        .sum::<f64>()
        + 48.0 * 0.03;
    assert!((waited("time_share") - waited("time_waited_s") / all).abs() < 1e-9);
    // The times of day of a machine in UTC, and the same of a stretch counted from the start.
    let text =
        succeed(&[&["explain", &file, "--above", "8ms", "--by", "session"], &COLUMNS[..]].concat());
    assert!(text.starts_with("session s11 has 100 % of the selected events"), "{text}");
    assert!(!text.contains("file"), "{text}");
}

#[test]
fn without_a_selection_the_stretch_with_the_most_time_is_explained() {
    let room = Room::new();
    // The whole of 14:33:20 to 14:34:20 is slow, and read by one program.
    let mut text = String::new();
    for number in 0..24_000_u64 {
        let second = number / 40;
        let slow = (200..260).contains(&second);
        let (us, who) = if slow { (30_000, "backup") } else { (500, "app") };
        let (at, millis) = (START + second, number % 40 * 25);
        let _ = writeln!(text, "{at}.{millis:03},{us},{who},f{}", number % 3);
    }
    let file = room.file("backup.csv", text);
    let explained = explain(&file, &[]);
    let selection = &explained["selection"];
    assert_eq!(selection["chosen"], true);
    let seconds = |key: &str| selection[key].as_f64().unwrap() / 1e9 - START as f64;
    assert!((seconds("from_ns") - 200.0).abs() < 3.0, "{selection}");
    assert!((seconds("to_ns") - 260.0).abs() < 3.0, "{selection}");
    assert_eq!(explained["attributes"][0]["values"][0]["value"], "backup");
}

/// Five sessions with a fifth of the events each; for a minute those of s3 take 40 times as long.
#[test]
fn who_owns_the_time_is_named_though_it_has_no_more_events_than_ever() {
    let room = Room::new();
    let mut text = String::new();
    for number in 0..12_000_u64 {
        let (second, session) = (number / 20, number % 5);
        let slow = session == 3 && (200..260).contains(&second);
        let us = (500 + number * 7 % 400) * if slow { 40 } else { 1 };
        let (at, millis) = (START + second, number % 20 * 50);
        let _ = writeln!(text, "{at}.{millis:03},{us},s{session},f{}", number * 11 % 7);
    }
    let file = room.file("shares.csv", text);
    for stretch in [&[][..], &["--from", "2025-11-21T14:33:20Z", "--to", "2025-11-21T14:34:20Z"]] {
        let explained = explain(&file, stretch);
        let sentence = explained["sentences"][0].as_str().unwrap();
        // 40 of 44 parts of the time, one of five elsewhere and of the events.
        let words = "session s3 has 91 % of the time waited in the selection and 20 % of all other \
                     time: 20 % of the selected events, and 100 % of the slow ones (";
        assert!(sentence.starts_with(words), "{sentence}");
        let (attribute, value) =
            (&explained["attributes"][0], &explained["attributes"][0]["values"][0]);
        assert_eq!((&attribute["name"], &value["value"]), (&"session".into(), &"s3".into()));
        assert_eq!((&value["telling"], &value["time_telling"]), (&false.into(), &true.into()));
        let share = |side: &str| value[side]["time_share"].as_f64().unwrap();
        assert!((share("selected") - 40.0 / 44.0).abs() < 0.01, "{value}");
        assert!((share("others") - 0.2).abs() < 0.01, "{value}");
    }
    let text = succeed(&[&["explain", &file][..], &COLUMNS].concat());
    assert!(text.contains("session: 5 values") && text.contains("No noticeable difference: file"));
}

/// For 20 seconds the events of one of five sessions take 2.3 times as long: less than a fifth more of the
/// time of all. What `stats` says first is what is explained.
#[test]
fn the_stretch_that_stats_names_is_the_one_explained() {
    let room = Room::new();
    let mut text = String::new();
    for number in 0..30_000_u64 {
        let (second, session) = (number / 100, number % 5);
        let slow = session == 3 && (140..160).contains(&second);
        let us = (500 + number * 7_919 % 400) * if slow { 23 } else { 10 };
        let (at, millis) = (START + second, number % 100 * 10);
        let _ = writeln!(text, "{at}.{millis:03},{us},s{session}");
    }
    let file = room.file("one_of_five.csv", text);
    let columns = ["--columns", "time,latency,session", "--unit", "us"];
    let said = succeed(&[&["stats", "--describe", &file], &columns[..]].concat());
    assert!(said.contains("From 14:32:20"), "{said}");
    let explained = succeed(&[&["explain", &file, "--format", "json"], &columns[..]].concat());
    let explained: serde_json::Value = serde_json::from_str(&explained).unwrap();
    let selection = &explained["selection"];
    let seconds = |key: &str| selection[key].as_f64().unwrap() / 1e9 - START as f64;
    assert!((seconds("from_ns") - 140.0).abs() < 2.0, "{selection}");
    assert!((seconds("to_ns") - 160.0).abs() < 2.0, "{selection}");
    assert_eq!(selection["may_be_chance"], false);
    assert_eq!(explained["attributes"][0]["values"][0]["value"], "s3", "{explained}");
}

#[test]
fn what_cannot_be_explained_is_refused_with_what_to_do() {
    let room = Room::new();
    let mut calm = String::new();
    for number in 0..6_000_u64 {
        let (at, hundredths) = (START + number / 20, number % 20 * 5);
        let _ = writeln!(calm, "{at}.{hundredths:02} 500 s{}", number % 9);
    }
    let file = room.file("calm.txt", calm);
    let columns = ["--columns", "time,latency,session", "--unit", "us"];
    let refused = |more: &[&str], words: &str| {
        let output = run(&[&["explain", &file], &columns[..], more].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(words), "{error}");
    };
    refused(&[], "select what to explain with --from and --to, --above or --below");
    refused(&["--above", "1s"], "no event is selected");
    refused(&["--above", "1us"], "every event is selected");
    refused(&["--above", "2ms", "--below", "1ms"], "--above must be less than --below");
    refused(
        &["--above", "1us", "--by", "program"],
        "no event has the attribute 'program'; there are: series, session",
    );
    let output = run(&["explain", "-", "--from", "10s"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("only once"));
}

/// 3,000 combinations of attributes and 2,500 statements: more than the source tells apart for a
/// map.
#[test]
fn no_value_is_lost_among_many_combinations() {
    let room = Room::new();
    let mut text = String::new();
    for number in 0..30_000_u64 {
        let slow = number > 20_000 && number % 100 == 0;
        let sql = if slow { 9_999 } else { number % 2_500 };
        let us = if slow { 40_000 } else { 400 };
        let at = START + number / 50;
        let _ = writeln!(text, "{at}.{:02} {us} q{sql} s{}", number % 50 * 2, number % 12);
    }
    let file = room.file("many.txt", text);
    let columns = ["--columns", "end,latency,sql,session", "--unit", "us"];
    let args = ["explain", &file, "--above", "8ms", "--format", "json"];
    let output = run(&[&args[..], &columns].concat());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let explained: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &explained["attributes"][0];
    assert_eq!((&first["name"], &first["values"][0]["value"]), (&"sql".into(), &"q9999".into()));
    assert_eq!(first["values"][0]["selected"]["events"], 99);
    assert_eq!(first["values_in_all"], 2_501);
}

/// Two maps of one script that count the same events, as `bpftrace` prints totals: 20 events a second, of
/// which 2 take 8 to 16 ms from the 40th second on.
fn two_maps() -> String {
    let mut text = String::new();
    for second in 1..=60_u64 {
        let slow = 2 * second.saturating_sub(40);
        let fast = 20 * second - slow;
        let _ = writeln!(text, "04:48:{:02}", second - 1);
        for map in ["usecs", "lin"] {
            let _ = writeln!(text, "@{map}: \n[64, 128)  {fast} |@@@|");
            if slow > 0 {
                let _ = writeln!(text, "[8K, 16K)  {slow} |@|");
            }
            let _ = writeln!(text);
        }
    }
    text
}

#[test]
fn events_that_two_maps_count_are_explained_once() {
    let room = Room::new();
    let file = room.file("maps.txt", two_maps());
    let output = run(&["explain", &file, "--above", "8ms", "--format", "json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("2 maps of one script may count the same events"), "{said}");
    let explained: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // From the first print to the last: 59 seconds of 20 events, of which 20 seconds have 2 slow ones.
    assert_eq!(explained["selected"]["events"], 40);
    assert_eq!(explained["others"]["events"], 59 * 20 - 40);
}
