//! `PostgreSQL`: `pg_buffercache`, counted by relation on the server.

use std::time::{Duration, Instant};

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::{Control, Row};
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::talk::Talk;
use isotherm_formats::buffers::BufferTally;
use isotherm_formats::{BufferCell, BufferContents, LevelKind, printable};
use isotherm_frame::Nanos;

use super::question::BufferQuestion;
use super::server::BufferServer;
use crate::feed::OpenError;
use crate::postgres::{PgAddress, checked, connecting};

/// The longest that an answer may take: a look at a terabyte of buffers takes a while.
const LATE: Duration = Duration::from_mins(2);
/// The largest usage count.
const MOST_USED: usize = 5;

/// Where the extension is, whether it can be had, the size of a buffer, the server's version, its role,
/// and whether it counts buffers by itself.
const SURVEY: &str = "select quote_ident(n.nspname), exists (select from pg_available_extensions \
    where name = 'pg_buffercache'), current_setting('block_size'), current_setting('server_version'), \
    quote_ident(current_user), current_database(), pg_is_in_recovery(), \
    exists (select from pg_proc p where p.pronamespace = n.oid \
    and p.proname = 'pg_buffercache_usage_counts') \
    from (select 1) one left join pg_extension e on e.extname = 'pg_buffercache' \
    left join pg_namespace n on n.oid = e.extnamespace";

/// Buffers by relation, fork and usage count. The extension looks at one buffer header after the other,
/// under its lock; all else is catalogs. No relation is locked: its size is the estimate of the last
/// VACUUM or ANALYZE. A schema stands for `SCHEMA`.
const RELATIONS: &str = "with held as (select reldatabase, reltablespace, relfilenode, \
    relforknumber, usagecount, count(*) as buffers, count(*) filter (where isdirty) as dirty, \
    count(*) filter (where pinning_backends > 0) as pinned \
    from SCHEMA.pg_buffercache group by 1, 2, 3, 4, 5), \
    here as (select oid, dattablespace from pg_database where datname = current_database()) \
    select case when h.relfilenode is null then 'free' when c.oid is not null then 'relation' \
    when h.reldatabase in (0, here.oid) then 'gone' else 'other' end as part, \
    coalesce(tn.nspname||'.'||t.relname, cn.nspname||'.'||c.relname, d.datname) as name, \
    case when t.oid is not null then c.relkind::text||'t' else c.relkind::text end as kind, \
    case when c.oid is not null then h.relforknumber end as fork, h.usagecount, \
    sum(h.buffers), sum(h.dirty), sum(h.pinned), \
    max(case when h.relforknumber = 0 and c.relpages > 0 then c.relpages end), \
    max(case when h.relforknumber = 0 then pg_stat_get_blocks_fetched(c.oid) end), \
    max(case when h.relforknumber = 0 then pg_stat_get_blocks_hit(c.oid) end) \
    from held h cross join here \
    left join pg_class c on pg_relation_filenode(c.oid) = h.relfilenode \
    and c.relpersistence <> 't' \
    and h.reldatabase = case when c.relisshared then 0 else here.oid end \
    and h.reltablespace = case when c.reltablespace = 0 then here.dattablespace \
    else c.reltablespace end \
    left join pg_namespace cn on cn.oid = c.relnamespace \
    left join pg_index x on x.indexrelid = c.oid and cn.nspname = 'pg_toast' \
    left join pg_class t on t.reltoastrelid = coalesce(x.indrelid, c.oid) \
    left join pg_namespace tn on tn.oid = t.relnamespace \
    left join pg_database d on d.oid = h.reldatabase and c.oid is null and h.reldatabase <> here.oid \
    group by 1, 2, 3, 4, 5";

/// Buffers by usage count, before 16.
const TOTALS: &str = "select case when relfilenode is null then 'free' else 'all' end, null, null, \
    null, usagecount, count(*), count(*) filter (where isdirty), \
    count(*) filter (where pinning_backends > 0), null, null, null \
    from SCHEMA.pg_buffercache group by 1, 5";

/// The same from 16 on, without a lock. Free buffers are among those of usage count 0; how many there are
/// is read a moment later.
const COUNTS: &str = "select part, null, null, null, usage_count, buffers, dirty, pinned, null, null, \
    null from (select 'all' as part, u.usage_count, case when u.usage_count = 0 \
    then u.buffers - least(u.buffers, s.buffers_unused) else u.buffers end as buffers, u.dirty, \
    u.pinned from SCHEMA.pg_buffercache_usage_counts() u, SCHEMA.pg_buffercache_summary() s \
    union all select 'free', null, least(u.buffers, s.buffers_unused), 0, 0 \
    from SCHEMA.pg_buffercache_usage_counts() u, SCHEMA.pg_buffercache_summary() s \
    where u.usage_count = 0) q";

struct Server {
    logon: Logon,
    talk: Option<Talk>,
    survey: Survey,
    sql: String,
}

/// What is known of the server.
struct Survey {
    schema: String,
    version: String,
    block_bytes: Option<u64>,
    user: String,
    counts: bool,
}

/// What is asked of this address.
pub(super) fn statements(
    address: &PgAddress,
    question: BufferQuestion,
) -> Result<Vec<String>, OpenError> {
    refuse(address, question)?;
    let asked: &[&str] =
        if question.totals_only { &[SURVEY, TOTALS, COUNTS] } else { &[SURVEY, RELATIONS] };
    Ok(asked.iter().map(|sql| sql.replace("SCHEMA", "public")).collect())
}

pub(super) fn open(
    address: &PgAddress,
    question: BufferQuestion,
) -> Result<Box<dyn BufferServer>, OpenError> {
    refuse(address, question)?;
    let (logon, _) = checked(address.logon()?.0)?;
    let failed = |error: &PgError| OpenError::Server(connecting(error, &logon));
    let talk = Talk::open(&logon).map_err(|error| failed(&error))?;
    let mut control = Control::over(talk, &logon, LATE);
    let rows = control.rows(SURVEY).map_err(|error| failed(&error))?;
    let survey = Survey::read(rows.first(), &logon)?;
    let talk = Some(control.into_talk());
    let sql = match (question.totals_only, survey.counts) {
        (false, _) => RELATIONS,
        (true, false) => TOTALS,
        (true, true) => COUNTS,
    };
    let sql = sql.replace("SCHEMA", &survey.schema);
    Ok(Box::new(Server { logon, talk, survey, sql }))
}

fn refuse(address: &PgAddress, question: BufferQuestion) -> Result<(), OpenError> {
    address.only_a_way_in()?;
    let text = "--touches is about Oracle's X$BH; PostgreSQL's usage counts are always shown";
    if question.touches { Err(OpenError::Option(text.into())) } else { Ok(()) }
}

impl Survey {
    fn read(row: Option<&Row>, logon: &Logon) -> Result<Survey, OpenError> {
        let cell = |column: usize| row.and_then(|row| row.get(column)?.as_deref());
        let text = |column: usize| cell(column).unwrap_or_default().to_owned();
        let Some(schema) = cell(0) else {
            return Err(OpenError::Server(format!(
                "{logon}: the extension pg_buffercache is not in the database {}; {}",
                text(5),
                next_step(cell(1) == Some("t"), cell(6) == Some("t"))
            )));
        };
        Ok(Survey {
            schema: schema.to_owned(),
            version: text(3),
            block_bytes: cell(2).and_then(|bytes| bytes.parse().ok()),
            user: text(4),
            counts: cell(7) == Some("t"),
        })
    }
}

/// How to get the extension.
fn next_step(is_available: bool, is_standby: bool) -> &'static str {
    match (is_available, is_standby) {
        (false, _) => {
            "and the server does not have it: install the package with PostgreSQL's contrib modules, \
             then run CREATE EXTENSION pg_buffercache there as a superuser"
        }
        (true, false) => "a superuser can add it there with CREATE EXTENSION pg_buffercache",
        (true, true) => {
            "this is a standby: a superuser can add it on the primary with CREATE EXTENSION \
             pg_buffercache"
        }
    }
}

impl BufferServer for Server {
    fn read(&mut self) -> Result<BufferContents, OpenError> {
        let Some(talk) = self.talk.take() else {
            return Err(OpenError::Server(format!("{}: there is no connection", self.logon)));
        };
        let logon = self.logon.clone();
        let mut control = Control::over(talk, &logon, LATE);
        let asked = Instant::now();
        let rows = control.rows(&self.sql);
        let took = Nanos::new(u64::try_from(asked.elapsed().as_nanos()).unwrap_or(u64::MAX));
        self.talk = Some(control.into_talk());
        let rows = rows.map_err(|error| self.failed(&error))?;
        self.contents(&rows, took).map_err(OpenError::Server)
    }
}

impl Server {
    fn failed(&self, error: &PgError) -> OpenError {
        OpenError::Server(if error.is("42501") {
            let Survey { user, schema, .. } = &self.survey;
            let usage = match schema.as_str() {
                "public" | "pg_catalog" => String::new(),
                schema => format!("\n  GRANT USAGE ON SCHEMA {schema} TO {user};"),
            };
            format!(
                "{user} may not read pg_buffercache ({error}); a superuser can allow it with\n  GRANT \
                 pg_monitor TO {user};{usage}"
            )
        } else {
            format!("{}: {error}", self.logon)
        })
    }

    fn contents(&self, rows: &[Row], took: Nanos) -> Result<BufferContents, String> {
        let mut tally = BufferTally::new(BufferContents {
            server: format!("PostgreSQL {}", self.survey.version),
            block_bytes: self.survey.block_bytes,
            kind: LevelKind::UsageCount,
            levels: (0..=MOST_USED).map(|count| count.to_string()).collect(),
            knows_dirty: true,
            knows_pins: true,
            took,
            ..BufferContents::default()
        });
        for row in rows {
            if add(&mut tally, row).is_none() {
                let row = printable(format!("{row:?}").as_bytes(), 200);
                return Err(format!("pg_buffercache: not what was asked for: {row}"));
            }
        }
        Ok(tally.contents)
    }
}

/// Adds a row of the answer; none if it is not one.
fn add(tally: &mut BufferTally, row: &Row) -> Option<()> {
    let text = |column: usize| row.get(column).and_then(Option::as_deref);
    let number = |column: usize| text(column)?.parse::<u64>().ok();
    let cell = BufferCell { buffers: number(5)?, dirty: number(6)?, pinned: number(7)? };
    let part = text(0)?;
    if part == "free" {
        tally.contents.free = tally.contents.free.saturating_add(cell.buffers);
        return Some(());
    }
    let level = usize::try_from(number(4)?).ok().filter(|&level| level <= MOST_USED)?;
    let (name, kind) = holder(part, text(1), text(2), text(3))?;
    let holder = tally.holder(&name, kind);
    holder.cells[level].add(cell);
    holder.blocks = holder.blocks.max(number(8));
    holder.fetched = holder.fetched.max(number(9));
    holder.hits = holder.hits.max(number(10));
    Some(())
}

/// The name of what holds buffers, and what it is.
fn holder(
    part: &str,
    name: Option<&str>,
    kind: Option<&str>,
    fork: Option<&str>,
) -> Option<(String, &'static str)> {
    match part {
        "all" => return Some(("all relations".into(), "")),
        "other" => {
            return Some((name.unwrap_or("a database that is gone").into(), "another database"));
        }
        "gone" => return Some(("files of no relation".into(), "dropped or new")),
        "relation" => {}
        _ => return None,
    }
    let name = printable(name?.as_bytes(), 200);
    let kind = match (fork?, kind?) {
        ("0", "r" | "p") => "table",
        ("0", "i" | "I") => "index",
        ("0", "m") => "materialized view",
        ("0", "S") => "sequence",
        ("0", "t" | "tt") => "TOAST",
        ("0", "it") => "TOAST index",
        ("0", _) => "relation",
        ("1", _) => "free space map",
        ("2", _) => "visibility map",
        _ => "initial fork",
    };
    Some((name, kind))
}
