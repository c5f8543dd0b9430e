//! Setting up and tearing down.

use std::sync::atomic::{AtomicBool, Ordering};

use fake_oracle::{Answer, FakeOracle, Greeting, Script};
use isotherm_load::{Hooks, LoadError, Progress};
use testing::bounded;

use super::database::{Database, Table};
use super::{address, job, open, refusal, setup, teardown};

fn statements(server: &FakeOracle, mention: &str) -> usize {
    server.statements().iter().filter(|sql| sql.contains(mention)).count()
}

#[test]
fn tables_are_made_once_and_dropped_again_and_others_stay() {
    let database = Database::default();
    let others = Table { comment: "accounts".to_owned(), rows: 3, first: false };
    for name in ["ISOTHERM_7", "ISOTHERM_NOTES"] {
        database.0.lock().unwrap().insert(name.to_owned(), others.clone());
    }
    let server = FakeOracle::start(database.on(Script::default())).unwrap();
    assert_eq!(
        setup(&server, &job()).unwrap(),
        [
            "loaded ISOTHERM_1: 25000 rows in 25000 blocks",
            "loaded ISOTHERM_2: 25000 rows in 25000 blocks"
        ]
    );
    let ready = Table {
        comment: "isotherm load data: 25000 rows, ready".to_owned(),
        rows: 25_000,
        first: false,
    };
    assert_eq!(database.get("ISOTHERM_2"), Some(ready));
    // Per table: three parts; room for one row a block is made while there is one row.
    assert_eq!(statements(&server, "SELECT k.n"), 6);
    let order =
        |mention: &str| server.statements().iter().position(|sql| sql.contains(mention)).unwrap();
    assert!(order("VALUES (0)") < order("MINIMIZE"));
    assert!(order("MINIMIZE") < order("DELETE"));
    assert!(order("SELECT k.n") < order("CREATE UNIQUE INDEX"));

    assert_eq!(
        setup(&server, &job()).unwrap(),
        ["ISOTHERM_1 is there, with 25000 rows", "ISOTHERM_2 is there, with 25000 rows"]
    );
    assert_eq!(statements(&server, "CREATE TABLE"), 2);
    assert_eq!(
        teardown(&server, &job()).unwrap(),
        [
            "dropped ISOTHERM_1",
            "dropped ISOTHERM_2",
            "ISOTHERM_7 stays: its comment does not say that it was made here"
        ]
    );
    assert_eq!(database.get("ISOTHERM_7"), Some(others.clone()));
    assert_eq!(database.get("ISOTHERM_NOTES"), Some(others));
    assert_eq!(statements(&server, "DROP TABLE"), 2);
}

#[test]
fn what_was_broken_off_goes_on_where_it_was() {
    let database = Database::default();
    let server = FakeOracle::start(database.on(Script::default())).unwrap();
    let mut job = job();
    job.database.schemas = 1;
    let stop = AtomicBool::new(false);
    let mut progress = |step: Progress| {
        stop.store(step.done >= 10_000, Ordering::Relaxed);
        // The loading thread looks after this was reported, or a part later.
        std::thread::yield_now();
    };
    let hooks = &mut Hooks { progress: &mut progress, stop: &stop };
    let ends = bounded::watchdog("a setup");
    let stopped = isotherm_load::setup(&address(&server), &job, hooks);
    drop(ends);
    let rows = database.get("ISOTHERM_1").unwrap().rows;
    if rows < 25_000 {
        assert!(refusal(stopped).contains(&format!("{rows} of 25000 rows")));
        let early = refusal(open(&server, &job));
        assert!(early.contains("not ready: set up first"), "{early}");
    }
    setup(&server, &job).unwrap();
    assert_eq!(database.get("ISOTHERM_1").unwrap().rows, 25_000);
    assert_eq!(statements(&server, "SELECT k.n"), 3, "no part was loaded twice");
}

#[test]
fn tables_of_others_and_of_other_sizes_are_refused() {
    let database = Database::ready(2, 10_000);
    let server = FakeOracle::start(database.on(Script::default())).unwrap();
    let small = refusal(setup(&server, &job()));
    assert!(small.contains("10000 rows, and 25000 are asked for"), "{small}");
    assert!(refusal(open(&server, &job())).contains("set up first"));
    database.0.lock().unwrap().get_mut("ISOTHERM_2").unwrap().comment.clear();
    for result in [setup(&server, &job()).map(drop), {
        let mut job = job();
        job.database.scale = 100;
        open(&server, &job).map(drop)
    }] {
        assert!(matches!(&result, Err(LoadError::Job(_) | LoadError::Unsafe(_))), "{result:?}");
    }
    let mut one = job();
    one.database.scale = 10_000;
    let foreign = setup(&server, &one).unwrap_err();
    assert!(matches!(&foreign, LoadError::Unsafe(words) if words.contains("ISOTHERM_2")));
    assert_eq!(statements(&server, "CREATE TABLE"), 0);
}

#[test]
fn missing_privileges_are_named() {
    for (mention, code, expected) in [
        ("create table", 1031, "GRANT CREATE SESSION, CREATE TABLE TO BENCH"),
        ("select k.n", 1950, "ALTER USER BENCH QUOTA UNLIMITED ON"),
    ] {
        let refusing = Script::default().on(mention, Answer::Error(code, "no".to_owned()));
        let server = FakeOracle::start(Database::default().on(refusing)).unwrap();
        let words = refusal(setup(&server, &job()));
        assert!(words.contains(expected) && words.contains(&format!("ORA-{code:05}")), "{words}");
    }
}

#[test]
fn logons_that_fail_say_why() {
    for (greeting, expected) in [
        (Greeting::RefuseLogon(1017), "if user and password are right"),
        (Greeting::RefuseLogon(1045), "GRANT CREATE SESSION TO BENCH"),
        (Greeting::Refuse(12514), "'lsnrctl status'"),
        (Greeting::EncryptionRequired, "native network encryption"),
        (Greeting::Hangup, "BENCH@127.0.0.1"),
    ] {
        let server = FakeOracle::start(Script::default().greet([greeting])).unwrap();
        let error = open(&server, &job()).err().unwrap();
        assert!(matches!(error, LoadError::Unreachable(_)), "{error:?}");
        assert!(error.to_string().contains(expected), "{greeting:?}: {error}");
        assert!(!error.to_string().contains("secret"));
    }
}
