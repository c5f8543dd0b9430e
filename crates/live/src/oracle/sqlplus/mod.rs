//! SQL*Plus as a connection: where only it is allowed, and for what the thin driver cannot do,
//! authentication by the operating system above all.

pub(crate) mod answer;
mod error;
pub(crate) mod logon;
mod pipes;
mod script;
mod statement;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::environment;
use crate::feed::{OpenError, Stopped, command, find_program};

use isotherm_frame::Nanos;

use crate::password;

use super::{Connect, OracleAddress, PASSWORD_VARIABLE, Session, SessionError};
use answer::{Answer, SqlPlusError};
use pipes::{Pipes, Silence};

pub(crate) use logon::Logon;
pub use script::{ScriptAsks, ScriptError, ScriptRepeats, ScriptSleep, SqlPlusScript};
pub(super) use script::{chosen, span};
use statement::statement;

/// Starts SQL*Plus and connects.
pub(crate) struct SqlPlusConnect {
    program: PathBuf,
    logon: Logon,
    name: String,
    /// How long a statement may go without printing a line.
    patience: Duration,
    /// The directory of tnsnames.ora, if it is not the client's own.
    tns_admin: Option<PathBuf>,
    /// Ends every wait.
    stopped: Stopped,
}

/// What is set before and after connecting: logging on runs the site's own scripts, which may set
/// anything.
const SETTINGS: &str = "\
set echo off
set define off
set termout on
set feedback off
set verify off
set heading off
set pagesize 0
set linesize 32767
set long 4000
set trimout on
set trimspool on
set tab off
set wrap on
set recsep off
set newpage none
set null ''
set timing off
set time off
set sqlprompt ''
set sqlnumber off
set sqlblanklines on
set sqlterminator ';'
set serveroutput off
set autotrace off
set arraysize 500
set numwidth 40
set flush on
whenever sqlerror continue none
whenever oserror continue none
";

/// Texts that do not depend on where the user lives.
const SESSION: &str = "\
alter session set nls_numeric_characters = '.,';
alter session set nls_date_format = 'YYYY-MM-DD\"T\"HH24:MI:SS';
alter session set nls_timestamp_format = 'YYYY-MM-DD\"T\"HH24:MI:SS.FF6';
alter session set nls_timestamp_tz_format = 'YYYY-MM-DD\"T\"HH24:MI:SS.FF6TZH:TZM';
";

/// The answer of a good connection. Put together by the server, so that an echo is not taken for
/// it.
const CONNECTED: &str = "isotherm connected";
const ASK_CONNECTED: &str = "select 'isotherm '||'connected' from dual;\n";

/// Prepares to connect by SQL*Plus, found in the search path or in `$ORACLE_HOME/bin`, for
/// statements every `interval`. `who` is what stands after CONNECT, without a password.
pub(crate) fn connection(
    address: &OracleAddress,
    who: &str,
    (interval, stopped): (Nanos, &Stopped),
    warn: &mut dyn FnMut(String),
) -> Result<Box<dyn Connect>, OpenError> {
    let program = find().ok_or_else(|| OpenError::ProgramMissing {
        needed_by: address.to_string(),
        program: "sqlplus".into(),
        install: "on a database server run oraenv first, which puts $ORACLE_HOME/bin into PATH; \
                  elsewhere install Oracle Instant Client with its SQL*Plus package, or use \
                  oracle://, which needs no client",
    })?;
    let mut password = None;
    if Logon::needs_password(who) {
        let file = address.options.password_file.as_deref();
        let found = password::find(&address.target(), file, PASSWORD_VARIABLE)?;
        found.warning.into_iter().for_each(warn);
        password = Some(found.secret);
    }
    let patience = SqlPlusConnect::LEAST.max(Duration::from_nanos(interval.as_nanos()) * 2);
    let logon = Logon::new(who, password);
    let mut connect = SqlPlusConnect::with(&program, logon, patience, stopped.clone());
    connect.tns_admin.clone_from(&address.options.tns_admin);
    Ok(Box::new(connect))
}

/// Where SQL*Plus is.
fn find() -> Option<PathBuf> {
    let home = std::env::var_os("ORACLE_HOME").map(PathBuf::from);
    let at_home = home.map(|home| home.join("bin/sqlplus")).filter(|path| path.is_file());
    find_program("sqlplus").or(at_home)
}

impl SqlPlusConnect {
    /// How long a statement may at least go without printing a line.
    const LEAST: Duration = Duration::from_secs(10);
    /// How long logging on may take.
    const LOGON: Duration = Duration::from_mins(1);

    /// SQL*Plus at a known place.
    fn with(program: &Path, logon: Logon, patience: Duration, stopped: Stopped) -> SqlPlusConnect {
        let name = format!("SQL*Plus {logon}");
        let (program, tns_admin) = (program.to_owned(), None);
        SqlPlusConnect { program, logon, name, patience, tns_admin, stopped }
    }

    fn start(&self) -> Result<SqlPlusSession, SessionError> {
        let mut command = command(&self.program);
        // It is told the password on its standard input.
        environment::without_secrets(&mut command);
        command.args(["-S", "-L", "/nolog"]).env("NLS_LANG", "AMERICAN_AMERICA.AL32UTF8");
        command.envs(self.tns_admin.as_ref().map(|directory| ("TNS_ADMIN", directory)));
        let pipes = Pipes::open(&mut command).map_err(|error| {
            SessionError::Refused(format!("cannot start '{}': {error}", self.program.display()))
        })?;
        Ok(SqlPlusSession {
            pipes,
            name: self.name.clone(),
            asked: 0,
            patience: SqlPlusConnect::LOGON,
            stopped: self.stopped.clone(),
        })
    }
}

impl Connect for SqlPlusConnect {
    fn connect(&mut self) -> Result<Box<dyn Session>, SessionError> {
        let logon = self.logon.command()?;
        let mut session = self.start()?;
        let (mut connected, mut answer) = (false, Answer::default());
        let noise = session.until_marker(SETTINGS, &mut |_| {});
        let answered = noise.and_then(|()| {
            let ask = format!("{logon}{SETTINGS}{SESSION}{ASK_CONNECTED}");
            session.until_marker(&ask, &mut |line| {
                connected |= line == CONNECTED;
                answer.take(line, &mut |_| {});
            })
        });
        let failure = answer.finish(&mut |_| {});
        match answered {
            // A warning, such as that of a password that will expire, is no failure.
            Ok(()) if connected => {}
            Ok(()) => {
                return Err(error::connecting(&failure.unwrap_or_else(unexplained), &self.name));
            }
            // What ends before it ever answers will do so again.
            Err(Gone::Ended(how)) => {
                return Err(SessionError::Refused(ended(&self.name, &how, failure.as_ref())));
            }
            Err(gone) => return Err(gone.lost(&self.name, None)),
        }
        session.patience = self.patience;
        Ok(Box::new(session))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

fn unexplained() -> SqlPlusError {
    let message = "SQL*Plus did not connect and did not say why".into();
    SqlPlusError { facility: String::new(), code: 0, message }
}

/// A SQL*Plus that is connected.
struct SqlPlusSession {
    pipes: Pipes,
    name: String,
    asked: u64,
    patience: Duration,
    stopped: Stopped,
}

/// Why there was no answer.
enum Gone {
    Slow(Duration),
    Ended(String),
    Stopped,
}

impl Gone {
    fn lost(self, name: &str, failure: Option<&SqlPlusError>) -> SessionError {
        SessionError::Lost(match self {
            Gone::Slow(waited) => {
                format!("{name}: no answer within {} s; SQL*Plus was ended", waited.as_secs())
            }
            Gone::Ended(how) => ended(name, &how, failure),
            Gone::Stopped => format!("{name}: stopped"),
        })
    }
}

/// How the program ended, and what it had begun to complain of.
fn ended(name: &str, how: &str, failure: Option<&SqlPlusError>) -> String {
    let complaint = failure.map(|failure| format!(": {}", failure.message)).unwrap_or_default();
    format!("{name} ended with {how}{complaint}")
}

impl SqlPlusSession {
    /// Tells SQL*Plus a text and hands on the lines it prints until it has done all of it.
    fn until_marker(&mut self, text: &str, take: &mut dyn FnMut(&str)) -> Result<(), Gone> {
        self.asked += 1;
        let marker = format!("isotherm-answered-{}-{}", std::process::id(), self.asked);
        self.pipes.tell(format!("{text}prompt {marker}\n"));
        loop {
            match self.pipes.line(self.patience, &self.stopped) {
                Ok(line) if line.trim_end() == marker => return Ok(()),
                Ok(line) => take(&line),
                Err(Silence::Slow) => {
                    self.pipes.end();
                    return Err(Gone::Slow(self.patience));
                }
                Err(Silence::Ended) => return Err(Gone::Ended(self.pipes.end())),
                Err(Silence::Stopped) => return Err(Gone::Stopped),
            }
        }
    }
}

impl Session for SqlPlusSession {
    fn lines(
        &mut self,
        sql: &str,
        _rows: u32,
        line: &mut dyn FnMut(&str),
    ) -> Result<(), SessionError> {
        let mut answer = Answer::default();
        let answered = self.until_marker(&statement(sql), &mut |text| answer.take(text, line));
        let failure = answer.finish(line);
        match (answered, failure) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(failure)) => Err(error::asking(failure, &self.name)),
            (Err(gone), failure) => Err(gone.lost(&self.name, failure.as_ref())),
        }
    }
}

#[cfg(test)]
mod tests;
