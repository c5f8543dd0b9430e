//! Active sessions of one Oracle instance, from `V$SESSION`: nothing of it needs a licence.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use isotherm_frame::{ActiveSession, NameKind, Nanos, ON_CPU, SessionName, SessionSample};

use super::look::{Look, LookError, Rate, statement_text};
use crate::feed::{OpenError, Stopped, printable};
use crate::oracle::{
    Answer, Connect, OracleAddress, OracleOptions, Session, SessionError, connection, grants,
    user_of,
};
use crate::pace::SteadyClock;

pub(super) const RATE: Rate = Rate { usual_hz: 2, most_hz: 10 };

/// Rows that one round trip brings.
const ROWS: u32 = 500;
/// Statements that one question is about, and those with a text that was handed on.
const AT_ONCE: usize = 50;
const MOST_KNOWN: usize = 10_000;
/// How long it is until a blocker is asked again what it does.
const BLOCKERS_AFTER: Duration = Duration::from_secs(2);
/// ORA-00942: what exists may not be read, or does not exist.
const NO_SUCH_VIEW: u32 = 942;
/// ORA-01013: the statement was broken off, because it took too long.
const BROKEN_OFF: u32 = 1013;

/// What every session does that is active and does not idle. One that waits for nothing is on CPU,
/// whatever it waited for before. The final blocker is the head of the queue (11.2 and later). The program comes last: it is what a client calls itself.
const ACTIVE: &str = "SELECT line FROM (\n\
    SELECT 1 AS part, 'A|'||SYS_CONTEXT('USERENV', 'INSTANCE')||':'||sid||','||serial#||'|'||\
    CASE WHEN state = 'WAITING' THEN wait_class ELSE 'CPU' END||'|'||\
    CASE WHEN state = 'WAITING' THEN event ELSE 'CPU' END||'|'||sql_id||'|'||\
    CASE WHEN state = 'WAITING' AND final_blocking_session_status = 'VALID' THEN \
    final_blocking_instance||':'||final_blocking_session END||'|'||username||'|'||\
    REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
    FROM v$session\n\
    WHERE status = 'ACTIVE' AND sid <> SYS_CONTEXT('USERENV', 'SID') \
    AND (state <> 'WAITING' OR wait_class <> 'Idle')\n\
    UNION ALL\n\
    SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part";

/// Looks at an instance.
struct Instance {
    connect: Box<dyn Connect>,
    session: Option<Box<dyn Session>>,
    clock: SteadyClock,
    statements: HashSet<Arc<str>>,
    /// Blockers that were asked for, and when.
    blockers: (HashSet<Arc<str>>, Option<Instant>),
    /// Why there are no texts of statements.
    without_texts: bool,
    warning: Option<String>,
}

pub(super) fn looker(address: &OracleAddress, hz: u32) -> Result<Box<dyn Look>, OpenError> {
    if address.history {
        let text = "awr: is history: name the database itself, such as oracle://monitor@db1/SALES";
        return Err(OpenError::Option(text.into()));
    }
    if !is_plain(&address.options) {
        let text = "event=, inst=, sample= and the like are for isotherm live: leave them out here; \
                    the sessions of the instance connected to are shown";
        return Err(OpenError::Option(text.into()));
    }
    let mut warning = None;
    let interval = Nanos::new(1_000_000_000 / u64::from(hz.max(1)));
    let stopped = Stopped::default();
    let connect = connection(address, interval, &stopped, &mut |text| warning = Some(text))?;
    Ok(Box::new(Instance::new(connect, warning)))
}

/// Whether only how to get in is said.
fn is_plain(options: &OracleOptions) -> bool {
    let OracleOptions { connect_timeout, password_file, tns_admin, wallet, role, .. } = options;
    let way_in = OracleOptions {
        connect_timeout: *connect_timeout,
        password_file: password_file.clone(),
        tns_admin: tns_admin.clone(),
        wallet: wallet.clone(),
        role: *role,
        ..OracleOptions::default()
    };
    *options == way_in
}

impl Instance {
    pub(super) fn new(connect: Box<dyn Connect>, warning: Option<String>) -> Instance {
        Instance {
            connect,
            session: None,
            clock: SteadyClock::new(),
            statements: HashSet::new(),
            blockers: (HashSet::new(), None),
            without_texts: false,
            warning,
        }
    }

    fn ask(&mut self, sql: &str) -> Result<Answer, SessionError> {
        match &mut self.session {
            Some(session) => Answer::to(sql, ROWS, session.as_mut()),
            None => Err(SessionError::Lost("there is no connection".into())),
        }
    }

    fn failed(&self, error: SessionError) -> LookError {
        match error {
            SessionError::Lost(why) => LookError::Lost(why),
            SessionError::Sql { code: BROKEN_OFF, message } => LookError::Lost(message),
            SessionError::Sql { code: NO_SUCH_VIEW, .. } => {
                let name = self.connect.name();
                let grants = grants(&["v$session".to_owned()], user_of(name));
                let text = format!("{name} may not read V$SESSION; a DBA can allow it with");
                LookError::Refused(format!("{text}\n{grants}"))
            }
            SessionError::Refused(why) | SessionError::Sql { message: why, .. } => {
                LookError::Refused(why)
            }
        }
    }

    /// The texts of statements seen for the first time.
    fn name_statements(&mut self, sample: &mut SessionSample) -> Result<(), SessionError> {
        if self.statements.len() >= MOST_KNOWN {
            self.statements.clear();
        }
        let mut wanted: Vec<&Arc<str>> = sample.sessions.iter().map(|one| &one.sql).collect();
        wanted.retain(|id| is_sql_id(id) && !self.statements.contains(*id));
        wanted.sort_unstable();
        wanted.dedup();
        wanted.truncate(AT_ONCE);
        if wanted.is_empty() || self.without_texts {
            return Ok(());
        }
        let wanted: Vec<Arc<str>> = wanted.into_iter().cloned().collect();
        match self.ask(&texts(&wanted)) {
            Ok(answer) => {
                sample.names.extend(answer.text.lines().filter_map(statement));
                self.statements.extend(wanted);
                Ok(())
            }
            Err(SessionError::Sql { code: NO_SUCH_VIEW, .. }) => {
                self.without_texts = true;
                let grants = grants(&["v$sqlstats".to_owned()], user_of(self.connect.name()));
                let text =
                    "statements have no texts, which V$SQLSTATS has; a DBA can allow it with";
                self.warning = Some(format!("{text}\n{grants}"));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// What blockers do, which do not have to be active.
    fn name_blockers(&mut self, sample: &mut SessionSample) -> Result<(), SessionError> {
        let now = Instant::now();
        let (known, asked) = &mut self.blockers;
        if asked.is_none_or(|asked| now - asked >= BLOCKERS_AFTER) {
            known.clear();
            *asked = Some(now);
        }
        let mut wanted: Vec<Arc<str>> =
            sample.sessions.iter().map(|one| Arc::clone(&one.blocker)).collect();
        wanted.retain(|id| known.insert(Arc::clone(id)));
        let sids: Vec<u64> = wanted.iter().filter_map(|id| sid_of(id)).take(AT_ONCE).collect();
        if sids.is_empty() {
            return Ok(());
        }
        let answer = self.ask(&blockers(&sids))?;
        sample.names.extend(answer.text.lines().filter_map(blocker));
        Ok(())
    }
}

impl Look for Instance {
    fn connect(&mut self) -> Result<(), LookError> {
        self.session = None;
        let session = self.connect.connect().map_err(|error| self.failed(error))?;
        self.session = Some(session);
        Ok(())
    }

    fn look(&mut self) -> Result<SessionSample, LookError> {
        let answer = self.ask(ACTIVE).map_err(|error| self.failed(error))?;
        let sessions = sessions(&answer.text).map_err(LookError::Refused)?;
        let at = self.clock.read(answer.middle());
        let mut sample = SessionSample { at, sessions, ..SessionSample::default() };
        self.name_statements(&mut sample).map_err(|error| self.failed(error))?;
        self.name_blockers(&mut sample).map_err(|error| self.failed(error))?;
        sample.took_ns = u64::try_from(answer.asked.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Ok(sample)
    }

    fn warning(&mut self) -> Option<String> {
        self.warning.take()
    }
}

/// Whether it can stand in a statement.
fn is_sql_id(text: &str) -> bool {
    text.len() == 13 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The session number in `1:70`.
fn sid_of(blocker: &str) -> Option<u64> {
    blocker.split_once(':')?.1.parse().ok()
}

fn texts(ids: &[Arc<str>]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
    format!(
        "SELECT 'Q|'||sql_id||'|'||REPLACE(REPLACE(sql_text, CHR(10), ' '), CHR(13), ' ') AS line\n\
         FROM v$sqlstats\nWHERE sql_id IN ({})",
        ids.join(", ")
    )
}

fn blockers(sids: &[u64]) -> String {
    let sids: Vec<String> = sids.iter().map(u64::to_string).collect();
    format!(
        "SELECT 'B|'||SYS_CONTEXT('USERENV', 'INSTANCE')||':'||sid||'|'||username||'|'||\
         LOWER(status)||'|'||REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
         FROM v$session\nWHERE sid IN ({})",
        sids.join(", ")
    )
}

/// The sessions of an answer; an answer without its end, or with something else, is none.
fn sessions(text: &str) -> Result<Vec<ActiveSession>, String> {
    let mut found = Vec::new();
    for line in text.lines() {
        if line == "." {
            return Ok(found);
        }
        let unreadable =
            || format!("V$SESSION: not what was asked for: {}", printable(line.as_bytes(), 100));
        found.push(session(line).ok_or_else(unreadable)?);
    }
    Err("V$SESSION: the answer has no end".to_owned())
}

fn session(line: &str) -> Option<ActiveSession> {
    let mut fields = line.strip_prefix("A|")?.splitn(7, '|');
    let mut next =
        || fields.next().map(|field| -> Arc<str> { printable(field.as_bytes(), 200).into() });
    let (session, class, event) = (next()?, next()?, next()?);
    let (sql, blocker, user, program) = (next()?, next()?, next()?, next()?);
    let on_cpu = &*class == ON_CPU;
    let event = if on_cpu { ON_CPU.into() } else { event };
    Some(ActiveSession { session, class, event, sql, user, program, blocker })
}

fn statement(line: &str) -> Option<SessionName> {
    let (id, text) = line.strip_prefix("Q|")?.split_once('|')?;
    let text = statement_text(text.as_bytes());
    Some(SessionName { kind: NameKind::Sql, id: id.into(), text })
}

fn blocker(line: &str) -> Option<SessionName> {
    let mut fields = line.strip_prefix("B|")?.splitn(4, '|');
    let (id, user, status, program) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let words = [user, program, status].into_iter().filter(|word| !word.is_empty());
    let text = printable(words.collect::<Vec<_>>().join(", ").as_bytes(), 200).into();
    Some(SessionName { kind: NameKind::Blocker, id: id.into(), text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::scripted::{Reply, Scripted};

    const LOOK: &str = "\
A|1:70,5|Application|enq: TX - row lock contention|7h35uxf5uhmm1|1:81|APP|sqlplus@web1 (TNS V1-V3)
A|1:71,9|CPU|CPU|7h35uxf5uhmm1||APP|a|b
A|1:3,1|System I/O|log file parallel write||||oracle@db1 (LGWR)
.
";

    fn instance(look: &'static str) -> (Instance, Scripted) {
        let server = Scripted::new(move |sql| {
            let text = match sql {
                _ if sql.contains("'A|'") => look,
                _ if sql.contains("'Q|'") => "Q|7h35uxf5uhmm1|update t   set x = 1\n",
                _ => "B|1:81|APP|inactive|sqlplus@web2\n",
            };
            Reply::Lines(text.to_owned())
        });
        let mut instance = Instance::new(Box::new(server.clone()), None);
        assert!(instance.connect().is_ok());
        (instance, server)
    }

    #[test]
    fn sessions_statements_and_blockers_are_asked_for_once_each() {
        let (mut instance, server) = instance(LOOK);
        let Ok(first) = instance.look() else { panic!("refused") };
        assert_eq!(first.sessions.len(), 3);
        let blocked = &first.sessions[0];
        assert_eq!((&*blocked.blocker, &*blocked.class), ("1:81", "Application"));
        assert_eq!(&*first.sessions[1].program, "a|b", "what a client calls itself is data");
        assert_eq!((&*first.sessions[2].sql, &*first.sessions[2].user), ("", ""));
        let names: Vec<(NameKind, &str)> =
            first.names.iter().map(|name| (name.kind, &*name.text)).collect();
        let expected = [
            (NameKind::Sql, "update t set x = 1"),
            (NameKind::Blocker, "APP, sqlplus@web2, inactive"),
        ];
        assert_eq!(names, expected);
        let Ok(second) = instance.look() else { panic!("refused") };
        assert_eq!(second.names, []);
        let asked = server.asked.lock().unwrap().len();
        assert_eq!(asked, 4, "two looks, one statement, one blocker");
    }

    #[test]
    fn an_answer_that_is_cut_off_is_no_sample() {
        let cut = LOOK.strip_suffix(".\n").unwrap();
        let (mut instance, _) = instance(cut);
        assert!(matches!(instance.look(), Err(LookError::Refused(why)) if why.contains("no end")));
        assert!(sessions("A|1:70,5|CPU|CPU\n.\n").is_err(), "a row without all of its columns");
        assert_eq!(sessions(".\n"), Ok(Vec::new()));
    }

    #[test]
    fn a_view_that_may_not_be_read_is_named_with_its_grant() {
        let fail = |_: &str| crate::oracle::scripted::no_view();
        let mut instance = Instance::new(Box::new(Scripted::new(fail)), None);
        assert!(instance.connect().is_ok());
        let Err(LookError::Refused(why)) = instance.look() else { panic!("not refused") };
        assert!(why.contains("GRANT SELECT ON SYS.V_$SESSION TO mon;"), "{why}");
    }

    #[test]
    fn only_identifiers_stand_in_statements() {
        assert!(is_sql_id("7h35uxf5uhmm1"));
        assert!(!is_sql_id("7h35uxf5uhmm'") && !is_sql_id(""));
        assert_eq!((sid_of("1:70"), sid_of("1:7 or 1=1"), sid_of("")), (Some(70), None, None));
    }
}
