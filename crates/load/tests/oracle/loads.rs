//! Operations, and what goes wrong with them.

use std::sync::atomic::{AtomicU64, Ordering};

use fake_oracle::{Answer, FakeOracle, Greeting, Script, whole_number};
use isotherm_frame::Nanos;
use isotherm_load::{Ended, HotSpot, Operation, Pattern, Redo, Warmup};

use super::database::{Database, number};
use super::{job, one, open, refusal, run};

fn started(script: Script) -> FakeOracle {
    FakeOracle::start(Database::ready(2, 25_000).on(script)).unwrap()
}

/// Answers as a server on which all is well.
pub fn well() -> Script {
    let (calls, looks) = (AtomicU64::new(0), AtomicU64::new(0));
    Script::default()
        .on_call("from v$sysstat", move |_| {
            let calls = calls.fetch_add(1, Ordering::Relaxed);
            Answer::lines([
                format!("physical reads|{}", 1_000 + calls * 500),
                format!("DB time|{}", 50 + calls * 7),
                "redo size|18446744073709551615".to_owned(),
            ])
        })
        .on_call("from v$system_event", move |_| {
            let looks = looks.fetch_add(1, Ordering::Relaxed);
            Answer::lines([
                format!("db file sequential read|{}|{}", 100 + looks * 90, 9_000 + looks * 18_000),
                format!("db file parallel read|{}|{}", 5 + looks * 10, 700 + looks * 5_000),
                "read by other session".to_owned(),
            ])
        })
        .on("'Buffer Cache Size'", number(64_000_000))
        .on("begin", Answer::Done(1))
        .on("count(t.c2)", number(64))
        .on("update /*+", Answer::Done(64))
}

#[test]
fn every_operation_is_a_statement_on_a_range_of_rows_that_are_there() {
    let server = started(well());
    let mut job = job();
    job.work.update_pct = 40.0;
    job.warmup = Warmup::Time(Nanos::from_millis(20));
    job.limit.operations = Some(400);
    let system = open(&server, &job).unwrap();
    assert_eq!((system.places(), system.place_bytes()), (50_000, 8_192));
    assert_eq!(system.lanes(5, Some(2)), [1; 5], "a session does one operation at a time");
    let before = server.statements().len();
    let (round_trips, parses) = (server.round_trips(), server.parses());
    let outcome = run(&*system, &job);

    assert_eq!((outcome.ended.clone(), outcome.faults.clone()), (Ended::Operations, Vec::new()));
    let seen: Vec<_> = server.statements().into_iter().zip(server.bound()).skip(before).collect();
    let operations: Vec<_> = seen.iter().filter(|(sql, _)| sql.contains(":lo AND :hi")).collect();
    assert_eq!(outcome.touched.as_ref().unwrap().visits, operations.len() as u64);
    let updates = operations.iter().filter(|(sql, _)| sql.starts_with("UPDATE")).count();
    assert!(updates > 0 && updates < operations.len());
    for (sql, bound) in &operations {
        let (lo, hi) = (whole_number(&bound[0]).unwrap(), whole_number(&bound[1]).unwrap());
        assert!(lo >= 1 && hi == lo + 63 && hi <= 25_000, "{sql}: {lo} to {hi}");
    }
    for table in ["ISOTHERM_1", "ISOTHERM_2"] {
        assert!(operations.iter().any(|(sql, _)| sql.contains(&format!("FROM {table} t"))));
    }
    // An operation is one round trip, and another for the commit of an update; its statement is
    // parsed by the first in a session.
    let trips = usize::try_from(server.round_trips() - round_trips).unwrap();
    let others = seen.len() - operations.len();
    assert!(
        (operations.len() + updates + others..operations.len() + updates + 3 * others)
            .contains(&trips)
    );
    assert!(server.parses() - parses <= 3 * 4 + others as u64, "{}", server.parses());
    for kind in &outcome.kinds {
        assert_eq!(kind.bytes, kind.response.events * 64 * 8_192, "{}", kind.name);
    }
    let observed = |name: &str| {
        outcome.observed.iter().find(|observed| observed.name == name).map(|found| found.value)
    };
    assert_eq!(observed("physical reads"), Some(500));
    assert_eq!(observed("db time"), Some(70_000_000));
    assert_eq!(observed("redo bytes"), Some(0));
    assert_eq!(observed("user commits"), None, "what is not known is left out");
    assert_eq!(observed("db file sequential read waits"), Some(90));
    assert_eq!(observed("db file sequential read time"), Some(18_000_000));
    assert_eq!(observed("user i/o waits"), Some(100));
    assert_eq!(observed("user i/o time"), Some(23_000_000));
    let fact = |name: &str| system.facts().into_iter().find(|(key, _)| key == name);
    assert_eq!(fact("buffer cache").unwrap().1, "61 MiB");
    assert_eq!(fact("fits into the buffer cache"), None, "409.6 MB are visited");
}

#[test]
fn heavy_updates_change_all_columns() {
    let server = started(well());
    let mut job = job();
    job.work.update_pct = 100.0;
    job.database.redo = Redo::Heavy;
    let system = open(&server, &job).unwrap();
    let mut lane = system.open(0, 1).unwrap();
    lane.submit(0, Operation { kind: 1, place: 3 }).unwrap();
    assert!(one(&mut *lane).result.is_ok());
    let update = server.statements().pop().unwrap();
    assert!(update.contains("t.c20 = SUBSTR(t.c20, 2)"), "{update}");
}

#[test]
fn the_loop_in_the_server_counts_calls_and_says_how_many_rows_each_visits() {
    let server = started(well());
    let mut job = job();
    job.database.server_loop = true;
    job.work.update_pct = 50.0;
    job.limit.operations = Some(60);
    let system = open(&server, &job).unwrap();
    let names: Vec<_> = system.kinds().iter().map(|kind| kind.name).collect();
    assert_eq!(names, ["select loop", "update loop"]);
    let turns = u64::from(system.kinds()[0].places / 64);
    assert_eq!(system.kinds()[1].places, system.kinds()[0].places);
    let message = system.facts().into_iter().find(|(name, _)| name == "loop").unwrap().1;
    assert!(message.contains(&format!("{turns} operations a call")), "{message}");
    let outcome = run(&*system, &job);
    assert_eq!(outcome.faults, []);
    let head = format!("FOR turn IN 1 .. {turns} LOOP");
    let calls = server.statements().iter().filter(|sql| sql.contains(&head)).count() as u64;
    let counted: u64 = outcome.kinds.iter().map(|kind| kind.response.events).sum();
    assert!(calls >= counted && counted >= 60, "{counted} of {calls}");
    let (commits, all) = server.statements().iter().fold((0, 0), |(commits, all), sql| {
        (commits + sql.matches("COMMIT;").count(), all + sql.matches(&head).count())
    });
    assert!(commits > 0 && commits < all, "some loops change rows");

    job.work.hot = Some(HotSpot { size_pct: 1.0, offset_pct: 0.0, one_in: 2 });
    assert!(refusal(open(&server, &job)).contains("needs the loop in the client"));
    job.work.hot = None;
    job.work.pattern = Pattern::Sequential;
    assert!(refusal(open(&server, &job)).contains("needs the loop in the client"));
}

#[test]
fn totals_that_may_not_be_read_are_left_out_and_the_grant_is_named() {
    let script = Script::default().on("count(t.c2)", number(64));
    let server = started(script);
    let system = open(&server, &job()).unwrap();
    assert_eq!(system.counts(), []);
    let facts = system.facts();
    for view in ["V_$SYSSTAT", "V_$SYSTEM_EVENT", "V_$PARAMETER", "V_$SGAINFO"] {
        let grant = format!("GRANT SELECT ON SYS.{view} TO BENCH");
        assert!(facts.iter().any(|(_, value)| value.contains(&grant)), "{facts:?}");
    }
}

#[test]
fn trouble_is_counted_by_its_code_and_sessions_come_back() {
    let error = |code: u32| Answer::Error(code, format!("details {code} that differ"));
    let answers = [
        number(64),
        error(60),
        error(4_068),
        number(63),
        error(3_113),
        number(64),
        Answer::Hangup,
        number(64),
        Answer::Garbage,
        number(64),
    ];
    let server = started(Script::default().on_each("count(t.c2)", answers));
    let system = open(&server, &job()).unwrap();
    let mut lane = system.open(0, 1).unwrap();
    let connections = server.connections();
    let mut select = |place: u64| {
        lane.submit(0, Operation { kind: 0, place }).unwrap();
        one(&mut *lane).result.map_err(std::borrow::Cow::into_owned)
    };
    let well = Ok(64 * 8_192);
    assert_eq!(select(0), well);
    assert_eq!(select(1), Err("ORA-00060: deadlock".to_owned()));
    assert_eq!(select(2), Err("ORA-04068".to_owned()));
    assert_eq!(select(3), Err("rows are missing from the table".to_owned()));
    assert_eq!(server.connections(), connections, "these leave the session as it is");
    assert_eq!(select(4), Err("ORA-03113: the server process went away".to_owned()));
    for _ in 0..2 {
        assert_eq!(select(5), well);
        assert_eq!(select(6), Err("session lost".to_owned()));
    }
    assert_eq!(select(7), well);
    assert_eq!(server.connections(), connections + 3);
}

#[test]
fn a_lane_that_cannot_log_on_again_tells_of_each_attempt_and_goes_on() {
    let greetings = [
        Greeting::Welcome,
        Greeting::Welcome,
        Greeting::Refuse(12514),
        Greeting::RefuseLogon(1034),
        Greeting::Welcome,
    ];
    let script =
        Script::default().greet(greetings).on_each("count(t.c2)", [Answer::Hangup, number(64)]);
    let server = started(script);
    let system = open(&server, &job()).unwrap();
    let mut lane = system.open(0, 1).unwrap();
    let results: Vec<_> = (0..4)
        .map(|place| {
            lane.submit(0, Operation { kind: 0, place }).unwrap();
            one(&mut *lane).result.map_err(std::borrow::Cow::into_owned)
        })
        .collect();
    let message = |words: &str| Err(words.to_owned());
    assert_eq!(
        results,
        [
            message("session lost"),
            message("ORA-12514: the listener does not know the service"),
            message("ORA-01034: the instance is down"),
            Ok(64 * 8_192)
        ]
    );
}
