//! What one look at the sessions of a server found.

use std::sync::Arc;

use isotherm_formats::{Dialect, fingerprint};

/// A row: a text for each column, `None` for SQL's null.
type Row = Vec<Option<String>>;

/// What the sessions of a server do; processes that run a part of a session's statement wait by
/// themselves. The last row is the time of the server.
pub(super) const ACTIVITY: &str = "select pid, backend_start_us, wait_event_type, wait_event, state, \
    state_change_us, query_id, datname, usename, application_name, null::bigint, text from (select pid, \
    (extract(epoch from backend_start) * 1000000)::bigint as backend_start_us, wait_event_type, \
    wait_event, state, (extract(epoch from state_change) * 1000000)::bigint as state_change_us, \
    query_id, datname, usename, application_name, null::text as text from pg_stat_activity where backend_type in \
    ('client backend', 'parallel worker') and pid <> pg_backend_pid()) as sessions union all \
    select null, null, null, null, null, null, null, null, null, null, \
    (extract(epoch from clock_timestamp()) * 1000000)::bigint, null";

/// The same with the texts of statements, which take more time.
pub(super) fn activity_with_texts() -> String {
    ACTIVITY.replace("null::text as text", "left(query, 1000) as text")
}

/// Since when sessions wait for locks. It costs a look at all locks: asked for only where one waits.
pub(super) const LOCKS: &str = "select pid, (extract(epoch from min(waitstart)) * 1000000)::bigint \
    from pg_locks where not granted and waitstart is not null group by pid";

/// One look.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// The server's clock, microseconds since 1970.
    pub(super) now_us: i64,
    pub(super) sessions: Vec<Session>,
}

/// What one session does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Session {
    pub(super) pid: i64,
    /// When it began, which tells it from an earlier one of the same number.
    pub(super) began_us: i64,
    /// `Lock:transactionid`; empty if it waits for nothing.
    pub(super) event: String,
    pub(super) state: String,
    pub(super) state_change_us: i64,
    pub(super) query_id: String,
    /// Its statement without literals, where texts were asked for.
    pub(super) query: String,
    pub(super) database: String,
    pub(super) user: String,
    pub(super) application: String,
    /// Since when it waits for a lock, if that is known.
    pub(super) waits_since_us: Option<i64>,
    /// Whether others wait for it.
    pub(super) blocks: bool,
    /// Whom it waits for in the end, if that is known: `17706 (nightly-job)`.
    pub(super) blocker: Option<Arc<str>>,
}

/// Reads the rows of a look; `None` if they are not what was asked for.
pub(super) fn sample(rows: &[Row]) -> Option<Sample> {
    let mut found = Sample::default();
    for row in rows {
        let text = |column: usize| row.get(column).and_then(Option::as_deref);
        let number = |column: usize| text(column).and_then(|text| text.parse::<i64>().ok());
        let word = |column: usize| text(column).unwrap_or_default().to_owned();
        match (number(0), number(10)) {
            (None, Some(now)) => found.now_us = now,
            (Some(pid), _) => found.sessions.push(Session {
                pid,
                began_us: number(1).unwrap_or(0),
                event: text(2).map_or_else(String::new, |kind| {
                    format!("{kind}:{}", text(3).unwrap_or_default())
                }),
                state: word(4),
                state_change_us: number(5).unwrap_or(0),
                query_id: word(6),
                query: text(11).map_or_else(String::new, without_literals),
                database: word(7),
                user: word(8),
                application: word(9),
                waits_since_us: None,
                blocks: false,
                blocker: None,
            }),
            (None, None) => return None,
        }
    }
    (found.now_us > 0).then_some(found)
}

/// A statement as it is the same for all values. What the user may not see is none.
fn without_literals(statement: &str) -> String {
    if statement == HIDDEN {
        return String::new();
    }
    let mut print = Vec::new();
    fingerprint(statement.as_bytes(), Dialect::Postgres, &mut print);
    String::from_utf8_lossy(&print).into_owned()
}

/// The statement of a session that the user may not see.
const HIDDEN: &str = "<insufficient privilege>";

impl Sample {
    /// Whether any session waits for a lock.
    pub(super) fn has_lock_waits(&self) -> bool {
        self.sessions.iter().any(Session::waits_for_lock)
    }

    /// Adds since when sessions wait for locks.
    pub(super) fn add_locks(&mut self, rows: &[Row]) {
        for row in rows {
            let number = |column: usize| row.get(column)?.as_deref()?.parse::<i64>().ok();
            let (Some(pid), Some(since)) = (number(0), number(1)) else { continue };
            for session in self.sessions.iter_mut().filter(|session| session.pid == pid) {
                session.waits_since_us = Some(since).filter(|_| session.waits_for_lock());
            }
        }
    }
}

impl Session {
    fn waits_for_lock(&self) -> bool {
        self.event.starts_with("Lock:")
    }

    /// What it waits for at a moment of the server. Whether it says since when: a lock has the moment
    /// at which waiting for it began, and a transaction that idles that of its last statement's end.
    pub(super) fn wait(&self, now_us: i64) -> Option<Wait<'_>> {
        match (self.state.as_str(), self.waits_since_us) {
            ("idle in transaction" | "idle in transaction (aborted)", _) => {
                let since_us = self.state_change_us;
                let matters = self.blocks || now_us - since_us >= IDLE_AFTER_US;
                matters.then_some(Wait { event: IDLE, since_us: Some(since_us) })
            }
            (_, Some(since)) => Some(Wait { event: &self.event, since_us: Some(since) }),
            ("active" | "fastpath function call", None) if !self.event.is_empty() => {
                Some(Wait { event: &self.event, since_us: None })
            }
            _ => None,
        }
    }
}

/// What a session waits for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Wait<'a> {
    pub(super) event: &'a str,
    /// Since when, where the server says so.
    pub(super) since_us: Option<i64>,
}

/// What a transaction that idles is called.
pub(super) const IDLE: &str = "Client:idle in transaction";
/// A transaction that idles is a wait only if it blocks somebody or lasts for so long: between two
/// statements every transaction idles for a moment.
const IDLE_AFTER_US: i64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_asked_for_and_have_no_literals() {
        assert!(activity_with_texts().contains("left(query, 1000) as text"));
        let row = |pid: &str, text: Option<&str>| {
            let mut row = vec![None; 12];
            (row[0], row[11]) = (Some(pid.to_owned()), text.map(str::to_owned));
            row
        };
        let mut now = row("", None);
        (now[0], now[10]) = (None, Some("17".to_owned()));
        let texts = [Some("UPDATE t  set x = 7 where id = 'a'"), Some(HIDDEN), None];
        let mut rows: Vec<Row> = texts.iter().map(|text| row("1", *text)).collect();
        rows.push(now);
        let found = sample(&rows).unwrap();
        let queries: Vec<&str> = found.sessions.iter().map(|one| one.query.as_str()).collect();
        assert_eq!(queries, ["update t set x = ? where id = ?", "", ""]);
    }
}
