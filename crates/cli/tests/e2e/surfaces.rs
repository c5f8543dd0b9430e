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
    assert!(table.contains("1000") && map.contains("1000 events") && markdown.contains("1,000"));

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
