//! Completion in a real shell: what bash puts in place for a line that somebody began to type.

use std::process::Command;

use testing::bounded;

use crate::{Room, run};

/// What bash offers where the line ends.
fn offered(room: &Room, line: &str) -> Vec<String> {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_isotherm"));
    let script = r#"
        source <(isotherm completions bash)
        COMP_LINE="$1" COMP_POINT=${#1}
        _isotherm 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let path = std::env::var("PATH").unwrap_or_default();
    let ran = bounded::output(
        Command::new("bash")
            .args(["-c", script, "bash", line])
            .current_dir(room.path(""))
            .env("PATH", format!("{}:{path}", program.parent().unwrap().display())),
    );
    let text = String::from_utf8(ran.stdout).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_from_the_recording_that_is_named() {
    let room = Room::new();
    let ran = run(&["demo", "-o", &room.name("d.heat")]);
    assert!(ran.status.success(), "{ran:?}");
    let offered = |line| offered(&room, line);
    assert_eq!(offered("isotherm stats d.heat --series "), [r"block\ I/O", r"log\ file\ sync"]);
    assert_eq!(offered("isotherm stats d.heat --series 'log f"), ["log file sync"]);
    assert_eq!(offered("isotherm compare d.heat --align d"), [r"deploy\ v2"]);
    assert_eq!(offered("isotherm report d.heat --by o"), ["op"]);
    // A recording that is not there knows nothing; the rest of the line is completed all the same.
    assert_eq!(offered("isotherm stats gone.heat --series "), [""; 0]);
    assert_eq!(offered("isotherm stats gone.heat --descr"), ["--describe"]);
    assert_eq!(offered("isotherm live cm"), ["cmd:"]);
    let mut commands = offered("isotherm re");
    commands.sort();
    assert_eq!(commands, ["record", "replay", "report"], "names, and no alias beside them");
}
