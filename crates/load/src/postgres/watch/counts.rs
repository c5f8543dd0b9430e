//! Totals the server keeps. Each of its processes reports what it did once a second at most, so
//! that a total may be a second late: shares are right, and rates over a few seconds are not quite.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::super::model;
use super::backends::Used;
use crate::KnownCounter;
use crate::{Count, Unit};
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::{Control, quoted};
use isotherm_client::postgres::talk::Talk;

/// The longest that one question for totals may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A query of totals: the columns' names are what they are called.
#[derive(Debug)]
struct Query {
    sql: String,
    /// What each column is, in its order.
    columns: &'static [(&'static str, Unit)],
}

/// Asks a server for its totals, on a connection of its own.
#[derive(Debug)]
pub struct Counters {
    logon: Arc<Logon>,
    queries: Vec<Query>,
    /// The connection, when nobody uses it.
    talk: Mutex<Option<Talk>>,
}

impl Counters {
    /// Over a connection that is quiet; for a server of a version and the job's schemas.
    pub fn new(logon: &Arc<Logon>, talk: Talk, version: u64, schemas: u32) -> Counters {
        let logon = Arc::clone(logon);
        Counters { logon, queries: queries(version, schemas), talk: Mutex::new(Some(talk)) }
    }

    /// The totals now. What cannot be read is left out.
    pub fn read(&self) -> Vec<Count> {
        let mut kept = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = Vec::new();
        for query in &self.queries {
            let Some(talk) = kept.take().or_else(|| Talk::open(&self.logon).ok()) else { break };
            let mut control = Control::over(talk, &self.logon, PATIENCE);
            match control.rows(&query.sql) {
                Ok(rows) => {
                    let row = rows.into_iter().next().unwrap_or_default();
                    counts.extend(query.columns.iter().zip(row).filter_map(count));
                }
                // The server is still there and said no: the connection can be used again.
                Err(isotherm_client::postgres::error::PgError::Server(_)) => {}
                Err(_) => continue,
            }
            *kept = Some(control.into_talk());
        }
        counts
    }
}

fn count(((name, unit), value): (&(&'static str, Unit), Option<String>)) -> Option<Count> {
    let value = value?.parse().ok()?;
    Some(Count { name: Cow::Borrowed(name), value, unit: *unit })
}

/// What the operating system counts of the server's processes.
pub fn of_processes(used: Used) -> Vec<Count> {
    let mut counts =
        vec![Count { name: Cow::Borrowed("server cpu"), value: used.cpu_ns, unit: Unit::Nanos }];
    if let Some(read) = used.read {
        let bytes = [
            (KnownCounter::BackendReadStorage.name(), read.storage),
            (KnownCounter::BackendReadCalls.name(), read.calls),
        ];
        counts.extend(bytes.map(|(name, value)| Count {
            name: Cow::Borrowed(name),
            value,
            unit: Unit::Bytes,
        }));
    }
    counts
}

fn queries(version: u64, schemas: u32) -> Vec<Query> {
    let ours: Vec<String> = (1..=schemas).map(|number| quoted(&model::schema(number))).collect();
    let ours = ours.join(", ");
    let mut queries = vec![
        Query {
            sql: format!(
                "select sum(heap_blks_read + coalesce(idx_blks_read, 0)), \
                 sum(heap_blks_hit + coalesce(idx_blks_hit, 0)) \
                 from pg_statio_user_tables where schemaname in ({ours})"
            ),
            columns: const {
                &[
                    (KnownCounter::PgBlocksRead.name(), Unit::Count),
                    (KnownCounter::PgBlocksHit.name(), Unit::Count),
                ]
            },
        },
        Query {
            sql: format!(
                "select sum(coalesce(idx_scan, 0)), sum(n_tup_upd), sum(n_tup_hot_upd) \
                 from pg_stat_user_tables where schemaname in ({ours})"
            ),
            columns: &[
                ("pg index scans", Unit::Count),
                ("pg rows updated", Unit::Count),
                ("pg rows updated in place", Unit::Count),
            ],
        },
        Query {
            sql: "select xact_commit, xact_rollback, deadlocks, temp_bytes, \
                  (blk_read_time * 1e6)::bigint \
                  from pg_stat_database where datname = current_database()"
                .to_owned(),
            columns: &[
                ("pg commits", Unit::Count),
                ("pg rollbacks", Unit::Count),
                ("pg deadlocks", Unit::Count),
                ("pg temp bytes", Unit::Bytes),
                ("pg block read time", Unit::Nanos),
            ],
        },
    ];
    if version >= 140_000 {
        queries.push(Query {
            sql: "select wal_records, wal_bytes::bigint from pg_stat_wal".to_owned(),
            columns: &[("pg wal records", Unit::Count), ("pg wal bytes", Unit::Bytes)],
        });
    }
    if version >= 160_000 {
        queries.push(Query {
            sql: "select sum(reads), sum(writes) from pg_stat_io \
                  where backend_type = 'client backend' and object = 'relation'"
                .to_owned(),
            columns: &[("pg client reads", Unit::Count), ("pg client writes", Unit::Count)],
        });
    }
    queries
}
