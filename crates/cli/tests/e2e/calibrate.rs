//! Calibrations made by the program, of a system whose truth is known and of a file.

use serde_json::Value;
use testing::bounded;

use super::{Room, run, schemas, signal, start, succeed};

/// Four servers of 1 ms, one queue.
const QUEUE: &str = "sim:servers=4,service=1ms";

fn parsed(text: &str) -> Value {
    schemas::parsed("calibrate", text)
}

#[test]
fn a_file_is_made_measured_and_removed() {
    let room = Room::new();
    let (page, heat) = (room.name("it.html"), room.name("it.heat"));
    let directory = room.dir().to_str().unwrap().to_owned();
    let common = [
        "--latency-limit",
        "max<10m",
        "--for",
        "6s",
        "--size",
        "64M",
        "--max-in-flight",
        "16",
        "--format",
        "json",
    ];
    let asked = ["calibrate", &directory, "--with-writes", "-o", &page, "--record", &heat];
    let output = run(&[&asked[..], &common[..]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    if error.contains("O_DIRECT") {
        // A temporary directory in memory is no device.
        eprintln!("not tried: {error}");
        return;
    }
    assert!(output.status.success(), "{error}");
    let object = parsed(&String::from_utf8(output.stdout).unwrap());
    let calibration = &object["calibration"];
    assert_eq!(calibration["bytes"], 64 << 20);
    // Where a disk stalls for as long as a step lasts, that step has no figure.
    let figures = calibration["figures"].as_object().unwrap().values();
    let found: Vec<&Value> = figures.filter(|figure| figure.is_object()).collect();
    assert!(!found.is_empty(), "{error}");
    for figure in found {
        assert!(figure["per_second"].as_f64().unwrap() > 0.0, "{figure}");
        assert_eq!(figure["latency"]["quantiles"].as_array().unwrap().len(), 4, "{figure}");
    }
    let phases: Vec<&str> = calibration["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["phase"].as_str().unwrap())
        .collect();
    for phase in ["floor", "ramp", "sequential", "working-set", "writes"] {
        assert!(phases.contains(&phase), "{phase}: {phases:?}");
    }
    // What is measured again is the best of what was measured at all.
    let is_measured = |step: &Value| {
        (step["phase"] == "floor" || step["phase"] == "ramp") && step["figure"].is_object()
    };
    if calibration["steps"].as_array().unwrap().iter().any(is_measured) {
        assert!(phases.contains(&"maximum") && phases.contains(&"limit"), "{phases:?}");
    }
    assert!(!room.path("isotherm-calibrate.dat").exists(), "the file is removed");
    let html = std::fs::read_to_string(page).unwrap();
    for words in ["Reads per second", "Latency at each rate", "Warnings", "CALIBRATE_IO"] {
        assert!(html.contains(words), "{words}");
    }
    let export = succeed(&["export", &heat, "--format", "jsonl"]);
    assert!(export.contains("ramp: 2 in flight") && export.contains("working-set"));
}

/// What is true of a calibration of [`QUEUE`], however much a busy machine delays; gives the highest rate.
fn checked_rates(calibration: &Value) -> f64 {
    let steps = calibration["steps"].as_array().unwrap();
    let maximum = &calibration["figures"]["maximum"];
    let highest = maximum["per_second"].as_f64().unwrap();
    let step = usize::try_from(maximum["step"].as_u64().unwrap()).unwrap();
    assert_eq!(&steps[step]["figure"], maximum);
    for step in steps.iter().filter(|step| step["figure"]["in_flight"].is_u64()) {
        let (figure, outcome) = (&step["figure"], &step["run"]["outcome"]);
        let rate = figure["per_second"].as_f64().unwrap();
        let in_flight = figure["in_flight"].as_f64().unwrap();
        let seconds = outcome["measured_s"].as_f64().unwrap();
        let events = outcome["kinds"][0]["response"]["events"].as_f64().unwrap();
        assert!((rate * seconds / events - 1.0).abs() < 1e-6, "{figure}: {events}");
        // Of four servers no more are busy than operations are in flight, 1,000 operations a second each: five
        // standard deviations, and those that had begun before.
        let truth = in_flight.min(4.0) * 1_000.0 * seconds;
        assert!(events <= truth + 5.0 * truth.sqrt() + in_flight, "{events} of {truth}: {figure}");
        let is_on_curve = ["floor", "ramp", "maximum"].map(Value::from).contains(&step["phase"]);
        assert!(!is_on_curve || rate <= highest, "{rate} of {highest}");
    }
    highest
}

#[test]
fn four_servers_are_found_in_a_real_queue() {
    let mut highest = Vec::new();
    // A single server does no more than 1,000 a second; a busy machine can make four look like one, but hardly
    // three times.
    while highest.iter().all(|rate| *rate < 1_500.0) {
        assert!(highest.len() < 3, "{highest:?}");
        let text = succeed(&["calibrate", QUEUE, "--for", "8s", "--format", "json"]);
        let object = parsed(&text);
        highest.push(checked_rates(&object["calibration"]));
        let sentences = object["sentences"].as_array().unwrap();
        assert!(sentences.iter().any(|words| words.as_str().unwrap().contains("max_iops")));
    }
}

#[test]
fn a_file_that_is_there_is_only_read() {
    let room = Room::new();
    let content: Vec<u8> = (0..1_u32 << 20).map(|at| (at % 251) as u8).collect();
    let file = room.file("there.dat", &content);
    let refused = run(&["calibrate", &file, "--with-writes", "--for", "3s", "-q"]);
    assert!(!refused.status.success());
    assert_eq!(std::fs::read(&file).unwrap(), content, "not a byte is changed");
}

#[test]
fn what_cannot_be_calibrated_is_reported_before_any_load_is_made() {
    let room = Room::new();
    let notes = room.file("notes.html", "my own notes");
    let missing = room.name("missing");
    for (args, words) in [
        (vec!["calibrate", &missing], "give a directory"),
        (vec!["calibrate", "postgres://me@db1/test"], "isotherm sweep"),
        (vec!["calibrate", QUEUE, "-o", &notes], "is no report"),
        (vec!["calibrate", QUEUE, "-o", "x.pdf"], "end it in .html"),
        (vec!["calibrate", QUEUE, "--latency-limit", "fast"], "write for example"),
        (vec!["calibrate", QUEUE, "--for", "0s"], "nothing would be measured"),
    ] {
        let output = run(&args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(words), "{args:?}: {error}");
    }
    assert_eq!(std::fs::read_to_string(notes).unwrap(), "my own notes");
}

#[test]
fn ctrl_c_keeps_what_was_measured() {
    let room = Room::new();
    let heat = room.name("it.heat");
    let child = start(&["calibrate", QUEUE, "--for", "60s", "--record", &heat]);
    let exported = || {
        String::from_utf8_lossy(&run(&["export", &heat, "--format", "jsonl"]).stdout).into_owned()
    };
    bounded::until("the second load", || exported().contains("ramp: 2 in flight").then_some(()));
    signal(&child, rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("Not complete: it was asked to stop."), "{text}");
    assert!(text.contains("reads, one at a time"), "{text}");
}
