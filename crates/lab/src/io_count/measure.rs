//! A session that reads, and three that count it: strace, the statistics, the looks.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::calls::Calls;
use super::found::{Found, SAMPLES};
use super::kernel::KernelCounter;
use super::looks::Looks;
use super::sample::{Counts, Measurement, StatementBlocks, Way};
use crate::server::{RelationFiles, Server, failed};
use crate::strace::{Strace, Untraced};
use crate::{Bench, LabError};

/// Rows of the table, about half a kilobyte each: more than the 32 MiB of the server's own cache.
const ROWS: (usize, usize) = (100_000, 300_000);
/// Single rows that are read.
const LOOKUPS: (usize, usize) = (300, 4_000);
/// The first release that can be asked to count at once.
const LEAST_VERSION: u64 = 150_000;
/// The share of the lab that is done before the first count.
const PREPARED: f64 = 0.15;
/// Keys are a permutation of the row numbers: a prime that divides neither number of rows.
const SCATTER: u64 = 7_919;

const FLUSH: &str = "select pg_stat_force_next_flush()";
const TABLE_BLOCKS: &str = "select heap_blks_read + idx_blks_read from pg_statio_user_tables where \
    relname = 'rows_counted' and schemaname = current_schema()";
const READ_TIME: &str =
    "select round(blk_read_time * 1000) from pg_stat_database where datname = current_database()";

/// The column of `pg_stat_io` that says how much was read.
const IO_COLUMN: &str = "select attname from pg_attribute where attrelid = to_regclass('pg_catalog.pg_stat_io') \
    and attname in ('op_bytes', 'read_bytes') and not attisdropped";
const IO_BY_READS: &str = "select coalesce(sum(reads * op_bytes), 0)::bigint / \
    current_setting('block_size')::bigint from pg_catalog.pg_stat_io where object = 'relation' and backend_type \
    <> 'autovacuum worker'";
const IO_BY_BYTES: &str = "select (coalesce(sum(read_bytes), 0) / \
    current_setting('block_size')::bigint)::bigint from pg_catalog.pg_stat_io where object = 'relation' and \
    backend_type <> 'autovacuum worker'";

/// The extension that counts by statement.
const LIBRARY: &str = "pg_stat_statements";
const IS_AVAILABLE: &str =
    "select count(*) from pg_available_extensions where name = 'pg_stat_statements'";
/// Where its views are.
const SCHEMA: &str = "select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = \
    extnamespace where extname = 'pg_stat_statements'";

/// What the server and the system have counted so far.
struct Totals {
    blocks: u64,
    by_io: Option<u64>,
    read_s: f64,
    from_device: Option<u64>,
}

/// What counts, besides the statistics of the table and strace.
struct Counters<'a> {
    by_statement: Option<StatementCounter>,
    kernel: Option<KernelCounter>,
    /// Asks `pg_stat_io`.
    io: Option<&'static str>,
    observer: Control<'a>,
}

/// One way in one sample, and how much of the lab is done before.
#[derive(Copy, Clone)]
struct Turn {
    sample: usize,
    way: Way,
    done: f64,
}

/// Counts each way of reading, in each sample.
pub fn measurements(server: &mut Server<'_>, bench: &mut Bench<'_>) -> Result<Found, LabError> {
    if server.version < LEAST_VERSION {
        return Err(LabError::NotInstalled {
            what: format!("PostgreSQL {}", server.version / 10_000),
            why: "it cannot say at once what it has read".to_owned(),
            next: "install PostgreSQL 15 or later",
        });
    }
    let by_statement = StatementCounter::ready(server, bench)?;
    let server = &*server;
    let directory = server.data_directory()?;
    let mut observer = server.control()?;
    let block = observer.number("show block_size").map_err(failed)?;
    bench.step(0.05, "filling a table")?;
    let files = filled(&mut observer, &directory, bench.either(ROWS.0, ROWS.1))?;
    let backend = observer.number("select pg_backend_pid()").map_err(failed)?;
    let (kernel, unseen) = match KernelCounter::attach(backend, PREPARED, bench)? {
        Ok(kernel) => (Some(kernel), None),
        Err(Untraced(why)) => (None, Some(why)),
    };
    let io = io_statistics(&mut observer).map_err(failed)?;
    let has_statements = by_statement.is_some();
    let mut found =
        Found { measurements: Vec::new(), block, untraced: None, unseen, has_statements };
    let mut counters = Counters { by_statement, kernel, io, observer };
    let mut sessions = Vec::new();
    for turn in turns() {
        let Turn { sample, way, done } = turn;
        bench.step(done, &format!("sample {sample} of {SAMPLES}, {}", way.name()))?;
        match way {
            Way::Cached => files.read()?,
            _ => files.evict()?,
        }
        let (counts, pid, untraced) = counters.count(server, (turn, &files), bench)?;
        sessions.push(pid);
        found.measurements.push(Measurement { sample, way, counts });
        found.untraced = untraced.map(|why| why.0).or(found.untraced);
    }
    if let Some(kernel) = counters.kernel {
        for (measurement, reads) in found.measurements.iter_mut().zip(kernel.finish(&sessions)?) {
            measurement.counts.kernel = Some(reads);
        }
    }
    Ok(found)
}

/// All ways of the first sample, then of the second and so on.
fn turns() -> impl Iterator<Item = Turn> {
    let all = SAMPLES * Way::ALL.len();
    (0..all).zip(Way::ALL.into_iter().cycle()).map(move |(number, way)| Turn {
        sample: number / Way::ALL.len() + 1,
        way,
        done: PREPARED + (1.0 - PREPARED) * number as f64 / all as f64,
    })
}

/// Counts by statement, where the server has them.
struct StatementCounter {
    /// The schema of its views, as SQL writes it.
    schema: String,
}

/// Blocks of the statements that read the table, so far.
#[derive(Copy, Clone, Debug)]
struct StatementTotals {
    blocks: StatementBlocks,
    /// How often the server forgot the statements that were least used.
    forgotten: u64,
}

impl StatementCounter {
    /// Starts a server of the lab's own again so that it counts by statement. One of the user counts
    /// already, or is not made to.
    fn ready(
        server: &mut Server<'_>,
        bench: &mut Bench<'_>,
    ) -> Result<Option<StatementCounter>, LabError> {
        if server.is_own() {
            if server.control()?.number(IS_AVAILABLE).map_err(failed)? == 0 {
                return Ok(None);
            }
            server.restart(bench, &format!("shared_preload_libraries={LIBRARY}"))?;
            server.control()?.rows(&format!("create extension {LIBRARY}")).map_err(failed)?;
        }
        let mut observer = server.control()?;
        let Some(schema) = observer.value(SCHEMA).map_err(failed)? else { return Ok(None) };
        let counter = StatementCounter { schema };
        match counter.read(&mut observer) {
            Ok(_) => Ok(Some(counter)),
            // It is made in the database, and not loaded by the server.
            Err(PgError::Server(_)) if !server.is_own() => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// What the statements that read the table have read. The observer's own have no such text.
    fn read(&self, observer: &mut Control<'_>) -> Result<StatementTotals, PgError> {
        let schema = &self.schema;
        let rows = observer.rows(&format!(
            "select coalesce(sum(shared_blks_read), 0)::bigint, coalesce(sum(temp_blks_read), 0)::bigint, \
             (select dealloc from {schema}.pg_stat_statements_info) from {schema}.pg_stat_statements where \
             query like 'select%from rows!_counted%' escape '!'"
        ))?;
        let cell = |column: usize| rows.first()?.get(column)?.as_deref()?.parse::<u64>().ok();
        let blocks =
            StatementBlocks { shared: cell(0).unwrap_or(0), temporary: cell(1).unwrap_or(0) };
        Ok(StatementTotals { blocks, forgotten: cell(2).unwrap_or(0) })
    }
}

impl StatementTotals {
    /// What came since an earlier count; none where the server may have forgotten some of it.
    fn since(self, before: StatementTotals) -> Option<StatementBlocks> {
        if self.forgotten != before.forgotten {
            return None;
        }
        Some(StatementBlocks {
            shared: self.blocks.shared.checked_sub(before.blocks.shared)?,
            temporary: self.blocks.temporary.checked_sub(before.blocks.temporary)?,
        })
    }
}

/// Makes the table, with nothing left to be written.
fn filled(
    observer: &mut Control<'_>,
    directory: &Path,
    rows: usize,
) -> Result<RelationFiles, LabError> {
    let fill = format!(
        "create table rows_counted as select n * {SCATTER} % {rows} as key, repeat(md5(n::text), 15) as \
         filler from generate_series(0::bigint, {rows} - 1) n"
    );
    for statement in [
        &fill,
        "create unique index rows_counted_key on rows_counted (key)",
        "vacuum (freeze, analyze) rows_counted",
        "checkpoint",
    ] {
        observer.rows(statement).map_err(failed)?;
    }
    RelationFiles::of(observer, directory, &["rows_counted", "rows_counted_key"])
}

impl Counters<'_> {
    /// Lets a session read, with all that count; gives its process, too, and why that was not traced.
    fn count(
        &mut self,
        server: &Server<'_>,
        (turn, files): (Turn, &RelationFiles),
        bench: &mut Bench<'_>,
    ) -> Result<(Counts, u64, Option<Untraced>), LabError> {
        let Turn { sample, way, done } = turn;
        let statements_before = self.statements()?;
        let mut session = server.control()?;
        for statement in [&["set track_io_timing = on"], way.settings()].concat() {
            session.rows(statement).map_err(failed)?;
        }
        let pid = session.number("select pg_backend_pid()").map_err(failed)?;
        let size = (bench.either(LOOKUPS.0, LOOKUPS.1), bench.either(ROWS.0, ROWS.1));
        // Other rows each time: those that were read before are in the server's own cache.
        let part = Way::ALL.iter().position(|one| *one == way).unwrap_or(0);
        let part = 31 + (sample - 1) * Way::ALL.len() + part;
        let statements = way.statements(size, &mut bench.random(part as u64));
        // What planning reads is not in counts by statement: catalogs, and a block or two of the index.
        if let Some(first) = statements.first() {
            session.rows(&format!("explain {first}")).map_err(failed)?;
            session.rows(FLUSH).map_err(failed)?;
        }
        let before = self.totals(pid).map_err(failed)?;
        let calls = Calls::traced();
        let traced = (&[pid][..], &["-y", "-s", "0", "-e", &calls][..]);
        let (strace, untraced) = match Strace::attach(traced, done, bench)? {
            Ok(strace) => (Some(strace), None),
            Err(untraced) => (None, Some(untraced)),
        };
        if self.kernel.is_some() {
            KernelCounter::begin(pid);
        }
        let looks = watched(&mut session, pid, &statements, &mut self.observer).map_err(failed)?;
        if self.kernel.is_some() {
            KernelCounter::end();
        }
        let text = strace.map(Strace::finish).transpose()?;
        session.rows(FLUSH).map_err(failed)?;
        let after = self.totals(pid).map_err(failed)?;
        let grown = |(after, before): (u64, u64)| after.saturating_sub(before);
        let by_statement = self.statements()?.zip(statements_before);
        let counts = Counts {
            calls: text.map(|text| Calls::read(&text, &files.names)),
            blocks: grown((after.blocks, before.blocks)),
            by_io: after.by_io.zip(before.by_io).map(grown),
            kernel: None,
            by_statement: by_statement.and_then(|(after, before)| after.since(before)),
            read_s: after.read_s - before.read_s,
            looks,
            from_device: after.from_device.zip(before.from_device).map(grown),
        };
        Ok((counts, pid, untraced))
    }

    fn statements(&mut self) -> Result<Option<StatementTotals>, LabError> {
        let counter = self.by_statement.as_ref();
        counter.map(|counter| counter.read(&mut self.observer)).transpose().map_err(failed)
    }

    /// What the server and the system have counted so far; of the device for this process.
    fn totals(&mut self, pid: u64) -> Result<Totals, PgError> {
        let observer = &mut self.observer;
        // What the observer itself has read, as to fill the table, is not to come later.
        observer.rows(FLUSH)?;
        let blocks = observer.number(TABLE_BLOCKS)?;
        let read_s = observer.number(READ_TIME)? as f64 / 1e6;
        let io = fs::read_to_string(format!("/proc/{pid}/io")).ok();
        let by_io = self.io.map(|asked| observer.number(asked)).transpose()?;
        Ok(Totals { blocks, by_io, read_s, from_device: io.as_deref().and_then(from_device) })
    }
}

/// What asks for the blocks that backends have read, by `pg_stat_io`; none where there is no such view, before
/// release 16. From release 18 on it counts bytes, because one read may be of several blocks.
fn io_statistics(observer: &mut Control<'_>) -> Result<Option<&'static str>, PgError> {
    Ok(match observer.value(IO_COLUMN)?.as_deref() {
        Some("read_bytes") => Some(IO_BY_BYTES),
        Some("op_bytes") => Some(IO_BY_READS),
        _ => None,
    })
}

/// `read_bytes` of `/proc/PID/io`.
fn from_device(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("read_bytes:")?.trim().parse().ok())
}

/// Runs the statements while the observer looks at what their session waits for.
fn watched(
    session: &mut Control<'_>,
    pid: u64,
    statements: &[String],
    observer: &mut Control<'_>,
) -> Result<Looks, PgError> {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let looking = scope.spawn(|| Looks::of(observer, pid, &ended));
        let result = statements.iter().try_for_each(|statement| session.rows(statement).map(drop));
        ended.store(true, Ordering::Relaxed);
        let looks = looking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        result.and(looks)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn bytes_from_a_device_are_found_by_their_name() {
        let text = "rchar: 5\nwchar: 6\nsyscr: 1\nread_bytes: 4096\nwrite_bytes: 7\n";
        assert_eq!(from_device(text), Some(4_096));
        assert_eq!(from_device("read_bytes: many\n"), None);
        assert_eq!(from_device(""), None);
    }

    #[test]
    fn blocks_of_statements_are_what_the_totals_grew_by() {
        let totals = |shared, temporary, forgotten| StatementTotals {
            blocks: StatementBlocks { shared, temporary },
            forgotten,
        };
        let grown = totals(15, 9, 1).since(totals(5, 9, 1));
        assert_eq!(grown, Some(StatementBlocks { shared: 10, temporary: 0 }));
        // Somebody else has reset them, or statements were forgotten to make room.
        assert_eq!(totals(1, 0, 1).since(totals(5, 0, 1)), None);
        assert_eq!(totals(15, 9, 2).since(totals(5, 9, 1)), None);
    }

    /// `pg_stat_io` of release 16, played by a view of its columns, and what 18 has in place of `op_bytes`.
    const STAND_IN: &str = "create or replace view pg_catalog.pg_stat_io as select v.backend_type, v.object, \
        v.context, v.reads, 0.5::float8 as read_time, 0::bigint as writes, 0::float8 as write_time, 0::bigint as \
        writebacks, 0::float8 as writeback_time, 0::bigint as extends, 0::float8 as extend_time, BYTES, 0::bigint as \
        hits, 0::bigint as evictions, 0::bigint as reuses, 0::bigint as fsyncs, 0::float8 as fsync_time, now() as \
        stats_reset from (values ('client backend', 'relation', 'normal', 70::bigint), ('client backend', \
        'relation', 'bulkread', 30), ('background worker', 'relation', 'normal', 11), ('client backend', 'temp \
        relation', 'normal', 1000), ('autovacuum worker', 'relation', 'vacuum', 10000), ('checkpointer', \
        'relation', 'normal', null)) v (backend_type, object, context, reads)";

    #[test]
    fn statistics_of_io_are_asked_for_by_the_columns_that_there_are() {
        let _ends = testing::bounded::watchdog("a server with pg_stat_io");
        let (stop, mut progress) = (AtomicBool::new(false), |_| ());
        let mut bench = Bench::new((crate::Length::Short, 1), &stop, &mut progress);
        let server = match Server::ready(&mut bench) {
            Err(LabError::NotInstalled { .. }) => {
                let said = "SKIPPED: PostgreSQL is not installed";
                return writeln!(std::io::stderr(), "{said}").expect("written");
            }
            server => server.unwrap(),
        };
        let mut observer = server.control().unwrap();
        if server.version < 160_000 {
            assert_eq!(io_statistics(&mut observer).unwrap(), None);
        }
        observer.rows("set allow_system_table_mods = on").unwrap();
        // 111 reads of 16 KiB, which are two blocks each; then as bytes, of which 18 has none where nothing was read.
        for (bytes, asked) in [
            ("16384::bigint as op_bytes", IO_BY_READS),
            ("(v.reads * 16384)::numeric as read_bytes", IO_BY_BYTES),
        ] {
            observer.rows("drop view if exists pg_catalog.pg_stat_io").unwrap();
            observer.rows(&STAND_IN.replace("BYTES", bytes)).unwrap();
            assert_eq!(io_statistics(&mut observer).unwrap(), Some(asked));
            assert_eq!(observer.number(asked).unwrap(), 222);
        }
    }

    #[test]
    fn each_way_has_a_turn_in_each_sample() {
        let turns: Vec<Turn> = turns().collect();
        let samples: Vec<usize> =
            turns.iter().step_by(Way::ALL.len()).map(|turn| turn.sample).collect();
        assert_eq!(samples, [1, 2, 3, 4, 5, 6]);
        for (number, turn) in turns.iter().enumerate() {
            assert_eq!(turn.way, Way::ALL[number % Way::ALL.len()]);
        }
        assert!(turns.is_sorted_by(|one, next| one.done < next.done && next.done < 1.0));
    }

    #[test]
    fn keys_are_a_permutation_of_the_rows() {
        for rows in [ROWS.0 as u64, ROWS.1 as u64] {
            assert_ne!(rows % SCATTER, 0);
        }
    }
}
