//! SQL*Plus as we drive it, played by `tests/fake/sqlplus`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;
use isotherm_oracle::client::Secret;
use testing::bounded;

/// A SQL*Plus of its own for a test.
pub(crate) struct Fake {
    room: tempfile::TempDir,
}

const PATIENCE: Duration = Duration::from_mins(1);

impl Fake {
    /// `answers` is read by the fake: see there.
    pub(crate) fn new(answers: &str) -> Fake {
        let room = tempfile::tempdir().expect("a directory");
        let path = |name: &str| room.path().join(name).display().to_string();
        std::fs::write(path("answers"), answers).expect("written");
        let fake = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/sqlplus");
        let script = format!(
            "#!/bin/sh\nFAKE_ANSWERS='{}' FAKE_LOG='{}' exec bash '{fake}' \"$@\"\n",
            path("answers"),
            path("log"),
        );
        let program = room.path().join("sqlplus");
        std::fs::write(&program, script).expect("written");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("runnable");
        Fake { room }
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.room.path().join("sqlplus")
    }

    /// The arguments and every line the fake has read.
    fn log(&self) -> String {
        std::fs::read_to_string(self.room.path().join("log")).unwrap_or_default()
    }

    fn connecting(&self) -> SqlPlusConnect {
        self.as_user(Logon::new("/ as sysdba", None), PATIENCE)
    }

    fn as_user(&self, logon: Logon, patience: Duration) -> SqlPlusConnect {
        SqlPlusConnect::with(&self.program(), logon, patience, Stopped::default())
    }

    fn session(&self) -> Box<dyn Session> {
        self.connecting().connect().unwrap_or_else(|error| panic!("{error}\n{}", self.log()))
    }
}

fn ask(session: &mut dyn Session, sql: &str) -> Result<Vec<String>, SessionError> {
    let mut rows = Vec::new();
    session.lines(sql, 10, &mut |row| rows.push(row.to_owned())).map(|()| rows)
}

const ROWS: &str = r#"answer() {
    case $1 in
        *missing*) ora "ORA-00942: table or view does not exist" ;;
        *decimal*) echo "S|1||5|$(number 1.5)|x" ;;
        *ampersand*) echo "H|1||us|1:2|a&b" ;;
        *) printf 'T|%s\nrow two\n\nrow four\n' $counted ;;
    esac
}
"#;

#[test]
fn rows_come_in_order_and_each_answer_belongs_to_its_question() {
    let fake = Fake::new(ROWS);
    let mut session = fake.session();
    let first = ask(&mut *session, "select a from t").unwrap();
    let second = ask(&mut *session, "with x as (select 1 from t)\nselect a from x").unwrap();
    assert_eq!(first.len(), 4);
    assert_eq!(first[1..], ["row two", "", "row four"]);
    assert_eq!(second[1..], first[1..]);
    assert_ne!(first[0], second[0]);
}

#[test]
fn a_failed_statement_is_an_error_and_the_connection_goes_on() {
    let fake = Fake::new(ROWS);
    let mut session = fake.session();
    let mut rows = 0;
    let error = session.lines("select a from missing", 1, &mut |_| rows += 1).unwrap_err();
    let SessionError::Sql { code, message } = error else { panic!("{error}") };
    assert_eq!((code, rows), (942, 0));
    assert!(message.contains("table or view does not exist"), "{message}");
    assert_eq!(ask(&mut *session, "select a from t").unwrap().len(), 4);
}

#[test]
fn numbers_and_ampersands_come_as_they_are_whatever_the_site_has_set() {
    let fake = Fake::new(&format!(
        "{ROWS}\nglogin() {{ echo 'Welcome!'; echo 'SP2-0640: Not connected'; feedback=on; \
         heading=on; define=on; numeric=', '; }}"
    ));
    let mut session = fake.session();
    assert_eq!(ask(&mut *session, "select decimal from t").unwrap(), ["S|1||5|1.5|x"]);
    let sql = "select ampersand from t where event = 'a&b'";
    assert_eq!(ask(&mut *session, sql).unwrap(), ["H|1||us|1:2|a&b"]);
}

#[test]
fn a_long_list_of_events_is_not_refused_as_too_long_a_line() {
    let fake = Fake::new("answer() { echo \"${#1}\"; }");
    let names: Vec<String> =
        (0..300).map(|n| format!("'an event with quite a name {n}'")).collect();
    let sql = format!("select a from t where event in ({})", names.join(", "));
    assert!(sql.len() > 2 * 2_499);
    assert_eq!(ask(&mut *fake.session(), &sql).unwrap(), [sql.len().to_string()]);
}

#[test]
fn the_password_is_given_and_appears_nowhere_else() {
    let refuse = "on_connect() { [ \"$1\" = 'scott/\"t!g & r\"@db1' ] && return 0; \
                  printf 'ERROR:\\nORA-01017: invalid username/password; logon denied\\n\\n\\n'; \
                  return 1; }";
    let logon = |password: &str| Logon::new("scott@db1", Some(Secret::new(password.into())));
    let fake = Fake::new(refuse);
    let mut good = fake.as_user(logon("t!g & r"), PATIENCE);
    assert!(good.connect().is_ok(), "{}", fake.log());
    assert_eq!(good.name(), "SQL*Plus scott@db1");
    let arguments = fake.log().lines().next().map(str::to_owned);
    assert_eq!(arguments.as_deref(), Some("arguments: -S -L /nolog"));
    let error = fake.as_user(logon("wrong"), PATIENCE).connect().err().expect("refused");
    assert!(matches!(error, SessionError::Refused(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("ORA-01017") && text.contains("scott@db1"), "{text}");
    assert!(!text.contains("wrong"), "{text}");
}

#[test]
fn a_warning_while_connecting_is_no_failure() {
    let warn = "on_connect() { printf 'ERROR:\\nORA-28002: the password will expire within 7 \
                days\\n\\n\\n'; return 0; }";
    assert!(Fake::new(warn).connecting().connect().is_ok());
}

#[test]
fn an_instance_that_is_down_is_tried_again_and_a_missing_one_is_not() {
    let fails = |text: &str| {
        let answers = format!("on_connect() {{ printf 'ERROR:\\n{text}\\n\\n\\n'; return 1; }}");
        Fake::new(&answers).connecting().connect().err().expect("no connection")
    };
    let down = fails("ORA-12541: TNS:no listener");
    assert!(matches!(down, SessionError::Lost(_)), "{down}");
    let unset = fails("ORA-12162: TNS:net service name is incorrectly specified");
    assert!(matches!(unset, SessionError::Refused(_)), "{unset}");
    assert!(unset.to_string().contains("ORACLE_SID"), "{unset}");
}

#[test]
fn a_program_that_cannot_start_says_its_last_words() {
    let dies =
        "before_start() { echo 'libsqlplus.so: cannot open shared object file' >&2; exit 127; }";
    let error = Fake::new(dies).connecting().connect().err().expect("dead");
    assert!(matches!(error, SessionError::Refused(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("libsqlplus.so") && text.contains("127"), "{text}");
}

#[test]
fn a_program_that_dies_in_a_statement_has_lost_the_connection() {
    let fake = Fake::new(
        "answer() { echo 'T|1'; printf 'ERROR:\\nORA-03113: end-of-file on communication \
         channel\\n'; kill -9 $$; }",
    );
    let mut session = fake.session();
    let error = ask(&mut *session, "select a from t").unwrap_err();
    assert!(matches!(error, SessionError::Lost(_)), "{error}");
    assert!(error.to_string().contains("ORA-03113"), "{error}");
    let again = ask(&mut *session, "select a from t").unwrap_err();
    assert!(matches!(again, SessionError::Lost(_)), "{again}");
}

#[test]
fn silence_is_not_waited_for_and_the_whole_group_is_ended() {
    let fake = Fake::new("answer() { sleep 3600 & echo $! >\"${FAKE_LOG}.child\"; wait; }");
    // Connecting, and starting the child, must be possible in this time.
    let mut connect = fake.as_user(Logon::new("/", None), Duration::from_secs(2));
    let mut session = connect.connect().expect("connected");
    let error = ask(&mut *session, "select a from t").unwrap_err();
    assert!(matches!(error, SessionError::Lost(_)), "{error}");
    assert!(error.to_string().contains("no answer"), "{error}");
    let child = std::fs::read_to_string(fake.room.path().join("log.child")).expect("it ran");
    let program = Path::new("/proc").join(child.trim()).join("exe");
    bounded::until("the child's end", || (!program.exists()).then_some(()));
}

#[test]
fn a_wait_ends_when_nobody_wants_the_answer() {
    let fake = Fake::new("answer() { sleep 3600; }");
    let stopped = Stopped::default();
    let logon = Logon::new("/", None);
    let mut connect = SqlPlusConnect::with(&fake.program(), logon, PATIENCE, stopped.clone());
    let mut session = connect.connect().expect("connected");
    stopped.set();
    let error = ask(&mut *session, "select a from t").unwrap_err();
    assert!(error.to_string().contains("stopped"), "{error}");
}
