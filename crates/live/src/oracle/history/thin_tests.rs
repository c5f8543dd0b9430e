//! The history through the thin driver: a server that passes every statement on to `PostgreSQL`.

use std::sync::Mutex;

use fake_oracle::{Answer, FakeOracle, Script};

use super::tests::{Postgres, SINGLE, fixture, plan, tell};
use super::*;
use crate::oracle::connection::connection;
use crate::oracle::{OracleAddress, Session as _, SessionError};
use crate::{Address, feed::Stopped};

/// Answers each statement as `PostgreSQL` does.
fn passed_on(postgres: Postgres) -> Script {
    let postgres = Mutex::new(postgres);
    Script::default().on_call("", move |sql| {
        let mut lines = Vec::new();
        let mut session = postgres.lock().expect("one at a time");
        match session.lines(sql, 0, &mut |line| lines.push(line.to_owned())) {
            Ok(()) => Answer::lines(lines),
            Err(SessionError::Sql { code, message }) => Answer::Error(code, message),
            Err(other) => panic!("{other}"),
        }
    })
}

fn address(port: u16, password: &std::path::Path) -> OracleAddress {
    let file = password.display();
    let text = format!("awr:oracle://mon@127.0.0.1:{port}/FAKE?password_file={file}");
    let address: Address = text.parse().expect("an address");
    address.oracle().expect("an Oracle database").clone()
}

#[test]
fn the_thin_driver_brings_the_same_history() {
    let Some(mut direct) = Postgres::with("direct", &fixture(SINGLE)) else { return };
    let expected = tell(&plan(Window::default()), &mut direct);
    let Some(other) = Postgres::with("thin", &fixture(SINGLE)) else { return };
    let server = FakeOracle::start(passed_on(other)).expect("a server");
    let password = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(password.path(), "tiger\n").expect("written");
    let address = address(server.port(), password.path());
    let mut warn = |text: String| assert!(text.contains("may be read"), "{text}");
    let connected = connection(&address, run::PACE, &Stopped::default(), &mut warn).expect("a way");
    let mut connect = connected;
    let mut session = connect.connect().expect("connected");
    let mut collected = super::tests::Collected::default();
    plan(Window::default()).tell(session.as_mut(), &mut collected).expect("reported");
    assert!(collected.lines.len() > 40);
    assert_eq!(collected.lines, expected.lines);
    assert_eq!(collected.said, expected.said);
}
