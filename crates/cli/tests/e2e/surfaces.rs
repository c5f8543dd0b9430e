//! One interval on every surface: the same totals, the same quantiles. The page in a browser is held
//! to the same JSON by `web-tests`.

use std::fmt::Write as _;

use isotherm_frame::{Bucket, Nanos};
use isotherm_views::{Digits, range};
use serde_json::Value;

use super::terminal::Terminal;
use super::{Room, succeed};

/// 1,000 events of one second: 700 from 180 to 249 us, 300 from 7 to 7.99 ms.
fn events() -> String {
    let mut text = String::new();
    for number in 0..1_000 {
        let us = if number % 10 < 7 { 180 + number / 10 * 7 % 70 } else { 7_000 + number % 991 };
        writeln!(text, "1700000000.{number:03} {us}").unwrap();
    }
    text
}

const COLUMNS: [&str; 6] = ["--columns", "time,latency", "--unit", "us", "-i", "1s"];

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn quantile(series: &Value, q: f64) -> (Bucket, Nanos) {
    let all = series["quantiles"].as_array().unwrap();
    let found = all.iter().find(|one| one["q"].as_f64() == Some(q)).unwrap();
    let nanos = |key: &str| found[key].as_u64().map(Nanos::new);
    (Bucket { lo: nanos("lo_ns").unwrap(), hi: nanos("hi_ns") }, nanos("estimate_ns").unwrap())
}

#[test]
fn every_surface_has_the_same_numbers() {
    let room = Room::new();
    let file = room.file("events.txt", events());
    let heat = room.name("x.heat");
    succeed(&[&["import", &file, "-o", &heat], &COLUMNS[..]].concat());
    let stats = json(&succeed(&["stats", "--format", "json", &heat]));
    let series = &stats["series"][0];
    assert_eq!(series["events"], 1_000);
    let ((p50, at_p50), (p99, at_p99)) = (quantile(series, 0.5), quantile(series, 0.99));
    let three = |bucket| range(bucket, Digits::Three);

    let table = succeed(&["stats", &heat]);
    let map = succeed(&["show", &heat, "--width", "120"]);
    let markdown = succeed(&["report", &heat, "--format", "md", "-o", "-"]);
    for text in [&table, &map, &markdown] {
        assert!(text.contains(&three(p50)) && text.contains(&three(p99)), "{text}");
    }
    assert!(table.contains("1000") && map.contains("1,000 events") && markdown.contains("1,000"));

    let stream = succeed(&["replay", &heat, "--ui", "stream", "--speed", "max"]);
    let line = stream.lines().find(|line| line.contains("1.00k"));
    let line = line.unwrap_or_else(|| panic!("no second of 1,000 events: {stream}"));
    let two = |bucket| range(bucket, Digits::Two);
    assert!(line.contains(&two(p50)) && line.contains(&two(p99)), "{stream}");

    let report = json(&succeed(&["report", &heat, "--format", "json", "-o", "-"]));
    let entry = &report["entries"][0];
    assert_eq!(
        (&entry["events"], &entry["quantiles"][0]["lo_ns"]),
        (&series["events"], &series["quantiles"][0]["lo_ns"],)
    );
    let image = succeed(&["report", &heat, "--format", "svg", "-o", "-"]);
    assert!(image.contains(&format!("\"estimate_ns\":{}", at_p99.as_nanos())), "{image}");

    let Some(terminal) = Terminal::open(160, 50) else { return };
    terminal.line(&super::terminal::isotherm(&format!("replay {heat} --speed max --utc")));
    terminal.shows("WINDOW");
    for text in [format!("p50 ≈{at_p50}"), format!("p99 ≈{at_p99}")] {
        terminal.shows(&text);
    }
    let screen = terminal.screen();
    let counted = screen.lines().find(|line| line.contains("│ events")).unwrap();
    assert!(counted.trim_end().ends_with("1.00k"), "{screen}");
    terminal.key("q");
}

/// Two disks for a minute, one of which is slow for ten seconds: what every surface leads with.
#[test]
fn every_surface_says_what_happened_and_who_waited() {
    let room = Room::new();
    let mut text = String::new();
    for ms in (0..60_000_u64).step_by(50) {
        let slow = (20_000..30_000).contains(&ms);
        let (at, latency) = (1_700_000_000_000 + ms, if slow { 9_000 } else { 300 });
        writeln!(text, "{at} {latency} a\n{at} 300 b").unwrap();
    }
    let file = room.file("io.txt", text);
    let columns = ["--columns", "time,latency,disk", "--unit", "us", "--time-unit", "ms"];
    let run = |args: &[&str]| succeed(&[args, &[&file], &columns].concat());
    let described = run(&["stats", "--describe"]);
    let first: String = described.lines().nth(1).unwrap().trim().chars().take(40).collect();
    assert!(first.contains("22:13:40"), "20 s after 22:13:20: {described}");
    // a: 200 x 9 ms and 1,000 x 0.3 ms; b: 1,200 x 0.3 ms: 85 % and 15 %.
    let table = run(&["stats"]);
    assert!(table.starts_with(&first) && table.contains("85%"), "{table}");
    let map = run(&["show", "--width", "160"]);
    assert!(map.contains(&first), "{map}");
    let who = map.lines().find(|line| line.contains("Who waits")).unwrap();
    assert!(who.contains("85 %") && who.contains("15 %"), "{who}");
}

/// The axes of a picture are those that were asked for, and nothing is left out.
#[test]
fn axes_that_are_asked_for_are_the_same_for_every_input() {
    let room = Room::new();
    let lines = |us: u64| {
        let line = |ms: u64| format!("{} {us}\n", 1_700_000_000_000 + ms);
        (0..10_000).step_by(100).map(line).collect::<String>()
    };
    let labels = |name: &str, us: u64| {
        let file = room.file(name, lines(us));
        let columns = ["--columns", "time,latency", "--unit", "us", "--time-unit", "ms"];
        let axes = ["--rows", "12", "--latency", "1ms..64ms", "--max-rate", "50"];
        let args = [&["show", "--width", "100"], &axes[..], &columns, &[&file]].concat();
        let map = succeed(&args);
        assert!(map.contains("max 50.0 pinned") && map.contains("100 all"), "{map}");
        let rows = map.lines().skip_while(|line| !line.starts_with("FREQUENCY"));
        let label = |line: &str| line.chars().take(8).collect::<String>();
        rows.skip(1).take(12).map(label).collect::<Vec<_>>()
    };
    let (fast, slow) = (labels("fast.txt", 100), labels("slow.txt", 9_000_000));
    assert_eq!(fast, slow);
    assert!(fast[0].contains('>') && fast.iter().any(|label| label.contains('<')), "{fast:?}");
}
