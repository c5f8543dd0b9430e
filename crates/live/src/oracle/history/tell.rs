//! The conversation that reads the history, over whichever connection.

use isotherm_frame::Timestamp;
use isotherm_frame::numbers::counted;
use jiff::tz::TimeZone;

use crate::oracle::{Session, SessionError};

use super::query::{self, Layout, Selection, Span};
use super::window::{Window, absolute};

/// What to read of the history.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Which counters.
    pub(crate) wanted: Selection,
    /// Which snapshots.
    pub(crate) window: Window,
    /// The zone of times whose release does not tell it.
    pub(crate) zone: TimeZone,
    /// The moment now.
    pub(crate) now: Timestamp,
}

/// Where the history is reported.
pub(crate) trait Listener {
    /// A line of polls; `false` if no more is wanted.
    fn line(&mut self, line: &str) -> bool;

    /// Something for the user to know.
    fn say(&mut self, words: String);
}

/// A snapshot of one database: its number, of how many instances, and when it was taken.
struct Snapshot {
    database: u64,
    number: u64,
    instances: u64,
    ended: Timestamp,
}

/// Snapshots of an instance read by one statement: a day of them, mostly. That is some 100,000
/// rows, which are held until the last has come.
const AT_ONCE: u64 = 24;
/// Rows that are expected of a statement, for a client that fetches so many at once.
const ROWS: u32 = 5_000;

const NO_TABLE: u32 = 942;
const NO_COLUMN: u32 = 904;

/// Said once of every history.
const LICENCE: &str = "AWR's history (DBA_HIST_*) may be read only if the Diagnostics Pack is \
                       licensed";

impl Plan {
    /// Reads the history and tells it as polls, in order of database and time.
    pub(crate) fn tell(
        &self,
        session: &mut dyn Session,
        listener: &mut dyn Listener,
    ) -> Result<(), SessionError> {
        listener.say(licence(session));
        let layout = layout(session)?;
        if let Some(words) = in_microseconds(&layout) {
            listener.say(words);
        }
        let found = self.snapshots(&layout, session)?;
        if let Some(words) = databases(&found) {
            listener.say(words);
        }
        if !listener.line("isotherm-oracle 1") {
            return Ok(());
        }
        for some in found.chunk_by(|one, next| one.database == next.database) {
            for some in portions(some) {
                if !self.read(&layout, some, session, listener)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The snapshots wanted.
    fn snapshots(
        &self,
        layout: &Layout,
        session: &mut dyn Session,
    ) -> Result<Vec<Snapshot>, SessionError> {
        let (mut found, mut all, mut odd) = (Vec::new(), 0_u64, None);
        let sql = query::snapshots(layout, &self.wanted);
        session.lines(&sql, ROWS, &mut |line| {
            all += 1;
            match self.snapshot(line) {
                Some(snapshot) if self.window.holds(snapshot.ended, self.now) => {
                    found.push(snapshot);
                }
                Some(_) => {}
                None => odd = Some(line.to_owned()),
            }
        })?;
        if let Some(odd) = odd {
            return Err(SessionError::Refused(format!(
                "the list of AWR's snapshots has an invalid line: '{odd}'"
            )));
        }
        if found.is_empty() {
            return Err(SessionError::Refused(format!(
                "AWR holds {}, none of them for the requested time and instance: \
                 choose with since and until (7d, or a date and time)",
                counted(all, "snapshot")
            )));
        }
        Ok(found)
    }

    fn snapshot(&self, line: &str) -> Option<Snapshot> {
        let mut fields = line.splitn(4, '|');
        let mut next = || fields.next();
        let (database, number) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let (instances, ended) = (next()?.parse().ok()?, absolute(next()?, &self.zone)?);
        Some(Snapshot { database, number, instances, ended })
    }

    /// Reads some snapshots of one database; `false` if no more is wanted.
    fn read(
        &self,
        layout: &Layout,
        some: &[Snapshot],
        session: &mut dyn Session,
        listener: &mut dyn Listener,
    ) -> Result<bool, SessionError> {
        let Some((first, last)) = some.first().zip(some.last()) else { return Ok(true) };
        let span = Span::Snapshots(first.database, first.number, last.number);
        let sql = query::polls(layout, &self.wanted, &span);
        let mut going = true;
        session.lines(&sql, ROWS, &mut |line| going = going && listener.line(line))?;
        Ok(going)
    }
}

/// Cuts snapshots of one database into portions that are read at once.
fn portions(mut rest: &[Snapshot]) -> Vec<&[Snapshot]> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        let mut instances = 0_u64;
        let fitting = rest.iter().take_while(|snapshot| {
            instances = instances.saturating_add(snapshot.instances);
            instances <= AT_ONCE
        });
        let (some, more) = rest.split_at(fitting.count().max(1));
        found.push(some);
        rest = more;
    }
    found
}

/// What to say of the licence, with what the server says of it.
pub(super) fn licence(session: &mut dyn Session) -> String {
    let sql = "select value as line from v$parameter \
               where name = 'control_management_pack_access'";
    let mut packs = None;
    let asked = session.lines(sql, 1, &mut |line| packs = Some(line.to_owned()));
    let packs = packs.filter(|packs| asked.is_ok() && !packs.trim().is_empty());
    packs.map_or_else(
        || LICENCE.to_owned(),
        |packs| format!("{LICENCE}; CONTROL_MANAGEMENT_PACK_ACCESS is '{}' here", packs.trim()),
    )
}

/// Finds out by trying what the views have.
pub(super) fn layout(session: &mut dyn Session) -> Result<Layout, SessionError> {
    let found =
        session.lines("select 'y' as line from dba_hist_snapshot where 1 = 0", 1, &mut |_| {});
    missing(found, NO_TABLE).and_then(|there| if there { Ok(()) } else { Err(no_grant()) })?;
    let mut has = |sql: &str, code: u32| missing(session.lines(sql, 1, &mut |_| {}), code);
    let zone = has(
        "select 'y' as line from dba_hist_snapshot where snap_timezone is null and 1 = 0",
        NO_COLUMN,
    )?;
    let names = has("select 'y' as line from dba_hist_database_instance where 1 = 0", NO_TABLE)?;
    Ok(Layout { zone, names, micro: microsecond_view(session), ..Layout::default() })
}

/// The view with bounds in microseconds. None is documented, so that one is read only if it has all columns and
/// a row; what cannot be asked is as good as not there.
fn microsecond_view(session: &mut dyn Session) -> Option<String> {
    let mut views = Vec::new();
    let sql = "select table_name as line from all_tab_columns \
               where table_name like 'DBA_HIST_EVENT_HISTOGRAM%' \
               and column_name = 'WAIT_TIME_MICRO'";
    let asked = session.lines(sql, 1, &mut |line| views.push(line.trim().to_lowercase()));
    views.retain(|view| asked.is_ok() && is_name(view));
    views.into_iter().find(|view| {
        let sql = format!(
            "select 'y' as line from {view} where snap_id > 0 and dbid > 0 and instance_number > 0 \
             and event_id is not null and event_name is not null and wait_class is not null \
             and wait_time_micro > 0 and wait_count >= 0 fetch first 1 rows only"
        );
        let mut has_rows = false;
        let asked = session.lines(&sql, 1, &mut |_| has_rows = true);
        asked.is_ok() && has_rows
    })
}

/// What to say where histograms are finer than they are documented to be.
pub(super) fn in_microseconds(layout: &Layout) -> Option<String> {
    let view = layout.micro.as_ref()?;
    Some(format!("buckets are read in microseconds, from {view}"))
}

/// Whether segments say which container they are of; what cannot be asked is taken for a no.
pub(super) fn has_containers(session: &mut dyn Session) -> Result<bool, SessionError> {
    let sql = "select 'y' as line from dba_hist_seg_stat_obj where con_dbid is null and 1 = 0";
    match session.lines(sql, 1, &mut |_| {}) {
        Ok(()) => Ok(true),
        Err(SessionError::Sql { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a statement worked, if it could only fail with `code`.
fn missing(asked: Result<(), SessionError>, code: u32) -> Result<bool, SessionError> {
    match asked {
        Ok(()) => Ok(true),
        Err(SessionError::Sql { code: failed, .. }) if failed == code => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a text can stand in a statement as the name of a view.
fn is_name(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn no_grant() -> SessionError {
    SessionError::Refused(
        "AWR's views cannot be read (ORA-00942): GRANT SELECT ON SYS.DBA_HIST_SNAPSHOT, \
         SYS.DBA_HIST_EVENT_HISTOGRAM, SYS.DBA_HIST_SYSTEM_EVENT and \
         SYS.DBA_HIST_DATABASE_INSTANCE to the user, or the role SELECT_CATALOG_ROLE"
            .into(),
    )
}

/// What to say when the history is that of several databases.
fn databases(found: &[Snapshot]) -> Option<String> {
    let groups = found.chunk_by(|one, next| one.database == next.database);
    let names: Vec<String> = groups
        .filter_map(|group| Some((group.first()?.database, group.len())))
        .map(|(database, snapshots)| format!("{database} ({snapshots} snapshots)"))
        .collect();
    (names.len() > 1).then(|| {
        format!(
            "the history holds {} databases, one after the other: {}; dbid= picks one",
            names.len(),
            names.join(", ")
        )
    })
}
