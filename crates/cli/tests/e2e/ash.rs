//! `top --licensed diagnostics`: the active session history of a server that plays Oracle's part, through the
//! real driver.

use std::process::Output;
use std::sync::atomic::{AtomicU64, Ordering};

use fake_oracle::{Answer, FakeOracle, Script};
use serde_json::Value;
use testing::bounded;

use super::psql::asked;
use super::schemas::parsed;
use super::terminal::{self, Terminal};
use super::top::started::Started;
use super::{isotherm, run, succeed};

/// A time of the database: this many seconds after eleven.
fn time(second: u64) -> String {
    format!("2026-03-01 {:02}:{:02}:{:02}.000", 11 + second / 3_600, second / 60 % 60, second % 60)
}

/// Noon.
const NOON: u64 = 3_600;

/// What an instance answers at this second: the samples it keeps, first and last with their numbers and seconds, and
/// those that have sessions, with how many read a block.
fn answer(now: u64, kept: [(u64, u64); 2], samples: &[(u64, u64, u64)]) -> Answer {
    let [(oldest, from), (newest, to)] = kept;
    let mut lines = vec![
        format!("T|{}|1:9", time(now)),
        format!("O|1|{oldest}|{}|{newest}|{}", time(from), time(to)),
    ];
    for (number, second, sessions) in samples {
        lines.extend((0..*sessions).map(|session| {
            let (sid, time) = (70 + session, time(*second));
            format!(
                "H|1|{number}|{time}|{sid}|5|User I/O|db file sequential read|7h35uxf5uhmm1||{number}|104|shop"
            )
        }));
    }
    lines.push(".".to_owned());
    Answer::lines(lines)
}

/// A server that answers so, and knows a user and a statement.
fn server(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> FakeOracle {
    let script = Script::default()
        .on_call("'h|'", answer)
        .on("all_users", Answer::lines(["104|APP"]))
        .on("v$sqlstats", Answer::lines(["Q|7h35uxf5uhmm1|select n from stock"]));
    FakeOracle::start(script).unwrap()
}

fn address(server: &FakeOracle) -> String {
    format!("oracle://mon@127.0.0.1:{}/FAKE", server.port())
}

fn top(words: &[&str]) -> Output {
    let words = [&["top", "--licensed", "diagnostics"][..], words].concat();
    bounded::output(isotherm(&words).env("ISOTHERM_ORACLE_PASSWORD", "correct-horse"))
}

fn row<'a>(object: &'a Value, dimension: &str) -> &'a Value {
    let tables = object["by"].as_array().unwrap();
    let table = tables.iter().find(|table| table["dimension"] == dimension).unwrap();
    &table["rows"][0]
}

/// In every other one of 60 samples three sessions read, in the rest none is active: 3 × 30 / 60.
#[test]
fn known_samples_give_known_averages_at_once() {
    // The last one is two seconds old, the first of the minute 61; older ones are kept.
    let samples: Vec<(u64, u64, u64)> =
        (1..=30).map(|pair| (1_000 + 2 * pair, NOON - 62 + 2 * pair, 3)).collect();
    let server = server(move |_| answer(NOON, [(900, NOON - 162), (1_060, NOON - 2)], &samples));
    let address = format!("{}?inst=1", address(&server));
    let output = top(&[&address, "--once", "--format", "json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let object = parsed("top", &String::from_utf8(output.stdout).unwrap());
    assert_eq!(object["average_active_sessions"], 1.5);
    let samples =
        ["samples", "samples_due", "skipped", "unsampled_us"].map(|key| object[key].as_f64());
    assert_eq!(samples, [Some(60.0), Some(60.0), Some(0.0), Some(0.0)]);
    let by = (&object["sampled_by"], &object["samples_per_second"], &object["warnings"]);
    assert_eq!(by, (&"database".into(), &1.into(), &Value::Array(Vec::new())));
    // 59 steps of 3: sqrt(9 / 2 / 60).
    let error = object["standard_error"].as_f64().unwrap();
    assert!((error - 0.273_861).abs() < 1e-6, "{error}");
    for (dimension, value) in [
        ("event", "db file sequential read"),
        ("class", "User I/O"),
        ("user", "APP"),
        ("program", "shop"),
        ("sql", "7h35uxf5uhmm1"),
    ] {
        let row = row(&object, dimension);
        assert_eq!((&row["value"], &row["average_active_sessions"]), (&value.into(), &1.5.into()));
        assert_eq!((&row["sessions"], &row["most_active_sessions"]), (&3.into(), &3.into()));
    }
    assert_eq!(row(&object, "sql")["text"], "select n from stock");
    let first = &server.statements()[0];
    assert!(first.contains("FROM gv$active_session_history"), "{first}");
    assert!(first.contains("AND inst_id IN (1)"), "{first}");
    let text = top(&[&address, "--once", "--by", "event"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("60 samples taken by the database in 60s\n"), "{text}");
}

#[test]
fn a_history_that_is_shorter_than_the_time_asked_for_says_so() {
    let samples: Vec<(u64, u64, u64)> =
        (1..=60).map(|number| (number, NOON - 62 + number, 2)).collect();
    let server = server(move |_| answer(NOON, [(1, NOON - 61), (60, NOON - 2)], &samples));
    let output = top(&[&address(&server), "--once", "--for", "10m", "--format", "json"]);
    let object = parsed("top", &String::from_utf8(output.stdout).unwrap());
    // The averages are those of the minute that is known.
    assert_eq!(object["average_active_sessions"], 2.0);
    let samples = ["samples", "samples_due", "unsampled_us"].map(|key| object[key].as_f64());
    assert_eq!(samples, [Some(60.0), Some(600.0), Some(540e6)]);
    assert_eq!(object["warnings"][0], "instance 1 keeps samples of the last 59s only");
}

#[test]
fn what_may_not_be_read_is_named_and_an_empty_history_explained() {
    let server = FakeOracle::start(Script::default()).unwrap();
    let output = top(&[&address(&server), "--once"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("GRANT SELECT ON SYS.GV_$ACTIVE_SESSION_HISTORY TO mon;"), "{error}");
    let script = Script::default()
        .on("'h|'", Answer::lines([format!("T|{}|1:9", time(NOON)), ".".to_owned()]))
        .on("control_management_pack_access", Answer::lines(["NONE"]));
    let server = FakeOracle::start(script).unwrap();
    let output = top(&[&address(&server), "--once"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("CONTROL_MANAGEMENT_PACK_ACCESS is NONE"), "{error}");
}

/// `PostgreSQL` takes the same statement where views and functions have Oracle's names.
#[test]
fn the_statement_runs_on_views_with_oracles_names() {
    let Some(server) = Started::new("postgres", &[], &[]) else { return };
    let show =
        ["top", "oracle://u@h/s?inst=1", "--licensed", "diagnostics", "--once", "--show-sql"];
    let sql = succeed(&show)
        .split(";\n")
        .next()
        .unwrap()
        .replace("SYSTIMESTAMP", "localtimestamp")
        .replace('#', "");
    asked(
        &server,
        "create function sys_context(what text, name text) returns text language sql as \
         $$ select case name when 'INSTANCE' then '1' else '9' end $$; \
         create function numtodsinterval(number int, unit text) returns interval language sql as \
         $$ select number * interval '1 second' $$; \
         create table dual as select 'X' as dummy; \
         create table gv$active_session_history as select 1 as inst_id, n as sample_id, \
         localtimestamp(3) + make_interval(secs => n - 100) as sample_time, 70 as session_id, \
         5 as session_serial, 'WAITING' as session_state, 'User I/O' as wait_class, \
         'db file|read' as event, '7h35uxf5uhmm1' as sql_id, 'VALID' as blocking_session_status, \
         2 as blocking_inst_id, 81 as blocking_session, 7 as blocking_session_serial, 3 as seq, \
         'FOREGROUND' as session_type, \
         104 as user_id, 'a' || chr(10) || 'b' as program from generate_series(1, 200) n; \
         insert into gv$active_session_history select 2, sample_id, sample_time, 71, session_serial, session_state, \
         wait_class, event, sql_id, blocking_session_status, blocking_inst_id, blocking_session, \
         blocking_session_serial, seq, session_type, user_id, program from gv$active_session_history where sample_id = 99; \
         update gv$active_session_history set program = 'oracle@db1 (PZ99)' where sample_id = 97",
    );
    let answer = asked(&server, &sql);
    let lines: Vec<&str> = answer.lines().collect();
    assert!(lines[0].starts_with("T|20") && lines[0].ends_with("|1:9"), "{}", lines[0]);
    let [oldest, newest]: [&str; 2] =
        [lines[1].split('|').nth(2), lines[1].split('|').nth(4)].map(Option::unwrap);
    assert_eq!((&lines[1][..4], oldest, newest), ("O|1|", "1", "200"));
    assert_eq!(lines.last(), Some(&"."));
    let mut numbers = Vec::new();
    for line in &lines[2..lines.len() - 1] {
        let fields: Vec<&str> = line.splitn(5, '|').collect();
        assert_eq!((fields[0], fields[1]), ("H", "1"));
        let rest = "70|5|User I/O|db file\u{1f}read|7h35uxf5uhmm1|2:81,7|3|104|a b";
        assert_eq!(fields[4], rest);
        numbers.push(fields[2].parse::<u64>().unwrap());
    }
    numbers.sort_unstable();
    // A minute and three seconds up to now, and five seconds ahead, but not what the reader of the view did.
    // However long the statements took, the samples follow each other.
    assert!(!numbers.contains(&97) && numbers.len() >= 66, "{numbers:?}");
    let last = numbers[numbers.len() - 1];
    assert!(last >= 105 && numbers[0] > last - 69, "{numbers:?}");
}

#[test]
fn what_does_not_go_with_a_licence_is_refused() {
    let licensed = ["--licensed", "diagnostics"];
    for (words, said) in [
        (&["top", "oracle://u@h/s", "--once", "--hz", "5"][..], "--hz has no effect"),
        (&["top", "oracle://u@h/s", "--once", "--io"], "--licensed is about sessions"),
        (&["top", "oracle://u@h/s", "--every", "500ms"], "use --every 1s"),
        (&["top", "oracle://u@h/s", "--once", "--for", "4s"], "use --for 10s or more"),
        (&["top", "oracle://u@h/s?sample=session", "--once"], "leave them out"),
        (&["top", "postgres://u@h/d", "--once"], "only Oracle has an active session history"),
        (&["top", "mysql://u@h", "--once"], "only Oracle has an active session history"),
        (&["top", "x.heat", "--once"], "only Oracle has an active session history"),
    ] {
        let output = run(&[words, &licensed].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(said), "{words:?}: {error}");
    }
    let output = run(&["top", "oracle://u@h/s", "--show-sql"]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["top", "oracle://u@h/s", "--once", "--hz", "50"]);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("1 to 10 times"),
        "as without a licence"
    );
}

#[test]
fn the_screen_begins_with_what_is_kept_and_names_a_restart() {
    let Some(terminal) = Terminal::open(120, 36) else { return };
    let polls = AtomicU64::new(0);
    let samples: Vec<(u64, u64, u64)> =
        (0..300).map(|number| (5_001 + number, NOON - 301 + number, 2)).collect();
    let server = server(move |_| {
        // The instance is restarted after the first poll, and seen again in the fifth.
        match polls.fetch_add(1, Ordering::Relaxed) {
            0 => answer(NOON, [(5_001, NOON - 301), (5_300, NOON - 2)], &samples),
            poll @ 1..4 => Answer::lines([format!("T|{}|1:9", time(NOON + poll)), ".".to_owned()]),
            poll => {
                let second = NOON + poll - 2;
                answer(NOON + poll, [(1, NOON), (poll, second)], &[(poll, second, 2)])
            }
        }
    });
    let program = terminal::isotherm(&format!("top '{}' --licensed diagnostics", address(&server)));
    terminal.line(&format!("ISOTHERM_ORACLE_PASSWORD=any {program}"));
    let shows = |what: &str, all: &[&str]| {
        bounded::until(what, || {
            let screen = terminal.screen();
            all.iter().all(|text| screen.contains(text)).then_some(screen)
        })
    };
    let screen =
        shows("the samples that are kept", &["(ASH)", "2.00 ±0.00 active sessions", "U User I/O"]);
    // Five minutes in as many columns as there are: all of them are full.
    assert!(screen.lines().any(|line| line.matches('U').count() > 100), "{screen}");
    shows("the restart", &["instance 1 was restarted: SAMPLE_ID fell from 5300 to 4"]);
    terminal.key("q");
}
