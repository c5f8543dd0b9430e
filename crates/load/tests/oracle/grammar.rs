//! Statements of a load, held against a grammar of Oracle's SQL.

use fake_oracle::FakeOracle;
use testing::oracle_grammar;

use super::database::Database;
use super::loads::well;
use super::{job, open, run, setup, teardown};

#[test]
fn queries_and_changes_of_a_load_are_oracles_sql() {
    let server = FakeOracle::start(Database::default().on(well())).unwrap();
    let mut job = job();
    job.work.update_pct = 40.0;
    job.limit.operations = Some(40);
    setup(&server, &job).unwrap();
    let system = open(&server, &job).unwrap();
    run(&*system, &job);
    drop(system);
    teardown(&server, &job).unwrap();
    let statements = server.statements();
    for mention in [
        "INSERT INTO ISOTHERM_2",
        "DELETE FROM ISOTHERM_1",
        "COUNT(DISTINCT custid)",
        "COUNT(t.c2)",
        "UPDATE /*+",
        "FROM v$sysstat",
        "FROM v$system_event",
        "FROM v$parameter",
        "FROM user_tables t LEFT JOIN",
        "FROM user_tables t JOIN user_tablespaces",
        "FROM user_segments",
        "FROM v$sgainfo",
        "FROM v$version",
    ] {
        assert!(statements.iter().any(|sql| sql.contains(mention)), "{mention}: {statements:#?}");
    }
    oracle_grammar::hold(&statements, Some("11.2"));
}
