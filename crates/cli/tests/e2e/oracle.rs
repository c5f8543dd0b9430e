//! Oracle through SQL*Plus, which is played by the fake of the crate `isotherm-sources`.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{Room, isotherm, succeed};

/// A directory with a program `sqlplus` that answers as the shell functions say.
fn with_sqlplus(answers: &str) -> Room {
    let room = Room::new();
    let answers = room.file("answers", answers);
    let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/../sources/tests/fake/sqlplus");
    let log = room.name("log");
    let script =
        format!("#!/bin/sh\nFAKE_ANSWERS='{answers}' FAKE_LOG='{log}' exec bash '{fake}' \"$@\"\n");
    let program = room.file("sqlplus", script);
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
    room
}

/// A poll each second; each adds 5 waits below 512 µs and 1 below 1,024, in 2,100 µs.
const COUNTING: &str = r#"answer() {
    case $1 in *CURRENT_TIMESTAMP*) ;; *) ora "ORA-00923: FROM keyword not found"; return ;; esac
    n=$counted
    printf 'T|2026-11-21T10:00:%02d.000000+02:00\n' $n
    echo 'I|1|2026-11-20T06:12:44|19.0.0.0.0|ORCL1'
    echo "H|1||us|512:$((5 * n)),1024:$n|log file sync"
    echo "S|1||$((6 * n))|$((2100 * n))|log file sync"
    echo .
}
glogin() { echo 'Welcome to ORCL1'; feedback=on; }
"#;

#[test]
fn what_a_script_spools_is_read_anywhere() {
    let room = with_sqlplus(COUNTING);
    let script = succeed(&["sqlplus-script", "--count", "4", "--event", "log file*"]);
    let script = room.file("isotherm.sql", script);
    let sqlplus = room.name("sqlplus");
    let spooled = Command::new(&sqlplus)
        .args(["-S", "/", "as", "sysdba", &format!("@{script}")])
        .output()
        .unwrap();
    let spooled = String::from_utf8(spooled.stdout).unwrap();
    assert!(!spooled.contains("successfully"), "{spooled}");
    let waits = room.file("waits.txt", &spooled);
    let stats = succeed(&["stats", &waits, "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["input"]["events"], 24, "{stats}");
    assert_eq!(stats["input"]["rejected"], 0, "{stats}");
    assert!(succeed(&["show", &waits]).contains("08:00"), "the zone is taken into account");
}

#[test]
fn a_script_that_may_not_read_says_so_and_stops() {
    let room = with_sqlplus("answer() { ora 'ORA-00942: table or view does not exist'; }");
    let script = room.file("isotherm.sql", succeed(&["sqlplus-script", "--count", "4"]));
    let command = format!("cmd:'{}' -S / as sysdba '@{script}'", room.name("sqlplus"));
    let output = isotherm(&["live", &command]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("ORA-00942"), "{error}");
    assert_eq!(error.matches("ORA-00942").count(), 1, "{error}");
}

#[test]
fn a_script_that_cannot_be_is_refused() {
    for (args, part) in [
        (["--interval", "1ms"], "too short"),
        (["--count", "0"], "at least one"),
        (["--event", ""], "not the name"),
        (["--since", "7d"], "--awr"),
    ] {
        let output = isotherm(&["sqlplus-script"]).args(args).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(part), "{error}");
    }
}
