//! The fake server against the real driver.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails may panic")]

use std::time::Duration;

use fake_oracle::{Answer, Column, FakeOracle, Greeting, Script, Simulation, Value, whole_number};
use oracledb::{Config, Connection};

fn connect(server: &FakeOracle) -> Result<Connection, oracledb::Error> {
    let config = Config::default()
        .set_credentials("demo", "any")
        .set_connect_string(&format!("127.0.0.1:{}/FAKE", server.port()))?;
    oracledb::connect(config)
}

fn texts(connection: &Connection, sql: &str, prefetch: u32) -> Result<Vec<String>, String> {
    let message = |error: oracledb::Error| error.to_string();
    let statement = connection.statement(sql).map_err(message)?.prefetch_rows(prefetch);
    let rows = statement.build().map_err(message)?.query(&[]).map_err(message)?;
    rows.map(|row| row.map_err(message)?.get::<String>(0).map_err(message)).collect()
}

#[test]
fn rows_arrive_in_one_round_trip_if_they_are_asked_for_at_once() {
    for greeting in [Greeting::Welcome, Greeting::Modern] {
        let lines: Vec<String> = (0..8000).map(|row| format!("line {row}, and so on")).collect();
        let script = Script::default().greet([greeting]).on("big", Answer::lines(lines.clone()));
        let server = FakeOracle::start(script).unwrap();
        let connection = connect(&server).unwrap();
        assert_eq!(texts(&connection, "select x from big", 8001).unwrap(), lines);
        assert_eq!(server.round_trips(), 1);
        assert_eq!(texts(&connection, "select x from big", 100).unwrap(), lines);
        assert_eq!(server.round_trips(), 1 + 81, "100 rows at first, then 100 at a time");
    }
}

#[test]
fn numbers_and_nulls_are_values_of_columns() {
    let row = |text: Value, number: u64| vec![text, Value::Number(number)];
    let rows = vec![row(Value::Text("a".into()), 4_294_967_295), row(Value::Null, 0)];
    let columns = vec![Column::Text("NAME"), Column::Number("WAIT_COUNT")];
    let script = Script::default().on("two", Answer::Rows(columns, rows));
    let server = FakeOracle::start(script).unwrap();
    let connection = connect(&server).unwrap();
    let rows: Vec<_> = connection.query("select * from two", &[]).unwrap().collect();
    let read: Vec<(Option<String>, u64)> = rows
        .into_iter()
        .map(|row| {
            let row = row.unwrap();
            (row.get("NAME").unwrap(), row.get("WAIT_COUNT").unwrap())
        })
        .collect();
    assert_eq!(read, [(Some("a".to_owned()), 4_294_967_295), (None, 0)]);
}

#[test]
fn an_error_leaves_the_connection_usable() {
    let script = Script::default().on("dual", Answer::lines(["1"]));
    let server = FakeOracle::start(script).unwrap();
    let connection = connect(&server).unwrap();
    let error = texts(&connection, "select 1 from nowhere", 10).unwrap_err();
    assert_eq!(error, "ORA-00942: table or view does not exist");
    assert_eq!(texts(&connection, "select 1 from dual", 10).unwrap(), ["1"]);
    assert_eq!(server.statements(), ["select 1 from nowhere", "select 1 from dual"]);
}

#[test]
fn a_slow_answer_can_be_broken_off() {
    let slow = Answer::lines(["late"]).after(Duration::from_mins(1));
    let script = Script::default().on("slow", slow).on("dual", Answer::lines(["1"]));
    let server = FakeOracle::start(script).unwrap();
    let connection = connect(&server).unwrap();
    connection.set_call_timeout(Some(Duration::from_millis(100))).unwrap();
    let error = texts(&connection, "select 1 from slow", 10).unwrap_err();
    assert!(error.contains("call timeout"), "{error}");
    assert_eq!(texts(&connection, "select 1 from dual", 10).unwrap(), ["1"]);
}

#[test]
fn refusals_reach_the_client() {
    for (greeting, message) in [
        (Greeting::Refuse(12514), "FAKE"),
        (Greeting::RefuseLogon(1017), "ORA-01017"),
        (Greeting::OldProtocol, "not supported"),
    ] {
        let server = FakeOracle::start(Script::default().greet([greeting])).unwrap();
        let error = connect(&server).map(drop).unwrap_err().to_string();
        assert!(error.contains(message), "{greeting:?}: {error}");
    }
}

#[test]
fn the_server_knows_who_logged_on_and_a_broken_connection_is_noticed() {
    let server = FakeOracle::start(Simulation::new(1, true).script()).unwrap();
    let connection = connect(&server).unwrap();
    let logon = server.logons().remove(0);
    assert_eq!((logon.user.as_str(), logon.mode & 0x60), ("demo", 0));
    assert!(logon.said("AUTH_PROGRAM_NM").is_some_and(|program| !program.is_empty()));
    assert!(logon.descriptor.contains("FAKE"), "{}", logon.descriptor);
    server.break_connections();
    assert!(texts(&connection, "select 1 from dual", 10).is_err());
}

#[test]
fn values_are_bound_anew_each_time_and_changed_rows_are_counted() {
    for greeting in [Greeting::Welcome, Greeting::Modern] {
        let count = Answer::Rows(vec![Column::Number("N")], vec![vec![Value::Number(64)]]);
        let script = Script::default()
            .greet([greeting])
            .on("select count", count)
            .on("update", Answer::Done(7))
            .on("begin", Answer::Done(1))
            .on("create table", Answer::Done(0));
        let server = FakeOracle::start(script).unwrap();
        let connection = connect(&server).unwrap();
        let select = "select count(c2) from t where k between :lo and :hi";
        let numbers = [(1_u64, 64_u64), (100, 163), (123_456, 1_000_000)];
        for (lo, hi) in numbers {
            let statement = connection.statement(select).unwrap().prefetch_rows(1).build();
            let row = statement.unwrap().query_row(&[&lo, &hi]).unwrap();
            assert_eq!(row.get::<u64>(0).unwrap(), 64);
            let update = connection.execute("update t set c = c + 1 where k = :k", &[&lo]).unwrap();
            assert_eq!(update.rows_affected(), 7);
            connection.commit().unwrap();
        }
        let long = "x".repeat(4_000);
        for _ in 0..2 {
            connection.execute("begin p(:text, :n); end;", &[&long.as_str(), &5_u64]).unwrap();
        }
        connection.execute("create table t (k number)", &[]).unwrap();

        let seen: Vec<_> = server.statements().into_iter().zip(server.bound()).collect();
        let bound: Vec<_> = seen
            .iter()
            .filter(|(sql, _)| sql.starts_with("select"))
            .map(|(_, binds)| (whole_number(&binds[0]).unwrap(), whole_number(&binds[1]).unwrap()))
            .collect();
        assert_eq!(bound, numbers);
        let blocks = seen.iter().filter(|(sql, _)| sql.starts_with("begin"));
        for (_, binds) in blocks {
            assert_eq!(
                (binds[0].as_slice(), binds[1].as_slice()),
                (long.as_bytes(), &[193, 6][..])
            );
        }
        assert_eq!(seen.len(), 3 + 3 + 2 + 1);
        assert_eq!(server.parses(), 4, "each statement once");
    }
}
