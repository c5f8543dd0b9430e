//! The same numbers on every surface: events, rate, time waited, average waiting, for inputs of
//! every kind, at several widths of intervals. What is expected is computed from the input here.

use std::fmt::Write as _;

use serde_json::Value;

use testing::grid;

use super::{Room, run, succeed};

/// An input and what is true of it.
struct Story {
    name: &'static str,
    /// Files: name and content.
    files: Vec<(&'static str, String)>,
    options: &'static [&'static str],
    events: u64,
    /// Seconds waited; `None` where buckets only estimate it.
    waited_s: Option<f64>,
    /// Seconds about which something is known, and by how much that may be off.
    covered_s: (f64, f64),
    /// No more can wait on average.
    most_waiting: f64,
    /// Whether the width of intervals can be chosen.
    events_of_their_own: bool,
}

const COLUMNS: &[&str] = &["--columns", "time,latency", "--unit", "us"];

/// Lines of an end in microseconds after 14 November 2023 and a latency in microseconds.
fn lines(waits: impl IntoIterator<Item = (u64, u64)>) -> String {
    let mut text = String::new();
    for (at_us, us) in waits {
        let (s, rest) = (1_700_000_000 + at_us / 1_000_000, at_us % 1_000_000);
        writeln!(text, "{s}.{rest:06} {us}").unwrap();
    }
    text
}

/// Totals of Oracle's wait histogram in PyLatencyMap's records, one a second.
fn records(label: &str, polls: &[&[(u64, u64)]]) -> String {
    let mut text = String::new();
    for (second, poll) in polls.iter().enumerate() {
        let at_us = (1_700_000_000 + second as u64) * 1_000_000;
        writeln!(text, "<begin record>\ntimestamp, microsec, {at_us}, 14-NOV-23").unwrap();
        writeln!(text, "label, {label}\ndatasource, oracle\nlatencyunit, millisec").unwrap();
        for (bucket, count) in *poll {
            writeln!(text, "{bucket}, {count}").unwrap();
        }
        text.push_str("<end record>\n\n");
    }
    text
}

fn stories() -> Vec<Story> {
    let story = |name, files, events, waited_s, covered_s: f64, most_waiting| Story {
        name,
        files,
        options: COLUMNS,
        events,
        waited_s: Some(waited_s),
        covered_s: (covered_s, covered_s * 0.01),
        most_waiting,
        events_of_their_own: true,
    };
    // 1,000 events, one each 10 ms, of 200 us: from 0.0098 s on.
    let steady = lines((1..=1_000).map(|n| (n * 10_000, 200)));
    // One session that waits for 5 s, and again, forty times.
    let long = lines((1..=40).map(|n| (n * 5_000_000, 5_000_000)));
    // Two that wait 700 of 1,000 ms each, half a second apart.
    let two = lines(
        (1..=60).flat_map(|n| [(n * 1_000_000, 700_000), (n * 1_000_000 + 500_000, 700_000)]),
    );
    // A second of events, an hour of silence, a second of events.
    let sparse =
        lines((0..200).map(|n| (n % 100 * 10_000 + n / 100 * 3_600_000_000 + 10_000, 500)));
    // Waits of all lengths that overlap: fifty at a time.
    let many = lines((1..=5_000).map(|n| (n * 20_000, 37 * n % 999_983 + 1)));
    let many_s = (1..=5_000_u64).map(|n| 37 * n % 999_983 + 1).sum::<u64>() as f64 / 1e6;
    let part = |from: u64| lines((0..300).map(|n| (from + n * 20_000, 1_000)));
    let counters = records(
        "log file sync",
        &[&[(1, 100), (4, 10)], &[(1, 130), (4, 30)], &[(1, 190), (4, 31)]],
    );
    let reset =
        records("log file sync", &[&[(1, 100)], &[(1, 130)], &[(1, 5)], &[(1, 25)], &[(1, 60)]]);
    let slow = records("enq", &[&[(8_192, 1)], &[(8_192, 2)], &[(8_192, 2)], &[(8_192, 4)]]);
    let counted = |name, text, events, covered_s| Story {
        options: &[],
        waited_s: None,
        events_of_their_own: false,
        ..story(name, vec![("a.rec", text)], events, 0.0, covered_s, 1e9)
    };
    vec![
        story("steady", vec![("a.txt", steady)], 1_000, 0.2, 10.0, 1.0),
        Story {
            // Forty ends are five seconds apart: 195 s from the first to the last, and a space more.
            covered_s: (200.0, 5.5),
            ..story("long waits", vec![("a.txt", long)], 40, 200.0, 200.0, 1.0)
        },
        story("two sessions", vec![("a.txt", two)], 120, 84.0, 60.2, 2.0),
        story("silence", vec![("a.txt", sparse)], 200, 0.1, 3_601.0, 1.0),
        story("overlapping waits", vec![("a.txt", many)], 5_000, many_s, 100.0, 50.0),
        story(
            "two files at once",
            vec![("a.txt", part(1_000_000)), ("b.txt", part(1_000_000))],
            600,
            0.6,
            6.0,
            2.0,
        ),
        story(
            "two files a year apart",
            vec![("a.txt", part(0)), ("b.txt", part(31_536_000_000_000))],
            600,
            0.6,
            12.0,
            1.0,
        ),
        counted("counters", counters, 111, 2.0),
        counted("a reset", reset, 85, 3.0),
        counted("waits longer than a poll", slow, 3, 3.0),
        Story {
            options: &["--columns", "time,latency,event", "--unit", "us", "--by", "event"],
            ..story(
                "two series",
                vec![("a.txt", series())],
                1_500,
                10.0 * 0.02 + 500.0 * 0.001,
                10.0,
                2.0,
            )
        },
    ]
}

/// 1,000 reads of 200 us over 10 s and 500 writes of 1 ms in the middle of it.
fn series() -> String {
    let mut all: Vec<(u64, u64, &str)> = (1..=1_000).map(|n| (n * 10_000, 200, "read")).collect();
    all.extend((1..=500).map(|n| (4_000_000 + n * 4_001, 1_000, "write")));
    all.sort_unstable();
    let mut text = String::new();
    for (at_us, us, event) in all {
        let (s, rest) = (1_700_000_000 + at_us / 1_000_000, at_us % 1_000_000);
        writeln!(text, "{s}.{rest:06} {us} {event}").unwrap();
    }
    text
}

/// What a surface says.
#[derive(Debug, Clone)]
struct Said {
    events: u64,
    waited_s: f64,
    rate: f64,
    waiting: f64,
    /// By how much what is printed is rounded.
    rounded: f64,
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn stats(args: &[&str]) -> Said {
    let all = json(&succeed(&[&["stats", "--format", "json"], args].concat()));
    let sum = |key: &str| -> f64 {
        all["series"].as_array().unwrap().iter().filter_map(|one| one[key].as_f64()).sum()
    };
    Said {
        events: all["input"]["events"].as_u64().unwrap(),
        waited_s: sum("time_waited_s"),
        rate: sum("rate_per_s"),
        waiting: sum("sessions_waiting"),
        rounded: 1e-6,
    }
}

fn report(args: &[&str]) -> Said {
    let all = json(&succeed(&[&["report", "--format", "json", "-o", "-"], args].concat()));
    // Everything comes first where there are several series; each file is a recording of its own.
    let entries = all["entries"].as_array().unwrap();
    let of =
        |recording: usize| entries.iter().find(|entry| entry["recording"] == recording).unwrap();
    let recordings = all["recordings"].as_array().unwrap().len();
    let sum = |key: &str| (0..recordings).map(|one| of(one)[key].as_f64().unwrap()).sum::<f64>();
    let (covered, counted) = (sum("covered_s"), sum("counted_s"));
    let (events, waited_s) = (sum("events"), sum("waited_s"));
    // Files that overlap in time are covered twice, each by its own window.
    let alone = recordings == 1;
    Said {
        events: (0..recordings).map(|one| of(one)["events"].as_u64().unwrap()).sum(),
        waited_s,
        rate: if alone { events / counted } else { f64::NAN },
        waiting: if alone { waited_s / covered } else { f64::NAN },
        rounded: 1e-6,
    }
}

/// A number as it is printed: `12.2`, `1.05k`, `≈3.1`.
fn printed(text: &str) -> f64 {
    let text = text.trim().trim_start_matches('≈').trim_end_matches("/s");
    let (number, factor) = match text.char_indices().next_back() {
        Some((at, 'k')) => (&text[..at], 1e3),
        Some((at, 'M')) => (&text[..at], 1e6),
        _ => (text, 1.0),
    };
    if text == "<0.001" { 0.0 } else { number.parse::<f64>().unwrap_or(f64::NAN) * factor }
}

/// Seconds as they are printed: `344 µs`, `60.0 ms`, `≈1,360 s`, `22m40s`.
fn waited(text: &str) -> f64 {
    let text = text.trim_start_matches('≈').replace(',', "");
    if let Some((number, unit)) = text.split_once(' ') {
        let scale = match unit {
            "ns" => 1e-9,
            "µs" => 1e-6,
            "ms" => 1e-3,
            _ => 1.0,
        };
        return number.parse::<f64>().unwrap() * scale;
    }
    text.parse::<isotherm_frame::Nanos>().map_or(f64::NAN, isotherm_frame::Nanos::as_secs_f64)
}

/// The last row of the table: all series, or the only one.
fn table(args: &[&str]) -> Said {
    let text = succeed(&[&["stats"], args].concat());
    let rows = text.lines().skip_while(|line| !line.starts_with("series ")).skip(1);
    let row = rows.take_while(|line| !line.trim().is_empty()).last().unwrap();
    // Columns stand two blanks or more apart.
    let words: Vec<&str> = row.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
    let at = |from_end: usize| words[words.len() - from_end];
    Said {
        events: at(11).parse().unwrap(),
        rate: printed(at(10)),
        waited_s: waited(at(9)),
        waiting: printed(at(7)),
        rounded: 0.006,
    }
}

/// Whether two numbers are the same, as far as they are printed.
fn same(one: f64, two: f64, rounded: f64) -> bool {
    (one - two).abs() <= rounded * one.abs().max(two.abs()) + 0.001
}

fn agree(said: &[Said], context: &str) {
    let truth = &said[0];
    for other in &said[1..] {
        let rounded = truth.rounded.max(other.rounded);
        assert_eq!(other.events, truth.events, "{context}: {other:?} {truth:?}");
        for (one, two, rounded) in [
            (other.waited_s, truth.waited_s, rounded),
            (other.rate, truth.rate, rounded),
            (other.waiting, truth.waiting, rounded),
        ] {
            // No number: several recordings, each with a window of its own.
            assert!(one.is_nan() || same(one, two, rounded), "{context}: {other:?} {truth:?}");
        }
    }
}

/// The time of these lines before the interval in which the first event ended, in seconds: nobody
/// counted ends before.
fn uncounted_s(story: &Story, width_s: f64) -> f64 {
    if !story.events_of_their_own {
        return 0.0;
    }
    let event = |line: &str| -> (f64, f64) {
        let mut words = line.split(' ');
        let (at, us) = (words.next().unwrap(), words.next().unwrap());
        let end_s = at.strip_prefix("17").unwrap().parse::<f64>().unwrap();
        (end_s, end_s - us.parse::<f64>().unwrap() / 1e6)
    };
    let lines = story.files.iter().flat_map(|(_, text)| text.lines());
    let (ends, begins): (Vec<f64>, Vec<f64>) = lines.map(event).unzip();
    let first = |moments: Vec<f64>| moments.into_iter().fold(f64::MAX, f64::min);
    let interval_s = (first(ends) / width_s + 1e-9).floor() * width_s;
    (interval_s - first(begins)).max(0.0)
}

fn expected(story: &Story, width: &str, said: &Said, context: &str) {
    assert_eq!(said.events, story.events, "{context}: {said:?}");
    if let Some(waited_s) = story.waited_s {
        assert!(same(said.waited_s, waited_s, 1e-6), "{context}: {said:?}");
    }
    let width_s = width.parse::<isotherm_frame::Nanos>().unwrap().as_secs_f64();
    let (covered_s, off) = story.covered_s;
    let covered_s = covered_s - uncounted_s(story, width_s);
    let found_s = said.events as f64 / said.rate;
    assert!((found_s - covered_s).abs() <= off, "{context}: covered {found_s} {said:?}");
    assert!(said.waiting <= story.most_waiting * (1.0 + 1e-9), "{context}: {said:?}");
}

#[test]
fn events_rate_time_and_waiting_are_the_same_everywhere() {
    for (number, story) in stories().iter().enumerate() {
        let room = Room::new();
        let files: Vec<String> =
            story.files.iter().map(|(name, content)| room.file(name, content)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let widths: &[&str] =
            if story.events_of_their_own { &["100ms", "1s", "10s"] } else { &["1s"] };
        // Some 20 programs are run for each: a sample takes one width of each story, in turn.
        let first = number % grid::step(3) % widths.len();
        for width in widths.iter().skip(first).step_by(grid::step(3)) {
            let interval: &[&str] = if story.events_of_their_own { &["-i", width] } else { &[] };
            let args = [story.options, interval, &files].concat();
            let context = format!("{} at {width}", story.name);
            let heat = room.name(&format!("{width}.heat"));
            succeed(&[&["import"], &args[..], &["-o", &heat]].concat());
            let said = [
                stats(&args),
                table(&args),
                report(&args),
                stats(&[&heat]),
                table(&[&heat]),
                report(&[&heat]),
                exported(&room, &heat, "csv"),
                exported(&room, &heat, "jsonl"),
            ];
            agree(&said, &context);
            expected(story, width, &said[0], &context);
            shown(&args, &said[0], &context);
            streamed(&heat, story.most_waiting, &context);
            compared(&heat, &said[0], &context);
        }
    }
}

/// What is exported and imported again.
fn exported(room: &Room, heat: &str, form: &str) -> Said {
    let (file, again) = (room.name(&format!("x.{form}")), room.name(&format!("{form}.heat")));
    let _ = std::fs::remove_file(&again);
    let text = succeed(&["export", heat, "--format", form]);
    std::fs::write(&file, text).unwrap();
    succeed(&["import", &file, "-o", &again]);
    stats(&[&again])
}

/// No column of the picture has more waiting than there are who can wait.
fn shown(args: &[&str], truth: &Said, context: &str) {
    let columns = [&["report", "--format", "json", "--with-columns", "-o", "-"], args].concat();
    let all = json(&succeed(&columns));
    if all["recordings"].as_array().unwrap().len() > 1 {
        return;
    }
    let columns = all["entries"][0]["columns"].as_array().unwrap();
    let sum = |key: &str| columns.iter().filter_map(|column| column[key].as_f64()).sum::<f64>();
    assert!(same(sum("waited_s"), truth.waited_s, 1e-6), "{context}");
    assert!(same(sum("events"), truth.events as f64, 1e-9), "{context}");
}

/// In no line more wait than there are.
fn streamed(heat: &str, most: f64, context: &str) {
    let stream = succeed(&["replay", heat, "--ui", "stream", "--speed", "max"]);
    for line in stream.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, rate, waiting, ..] = words[..] else { panic!("{context}: {line}") };
        assert!(rate == "-" || printed(rate).is_finite(), "{context}: {line}");
        let waiting = if waiting == "-" { 0.0 } else { printed(waiting) };
        assert!(waiting <= most * 1.01, "{context}: {line}");
    }
}

/// A thing compared with itself: the same on both sides, and no difference.
fn compared(heat: &str, truth: &Said, context: &str) {
    let output = run(&["compare", heat, heat, "--format", "json"]);
    let all = json(&String::from_utf8(output.stdout).unwrap());
    for side in ["a", "b"] {
        let (events, waited) = (all[side]["events"].as_u64(), all[side]["waited_s"].as_f64());
        assert_eq!(events, Some(truth.events), "{context}: {side}");
        assert!(same(waited.unwrap(), truth.waited_s, 1e-6), "{context}: {side}");
    }
}

/// A page of metrics, read once: requests that hold queries.
const PAGE: &str = "\
# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le=\"0.1\"} 90
http_request_duration_seconds_bucket{le=\"4\"} 100
http_request_duration_seconds_bucket{le=\"+Inf\"} 100
http_request_duration_seconds_sum 20
http_request_duration_seconds_count 100
# TYPE db_query_duration_seconds histogram
db_query_duration_seconds_bucket{le=\"0.1\"} 299
db_query_duration_seconds_bucket{le=\"4\"} 300
db_query_duration_seconds_bucket{le=\"+Inf\"} 300
db_query_duration_seconds_sum 12
db_query_duration_seconds_count 300
";

#[test]
fn metrics_of_a_page_are_not_added_up_and_totals_have_no_rates() {
    let room = Room::new();
    let file = room.file("page.txt", PAGE);
    let output = run(&["show", &file]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("2 metrics may count the same events and are not added up"), "{said}");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("\n100 events │ 20.0 s waited │ no rates"), "{shown}");

    let stats: Value =
        serde_json::from_str(&succeed(&["stats", &file, "--format", "json"])).unwrap();
    assert_eq!(
        (&stats["input"]["events"], stats["series"].as_array().unwrap().len()),
        (&100.into(), 1)
    );
    let other = succeed(&["show", &file, "--series", "db_query"]);
    assert!(other.contains("\n300 events │ 12.0 s waited"), "{other}");

    let (page, image) = (room.name("page.html"), room.name("page.svg"));
    succeed(&["report", &file, "-o", &page]);
    succeed(&["report", &file, "-o", &image]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(">100<") && !page.contains("average waiting"), "{page}");
    let image = std::fs::read_to_string(image).unwrap();
    assert!(image.contains("events 100, waited 20.0 s, mean 200ms"), "{image}");
}
