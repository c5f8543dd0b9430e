//! How commands end.

use std::io::Write;
use std::process::{Command, Stdio};

use testing::bounded;

use super::{ClosedPort, RECORDS, Room, isotherm, run};

fn ends(args: &[&str]) -> (Option<i32>, String) {
    let output = run(args);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_wrong_command_line_is_2() {
    assert_eq!(ends(&["live", "--ui", "cinema"]).0, Some(2));
    assert_eq!(ends(&["stats", "x", "--fail-if", "p99"]).0, Some(2));
    let (code, error) = ends(&["stats", "x", "--as", "nonsense"]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn intervals_and_times_of_nothing_are_refused_with_2() {
    let room = Room::new();
    let (heat, text) = (room.name("none.heat"), room.file("a.txt", RECORDS));
    for (args, why) in [
        (vec!["record", "diskstats:", "-i", "0s", "-o", &heat], "'0s' must lie above 0"),
        (vec!["live", "diskstats:", "--interval", "0"], "'0' must lie above 0"),
        (vec!["frames", &text, "-i", "0ms"], "'0ms' must lie above 0"),
        (vec!["record", "diskstats:", "--for", "0s", "-o", &heat], "nothing to see"),
    ] {
        let (code, error) = ends(&args);
        assert_eq!(code, Some(2), "{args:?}: {error}");
        assert!(error.contains(why), "{args:?}: {error}");
    }
    assert!(!std::path::Path::new(&heat).exists());
}

/// Commands that watch a database at `ADDRESS`.
const WATCH: &str = "live ADDRESS
record -o x.heat ADDRESS
serve --listen 127.0.0.1:0 ADDRESS
push --to http://127.0.0.1:9 ADDRESS";
/// Commands that ask it something else.
const ASK: &str = "top --once ADDRESS
top --once --io ADDRESS
top --once --io --show-sql ADDRESS
cache show ADDRESS
cache show --every 1s --for 1s ADDRESS
cache show --show-sql ADDRESS";
/// The same of Oracle only.
const ASK_ORACLE: &str = "awr collect --licensed diagnostics -o tables ADDRESS
awr collect --show-sql ADDRESS";
/// Commands that make load on it.
const LOAD: &str = "stress ADDRESS
sweep -o sweep ADDRESS";
/// Commands that read something to its end.
const READ: &str = "stats ADDRESS
show ADDRESS
report -o x.html ADDRESS
explain ADDRESS
compare ADDRESS ADDRESS
replay ADDRESS
frames ADDRESS
trace ADDRESS
flame -o x.svg ADDRESS
cache curve ADDRESS
cache model --blocks-of ADDRESS";
/// Commands that find another fault with an address first: that what is read is no report.
const READ_REPORTS: &str = "awr ADDRESS
analyze ADDRESS";
/// Commands for a server of the user.
const SERVER: &str = "lab commit --server ADDRESS";

/// Runs each of these commands: it must end with 2, say this and write nothing.
#[cfg(test)]
fn are_refused(commands: &[&str], address: &str, why: &str) {
    let room = Room::new();
    for command in commands.iter().flat_map(|commands| commands.lines()) {
        let args: Vec<&str> =
            command.split(' ').map(|word| if word == "ADDRESS" { address } else { word }).collect();
        let mut program = isotherm(&args);
        program.current_dir(room.dir()).env("ISOTHERM_ORACLE_PASSWORD", "any");
        let output = bounded::output(&mut program);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(why), "{args:?}: {error}");
    }
    let written: Vec<_> = std::fs::read_dir(room.dir()).unwrap().collect();
    assert!(written.is_empty(), "{address}: {written:?}");
}

#[test]
fn an_option_that_no_address_has_is_2_and_is_named() {
    let port = ClosedPort::new();
    let databases = [WATCH, ASK, LOAD, READ, READ_REPORTS];
    let oracle = format!("oracle://mon@127.0.0.1:{}/X?nonsense=1", port.number());
    are_refused(&databases, &oracle, "nonsense");
    are_refused(&[ASK_ORACLE], &oracle, "nonsense");
    let postgres = format!("postgres://mon@127.0.0.1:{}/x?nonsense=1", port.number());
    are_refused(&databases, &postgres, "nonsense");
    are_refused(&[SERVER], &postgres, "nonsense");
}

#[test]
fn options_of_an_address_that_do_not_go_with_the_command_are_2_and_say_what_to_do() {
    let port = ClosedPort::new();
    let oracle = format!("oracle://mon@127.0.0.1:{}/X?sid=7", port.number());
    are_refused(&[WATCH], &oracle, "add sample=session");
    are_refused(&[ASK, ASK_ORACLE, LOAD], &oracle, "for isotherm live: leave them out");
    are_refused(&[READ], &oracle, "never ends: use it with live or record");
    let postgres = format!("postgres://mon@127.0.0.1:{}/x?averages=wal", port.number());
    are_refused(&[ASK], &postgres, "for isotherm live: leave them out");
    are_refused(&[READ], &postgres, "never ends: use it with live or record");
    are_refused(&[LOAD, SERVER], &postgres, "'averages' is not known here");
}

#[test]
fn a_missing_file_is_1_and_says_what_and_why() {
    let (code, error) = ends(&["stats", "/no/such/file.heat"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("/no/such/file.heat") && error.contains("there is no file"), "{error}");
}

#[test]
fn a_missing_program_is_3_and_names_the_package() {
    let output = bounded::output(isotherm(&["live", "disk:"]).env("PATH", "/nonexistent"));
    assert_eq!(output.status.code(), Some(3));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("bpftrace") && error.contains("install"), "{error}");
}

#[test]
fn bad_data_is_4_only_when_strict() {
    let room = Room::new();
    let file = room.file("cut.txt", &RECORDS[..RECORDS.len() - 20]);
    let (code, error) = ends(&["stats", &file]);
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("rejected at line"), "{error}");
    let (code, error) = ends(&["stats", &file, "--strict"]);
    assert_eq!(code, Some(4));
    assert!(error.contains("line"), "{error}");
}

/// Totals of one wait event, 1,000 more each second, whose clock steps back by three and a half
/// seconds after eight: what is counted until it has caught up has no place on the time axis.
fn stepping_back() -> String {
    let record = |(n, half): (u64, u64)| {
        format!(
            "<begin record>\ntimestamp, microsec, {}, x\nlabel, log file sync\n\
             datasource, oracle\nlatencyunit, millisec\n1, {}\n<end record>\n",
            1_700_000_000_000_000 + half * 500_000,
            n * 1_000
        )
    };
    (0..).zip((0..=16).step_by(2).chain((11..=19).step_by(2))).map(record).collect()
}

#[test]
fn a_clock_that_steps_back_is_a_gap_with_everything_counted_and_4_when_strict() {
    let room = Room::new();
    let (file, heat) = (room.file("back.txt", stepping_back()), room.name("back.heat"));
    let recorded = run(&["record", &file, "-o", &heat]);
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    for input in [&file, &heat] {
        let text = super::succeed(&["stats", "--format", "json", input]);
        let stats: serde_json::Value = serde_json::from_str(&text).unwrap();
        let number = |key: &str| stats["input"][key].as_u64().unwrap();
        assert_eq!((number("events"), number("rejected_events")), (9_000, 4_000), "{text}");
        assert_eq!((number("gaps"), number("lost")), (1, 0), "{text}");
        let (code, error) = ends(&["stats", input, "--strict"]);
        assert_eq!(code, Some(4), "{error}");
        assert!(error.contains("reject"), "{error}");
    }
    let (code, error) = ends(&["stats", &file, "--strict"]);
    assert!(error.contains("events lost because the clock stepped back"), "{code:?} {error}");
}

/// One event every 100 ms; half a minute of them comes a second time.
#[test]
fn single_events_of_a_clock_that_steps_back_are_counted_and_4_when_strict() {
    let room = Room::new();
    let heat = room.name("x.heat");
    let line = |tenth: u64| format!("{}.{} 250\n", 1_700_000_000 + tenth / 10, tenth % 10);
    let stats = |heat: &str| -> serde_json::Value {
        let output = run(&["stats", "--format", "json", heat]);
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    };
    let mut child = bounded::spawn(
        isotherm(&["record", "-", "-o", &heat, "--strict", "--columns", "time,latency"])
            .args(["--unit", "us"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    let mut input = child.stdin.take().unwrap();
    input.write_all((0..600).map(line).collect::<String>().as_bytes()).unwrap();
    // What was recorded already cannot be drawn again.
    bounded::until("58 s", || (stats(&heat)["input"]["events"].as_u64()? >= 580).then_some(()));
    input.write_all((300..900).map(line).collect::<String>().as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{error}");
    assert!(error.contains("clock stepped back 29.9s"), "{error}");
    let stats = stats(&heat);
    let number = |key: &str| stats["input"][key].as_u64().unwrap();
    assert_eq!(number("events") + number("rejected_events"), 1_200);
    assert!(number("rejected_events") >= 180, "{stats}");
}

#[test]
fn unrecognised_and_empty_inputs_say_what_to_do() {
    let room = Room::new();
    let (code, error) =
        ends(&["stats", &room.file("poem.txt", "shall I compare thee\nto a summer's day\n")]);
    assert_eq!(code, Some(1));
    assert!(error.contains("--columns"), "{error}");
    let (code, error) = ends(&["stats", &room.file("empty.txt", "")]);
    assert_eq!(code, Some(1));
    assert!(error.contains("empty"), "{error}");
    let (code, error) =
        ends(&["stats", &room.file("noise.bin", [0_u8, 159, 146, 150].repeat(999))]);
    assert_eq!(code, Some(1), "{error}");
    assert!(!error.contains('\u{1b}'));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let binary = env!("CARGO_BIN_EXE_isotherm");
    let script = format!("set -o pipefail; '{binary}' show '{file}' | head -n 1");
    let output = bounded::output(Command::new("bash").args(["-c", &script]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Two calls that took 4 and 2 ms.
const CALLS: &str = "1700000000.000000 read(3, \"\", 1) = 0 <0.004000>\n\
                     1700000000.500000 write(3, \"\", 1) = 1 <0.002000>\n";

/// The commands that look at events, each with a file of its own that it writes.
fn looking(room: &Room, file: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let page = room.name("x.html");
    // What was taken for want of such an attribute is recorded.
    let _ = ["x.heat", "y.heat"].map(|name| std::fs::remove_file(room.name(name)).ok());
    let lines = [
        format!("stats {file}"),
        format!("show {file}"),
        format!("explain {file}"),
        format!("replay {file}"),
        format!("compare {file} {file}"),
        format!("report {file} -o {page}"),
        format!("import {file} -o {}", room.name("x.heat")),
        format!("record {file} -o {}", room.name("y.heat")),
    ];
    lines.iter().map(|line| words(line)).collect()
}

#[test]
fn what_is_asked_for_and_not_there_is_2_for_every_command() {
    let room = Room::new();
    let file = room.file("calls.txt", CALLS);
    let columns = room.file("plain.csv", "time,latency_us\n1700000000,3\n1700000001,4\n");
    for asked in ["--where call=nosuch", "--where nosuch=x", "--series nosuch"] {
        let chosen = asked.starts_with("--series");
        for mut command in looking(&room, &file) {
            if chosen && ["import", "record"].contains(&command[0].as_str()) {
                continue;
            }
            command.extend(asked.split(' ').map(str::to_owned));
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let (code, error) = ends(&words);
            assert_eq!(code, Some(2), "{words:?}: {error}");
        }
    }
    for mut command in looking(&room, &columns) {
        command.extend(["--where", "host=a"].map(str::to_owned));
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let (code, error) = ends(&words);
        assert_eq!(code, Some(2), "{words:?}: {error}");
        assert!(error.contains("--where cannot choose"), "{words:?}: {error}");
    }
}

#[test]
fn a_source_that_was_never_there_leaves_no_recording() {
    let room = Room::new();
    let heat = room.name("away.heat");
    let port = ClosedPort::new();
    let source = format!("prom+http://127.0.0.1:{}/metrics", port.number());
    let (code, error) = ends(&["record", &source, "-o", &heat]);
    assert_eq!(code, Some(3), "{error}");
    assert!(!std::path::Path::new(&heat).exists());
}

/// Reads waited 4 of 6 ms: two thirds, also where writes are left out of the table.
#[test]
fn a_share_of_time_waited_is_of_all_of_it_in_the_table_and_in_conditions() {
    let room = Room::new();
    let file = room.file("calls.txt", CALLS);
    let all = super::succeed(&["stats", &file]);
    let reads = super::succeed(&["stats", &file, "--series", "read", "--fail-if", "waited>67%"]);
    for text in [all, reads] {
        let row = text.lines().find(|line| line.starts_with("read  ")).unwrap();
        assert!(row.contains(" 67% "), "{text}");
    }
}
