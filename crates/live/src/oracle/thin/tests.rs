//! The network route against a server that speaks enough of the protocol for the real driver.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use fake_oracle::{Answer, FakeOracle, Greeting, Script};
use testing::bounded;

use super::*;

const SECRET: &str = "Tiger_4711";

/// A connector to an address that waits as long as tests do.
fn connector(address: &str) -> ThinConnect {
    let (scheme, rest) = address.split_once(':').unwrap();
    let address = OracleAddress::read(scheme, rest).unwrap();
    let second = Nanos::new(1_000_000_000);
    let mut connector = ThinConnect::new(&address, Secret::new(SECRET.into()), second);
    if address.options.connect_timeout.is_none() {
        connector.limits.connect = bounded::LIMIT;
    }
    connector.limits.call = bounded::LIMIT;
    connector
}

/// How long an impatient one waits for an answer.
const SHORT: Duration = Duration::from_millis(500);

fn impatient(server: &FakeOracle) -> ThinConnect {
    let mut connector = to(server);
    connector.limits.call = SHORT;
    connector
}

fn to(server: &FakeOracle) -> ThinConnect {
    connector(&format!("oracle://demo@127.0.0.1:{}/FAKE", server.port()))
}

fn start(script: Script) -> FakeOracle {
    FakeOracle::start(script).unwrap()
}

fn greeting(greeting: Greeting) -> FakeOracle {
    start(Script::default().greet([greeting]))
}

/// Why connecting failed. No message ever shows the password.
fn failure(connector: &mut ThinConnect) -> SessionError {
    let error = connector.connect().map(drop).unwrap_err();
    assert!(!error.to_string().contains(SECRET), "{error}");
    assert!(error.to_string().starts_with(connector.name()), "{error}");
    error
}

#[track_caller]
fn assert_lost(error: &SessionError, parts: &[&str]) {
    assert!(matches!(error, SessionError::Lost(_)), "{error:?}");
    assert_parts(error, parts);
}

#[track_caller]
fn assert_refused(error: &SessionError, parts: &[&str]) {
    assert!(matches!(error, SessionError::Refused(_)), "{error:?}");
    assert_parts(error, parts);
}

#[track_caller]
fn assert_parts(error: &SessionError, parts: &[&str]) {
    for part in parts {
        assert!(error.to_string().contains(part), "'{part}' in: {error}");
    }
}

fn lines(session: &mut dyn Session, sql: &str, rows: u32) -> Result<Vec<String>, SessionError> {
    let mut lines = Vec::new();
    session.lines(sql, rows, &mut |line| lines.push(line.to_owned()))?;
    Ok(lines)
}

#[test]
fn a_poll_of_many_rows_is_one_round_trip() {
    for greeting in [Greeting::Welcome, Greeting::Modern] {
        let rows: Vec<String> = (0..8000).map(|row| format!("H|1||us|{row}:1|event")).collect();
        let script = Script::default().greet([greeting]).on("big", Answer::lines(rows.clone()));
        let server = start(script);
        let mut session = to(&server).connect().unwrap();
        assert_eq!(lines(&mut *session, "select x from big", 8000).unwrap(), rows);
        assert_eq!(server.round_trips(), 1);
        assert_eq!(lines(&mut *session, "select x from big", 10).unwrap(), rows);
        assert_eq!(server.round_trips(), 2 + (8000 - 11) / 100 + 1, "11 rows, then 100 at a time");
    }
}

#[test]
fn the_dba_sees_who_it_is() {
    let server = start(Script::default().on("dual", Answer::lines(["1"])));
    let address = format!("oracle://sys@127.0.0.1:{}/FAKE?as=sysdba", server.port());
    let mut session = connector(&address).connect().unwrap();
    assert_eq!(lines(&mut *session, "select 1 from dual", 1).unwrap(), ["1"]);
    let logon = server.logons().remove(0);
    assert_eq!((logon.user.as_str(), logon.mode & 0x60), ("sys", 0x20));
    assert_eq!(logon.said("AUTH_PROGRAM_NM"), Some("isotherm"));
    assert_eq!(server.attributes(), ["isotherm"]);
    assert!(!format!("{logon:?}").contains(SECRET));
}

#[test]
fn a_descriptor_and_an_alias_lead_there() {
    let server = start(Script::default());
    let descriptor = format!(
        "(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=127.0.0.1)(PORT={}))(CONNECT_DATA=(SID=x)))",
        server.port()
    );
    connector(&format!("oracle://demo@{descriptor}")).connect().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("tnsnames.ora");
    std::fs::write(&file, format!("PROD =\n  {descriptor}\n")).unwrap();
    let option = format!("?tns_admin={}", directory.path().display());
    connector(&format!("oracle://demo@PROD{option}")).connect().unwrap();
    assert!(server.logons()[1].descriptor.contains("(SID=x)"));
    let error = failure(&mut connector(&format!("oracle://demo@TEST{option}")));
    assert_refused(&error, &["no alias 'TEST' in", "tnsnames.ora", "?tns_admin="]);
    let error = failure(&mut connector("oracle://demo@TEST?tns_admin=/nonexistent"));
    assert_parts(&error, &["No such file", "tnsnames.ora is looked for"]);
}

#[test]
fn errors_of_statements_leave_the_session_usable() {
    let script = Script::default()
        .on("micro", Answer::no_such_view())
        .on("killed", Answer::Error(28, "your session has been killed".into()))
        .on("histogram", Answer::lines(["H|1||ms|1:5|e"]));
    let server = start(script);
    let mut session = to(&server).connect().unwrap();
    match lines(&mut *session, "select x from v$event_histogram_micro", 9) {
        Err(SessionError::Sql { code: 942, message }) => {
            assert_eq!(message, "ORA-00942: table or view does not exist");
        }
        other => panic!("{other:?}"),
    }
    let milli = lines(&mut *session, "select x from v$event_histogram", 9).unwrap();
    assert_eq!(milli, ["H|1||ms|1:5|e"]);
    let error = lines(&mut *session, "select x from killed", 9).unwrap_err();
    assert_lost(&error, &["ORA-00028"]);
}

#[test]
fn counters_rise_appear_and_start_again_as_the_script_says() {
    let polls = [
        vec!["I|1|2026-11-21T09:00:00Z|19|a", "H|1||us|1:5|e", "H|2||us|1:1|e"],
        vec!["I|1|2026-11-21T09:00:00Z|19|a", "H|1||us|1:7,2:1|e", "H|2||us|4294967295:2|e"],
        vec!["I|1|2026-11-21T10:00:00Z|19|a", "H|1||us|1:1|e", "H|2||us|4294967295:2|e"],
    ];
    let answers = polls.clone().map(Answer::lines);
    let server = start(Script::default().on_each("histogram", answers));
    let mut session = to(&server).connect().unwrap();
    for poll in polls {
        assert_eq!(lines(&mut *session, "select x from v$event_histogram_micro", 9).unwrap(), poll);
    }
    assert_eq!(server.round_trips(), 3);
}

#[test]
fn a_query_that_takes_too_long_is_broken_off() {
    let slow = Answer::lines(["late"]).after(Duration::from_mins(1));
    let server = start(Script::default().on("slow", slow).on("dual", Answer::lines(["1"])));
    let mut session = impatient(&server).connect().unwrap();
    match lines(&mut *session, "select 1 from slow", 1) {
        Err(SessionError::Sql { code: 1013, message }) => {
            assert_eq!(message, "no answer within 500ms: the query was broken off");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(lines(&mut *session, "select 1 from dual", 1).unwrap(), ["1"]);
}

#[test]
fn a_server_that_dies_during_a_query_is_given_up_and_does_not_hold_us_up() {
    let server = start(Script::default().on("dual", Answer::Silence));
    let mut session = impatient(&server).connect().unwrap();
    let error = lines(&mut *session, "select 1 from dual", 1).unwrap_err();
    assert_lost(&error, &["no answer within 500ms, nor to a break"]);
    let error = lines(&mut *session, "select 1 from dual", 1).unwrap_err();
    assert_lost(&error, &[]);
    // Whoever waits for this server waits for ever.
    let _watch = bounded::watchdog("the end of a session whose server died");
    drop(session);
}

#[test]
fn a_broken_connection_is_lost_and_can_be_made_again() {
    let script = Script::default()
        .greet([Greeting::Welcome, Greeting::Refuse(12514), Greeting::Welcome])
        .on("dual", Answer::lines(["1"]))
        .on("dies", Answer::Hangup);
    let server = start(script);
    let mut connector = to(&server);
    let mut session = connector.connect().unwrap();
    assert_lost(&lines(&mut *session, "select 1 from dies", 1).unwrap_err(), &["closed"]);
    // The instance is on its way up: its service is not registered yet.
    assert_lost(&failure(&mut connector), &["'FAKE'", "ORA-12514"]);
    let mut session = connector.connect().unwrap();
    assert_eq!(lines(&mut *session, "select 1 from dual", 1).unwrap(), ["1"]);
    server.break_connections();
    assert_lost(&lines(&mut *session, "select 1 from dual", 1).unwrap_err(), &[]);
}

#[test]
fn refusals_of_the_listener_say_what_to_look_at() {
    let refusals = [
        (12514, false, ["no service 'FAKE'", "lsnrctl status"]),
        (12505, false, ["no SID", "lsnrctl status"]),
        (12519, true, ["ORA-12519", "PROCESSES"]),
        (12528, true, ["ORA-12528", "starting"]),
        (12529, false, ["ORA-12529", "filtered"]),
    ];
    // At the same time, for the driver sleeps a second after each.
    std::thread::scope(|scope| {
        for (number, lost, parts) in refusals {
            scope.spawn(move || {
                let server = greeting(Greeting::Refuse(number));
                let error = failure(&mut to(&server));
                let assert = if lost { assert_lost } else { assert_refused };
                assert(&error, &parts);
                assert_parts(&error, &[&format!("127.0.0.1:{}", server.port())]);
            });
        }
    });
}

#[test]
fn refusals_of_the_server_say_what_to_do() {
    for (number, lost, parts) in [
        (1017, false, ["ORA-01017", "ALTER USER demo IDENTIFIED BY"]),
        (28000, false, ["ORA-28000", "ALTER USER demo ACCOUNT UNLOCK"]),
        (28001, false, ["ORA-28001", "SQL*Plus"]),
        (28009, false, ["ORA-28009", "?as=sysdba"]),
        (1045, false, ["ORA-01045", "GRANT CREATE SESSION TO demo"]),
        (1031, false, ["ORA-01031", "password file"]),
        (1033, true, ["ORA-01033", "initialization"]),
        (1034, true, ["ORA-01034", ""]),
    ] {
        let server = greeting(Greeting::RefuseLogon(number));
        let error = failure(&mut to(&server));
        let assert = if lost { assert_lost } else { assert_refused };
        assert(&error, &parts);
    }
}

#[test]
fn panics_of_the_driver_become_advice() {
    for (greeting_of, parts) in [
        (Greeting::EncryptionRequired, ["native network encryption", "ENCRYPTION_SERVER=ACCEPTED"]),
        (Greeting::OldVerifier, ["verifier of version 12C", "ALTER USER demo IDENTIFIED BY"]),
        (Greeting::Malformed, ["no Oracle listener", ".rs:"]),
    ] {
        let error = failure(&mut to(&greeting(greeting_of)));
        assert_refused(&error, &parts);
        assert!(!error.to_string().contains("/src/"), "{error}");
    }
}

#[test]
fn an_old_server_is_left_to_sqlplus() {
    let error = failure(&mut to(&greeting(Greeting::OldProtocol)));
    assert_refused(&error, &["older than 12.1", "sqlplus:"]);
}

#[test]
fn a_damaged_answer_to_a_query_ends_the_connection_and_nothing_else() {
    let server = start(Script::default().on("dual", Answer::Garbage));
    let mut connector = to(&server);
    for _ in 0..2 {
        let mut session = connector.connect().unwrap();
        let error = lines(&mut *session, "select 1 from dual", 1).unwrap_err();
        assert_lost(&error, &["the driver failed on what the server answered (packet.rs:"]);
    }
}

#[test]
fn what_never_answers_is_waited_for_only_so_long() {
    for silent in [Greeting::Silence, Greeting::SilenceAtLogon, Greeting::Stranger] {
        let server = greeting(silent);
        let address = format!("oracle://demo@127.0.0.1:{}/FAKE", server.port());
        let mut connector = connector(&format!("{address}?connect_timeout=100ms"));
        assert_lost(&failure(&mut connector), &["not connected within 100ms", "right port?"]);
    }
}

#[test]
fn attempts_that_hang_are_counted_and_end_with_the_server() {
    let server = greeting(Greeting::Silence);
    let address = format!("oracle://demo@127.0.0.1:{}/FAKE?connect_timeout=10ms", server.port());
    let mut connector = connector(&address);
    for _ in 0..MOST_THREADS {
        assert_lost(&failure(&mut connector), &["not connected"]);
    }
    assert_lost(&failure(&mut connector), &["8 earlier attempts still hang"]);
    drop(server);
    bounded::until("threads to end", || {
        (connector.threads.load(Ordering::Acquire) == 0).then_some(())
    });
}

#[test]
fn nobody_there_is_said_with_the_address() {
    // The port of a client: nobody listens there, and nobody else can while it is connected.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = bounded::connect(listener.local_addr().unwrap()).unwrap();
    let free = client.local_addr().unwrap().port();
    let error = failure(&mut connector(&format!("oracle://demo@127.0.0.1:{free}/FAKE")));
    assert_lost(&error, &["Connection refused", "lsnrctl status", &free.to_string()]);
    let error = failure(&mut connector("oracle://demo@no..where:1521/FAKE"));
    assert_lost(&error, &["no..where:1521", "not known here"]);
    let error = failure(&mut to(&greeting(Greeting::Hangup)));
    assert_lost(&error, &[]);
}

#[test]
fn tls_to_a_port_without_it_is_explained() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let mut stream = bounded::accept(&listener).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        let _ = stream.read(&mut [0; 1024]);
    });
    let error = failure(&mut connector(&format!("oracle+tcps://demo@127.0.0.1:{port}/FAKE")));
    bounded::join(server);
    assert_refused(&error, &["TLS", "does not speak TLS"]);
}

#[test]
fn a_wallet_that_is_not_there_is_named() {
    let server = greeting(Greeting::Silence);
    let address = format!("oracle+tcps://demo@127.0.0.1:{}/F?wallet=/nonexistent", server.port());
    assert_refused(&failure(&mut connector(&address)), &["/nonexistent/ewallet.pem"]);
}

#[test]
fn an_empty_password_is_not_tried() {
    let server = start(Script::default());
    let mut connector = to(&server);
    connector.logon.password = Secret::new(String::new());
    let error = connector.connect().map(drop).unwrap_err();
    assert_refused(&error, &["the password is empty"]);
    assert_eq!(server.connections(), 0);
}

#[test]
fn the_password_comes_from_a_file_that_the_user_is_warned_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = start(Script::default().on("dual", Answer::lines(["1"])));
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{SECRET}").unwrap();
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    let path = file.path().display();
    let rest = format!("//demo@127.0.0.1:{}/FAKE?password_file={path}", server.port());
    let address = OracleAddress::read("oracle", &rest).unwrap();
    let mut warnings = Vec::new();
    let warn = &mut |warning| warnings.push(warning);
    let mut connector = crate::oracle::connect_thin(&address, Nanos::SECOND, warn).unwrap();
    let mut session = connector.connect().unwrap();
    assert_eq!(lines(&mut *session, "select 1 from dual", 1).unwrap(), ["1"]);
    assert_eq!(connector.name(), format!("demo@127.0.0.1:{}/FAKE", server.port()));
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("chmod 600"), "{warnings:?}");
}
