//! Active sessions of Oracle, from `GV$SESSION` of all instances, or `V$SESSION` of the one connected to:
//! nothing of it needs a licence.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::quoted;
use isotherm_formats::printable;
use isotherm_frame::{
    ActiveSession, CurrentWait, NameKind, Nanos, ON_CPU, SessionName, SessionSample,
};

use super::look::{Look, LookError, Rate, statement_text};
use crate::feed::{OpenError, Stopped};
use crate::oracle::{
    Answer, Connect, OracleAddress, Session, SessionError, connection, grants, instances, user_of,
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

/// Which instances are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    /// The one connected to: no view of all instances may be read.
    Own,
    /// All there are.
    All,
    /// These.
    Some(Vec<u32>),
}

impl Scope {
    /// The view of this name, and the number of the instance in its rows.
    fn view(&self, name: &str) -> String {
        if *self == Scope::Own { format!("v${name}") } else { format!("gv${name}") }
    }

    fn instance(&self) -> &'static str {
        if *self == Scope::Own { "SYS_CONTEXT('USERENV', 'INSTANCE')" } else { "inst_id" }
    }

    /// Which rows, beside a condition. The processes that read a view of all instances have names like
    /// `PZ99`: they are of the question itself.
    fn only(&self) -> String {
        let readers = "\nAND (program IS NULL OR program NOT LIKE '%(PZ__)')";
        match self {
            Scope::Own => String::new(),
            Scope::All => readers.to_owned(),
            Scope::Some(instances) => {
                let numbers: Vec<String> = instances.iter().map(u32::to_string).collect();
                format!("{readers}\nAND inst_id IN ({})", numbers.join(", "))
            }
        }
    }
}

/// What every session does that is active and does not idle. One that waits for nothing is on CPU,
/// whatever it waited for before. The final blocker is the head of the queue (11.2 and later). A wait has a
/// number of its own and its length so far. The program comes last: it is what a client calls itself.
fn active(scope: &Scope) -> String {
    let (view, instance, only) = (scope.view("session"), scope.instance(), scope.only());
    let own = if *scope == Scope::Own {
        "sid <> SYS_CONTEXT('USERENV', 'SID')"
    } else {
        "(sid <> SYS_CONTEXT('USERENV', 'SID') OR inst_id <> SYS_CONTEXT('USERENV', 'INSTANCE'))"
    };
    format!(
        "SELECT line FROM (\n\
        SELECT 1 AS part, 'A|'||{instance}||':'||sid||','||serial#||'|'||\
        CASE WHEN state = 'WAITING' THEN wait_class ELSE 'CPU' END||'|'||\
        CASE WHEN state = 'WAITING' THEN event ELSE 'CPU' END||'|'||sql_id||'|'||\
        CASE WHEN state = 'WAITING' AND final_blocking_session_status = 'VALID' THEN \
        final_blocking_instance||':'||final_blocking_session END||'|'||seq#||'|'||\
        CASE WHEN state = 'WAITING' THEN wait_time_micro ELSE time_since_last_wait_micro END||'|'||\
        username||'|'||REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
        FROM {view}\n\
        WHERE status = 'ACTIVE' AND {own} \
        AND (state <> 'WAITING' OR wait_class <> 'Idle'){only}\n\
        UNION ALL\n\
        SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part"
    )
}

/// Looks at an instance, or at all of them.
struct Instance {
    connect: Box<dyn Connect>,
    scope: Scope,
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
    let inst = instances(address)?;
    let mut warning = None;
    let interval = Nanos::new(1_000_000_000 / u64::from(hz.max(1)));
    let stopped = Stopped::default();
    let connect = connection(address, interval, &stopped, &mut |text| warning = Some(text))?;
    let scope = if inst.is_empty() { Scope::All } else { Scope::Some(inst.to_vec()) };
    Ok(Box::new(Instance::new(connect, scope, warning)))
}

impl Instance {
    fn new(connect: Box<dyn Connect>, scope: Scope, warning: Option<String>) -> Instance {
        Instance {
            connect,
            scope,
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
                let view = self.scope.view("session");
                let grants = grants(std::slice::from_ref(&view), user_of(name));
                let view = view.to_uppercase();
                let text = format!("{name} may not read {view}; a DBA can allow it with");
                LookError::Refused(format!("{text}\n{grants}"))
            }
            SessionError::Refused(why) | SessionError::Sql { message: why, .. } => {
                LookError::Refused(why)
            }
        }
    }

    /// Asks for the active sessions: of the instance connected to where no other may be seen.
    fn active(&mut self) -> Result<Answer, SessionError> {
        let answer = self.ask(&active(&self.scope));
        match answer {
            Err(SessionError::Sql { code: NO_SUCH_VIEW, .. }) if self.scope == Scope::All => {
                let own = self.ask(&active(&Scope::Own))?;
                self.scope = Scope::Own;
                let grants = grants(&["gv$session".to_owned()], user_of(self.connect.name()));
                let text = "only sessions of the instance connected to are shown; a DBA can allow \
                            all instances with";
                self.warning = Some(format!("{text}\n{grants}"));
                Ok(own)
            }
            answer => answer,
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
        match self.ask(&texts(&self.scope, &wanted)) {
            Ok(answer) => {
                sample.names.extend(answer.text.lines().filter_map(statement));
                self.statements.extend(wanted);
                Ok(())
            }
            Err(SessionError::Sql { code: NO_SUCH_VIEW, .. }) => {
                self.without_texts = true;
                let view = self.scope.view("sqlstats");
                let grants = grants(std::slice::from_ref(&view), user_of(self.connect.name()));
                let view = view.to_uppercase();
                let text =
                    format!("statements have no texts, which {view} has; a DBA can allow it with");
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
        let ids: Vec<Blocker> =
            wanted.iter().filter_map(|id| Blocker::read(id)).take(AT_ONCE).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let answer = self.ask(&blockers(&self.scope, &ids))?;
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
        let answer = self.active().map_err(|error| self.failed(error))?;
        let found = sessions(&answer.text).map_err(LookError::Refused)?;
        let at = self.clock.read(answer.middle());
        let (sessions, waits) = found.into_iter().unzip();
        let mut sample = SessionSample { at, sessions, waits, ..SessionSample::default() };
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

/// A session that blocks others: `1:70`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Blocker {
    instance: u32,
    sid: u64,
}

impl Blocker {
    fn read(id: &str) -> Option<Blocker> {
        let (instance, sid) = id.split_once(':')?;
        Some(Blocker { instance: instance.parse().ok()?, sid: sid.parse().ok()? })
    }
}

fn texts(scope: &Scope, ids: &[Arc<str>]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| quoted(id)).collect();
    format!(
        "SELECT 'Q|'||sql_id||'|'||REPLACE(REPLACE(sql_text, CHR(10), ' '), CHR(13), ' ') AS line\n\
         FROM {}\nWHERE sql_id IN ({})",
        scope.view("sqlstats"),
        ids.join(", ")
    )
}

fn blockers(scope: &Scope, ids: &[Blocker]) -> String {
    let these = if *scope == Scope::Own {
        let sids: Vec<String> = ids.iter().map(|id| id.sid.to_string()).collect();
        format!("sid IN ({})", sids.join(", "))
    } else {
        let pairs: Vec<String> =
            ids.iter().map(|id| format!("({}, {})", id.instance, id.sid)).collect();
        format!("(inst_id, sid) IN ({})", pairs.join(", "))
    };
    format!(
        "SELECT 'B|'||{}||':'||sid||'|'||username||'|'||\
         LOWER(status)||'|'||REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
         FROM {}\nWHERE {these}",
        scope.instance(),
        scope.view("session")
    )
}

/// The sessions of an answer; an answer without its end, or with something else, is none.
fn sessions(text: &str) -> Result<Vec<(ActiveSession, CurrentWait)>, String> {
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

fn session(line: &str) -> Option<(ActiveSession, CurrentWait)> {
    let mut fields = line.strip_prefix("A|")?.splitn(9, '|');
    let mut next =
        || fields.next().map(|field| -> Arc<str> { printable(field.as_bytes(), 200).into() });
    let (session, class, event) = (next()?, next()?, next()?);
    let (sql, blocker, number, lasted) = (next()?, next()?, next()?, next()?);
    let (user, program) = (next()?, next()?);
    let on_cpu = &*class == ON_CPU;
    let event = if on_cpu { ON_CPU.into() } else { event };
    let lasted = lasted.parse::<u64>().ok().map(|us| Nanos::new(us.saturating_mul(1_000)));
    let wait = CurrentWait { number: number.parse().unwrap_or(0), lasted };
    Some((ActiveSession { session, class, event, sql, user, program, blocker }, wait))
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
A|1:70,5|Application|enq: TX - row lock contention|7h35uxf5uhmm1|1:81|412|93000000|APP|sqlplus@web1 (TNS V1-V3)
A|2:71,9|CPU|CPU|7h35uxf5uhmm1||9|250|APP|a|b
A|1:3,1|System I/O|log file parallel write|||7|||oracle@db1 (LGWR)
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
        let mut instance = Instance::new(Box::new(server.clone()), Scope::All, None);
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
        let lasted = first.waits.iter().map(|wait| (wait.number, wait.lasted));
        let expected =
            [(412, Some(Nanos::new(93_000_000_000))), (9, Some(Nanos::new(250_000))), (7, None)];
        assert_eq!(lasted.collect::<Vec<_>>(), expected);
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
        let mut instance = Instance::new(Box::new(Scripted::new(fail)), Scope::Some(vec![2]), None);
        assert!(instance.connect().is_ok());
        let Err(LookError::Refused(why)) = instance.look() else { panic!("not refused") };
        assert!(why.contains("GRANT SELECT ON SYS.GV_$SESSION TO mon;"), "{why}");
        assert!(why.contains("may not read GV$SESSION"), "{why}");
    }

    #[test]
    fn all_instances_are_summed_or_some_and_where_none_may_be_seen_the_own_one() {
        let (mut all, server) = instance(LOOK);
        assert!(all.look().is_ok());
        let asked = server.asked.lock().unwrap();
        assert!(asked[0].contains("FROM gv$session\n") && !asked[0].contains("inst_id IN"));
        assert!(asked[1].contains("FROM gv$sqlstats"), "{}", asked[1]);
        assert!(asked[2].ends_with("FROM gv$session\nWHERE (inst_id, sid) IN ((1, 81))"));
        let two = active(&Scope::Some(vec![2, 3]));
        assert!(two.contains("AND inst_id IN (2, 3)\n"), "{two}");
        // Without the grant on views of all instances there is a warning, and the sessions of one.
        let server = Scripted::new(|sql| match sql {
            _ if sql.contains("gv$session") => crate::oracle::scripted::no_view(),
            _ if sql.contains("'A|'") => Reply::Lines(LOOK.to_owned()),
            _ => Reply::Lines(String::new()),
        });
        let mut own = Instance::new(Box::new(server.clone()), Scope::All, None);
        assert!(own.connect().is_ok());
        let Ok(sample) = own.look() else { panic!("refused") };
        assert_eq!(sample.sessions.len(), 3);
        let warning = own.warning().unwrap();
        assert!(warning.contains("GRANT SELECT ON SYS.GV_$SESSION TO mon;"), "{warning}");
        let asked = server.asked.lock().unwrap();
        assert!(asked[1].contains("FROM v$session\n"), "{}", asked[1]);
        assert!(asked.iter().skip(1).all(|sql| !sql.contains("gv$")), "{asked:?}");
    }

    #[test]
    fn only_identifiers_stand_in_statements() {
        assert!(is_sql_id("7h35uxf5uhmm1"));
        assert!(!is_sql_id("7h35uxf5uhmm'") && !is_sql_id(""));
        assert_eq!(Blocker::read("2:70"), Some(Blocker { instance: 2, sid: 70 }));
        assert_eq!(["1:7 or 1=1", "1,2:7", ""].map(Blocker::read), [None; 3]);
    }
}
