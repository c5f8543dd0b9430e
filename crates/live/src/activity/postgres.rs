//! Active sessions of `PostgreSQL`, from `pg_stat_activity`.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::{Control, Row};
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::talk::Talk;
use isotherm_formats::{Dialect, fingerprint};
use isotherm_frame::{
    ActiveSession, CurrentWait, NOT_KNOWN, NameKind, Nanos, ON_CPU, PREPARED_TRANSACTION,
    SessionName, SessionSample,
};

use super::look::{Look, LookError, Looked, Rate, statement_text};
use crate::feed::OpenError;
use crate::pace::SteadyClock;
use crate::postgres::{
    BLOCKERS, BLOCKERS_AFTER, PgAddress, Prepared, checked, connecting, may_pass,
};

pub(super) const RATE: Rate = Rate { usual_hz: 10, most_hz: 100 };

/// The longest that a look may take.
const LATE: Duration = Duration::from_secs(10);
/// Statements of which the text has been handed on.
const MOST_KNOWN: usize = 10_000;
const HIDDEN: &str = "<insufficient privilege>";

/// What the sessions do that work, whatever they are. A process that waits for work has the class
/// `Activity`. Sessions of others are hidden from who may not see them, their state with them.
const ACTIVE: &str = "select pid, wait_event_type, wait_event, query_id, query, usename, \
    application_name, backend_type, (extract(epoch from query_start) * 1000000)::bigint \
    from pg_stat_activity where pid <> pg_backend_pid() and (state in ('active', \
    'fastpath function call') and wait_event_type is distinct from 'Activity' \
    or query = '<insufficient privilege>' and datname is not null)";

/// How long sessions have waited for locks, in microseconds: of releases before 14 nothing. It costs a look
/// at all locks, and is asked for with blockers.
const LOCK_WAITS: &str = "select pid, (extract(epoch from clock_timestamp() - \
    min((to_jsonb(l)->>'waitstart')::timestamptz)) * 1000000)::bigint \
    from pg_locks l where not granted group by pid";

/// Looks at a server.
struct Server {
    logon: Logon,
    talk: Option<Talk>,
    question: Prepared,
    clock: SteadyClock,
    statements: Statements,
    blockers: Blockers,
}

pub(super) fn looker(address: &PgAddress) -> Result<Box<dyn Look>, OpenError> {
    address.only_a_way_in()?;
    let (logon, _) = checked(address.logon()?.0)?;
    Ok(Box::new(Server {
        logon,
        talk: None,
        question: Prepared::new(ACTIVE),
        clock: SteadyClock::new(),
        statements: Statements::default(),
        blockers: Blockers::default(),
    }))
}

impl Look for Server {
    fn connect(&mut self) -> Result<(), LookError> {
        self.talk = None;
        let talk = Talk::open(&self.logon).map_err(|error| self.failed(&error))?;
        self.talk = Some(talk);
        self.question.forget();
        self.blockers = Blockers::default();
        Ok(())
    }

    fn look(&mut self) -> Result<Looked, LookError> {
        let Some(talk) = self.talk.take() else {
            return Err(LookError::Lost("there is no connection".into()));
        };
        let logon = self.logon.clone();
        let mut control = Control::over(talk, &logon, LATE);
        let sample = self.sample(&mut control).map_err(|error| self.failed(&error))?;
        self.talk = Some(control.into_talk());
        Ok(Looked { samples: vec![sample], skipped: 0 })
    }
}

impl Server {
    fn failed(&self, error: &PgError) -> LookError {
        if may_pass(error) {
            LookError::Lost(format!("{}: {error}", self.logon))
        } else {
            LookError::Refused(connecting(error, &self.logon))
        }
    }

    fn sample(&mut self, control: &mut Control<'_>) -> Result<SessionSample, PgError> {
        let asked = Instant::now();
        let rows = self.question.rows(control)?;
        let took = asked.elapsed();
        let at = self.clock.read(asked + took / 2);
        let mut sample = SessionSample { at, ..SessionSample::default() };
        let found: Vec<Found> = rows.iter().filter_map(Found::read).collect();
        sample.hidden = u32::try_from(rows.len() - found.len()).unwrap_or(u32::MAX);
        let mut lasted = HashMap::new();
        if self.blockers.is_due(&found, asked) {
            let rows = control.rows(BLOCKERS)?;
            self.blockers.take(&rows, &found, &mut sample.names);
            lasted = lock_waits(&control.rows(LOCK_WAITS)?);
        }
        for one in &found {
            let lasted = lasted.get(&one.wait.0).copied().filter(|_| one.waits_for_lock());
            sample.waits.push(CurrentWait { number: one.wait.1, lasted });
            let mut session = one.session.clone();
            session.sql = self.statements.id(one, &mut sample.names);
            session.blocker = self.blockers.of(one);
            sample.sessions.push(session);
        }
        sample.took_ns = u64::try_from(asked.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Ok(sample)
    }
}

/// How long each process has waited for a lock.
fn lock_waits(rows: &[Row]) -> HashMap<i64, Nanos> {
    let number = |row: &Row, column: usize| row.get(column)?.as_deref()?.parse::<i64>().ok();
    let lasted = |row: &Row| {
        let micros = u64::try_from(number(row, 1)?).ok()?;
        Some((number(row, 0)?, Nanos::new(micros.saturating_mul(1_000))))
    };
    rows.iter().filter_map(lasted).collect()
}

/// A row.
struct Found {
    session: ActiveSession,
    query_id: String,
    query: String,
    /// What distinguishes this wait from a later one of the same session.
    wait: (i64, i64),
}

impl Found {
    /// Reads a row; `None` if it may not be seen.
    fn read(row: &Row) -> Option<Found> {
        let text = |column: usize| row.get(column).and_then(Option::as_deref).unwrap_or_default();
        let number = |column: usize| text(column).parse::<i64>().unwrap_or(0);
        if text(4) == HIDDEN {
            return None;
        }
        let (class, event) = match (text(1), text(2)) {
            ("", _) => (ON_CPU.to_owned(), ON_CPU.to_owned()),
            (class, event) => (class.to_owned(), format!("{class}:{event}")),
        };
        // Workers have the program of the session they work for, others of the server none.
        let program = if text(6).is_empty() { text(7) } else { text(6) };
        let session = ActiveSession {
            session: text(0).into(),
            class: class.into(),
            event: event.into(),
            user: text(5).into(),
            program: program.into(),
            ..ActiveSession::default()
        };
        let wait = (number(0), number(8));
        Some(Found { session, query_id: text(3).to_owned(), query: text(4).to_owned(), wait })
    }

    fn waits_for_lock(&self) -> bool {
        &*self.session.class == "Lock"
    }
}

/// The identifiers of statements, with the texts that were handed on.
#[derive(Default)]
struct Statements {
    known: HashSet<Arc<str>>,
    print: Vec<u8>,
}

impl Statements {
    /// The server's identifier, or one of ours where it computes none.
    fn id(&mut self, found: &Found, names: &mut Vec<SessionName>) -> Arc<str> {
        if found.query.is_empty() {
            return "".into();
        }
        let id: Arc<str> = match found.query_id.as_str() {
            "" => self.fingerprinted(&found.query),
            id => id.into(),
        };
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        if self.known.insert(Arc::clone(&id)) {
            let text = statement_text(found.query.as_bytes());
            names.push(SessionName { kind: NameKind::Sql, id: Arc::clone(&id), text });
        }
        id
    }

    fn fingerprinted(&mut self, query: &str) -> Arc<str> {
        fingerprint(query.as_bytes(), Dialect::Postgres, &mut self.print);
        // Its keys are fixed: a statement has one identifier in every run.
        let mut hasher = DefaultHasher::new();
        self.print.hash(&mut hasher);
        format!("f{:015x}", hasher.finish() >> 4).into()
    }
}

/// Who blocks whom in the end, as it was when it was last asked.
#[derive(Default)]
struct Blockers {
    asked: Option<Instant>,
    /// By process and the statement that waits.
    by: HashMap<(i64, i64), Arc<str>>,
    about: HashMap<Arc<str>, Arc<str>>,
}

impl Blockers {
    /// Whether to ask now: a session waits for a lock, and it was not asked just now.
    fn is_due(&mut self, found: &[Found], now: Instant) -> bool {
        let waits = found.iter().any(Found::waits_for_lock);
        let rested = self.asked.is_none_or(|asked| now - asked >= BLOCKERS_AFTER);
        if waits && rested {
            self.asked = Some(now);
        }
        waits && rested
    }

    fn take(&mut self, rows: &[Row], found: &[Found], names: &mut Vec<SessionName>) {
        let mut by: HashMap<i64, Vec<Arc<str>>> = HashMap::new();
        for row in rows {
            let text = |column: usize| row.get(column).and_then(Option::as_deref);
            let Some(waits) = text(0).and_then(|pid| pid.parse().ok()) else { continue };
            let Some(pid) = text(1) else { continue };
            let blocker = blocker_named(pid);
            self.name(&blocker, &about([text(2), text(3), text(4)]), names);
            let all = by.entry(waits).or_default();
            if !all.contains(&blocker) {
                all.push(blocker);
            }
        }
        let waiting = found.iter().filter(|one| one.waits_for_lock());
        self.by = waiting.filter_map(|one| Some((one.wait, first_of(one.wait.0, &by)?))).collect();
    }

    /// Hands on what a blocker does, if that is new.
    fn name(&mut self, id: &Arc<str>, about: &str, names: &mut Vec<SessionName>) {
        if self.about.get(id).is_some_and(|known| &**known == about) {
            return;
        }
        if self.about.len() >= MOST_KNOWN {
            self.about.clear();
        }
        let text: Arc<str> = about.into();
        self.about.insert(Arc::clone(id), Arc::clone(&text));
        names.push(SessionName { kind: NameKind::Blocker, id: Arc::clone(id), text });
    }

    fn of(&self, found: &Found) -> Arc<str> {
        match self.by.get(&found.wait) {
            _ if !found.waits_for_lock() => "".into(),
            Some(blocker) => Arc::clone(blocker),
            // It began to wait after blockers were asked for.
            None => NOT_KNOWN.into(),
        }
    }
}

/// The session at the head of the queue that a process stands in: those before it may wait, too. In a
/// deadlock there is none, and whom it waits for itself is what it gives.
fn first_of(process: i64, by: &HashMap<i64, Vec<Arc<str>>>) -> Option<Arc<str>> {
    let (mut seen, mut heads) = (HashSet::from([process]), Vec::new());
    let mut open: Vec<&Arc<str>> = by.get(&process)?.iter().collect();
    while let Some(blocker) = open.pop() {
        match blocker.parse::<i64>() {
            Ok(pid) if by.contains_key(&pid) => {
                let next = by.get(&pid).filter(|_| seen.insert(pid));
                open.extend(next.into_iter().flatten());
            }
            _ => heads.push(blocker),
        }
    }
    heads.sort_unstable();
    heads.dedup();
    let heads = if heads.is_empty() { by.get(&process)?.iter().collect() } else { heads };
    let heads: Vec<&str> = heads.into_iter().map(|head| &**head).collect();
    Some(heads.join(", ").into())
}

/// A lock of a prepared transaction has no process.
fn blocker_named(pid: &str) -> Arc<str> {
    if pid == "0" { PREPARED_TRANSACTION.into() } else { pid.into() }
}

/// `app of psql, idle in transaction`.
fn about([user, program, state]: [Option<&str>; 3]) -> String {
    let user = user.filter(|user| !user.is_empty());
    let program = program.filter(|program| !program.is_empty());
    let who: Vec<&str> = user.into_iter().chain(program).collect();
    let who = who.join(", ");
    match state.filter(|state| !state.is_empty()) {
        Some(state) if who.is_empty() => state.to_owned(),
        Some(state) => format!("{who}, {state}"),
        None => who,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [&str; 9]) -> Row {
        cells.iter().map(|cell| (!cell.is_empty()).then(|| (*cell).to_owned())).collect()
    }

    fn waiting(pid: &str, query: &str) -> Found {
        let cells =
            [pid, "Lock", "transactionid", "", query, "app", "psql", "client backend", "17"];
        Found::read(&row(cells)).unwrap()
    }

    #[test]
    fn a_session_that_waits_for_nothing_is_on_cpu() {
        let cells = ["7", "", "", "42", "select 1", "app", "", "parallel worker", "17"];
        let found = Found::read(&row(cells)).unwrap();
        assert_eq!((&*found.session.class, &*found.session.event), ("CPU", "CPU"));
        assert_eq!(&*found.session.program, "parallel worker");
        let waits = waiting("8", "update t set x = 1");
        assert_eq!(&*waits.session.event, "Lock:transactionid");
        let hidden = ["9", "", "", "", HIDDEN, "other", "", "client backend", ""];
        assert!(Found::read(&row(hidden)).is_none());
    }

    #[test]
    fn a_wait_for_a_lock_is_as_old_as_the_server_says() {
        let row =
            |pid: &str, micros: Option<&str>| vec![Some(pid.to_owned()), micros.map(Into::into)];
        let rows = [row("7", Some("1500")), row("8", None), row("9", Some("-3"))];
        assert_eq!(lock_waits(&rows), HashMap::from([(7, Nanos::new(1_500_000))]));
    }

    #[test]
    fn statements_that_differ_in_literals_are_one_and_named_once() {
        let (mut statements, mut names) = (Statements::default(), Vec::new());
        let one = statements.id(&waiting("1", "update t\n set x = 1 where id = 7"), &mut names);
        let other = statements.id(&waiting("2", "update t set x = 22 where id = 8"), &mut names);
        let another = statements.id(&waiting("3", "update u set x = 1"), &mut names);
        assert_eq!(one, other);
        assert_ne!(one, another);
        let texts: Vec<&str> = names.iter().map(|name| &*name.text).collect();
        assert_eq!(texts, ["update t set x = 1 where id = 7", "update u set x = 1"]);
    }

    #[test]
    fn blockers_are_named_with_what_they_do_and_forgotten_with_the_wait() {
        let (mut blockers, mut names) = (Blockers::default(), Vec::new());
        let found = [waiting("8", "update t"), waiting("9", "update t")];
        assert!(blockers.is_due(&found, Instant::now())); // wall clock: any moment will do
        let text = |text: &str| Some(text.to_owned());
        let rows = [
            vec![text("8"), text("5"), text("app"), text("psql"), text("idle in transaction")],
            vec![text("9"), text("5"), text("app"), text("psql"), text("idle in transaction")],
            vec![text("9"), text("0"), None, None, None],
        ];
        blockers.take(&rows, &found, &mut names);
        assert_eq!(&*blockers.of(&found[0]), "5");
        assert_eq!(&*blockers.of(&found[1]), "5, a prepared transaction");
        assert_eq!(&*names[0].text, "app, psql, idle in transaction");
        assert_eq!(names.len(), 2, "each is named once");
        // 10 waits for 9 and 8, which wait for others; 11 and 12 wait for each other.
        let found = ["8", "9", "10", "11", "12"].map(|pid| waiting(pid, "update t"));
        let pairs = [
            ("8", "5"),
            ("9", "5"),
            ("9", "8"),
            ("10", "9"),
            ("10", "8"),
            ("11", "12"),
            ("12", "11"),
        ];
        let rows = pairs.map(|(waits, by)| vec![text(waits), text(by), None, None, None]);
        blockers.take(&rows, &found, &mut names);
        let heads = found.each_ref().map(|one| blockers.of(one).to_string());
        assert_eq!(heads, ["5", "5", "5", "12", "11"]);
        let later = Found { wait: (8, 18), ..waiting("8", "update t") };
        assert_eq!(&*blockers.of(&later), NOT_KNOWN);
    }
}
