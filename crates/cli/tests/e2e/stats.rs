//! The numbers of an input, for people and for programs.

use super::{RECORDS, Room, run, succeed};

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(args)).unwrap()
}

#[test]
fn json_keeps_its_contract() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let stats = json(&["stats", "--format", "json", &file]);
    assert_eq!(stats["schema_version"], 1);
    let input = &stats["input"];
    assert_eq!((&input["records"], &input["rejected"]), (&2.into(), &0.into()));
    assert_eq!(
        (&input["resets"], &input["gaps"], &input["events"]),
        (&0.into(), &0.into(), &45.into())
    );
    let series = &stats["series"][0];
    assert_eq!(series["name"], "log file sync");
    assert_eq!(series["events"], 45);
    let bucket = |lo: u64, hi: u64, count: u64| serde_json::json!({"lo_ns": lo, "hi_ns": hi, "count": count});
    let expected = [
        bucket(0, 1_000_000, 30),
        bucket(1_000_000, 2_000_000, 10),
        bucket(4_000_000, 8_000_000, 5),
    ];
    assert_eq!(series["buckets"], serde_json::Value::from(expected.to_vec()));
    // 30 x 0.5 ms + 10 x 1.5 ms + 5 x 6 ms.
    assert!((series["time_waited_s"].as_f64().unwrap() - 0.060).abs() < 1e-12);
    assert_eq!(series["time_waited_exact"], false);
    assert!((series["mean_ns"].as_f64().unwrap() - 60e6 / 45.0).abs() < 1e-3);
    let median = &series["quantiles"][0];
    assert_eq!(
        (&median["q"], &median["lo_ns"], &median["hi_ns"]),
        (&0.5.into(), &0.into(), &1_000_000.into())
    );
}

#[test]
fn a_counter_reset_is_counted_and_never_negative() {
    let room = Room::new();
    let third = RECORDS.rsplit("<begin record>").next().unwrap();
    let third = third.replace("1700000001", "1700000002").replace("130", "7");
    let file = room.file("reset.txt", format!("{RECORDS}<begin record>{third}"));
    let stats = json(&["stats", "--format", "json", &file]);
    assert_eq!(stats["input"]["records"], 3);
    assert_eq!(stats["input"]["resets"], 1);
    assert_eq!(stats["input"]["gaps"], 1);
    assert_eq!(stats["series"][0]["events"], 45);
}

#[test]
fn events_have_exact_time() {
    let room = Room::new();
    let file = room.file("events.txt", "1700000000.1 100\n1700000000.2 300\n1700000005.0 200\n");
    let args = ["stats", &file, "--columns", "time,latency", "--unit", "us", "--format", "json"];
    let series = &json(&args)["series"][0];
    assert_eq!(series["events"], 3);
    assert_eq!(series["time_waited_exact"], true);
    assert_eq!(series["mean_ns"], 200_000.0);
}

#[test]
fn thresholds_fail_with_99_and_say_which() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let output = run(&["stats", &file, "--fail-if", "max>4ms"]);
    assert_eq!(output.status.code(), Some(99));
    assert!(String::from_utf8_lossy(&output.stderr).contains("max>4ms may hold for log file sync"));
    assert_eq!(run(&["stats", &file, "--fail-if", "max>3ms"]).status.code(), Some(99));
    assert_eq!(run(&["stats", &file, "--fail-if", "max>8ms"]).status.code(), Some(0));
}

#[test]
fn the_table_shows_ranges_not_false_precision() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let table = succeed(&["stats", &file]);
    assert!(table.contains("log file sync"), "{table}");
    assert!(table.contains('≈'), "an estimated time is marked: {table}");
    assert!(table.contains("4–8ms") || table.contains("4ms–8ms"), "{table}");
}
