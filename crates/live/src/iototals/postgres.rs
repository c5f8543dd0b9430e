//! `PostgreSQL`: `pg_stat_io` from 16 on, the counters of buffers before; `pg_statio_*` of the relations of
//! one database.

use std::time::{Duration, Instant};

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::{Control, Row};
use isotherm_client::postgres::error::PgError;
use isotherm_client::postgres::talk::Talk;
use isotherm_frame::{IoAmount, IoAmounts, IoCounters, IoPart, IoTotals, Nanos};

use super::counters::Counters;
use crate::feed::OpenError;
use crate::postgres::{PgAddress, checked, connecting};

/// The longest that an answer may take.
const LATE: Duration = Duration::from_secs(30);

/// What changes when counters are reset, and whether there is `pg_stat_io`.
const EPOCH: &str = "select concat_ws(' ', pg_postmaster_start_time(), (select stats_reset from \
    pg_stat_bgwriter), (select max(stats_reset) from pg_stat_database)), to_regclass('pg_catalog.pg_stat_io') is not null";

/// Functions before 16. Buffers that backends write count those by which files grow.
const BUFFERS: &str = "select 'database '||datid, 'reads of '||datname, blks_read, blks_read * size, null, null \
    from pg_stat_database, (select current_setting('block_size')::bigint as size) b where datname is not null \
    union all select f.name, f.name, null, null, f.blocks, f.blocks * size \
    from pg_stat_bgwriter g, (select current_setting('block_size')::bigint as size) b, \
    lateral (values ('checkpointer', g.buffers_checkpoint), ('background writer', g.buffers_clean), \
    ('writes of backends', g.buffers_backend)) as f(name, blocks)";

/// Functions from 16 on: bytes stand in columns of their own from 18 on. A file that grows is written.
const FUNCTIONS: &str = "select t.name, t.name, sum(reads), \
    sum(coalesce((j->>'read_bytes')::numeric, reads * (j->>'op_bytes')::numeric)), \
    sum(coalesce(writes, 0) + coalesce(extends, 0)), \
    sum(coalesce((j->>'write_bytes')::numeric, writes * (j->>'op_bytes')::numeric, 0) \
    + coalesce((j->>'extend_bytes')::numeric, extends * (j->>'op_bytes')::numeric, 0)) \
    from (select s.*, to_jsonb(s) as j, backend_type||', '||object||', '||context as name \
    from pg_catalog.pg_stat_io s) t group by 1";
/// What changes when these begin anew.
const FUNCTIONS_EPOCH: &str = "select max(stats_reset) from pg_catalog.pg_stat_io";

/// Relations of this database: blocks that were not in shared buffers. TOAST tables are in the view of tables.
const RELATIONS: &str = "select r.id, r.name, r.blocks, r.blocks * size, null, null from (\
    select relid as id, schemaname||'.'||relname as name, heap_blks_read as blocks from pg_statio_all_tables \
    union all select indexrelid, schemaname||'.'||indexrelname, idx_blks_read from pg_statio_all_indexes \
    union all select relid, schemaname||'.'||relname, blks_read from pg_statio_all_sequences) r, \
    (select current_setting('block_size')::bigint as size) b where r.blocks > 0";

pub(super) const STATEMENTS: [&str; 5] = [EPOCH, BUFFERS, FUNCTIONS, FUNCTIONS_EPOCH, RELATIONS];

struct Server {
    logon: Logon,
    talk: Option<Talk>,
    since: Instant,
}

pub(super) fn open(address: &PgAddress) -> Result<Box<dyn Counters>, OpenError> {
    address.only_a_way_in()?;
    let (logon, _) = checked(address.logon()?.0)?;
    let talk = Talk::open(&logon).map_err(|error| OpenError::Server(connecting(&error, &logon)))?;
    Ok(Box::new(Server { logon, talk: Some(talk), since: Instant::now() }))
}

impl Counters for Server {
    fn read(&mut self) -> Result<IoTotals, OpenError> {
        let Some(talk) = self.talk.take() else {
            return Err(OpenError::Server(format!("{}: there is no connection", self.logon)));
        };
        let logon = self.logon.clone();
        let mut control = Control::over(talk, &logon, LATE);
        let asked = self.since.elapsed();
        let totals = totals(&mut control);
        let at = asked + self.since.elapsed().saturating_sub(asked) / 2;
        self.talk = Some(control.into_talk());
        let mut totals =
            totals.map_err(|error| OpenError::Server(connecting(&error, &self.logon)))?;
        totals.at = Nanos::new(u64::try_from(at.as_nanos()).unwrap_or(u64::MAX));
        Ok(totals)
    }
}

fn totals(control: &mut Control<'_>) -> Result<IoTotals, PgError> {
    let head = control.rows(EPOCH)?;
    let cell = |column: usize| head.first().and_then(|row| row.get(column)?.as_deref());
    let mut epoch = cell(0).unwrap_or_default().to_owned();
    let has_functions = cell(1) == Some("t");
    if has_functions {
        epoch += &control.value(FUNCTIONS_EPOCH)?.unwrap_or_default();
    }
    let functions = control.rows(if has_functions { FUNCTIONS } else { BUFFERS })?;
    let files = control.rows(RELATIONS)?;
    let functions = functions.iter().map(|row| counters(IoPart::Function, row));
    let files = files.iter().map(|row| counters(IoPart::File, row));
    Ok(IoTotals {
        at: Nanos::ZERO,
        epochs: vec![("".into(), epoch.into())],
        counters: functions.chain(files).collect(),
    })
}

fn counters(part: IoPart, row: &Row) -> IoCounters {
    let text = |column: usize| row.get(column).and_then(Option::as_deref);
    let number = |column: usize| text(column)?.parse::<u64>().ok();
    let amount =
        |column: usize| Some(IoAmount { operations: number(column)?, bytes: number(column + 1)? });
    let amounts =
        IoAmounts { small_reads: amount(2), small_writes: amount(4), ..IoAmounts::default() };
    let [id, name] = [0, 1].map(|column| text(column).unwrap_or_default().into());
    IoCounters { part, instance: "".into(), id, name, amounts }
}
