//! The texts of statements, and what blockers do.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::quoted;
use isotherm_formats::printable;
use isotherm_frame::{NameKind, SessionName, SessionSample};

use super::escape::{escaped, unescaped};
use super::link::Link;
use super::scope::Scope;
use crate::activity::look::statement_text;
use crate::oracle::{MAY_NOT_READ, SessionError};

/// Rows that one round trip brings.
const ROWS: u32 = 500;
/// Statements that one question is about, and those with a text that was handed on.
const AT_ONCE: usize = 50;
const MOST_KNOWN: usize = 10_000;
/// The most questions about the statements of several samples.
const MOST_QUESTIONS: usize = 4;
/// How long it is until a blocker is asked again what it does.
const BLOCKERS_AFTER: Duration = Duration::from_secs(2);

/// What was asked for.
#[derive(Default)]
pub(super) struct Names {
    statements: HashSet<Arc<str>>,
    /// Blockers that were asked for, and when.
    blockers: (HashSet<Arc<str>>, Option<Instant>),
    /// The names of the views that may not be read.
    without: Vec<&'static str>,
}

impl Names {
    /// Adds to the last of these samples what their statements and blockers are.
    pub(super) fn add(
        &mut self,
        samples: &mut [SessionSample],
        link: &mut Link,
    ) -> Result<(), SessionError> {
        self.name_statements(samples, link)?;
        self.name_blockers(samples, link)
    }

    /// Adds the texts of statements that these samples have for the first time to the last of them: of those
    /// that most sessions have where there are many.
    fn name_statements(
        &mut self,
        samples: &mut [SessionSample],
        link: &mut Link,
    ) -> Result<(), SessionError> {
        if self.statements.len() >= MOST_KNOWN {
            self.statements.clear();
        }
        let ids = samples.iter().flat_map(|sample| &sample.sessions).map(|session| &session.sql);
        let wanted = most_first(ids.filter(|id| is_sql_id(id) && !self.statements.contains(*id)));
        let questions = samples.len().min(MOST_QUESTIONS);
        let Some(last) = samples.last_mut() else { return Ok(()) };
        for ids in wanted.chunks(AT_ONCE).take(questions) {
            let sql = texts(&link.scope, ids);
            let Some(text) = self.ask(link, &sql, ("sqlstats", "statements have no texts"))? else {
                return Ok(());
            };
            last.names.extend(text.lines().filter_map(statement));
            self.statements.extend(ids.iter().cloned());
        }
        Ok(())
    }

    /// Adds to the last of these samples what their blockers do, which do not have to be active: of those that
    /// most sessions wait for where there are many.
    fn name_blockers(
        &mut self,
        samples: &mut [SessionSample],
        link: &mut Link,
    ) -> Result<(), SessionError> {
        let now = Instant::now();
        let (known, asked) = &mut self.blockers;
        if asked.is_none_or(|asked| now - asked >= BLOCKERS_AFTER) {
            known.clear();
            *asked = Some(now);
        }
        let ids =
            samples.iter().flat_map(|sample| &sample.sessions).map(|session| &session.blocker);
        let wanted = most_first(ids.filter(|id| !known.contains(*id)));
        let mut wanted: Vec<Blocker> = wanted.iter().filter_map(|id| Blocker::read(id)).collect();
        let questions = samples.len().min(MOST_QUESTIONS);
        wanted.truncate(AT_ONCE * questions);
        known.extend(wanted.iter().map(|blocker| blocker.id().into()));
        let Some(last) = samples.last_mut() else { return Ok(()) };
        for these in wanted.chunks(AT_ONCE) {
            let sql = blockers(&link.scope, these);
            let Some(text) = self.ask(link, &sql, ("session", "blockers have no names"))? else {
                return Ok(());
            };
            last.names.extend(text.lines().filter_map(|line| blocker(line, these)));
        }
        Ok(())
    }

    /// The answer to a question about the view with this name; nothing where it may not be read, which is
    /// reported once.
    fn ask(
        &mut self,
        link: &mut Link,
        sql: &str,
        (view, missing): (&'static str, &str),
    ) -> Result<Option<String>, SessionError> {
        if self.without.contains(&view) {
            return Ok(None);
        }
        match link.ask(sql, ROWS) {
            Ok(answer) => Ok(Some(answer.text)),
            Err(SessionError::Sql { code, .. }) if MAY_NOT_READ.contains(&code) => {
                self.without.push(view);
                let name = link.scope.view(view).to_uppercase();
                let text = format!("{missing}, which {name} has; a DBA can allow it with");
                let warning = format!("{text}\n{}", link.grant(view));
                link.warnings.push_back(warning);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// What is asked about a statement and a blocker that stand for any.
pub(super) fn statements(scope: &Scope) -> [String; 2] {
    let ids = [Arc::from("7h35uxf5uhmm1")];
    [texts(scope, &ids), blockers(scope, &[Blocker { instance: 1, sid: 70, serial: None }])]
}

/// Whether it can stand in a statement.
fn is_sql_id(text: &str) -> bool {
    text.len() == 13 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Each of these once, the most frequent first.
fn most_first<'a>(ids: impl Iterator<Item = &'a Arc<str>>) -> Vec<Arc<str>> {
    let mut times: HashMap<&Arc<str>, usize> = HashMap::new();
    for id in ids {
        *times.entry(id).or_default() += 1;
    }
    let mut ids: Vec<(usize, &Arc<str>)> =
        times.into_iter().map(|(id, times)| (times, id)).collect();
    ids.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    ids.into_iter().map(|(_, id)| Arc::clone(id)).collect()
}

/// A session that blocks others: `1:70`, or `1:70,5` where its serial number is known, which tells it from
/// those that had its number before.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Blocker {
    instance: u32,
    sid: u64,
    serial: Option<u64>,
}

impl Blocker {
    fn read(id: &str) -> Option<Blocker> {
        let (instance, session) = id.split_once(':')?;
        let (sid, serial) = match session.split_once(',') {
            Some((sid, serial)) => (sid, Some(serial.parse().ok()?)),
            None => (session, None),
        };
        Some(Blocker { instance: instance.parse().ok()?, sid: sid.parse().ok()?, serial })
    }

    fn id(self) -> String {
        let serial = self.serial.map(|serial| format!(",{serial}")).unwrap_or_default();
        format!("{}:{}{serial}", self.instance, self.sid)
    }

    /// Whether this is the session that was asked about, now that its serial number is known.
    fn is(self, asked: Blocker) -> bool {
        let same_serial = asked.serial.is_none() || self.serial == asked.serial;
        (self.instance, self.sid) == (asked.instance, asked.sid) && same_serial
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
        "SELECT 'B|'||{}||':'||sid||','||serial#||'|'||{}||'|'||\
         LOWER(status)||'|'||REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
         FROM {}\nWHERE {these}",
        scope.instance(),
        escaped("username"),
        scope.view("session")
    )
}

fn statement(line: &str) -> Option<SessionName> {
    let (id, text) = line.strip_prefix("Q|")?.split_once('|')?;
    let text = statement_text(text.as_bytes());
    Some(SessionName { kind: NameKind::Sql, id: id.into(), text })
}

/// `B|1:81,5|APP|inactive|sqlplus@web2`, of one of those that were asked about; one that has its number now is
/// another.
fn blocker(line: &str, asked: &[Blocker]) -> Option<SessionName> {
    let mut fields = line.strip_prefix("B|")?.splitn(4, '|');
    let (id, user, status, program) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let read = Blocker::read(id)?;
    let asked = asked.iter().find(|asked| read.is(**asked))?;
    let user = unescaped(user);
    let words = [user.as_str(), program, status].into_iter().filter(|word| !word.is_empty());
    let text = printable(words.collect::<Vec<_>>().join(", ").as_bytes(), 200).into();
    Some(SessionName { kind: NameKind::Blocker, id: asked.id().into(), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identifiers_stand_in_statements() {
        assert!(is_sql_id("7h35uxf5uhmm1"));
        assert!(!is_sql_id("7h35uxf5uhmm'") && !is_sql_id(""));
        let of = |serial| Some(Blocker { instance: 2, sid: 70, serial });
        assert_eq!(["2:70", "2:70,5"].map(Blocker::read), [of(None), of(Some(5))]);
        assert_eq!(
            ["1:7 or 1=1", "1,2:7", "1:7,", "1:7,5 or 1=1", ""].map(Blocker::read),
            [None; 5]
        );
    }
}
