//! What one look at the sessions of a server found.

/// A row: a text for each column, `None` for SQL's null.
type Row = Vec<Option<String>>;

/// What the sessions of a server do; processes that run a part of a session's statement wait by
/// themselves. The last row is the time of the server.
pub(super) const ACTIVITY: &str = "select pid, backend_start_us, wait_event_type, wait_event, state, \
    state_change_us, query_id, datname, usename, application_name, null::bigint from (select pid, \
    (extract(epoch from backend_start) * 1000000)::bigint as backend_start_us, wait_event_type, \
    wait_event, state, (extract(epoch from state_change) * 1000000)::bigint as state_change_us, \
    query_id, datname, usename, application_name from pg_stat_activity where backend_type in \
    ('client backend', 'parallel worker') and pid <> pg_backend_pid()) as sessions union all \
    select null, null, null, null, null, null, null, null, null, null, \
    (extract(epoch from clock_timestamp()) * 1000000)::bigint";

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
    pub(super) database: String,
    pub(super) user: String,
    pub(super) application: String,
    /// Since when it waits for a lock, if that is known.
    pub(super) waits_since_us: Option<i64>,
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
                database: word(7),
                user: word(8),
                application: word(9),
                waits_since_us: None,
            }),
            (None, None) => return None,
        }
    }
    (found.now_us > 0).then_some(found)
}

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

    /// Since when what it does now has gone on without a break, where the server says so: a lock
    /// has the moment at which waiting for it began, and a transaction that idles that of its last
    /// statement's end.
    pub(super) fn since_us(&self) -> Option<(&str, i64)> {
        const IDLE: &str = "Client:idle in transaction";
        match self.state.as_str() {
            "idle in transaction" | "idle in transaction (aborted)" => {
                Some((IDLE, self.state_change_us))
            }
            _ => self.waits_since_us.map(|since| (self.event.as_str(), since)),
        }
    }
}
