//! What every command writes for programs, against its schema.

use serde_json::Value;

use super::{RECORDS, Room, succeed};

#[path = "../../../views/tests/all/schema.rs"]
mod schema;

const QUEUE: &str = "sim:servers=4,service=1ms";
const SWEEP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/fixtures/saturation.sweep");
const TRACE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/oracletrace/release-19c/input.trc");
const AWR: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/awrreport/html-12201/input.html");

/// The object that a command printed, which keeps to its schema.
pub fn parsed(schema: &str, text: &str) -> Value {
    let path = format!("{}/../../docs/schema/{schema}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let described: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let object: Value = serde_json::from_str(text).unwrap();
    assert_eq!(schema::faults(&object, &described), Vec::<String>::new(), "{schema}");
    object
}

#[test]
fn what_is_read_keeps_to_its_schema() {
    let room = Room::new();
    let records = room.file("records.txt", RECORDS);
    let report = room.name("report.json");
    succeed(&["report", &records, TRACE, "-o", &report]);
    parsed("report", &std::fs::read_to_string(report).unwrap());
    for (schema, args) in [
        ("stats", &["stats", &records][..]),
        ("stats", &["stats", TRACE]),
        ("compare", &["compare", &records, &records]),
        ("compare", &["compare", TRACE, TRACE]),
        ("trace", &["trace", TRACE]),
        ("explain", &["explain", TRACE, "--above", "100us"]),
        ("analyze", &["analyze", SWEEP]),
        ("analyze", &["analyze", AWR]),
        ("fit", &["fit", SWEEP]),
        ("awr", &["awr", AWR]),
        ("try", &["sources", "--try", &records]),
        ("try", &["sources", "--try", TRACE, "--as", "columns"]),
    ] {
        parsed(schema, &succeed(&[args, &["--format", "json"]].concat()));
    }
}

#[test]
fn what_is_measured_keeps_to_its_schema() {
    let room = Room::new();
    let (sweep, recording) = (room.name("sweep"), room.name("run.heat"));
    let time = ["--for", "1s", "--warmup", "100ms", "-q", "--format", "json"];
    for (schema, args) in [
        ("load", &["stress", QUEUE, "--in-flight", "8"][..]),
        ("load", &["stress", QUEUE, "--rate", "2k", "--record", &recording]),
        ("sweep", &["sweep", QUEUE, "--vary", "in-flight=1,8", "-o", &sweep]),
    ] {
        parsed(schema, &succeed(&[args, &time].concat()));
    }
    let resumed = succeed(&["sweep", "-o", &sweep, "--resume", "-q", "--format", "json"]);
    assert_eq!(parsed("sweep", &resumed)["runs_left"], 0);
}
