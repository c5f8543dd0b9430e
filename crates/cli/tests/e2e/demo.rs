//! The story that ships with the program, and the recording of it among the examples.

use super::{Room, run, succeed};

/// The example that the README's commands use.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/demo.heat");

/// Adds up the counts of an export.
fn exported(recording: &str) -> u64 {
    let csv = succeed(&["export", recording, "--format", "csv"]);
    let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = names.iter().position(|name| *name == "count").unwrap();
    // No name of a series of this story has a comma.
    lines.map(|line| line.split(',').nth(column).unwrap().parse().unwrap_or(0)).sum()
}

#[test]
fn the_story_is_explained_in_every_view_that_prints() {
    for ui in ["stream", "classic", "buckets"] {
        let shown = succeed(&["demo", "--ui", ui, "--speed", "max", "--color", "never"]);
        let captions = [
            "Two bands of reads",
            "05:11:30 A band at 45 ms appears",
            "05:12:50 A stall",
            "05:13:30 A gap",
            "05:14:05 Mark",
        ];
        let places: Vec<usize> = captions
            .iter()
            .map(|words| {
                // Words may be wrapped by a view.
                let found = shown.find(words);
                found.unwrap_or_else(|| panic!("{ui} does not say: {words}\n{shown}"))
            })
            .collect();
        assert!(places.is_sorted(), "{ui}: {places:?}");
        assert!(shown.contains("deploy v2"), "{ui}");
    }
}

#[test]
fn the_story_begins_and_ends_when_it_says() {
    let shown = succeed(&["demo", "--ui", "stream", "--speed", "max", "--color", "never"]);
    let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with("05:1")).collect();
    // 292 seconds, and the gap as one line.
    assert_eq!(lines.len(), 293, "{shown}");
    assert!(lines[0].starts_with("05:10:01") && lines[292].starts_with("05:15:00"), "{shown}");
    assert!(shown.trim_end().lines().last().unwrap().contains("isotherm live probe:."), "{shown}");
}

#[test]
fn no_event_is_lost_between_the_surfaces() {
    let room = Room::new();
    let heat = room.name("demo.heat");
    succeed(&["demo", "-o", &heat]);
    let counted = exported(&heat);
    let stats: serde_json::Value =
        serde_json::from_str(&succeed(&["stats", &heat, "--format", "json"])).unwrap();
    let series = stats["series"].as_array().unwrap();
    let of_series: u64 = series.iter().map(|one| one["events"].as_u64().unwrap()).sum();
    assert_eq!(series.len(), 4, "three disks and the commits");
    assert_eq!(of_series, counted);
    assert!(counted > 200_000, "{counted}");
}

#[test]
fn the_incident_that_was_planted_is_the_first_thing_said() {
    let room = Room::new();
    let heat = room.name("demo.heat");
    succeed(&["demo", "-o", &heat]);
    let said = succeed(&["stats", "--describe", &heat]);
    // After the name of the recording.
    let first = said.lines().nth(1).unwrap();
    for words in ["sdb", "05:11:30", "05:12:20"] {
        assert!(first.contains(words), "no {words} in: {said}");
    }
}

#[test]
fn the_example_is_what_the_demo_writes() {
    let room = Room::new();
    let heat = room.name("demo.heat");
    succeed(&["demo", "-o", &heat]);
    let jsonl = |path: &str| succeed(&["export", path, "--format", "jsonl"]);
    assert!(jsonl(&heat) == jsonl(EXAMPLE), "write docs/examples/demo.heat anew: isotherm demo -o");
    let size = std::fs::metadata(EXAMPLE).unwrap().len();
    assert!(size <= 600_000, "{size}");
}

#[test]
fn the_report_of_the_story_is_one_page_and_replaces_nothing_else() {
    let room = Room::new();
    let page = room.name("demo.html");
    succeed(&["demo", "--report", &page]);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("demo (simulated)") && text.contains("deploy v2"));
    succeed(&["demo", "--report", &page]);
    let foreign = room.file("letter.html", "Dear reader");
    let refused = run(&["demo", "--report", &foreign]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "Dear reader");
    let heat = room.file("letter.heat", "Dear reader");
    assert!(!run(&["demo", "-o", &heat]).status.success());
    assert_eq!(std::fs::read_to_string(&heat).unwrap(), "Dear reader");
}
