//! How commands end.

use super::{RECORDS, Room, isotherm, run};

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
fn a_missing_file_is_1_and_says_what_and_why() {
    let (code, error) = ends(&["stats", "/no/such/file.heat"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("/no/such/file.heat") && error.contains("there is no file"), "{error}");
}

#[test]
fn a_missing_program_is_3_and_names_the_package() {
    let output = isotherm(&["live", "disk:"]).env("PATH", "/nonexistent").output().unwrap();
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
    let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
