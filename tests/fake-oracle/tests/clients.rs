//! Drivers of others against the fake server: what they reject is a fault of the server.
//!
//! Each is passed over where it is not installed; `./test` says how it is.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails may panic")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fake_oracle::{Answer, Column, FakeOracle, Greeting, Moment, Script, Value};
use testing::bounded;

/// The password of every server here.
const PASSWORD: &str = "Tiger_2024 ü";
/// How many rows the long answer has.
const ROWS: u64 = 2500;

/// What the clients ask for, and which values they have to find is written down in them again.
fn script(greeting: Greeting) -> Script {
    let long = (0..ROWS).map(|row| vec![Value::Number(row), Value::Text(format!("row {row}"))]);
    let long = Answer::Rows(vec![Column::Number("N"), Column::Text("T")], long.collect());
    let slow = Answer::lines(["late"]).after(Duration::from_mins(1));
    let bad = Answer::Error(904, "\"NOPE\": invalid identifier".to_owned());
    Script::default()
        .greet([greeting])
        .password(PASSWORD)
        .on("every_type", every_type())
        .on("many_rows", long)
        .on("slow_one", slow)
        .on("nope", bad)
        .on("update t", Answer::Done(7))
        .on("alter session", Answer::Done(0))
        // What go-ora asks on connecting.
        .on("nls_session_parameters", Answer::Done(0))
        .on("from dual", Answer::Rows(vec![Column::Number("ONE")], vec![vec![Value::Number(1)]]))
}

fn every_type() -> Answer {
    let columns = vec![
        Column::Number("A_NUMBER"),
        Column::Text("A_TEXT"),
        Column::Char("A_CHAR"),
        Column::Date("A_DATE"),
        Column::Timestamp("A_TIMESTAMP"),
        Column::ZonedTimestamp("A_ZONED"),
        Column::Raw("A_RAW"),
        Column::Double("A_DOUBLE"),
    ];
    let moment = Moment { year: 2024, month: 2, day: 29, ..Moment::default() };
    let moment = Moment { hour: 23, minute: 59, second: 58, ..moment };
    let exact = Moment { nanosecond: 123_456_000, ..moment };
    let row = |number: Vec<u8>, text: &str, double: f64| {
        vec![
            Value::NumberBytes(number),
            Value::Text(text.to_owned()),
            Value::Text("ab  ".to_owned()),
            Value::Moment(moment),
            Value::Moment(exact),
            Value::Moment(exact),
            Value::Raw(vec![0, 1, 254, 255]),
            Value::Double(double),
        ]
    };
    let rows = vec![
        // dump(-123.45), dump(12345678.9) and dump(0.001)
        row(vec![61, 100, 78, 56, 102], "plain", 1.5),
        row(vec![196, 13, 35, 57, 79, 91], "Gr\u{fc}\u{df}e \u{20ac}", -2.25),
        row(vec![191, 11], &"x".repeat(4000), 0.0),
        vec![Value::Null; 8],
    ];
    Answer::Rows(columns, rows)
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where `./test` installs what the clients need.
fn installed(path: &str) -> Option<PathBuf> {
    let installed = here().join("../../target/clients").join(path);
    installed.exists().then_some(installed)
}

/// Runs a client against a server of each kind of verifier; it is given the port and a name of what
/// to expect.
fn hold(mut client: impl FnMut() -> Command) {
    for greeting in [Greeting::Welcome, Greeting::OldVerifier] {
        let server = FakeOracle::start(script(greeting)).unwrap();
        let mut command = client();
        command.arg(server.port().to_string()).arg(PASSWORD);
        let output = bounded::output(&mut command);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        let printed = format!("{printed}\nasked: {:?}", server.statements());
        assert!(output.status.success(), "{greeting:?}:\n{printed}");
        assert!(printed.contains(": all checks passed\n"), "{greeting:?}:\n{printed}");
    }
}

/// A command that runs one of the programs in `clients`.
fn program(command: impl AsRef<std::ffi::OsStr>, name: &str) -> Command {
    let mut command = Command::new(command);
    command.arg(here().join("clients").join(name));
    command
}

#[test]
fn python_oracledb() {
    let Some(python) = installed("python/bin/python") else {
        eprintln!("passed over: python-oracledb is not installed (./test does it)");
        return;
    };
    hold(|| program(&python, "python_oracledb.py"));
}

/// The program for people to point a client at, with a client that wants the password to be proven.
#[test]
fn python_oracledb_looks_at_the_demo() {
    let Some(python) = installed("python/bin/python") else {
        eprintln!("passed over: python-oracledb is not installed (./test does it)");
        return;
    };
    let mut demo = Command::new(env!("CARGO_BIN_EXE_fake-oracle"));
    demo.args(["--port", "0", "--password", PASSWORD]).stdout(Stdio::piped());
    let mut demo = bounded::spawn(&mut demo);
    let mut line = String::new();
    BufReader::new(demo.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.split_once("127.0.0.1:").unwrap().1.split_once('/').unwrap().0;
    let look = "import sys, oracledb\n\
        dsn = f'127.0.0.1:{sys.argv[1]}/FAKE'\n\
        try: oracledb.connect(user='demo', password='x', dsn=dsn)\n\
        except oracledb.Error as error: print(error.args[0].full_code)\n\
        cursor = oracledb.connect(user='demo', password=sys.argv[2], dsn=dsn).cursor()\n\
        print(cursor.execute(\"select 'V|' from v$session\").fetchmany(1)[0][0][:2])\n";
    let output = bounded::output(Command::new(python).args(["-c", look, port, PASSWORD]));
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "ORA-01017\nV|\n");
}

#[test]
fn node_oracledb() {
    let Some(modules) = installed("node/node_modules/oracledb") else {
        eprintln!("passed over: node-oracledb is not installed (./test does it)");
        return;
    };
    hold(|| {
        let mut command = program("node", "node_oracledb.js");
        command.env("ORACLEDB", &modules).env("TZ", "UTC");
        command
    });
}

#[test]
fn go_ora() {
    let Some(client) = installed("go/client") else {
        eprintln!("passed over: go-ora is not installed (./test does it)");
        return;
    };
    hold(|| Command::new(&client));
}

#[test]
fn ojdbc() {
    let Some(driver) = installed("java/ojdbc11.jar") else {
        eprintln!("passed over: Oracle's JDBC driver is not installed (./test does it)");
        return;
    };
    hold(|| {
        let mut command = Command::new("java");
        command.args(["-Duser.timezone=UTC", "-cp"]).arg(&driver);
        command.arg(here().join("clients/Ojdbc.java"));
        command
    });
}
