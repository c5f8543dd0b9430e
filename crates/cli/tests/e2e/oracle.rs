//! Oracle through SQL*Plus, which is played by the fake of the crate `isotherm-live`.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use testing::bounded;

use super::{Room, isotherm, run, signal, succeed};

/// A directory with a program `sqlplus` that answers as the shell functions say.
fn with_sqlplus(answers: &str) -> Room {
    let room = Room::new();
    let answers = room.file("answers", answers);
    let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/../live/tests/fake/sqlplus");
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
    let spooled = bounded::output(Command::new(&sqlplus).args([
        "-S",
        "/",
        "as",
        "sysdba",
        &format!("@{script}"),
    ]));
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
    let output = run(&["live", &command]);
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
        let output = bounded::output(isotherm(&["sqlplus-script"]).args(args));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(part), "{error}");
    }
}

/// The search path with this directory first.
fn path_with(room: &Room) -> String {
    format!("{}:{}", room.dir().display(), std::env::var("PATH").unwrap())
}

/// As [`COUNTING`], for a client that writes the time itself.
const LIVE: &str = r#"answer() {
    case $1 in
        *"'||parallel AS line"*) echo 'I|1||19.0.0.0.0|NO' ;;
        *LISTAGG*)
            n=$counted
            echo 'I|1|2026-11-20T06:12:44|19.0.0.0.0|ORCL1'
            echo "H|1||us|512:$((5 * n)),1024:$n|log file sync"
            echo "S|1||$((6 * n))|$((2100 * n))|log file sync"
            echo . ;;
        *) ora 'ORA-00942: table or view does not exist' ;;
    esac
}
glogin() { echo 'Welcome to ORCL1'; feedback=on; heading=on; }
"#;

#[test]
fn a_database_is_polled_through_sqlplus_as_the_operating_systems_user() {
    let room = with_sqlplus(LIVE);
    let heat = room.name("run.heat");
    let mut record = isotherm(&["record", "sqlplus:/ as sysdba", "-o", &heat]);
    record.args(["--interval", "100ms"]).env("PATH", path_with(&room)).stderr(Stdio::piped());
    let child = bounded::spawn(&mut record);
    bounded::until("recorded waits", || {
        let output = run(&["stats", &heat, "--format", "json"]);
        let stats: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        stats["input"]["events"].as_u64().filter(|events| *events > 0)
    });
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{error}");
    let stats: serde_json::Value =
        serde_json::from_str(&succeed(&["stats", &heat, "--format", "json"])).unwrap();
    let events = stats["input"]["events"].as_u64().unwrap();
    // Each poll but the first adds six waits.
    assert!(events > 0 && events.is_multiple_of(6), "{stats}");
    let waits = &stats["series"][0];
    assert_eq!(waits["time_waited_exact"], true, "{waits}");
    assert_eq!(waits["mean_ns"], 350_000.0, "{waits}");
    let log = std::fs::read_to_string(room.path("log")).unwrap();
    assert!(log.starts_with("arguments: -S -L /nolog\n"), "{log}");
}

#[test]
fn a_missing_sqlplus_is_3_and_says_where_it_comes_from() {
    let output = bounded::output(
        isotherm(&["live", "sqlplus:/"]).env("PATH", "/nonexistent").env_remove("ORACLE_HOME"),
    );
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("oraenv") && error.contains("Instant Client"), "{error}");
}

/// AWR's answers: no zone of snapshots, no names; two snapshots of one instance.
const HISTORY: &str = r#"answer() {
    case $1 in
        *snap_timezone*) ora 'ORA-00904: "SNAP_TIMEZONE": invalid identifier' ;;
        *"from dba_hist_snapshot where 1 = 0"*) ;;
        *"v\$parameter"*) echo 'DIAGNOSTIC+TUNING' ;;
        "select s.dbid"*) printf '7|%d|1|2026-11-21T1%d:00:00.000\n' 1 0 2 1 ;;
        "with snap"*)
            for n in 1 2; do
                printf 'T|2026-11-21T1%d:00:00.000\nD|7|\n' $((n - 1))
                echo 'I|1|2026-11-20T06:12:44||'
                echo "H|1||ms|1:$((500 * n))|log file sync"
                echo "S|1||$((500 * n))|$((200000 * n))|log file sync"
                echo .
            done ;;
        *) ora 'ORA-00942: table or view does not exist' ;;
    esac
}
"#;

#[test]
fn a_history_is_summarised_shown_and_recorded() {
    let room = with_sqlplus(HISTORY);
    let ask = |args: &[&str]| {
        let output = bounded::output(isotherm(args).env("PATH", path_with(&room)));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{error}");
        assert_eq!(error.matches("Diagnostics Pack is licensed").count(), 1, "{error}");
        assert!(error.contains("'DIAGNOSTIC+TUNING'"), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let address = "awr:sqlplus:/ as sysdba?since=2026-11-01";
    let stats: serde_json::Value =
        serde_json::from_str(&ask(&["stats", address, "--format", "json", "--zone", "+02:00"]))
            .unwrap();
    assert_eq!(stats["input"]["events"], 500, "{stats}");
    assert!(ask(&["show", address, "--utc"]).contains("10:00"), "in UTC as none is known");
    let heat = room.name("history.heat");
    ask(&["record", address, "-o", &heat]);
    assert!(succeed(&["stats", &heat]).contains("log file sync"));
}

#[test]
fn a_history_that_may_not_be_read_names_the_grants() {
    let room = with_sqlplus("answer() { ora 'ORA-00942: table or view does not exist'; }");
    let output =
        bounded::output(isotherm(&["stats", "awr:sqlplus:/"]).env("PATH", path_with(&room)));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("GRANT SELECT ON SYS.DBA_HIST_SNAPSHOT"), "{error}");
}
