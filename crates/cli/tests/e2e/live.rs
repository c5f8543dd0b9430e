//! Live sources where standard output is not a terminal.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::{Room, isotherm, run, signal, start, succeed};

#[test]
fn one_line_for_each_interval_and_0_on_interrupt() {
    let room = Room::new();
    let probe = format!("probe:{}", room.dir().display());
    let mut child =
        start(&["live", &probe, "--size", "1M", "--rate", "200", "--interval", "200ms"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let header = lines.next().unwrap().unwrap();
    assert!(header.starts_with('#'), "{header}");
    let data: Vec<String> =
        lines.by_ref().map(Result::unwrap).filter(|line| !line.starts_with('#')).take(3).collect();
    assert_eq!(data.len(), 3);
    signal(&child, Signal::INT);
    assert!(lines.all(|line| line.is_ok()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let left: Vec<_> = std::fs::read_dir(room.dir()).unwrap().collect();
    assert!(left.is_empty(), "the scratch file is still there: {left:?}");
}

#[test]
fn a_pipe_without_arguments_is_shown() {
    let mut child = bounded::spawn(
        isotherm(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()),
    );
    let mut input = child.stdin.take().unwrap();
    for second in 0..5 {
        writeln!(input, "17000000{second:02}.5 250").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), 5, "{text}");
}

#[test]
fn a_condition_on_an_attribute_that_no_event_has_leaves_nothing_out_and_fails() {
    let script = "cmd:echo '1795253272.365783 write(1, \"x\", 1) = 1 <0.000182>'; \
                  echo '1795253273.366245 read(0, \"y\", 1) = 1 <0.000145>'";
    let output = run(&["live", script, "--ui", "stream", "--where", "colour=red"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    let expected = "--where colour: no event has had this attribute, so nothing was left out; \
                    attributes of this source: call, file, size, error, pid";
    assert!(error.contains(expected), "{error}");
    let text = String::from_utf8(output.stdout).unwrap();
    // The buckets of 182 and 145 µs.
    assert!(text.contains("180–197µs") && text.contains("131–148µs"), "{text}");
}

#[test]
fn an_attribute_to_group_by_that_no_event_has_is_named() {
    let script = "cmd:echo '1795253272.365783 write(1, \"x\", 1) = 1 <0.000182>'; \
                  echo '1795253273.366245 read(0, \"y\", 1) = 1 <0.000145>'";
    let output = run(&["live", script, "--ui", "stream", "--by", "call,colour"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{error}");
    let expected = "--by colour: no event has had this attribute, so events were not grouped by it; \
                    attributes of this source: call, file, size, error, pid";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_command_that_dies_is_shown_with_its_last_words() {
    let script =
        "cmd:echo '1700000000.0 5'; echo '1700000001.0 6'; echo 'disk on fire' >&2; exit 7";
    let output = run(&["live", script, "--columns", "time,latency", "--unit", "us"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("disk on fire") && error.contains('7'), "{error}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| !line.starts_with('#')), "what came before is shown: {text}");
}

#[test]
fn a_killed_recorder_leaves_a_readable_recording() {
    let room = Room::new();
    let (probe, heat) = (format!("probe:{}", room.dir().display()), room.name("run.heat"));
    let args =
        ["record", &probe, "-o", &heat, "--size", "1M", "--rate", "500", "--interval", "100ms"];
    let mut child = start(&args);
    let recorded = || events(&heat);
    let while_running = bounded::until("the first recorded frames", recorded);
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    let mut rest = String::new();
    child.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    assert!(recorded().unwrap() >= while_running);
    succeed(&["show", &heat]);
}

#[test]
fn a_mark_made_elsewhere_reaches_the_recording_and_the_live_view() {
    let room = Room::new();
    let (probe, heat) = (format!("probe:{}", room.dir().display()), room.name("run.heat"));
    let args = ["live", &probe, "--record", &heat, "--size", "1M", "--interval", "200ms"];
    let mut child = start(&args);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.by_ref().map(Result::unwrap).find(|line| !line.starts_with('#')).unwrap();
    succeed(&["mark", &heat, "deploy v2"]);
    let marked = lines.by_ref().map(Result::unwrap).find(|line| line.contains("deploy v2"));
    assert!(marked.is_some(), "the live view does not show the mark");
    signal(&child, Signal::TERM);
    assert!(lines.all(|line| line.is_ok()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!room.path("run.heat-wal").exists(), "a finished recording is one file");
    let exported = succeed(&["export", &heat, "--format", "jsonl"]);
    assert!(exported.contains("deploy v2"));
}

#[test]
fn an_end_is_kept() {
    let room = Room::new();
    let (probe, heat) = (format!("probe:{}", room.dir().display()), room.name("run.heat"));
    let args =
        ["record", &probe, "-o", &heat, "--size", "1M", "--for", "1s", "--interval", "100ms"];
    succeed(&args);
    let output = run(&args);
    assert_eq!(output.status.code(), Some(1), "an existing recording is not overwritten");
    assert!(String::from_utf8_lossy(&output.stderr).contains("run.heat"));
}

#[test]
fn a_saved_text_through_a_pipe_keeps_its_own_times() {
    let print = |second: u32, count: u32| {
        format!(
            "\n10:00:0{second}\n     usecs               : count     distribution\n\
             {:10} -> {:<10} : {count:<8} |{:40}|\n",
            16, 31, "****"
        )
    };
    let text =
        format!("Tracing block device I/O... Hit Ctrl-C to end.\n{}{}", print(1, 10), print(2, 20));
    let mut command = isotherm(&["live", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = bounded::spawn(&mut command);
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let data: Vec<&str> = shown.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(data.len(), 2, "{shown}");
    assert!(data[0].starts_with("10:00:01") && data[0].contains(" 10.0 "), "{shown}");
    assert!(data[1].starts_with("10:00:02") && data[1].contains(" 20.0 "), "{shown}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("saved output"));
}

/// The events of a recording; none before there are any.
fn events(heat: &str) -> Option<u64> {
    let output = run(&["stats", heat, "--format", "json"]);
    let stats: Value = serde_json::from_slice(&output.stdout).ok()?;
    stats["input"]["events"].as_u64().filter(|events| *events > 0)
}

/// The number before these words.
fn number_before(words: &str, text: &str) -> Option<u64> {
    text.split_once(words)?.0.rsplit(' ').next()?.parse().ok()
}

/// Goes on with a recording that keeps the last second; gives the events that it says to have recorded.
fn recorded_in_ring(probe: &str, heat: &str, length: &str) -> u64 {
    let how = ["--size", "1M", "--rate", "200", "--interval", "100ms", "--for", length];
    let output = run(&[&["record", probe, "-o", heat, "--keep", "1s"], &how[..]].concat());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    let recorded = number_before(" events in ", &message);
    recorded.unwrap_or_else(|| panic!("{message}"))
}

/// What such a recording holds: events, events that it says were dropped, and the seconds from its first event
/// to its last.
fn ring(heat: &str) -> (u64, u64, f64) {
    let output = run(&["stats", heat, "--format", "json"]);
    let input = serde_json::from_slice::<Value>(&output.stdout).unwrap()["input"].clone();
    let message = String::from_utf8(output.stderr).unwrap();
    let dropped = number_before(" events were dropped", &message);
    assert!(dropped.is_none() || message.contains("keeps the last 1s"), "{message}");
    let (start, end) = (input["start_ns"].as_i64().unwrap(), input["end_ns"].as_i64().unwrap());
    (input["events"].as_u64().unwrap(), dropped.unwrap_or(0), (end - start) as f64 / 1e9)
}

#[test]
fn a_flight_recorder_keeps_the_latest_and_goes_on_where_it_was() {
    let room = Room::new();
    let (probe, heat) = (format!("probe:{}", room.dir().display()), room.name("ring.heat"));
    let mut recorded = 0;
    // A machine that is busy writes several intervals at once, and what is too old goes with the next ones.
    bounded::until("a recording of a second and little more", || {
        recorded += recorded_in_ring(&probe, &heat, "3s");
        let (kept, dropped, length) = ring(&heat);
        assert_eq!(kept + dropped, recorded, "every event is there or was dropped");
        (dropped > 0 && length < 1.6).then_some(())
    });
    recorded += recorded_in_ring(&probe, &heat, "1s");
    let (kept, dropped, _) = ring(&heat);
    assert_eq!(kept + dropped, recorded, "it goes on where it was");
    // A recording of everything is not made to forget.
    let all = room.name("all.heat");
    succeed(&["record", &probe, "-o", &all, "--size", "1M", "--for", "1s"]);
    let output = run(&["live", &probe, "--size", "1M", "--record", &all, "--keep", "1s"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("keeps everything"), "{said}");
}

#[test]
fn a_flight_recorder_without_a_name_is_named_by_its_source_and_survives_kill_9() {
    let room = Room::new();
    let data = room.path("data");
    std::fs::create_dir(&data).unwrap();
    let probe = format!("probe:{}", data.display());
    let begin = || {
        let args = ["live", &probe, "--keep", "1m", "--size", "1M", "--interval", "100ms"];
        let mut command = isotherm(&args);
        command.env("XDG_STATE_HOME", room.path("state"));
        bounded::spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    };
    let rings = || {
        let entries = std::fs::read_dir(room.path("state/isotherm")).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut rings: Vec<_> = paths.filter(|path| path.extension().unwrap() == "heat").collect();
        rings.sort();
        rings
    };
    let mut first = begin();
    let ring = bounded::until("the recording", || rings().pop());
    let ring = ring.to_str().unwrap();
    let before = bounded::until("frames in it", || events(ring));
    // Somebody else who watches the same source keeps a past of their own.
    let mut second = begin();
    bounded::until("a second recording", || (rings().len() == 2).then_some(()));
    for child in [&mut first, &mut second] {
        signal(child, Signal::KILL);
        child.wait().unwrap();
    }
    let kept = events(ring).unwrap();
    assert!(kept >= before);
    let mut third = begin();
    bounded::until("the first recording to go on", || events(ring).filter(|now| *now > kept));
    signal(&third, Signal::TERM);
    assert_eq!(third.wait().unwrap().code(), Some(0));
    assert_eq!(rings().len(), 2);
}

#[test]
fn the_time_of_a_bpftrace_program_begins_with_what_it_prints_first() {
    use std::os::unix::fs::PermissionsExt;
    let room = Room::new();
    // It takes longer to be attached than it is to be watched.
    let tool = room.file(
        "bpftrace",
        "#!/bin/sh\nsleep 2\nwhile :; do\n  echo '{\"type\": \"hist\", \"data\": {\"@usecs\": \
         [{\"min\": 16, \"max\": 31, \"count\": 5}]}}'\n  sleep 0.1\ndone\n",
    );
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = room.file("reads.bt", "BEGIN { }\n");
    let (source, heat) = (format!("bpftrace:{program}"), room.name("reads.heat"));
    let path = format!("{}:{}", room.dir().display(), std::env::var("PATH").unwrap());
    let arguments = ["record", &source, "--for", "1s", "-o", &heat, "--temporality", "delta"];
    let output = bounded::output(isotherm(&arguments).env("PATH", path));
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("sudo isotherm") {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{said}");
    let stats: serde_json::Value =
        serde_json::from_str(&super::succeed(&["stats", &heat, "--format", "json"])).unwrap();
    assert!(stats["input"]["events"].as_u64().unwrap() > 0, "{stats}");
}
