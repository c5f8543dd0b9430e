//! What the recorder says is what is in the file, whatever happens to the file and to who listens.

use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal};
use testing::bounded::{self, Child};

use super::readers::is_over;
use super::{Room, isotherm, run, signal, start};

/// One event in each of these seconds.
fn lines(seconds: std::ops::Range<u64>) -> String {
    let line = |second| format!("{} 250\n", 1_700_000_000_u64 + second);
    seconds.map(line).collect()
}

const COLUMNS: [&str; 4] = ["--columns", "time,latency", "--unit", "us"];

/// Begins to record what is written to its standard input.
fn recorder(command: &mut Command) -> Child {
    bounded::spawn(command.args(COLUMNS).stdin(Stdio::piped()).stderr(Stdio::piped()))
}

/// The events in a recording, as soon as it can be read.
fn events(heat: &str) -> Option<u64> {
    let output = run(&["stats", "--format", "json", heat]);
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    stats["input"]["events"].as_u64()
}

fn say(child: &mut Child, text: &str) {
    child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
}

/// Ends the input; gives the exit code and what was said.
fn end(mut child: Child) -> (Option<i32>, String) {
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn with_a_file_that_cannot_grow_it_says_what_is_in_the_file() {
    let room = Room::new();
    let heat = room.name("x.heat");
    let limited = format!("ulimit -f 256; exec '{}' \"$@\"", env!("CARGO_BIN_EXE_isotherm"));
    let mut command = Command::new("bash");
    command.args(["-c", &limited, "isotherm", "record", "-", "-o", &heat]);
    let mut child = recorder(&mut command);
    say(&mut child, &lines(0..40));
    bounded::until("the first seconds", || (events(&heat)? >= 30).then_some(()));
    say(&mut child, &lines(40..9_000));
    let (code, error) = end(child);
    assert_eq!(code, Some(1), "{error}");
    let found = events(&heat).unwrap();
    assert!((30..8_000).contains(&found), "{found} events\n{error}");
    assert!(error.contains(&format!("; {found} events in ")), "{error}");
    assert!(error.contains("could not be recorded in"), "{error}");
}

#[test]
fn a_file_that_is_deleted_is_reported_and_survived() {
    let room = Room::new();
    let (heat, next) = (room.name("x.heat"), room.name("x-2.heat"));
    let mut child = recorder(&mut isotherm(&["record", "-", "-o", &heat]));
    say(&mut child, &lines(0..40));
    let before =
        bounded::until("the first seconds", || events(&heat).filter(|events| *events >= 30));
    std::fs::remove_file(&heat).unwrap();
    say(&mut child, &lines(40..80));
    let (code, error) = end(child);
    assert_eq!(code, Some(1), "{error}");
    let after = events(&next).unwrap();
    assert!(before + after >= 80 && after >= 40, "{before} {after}");
    let expected = "the file was moved or deleted while it was recorded into, with";
    assert!(error.contains(expected), "{error}");
    assert!(error.contains(&format!("recording goes on in {next}")), "{error}");
    assert!(error.contains(&format!("; {after} events in ")), "{error}");
    assert_eq!(std::fs::read_dir(room.dir()).unwrap().count(), 1, "one file and nothing else");
}

#[test]
fn a_source_that_says_nothing_is_no_success() {
    let room = Room::new();
    let heat = room.name("x.heat");
    let output = run(&["record", "cmd:sleep 100", "-o", &heat, "--for", "1s"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("no data came from cmd:sleep (1 argument)"), "{error}");
    assert_eq!(std::fs::read_dir(room.dir()).unwrap().count(), 0, "no file of nothing");
}

#[test]
fn a_program_that_does_not_end_is_not_waited_for_and_ends_all_the_same() {
    // A machine that is busy for a second after the signal looks like waiting for the program, but not each time.
    let pid = bounded::until("an end that does not wait for the program", || {
        let room = Room::new();
        let (heat, number) = (room.name("x.heat"), room.path("number"));
        let program =
            format!("cmd:trap '' TERM; echo $$ > {}; echo 1 5; sleep 600", number.display());
        let child = recorder(&mut isotherm(&["record", &program, "-o", &heat, "-i", "100ms"]));
        bounded::until("the event", || (events(&heat)? == 1).then_some(()));
        let text = std::fs::read_to_string(number).unwrap();
        let pid = Pid::from_raw(text.trim().parse().unwrap()).unwrap();
        signal(&child, Signal::TERM);
        let (code, error) = end(child);
        let is_waited_for = is_over(pid);
        assert_eq!(code, Some(0), "{error}");
        assert!(error.contains("stopped; 1 event in "), "{error}");
        (!is_waited_for).then_some(pid)
    });
    bounded::until("the end of the program", || is_over(pid).then_some(()));
}

#[test]
fn when_nobody_reads_standard_error_any_more_recording_goes_on() {
    let room = Room::new();
    let heat = room.name("x.heat");
    let mut child = recorder(&mut isotherm(&["record", "-", "-o", &heat]));
    drop(child.stderr.take());
    // Every second line is something to be reported.
    say(&mut child, &lines(0..50).replace('\n', "\nrubbish\n"));
    drop(child.stdin.take());
    assert_eq!((child.wait().unwrap().code(), events(&heat)), (Some(0), Some(50)));
    for command in [vec!["stats", "/nonexistent"], vec!["stats", "--nonsense"], vec!["show", &heat]]
    {
        let mut child = start(&command);
        drop((child.stdout.take(), child.stderr.take()));
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0..=2)), "{command:?}: {code:?}");
    }
}

#[test]
fn when_the_terminal_closes_the_recording_is_finished() {
    let room = Room::new();
    let heat = room.name("x.heat");
    let mut child = recorder(&mut isotherm(&["record", "-", "-o", &heat]));
    say(&mut child, &lines(0..40));
    bounded::until("the first seconds", || (events(&heat)? >= 30).then_some(()));
    drop(child.stderr.take());
    signal(&child, Signal::HUP);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(events(&heat), Some(40));
    assert_eq!(std::fs::read_dir(room.dir()).unwrap().count(), 1, "one file and nothing else");
}
