//! A session that reads, and three that count it: strace, the statistics, the looks.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::calls::Calls;
use super::looks::Looks;
use super::sample::{Sample, StatementBlocks, Way};
use super::strace::{Strace, Untraced};
use crate::server::{RelationFiles, Server, failed};
use crate::{Bench, LabError};

/// Rows of the table, about half a kilobyte each: several times the 32 MiB of the server's own cache.
const ROWS: (usize, usize) = (150_000, 300_000);
/// Single rows that are read.
const LOOKUPS: (usize, usize) = (500, 4_000);
/// The first release that can be asked to count at once.
const LEAST_VERSION: u64 = 150_000;
/// Keys are a permutation of the row numbers: a prime that divides neither number of rows.
const SCATTER: u64 = 7_919;

const FLUSH: &str = "select pg_stat_force_next_flush()";
const TABLE_BLOCKS: &str = "select heap_blks_read + idx_blks_read from pg_statio_user_tables where \
    relname = 'rows_counted'";
const READ_TIME: &str =
    "select round(blk_read_time * 1000) from pg_stat_database where datname = current_database()";

/// The extension that counts by statement.
const LIBRARY: &str = "pg_stat_statements";
const IS_AVAILABLE: &str =
    "select count(*) from pg_available_extensions where name = 'pg_stat_statements'";

/// What was counted, and how.
#[derive(Debug)]
pub struct Found {
    pub samples: Vec<Sample>,
    /// Bytes of a block of the server.
    pub block: u64,
    /// Why system calls were not counted.
    pub untraced: Option<String>,
    /// Whether the server counts by statement.
    pub has_statements: bool,
}

/// What the server and the system count.
struct Counters {
    blocks: u64,
    read_s: f64,
    from_device: Option<u64>,
}

/// Counts each way of reading.
pub fn samples(server: &mut Server<'_>, bench: &mut Bench<'_>) -> Result<Found, LabError> {
    if server.version < LEAST_VERSION {
        return Err(LabError::NotInstalled {
            what: format!("PostgreSQL {}", server.version / 10_000),
            why: "it cannot say at once what it has read".to_owned(),
            next: "install PostgreSQL 15 or later",
        });
    }
    let has_statements = with_statements(server, bench)?;
    let server = &*server;
    let mut observer = server.control()?;
    let block = observer.number("show block_size").map_err(failed)?;
    bench.step(0.05, "filling a table")?;
    let files = filled(&mut observer, bench.either(ROWS.0, ROWS.1))?;
    let mut found = Found { samples: Vec::new(), block, untraced: None, has_statements };
    for (number, way) in Way::ALL.into_iter().enumerate() {
        let done = 0.2 + 0.8 * number as f64 / Way::ALL.len() as f64;
        bench.step(done, &format!("counting reads: {}", way.name()))?;
        match way {
            Way::Cached => files.read()?,
            _ => files.evict()?,
        }
        if has_statements {
            observer.rows("select pg_stat_statements_reset()").map_err(failed)?;
        }
        let (sample, untraced) = sample(server, (way, &files), (done, bench), &mut observer)?;
        let by_statement = has_statements.then(|| statement_blocks(&mut observer)).transpose();
        let sample = Sample { by_statement: by_statement.map_err(failed)?, ..sample };
        found.samples.push(sample);
        found.untraced = untraced.map(|why| why.0).or(found.untraced);
    }
    Ok(found)
}

/// Starts the server again so that it counts by statement; false where the extension is not installed.
fn with_statements(server: &mut Server<'_>, bench: &mut Bench<'_>) -> Result<bool, LabError> {
    if server.control()?.number(IS_AVAILABLE).map_err(failed)? == 0 {
        return Ok(false);
    }
    server.restart(bench, &format!("shared_preload_libraries={LIBRARY}"))?;
    let made = server.control()?.rows(&format!("create extension {LIBRARY}"));
    made.map(|_| true).map_err(failed)
}

/// What the statements that read the table have read. The observer's own have no such text.
fn statement_blocks(observer: &mut Control<'_>) -> Result<StatementBlocks, PgError> {
    let mut sum = |column: &str| {
        observer.number(&format!(
            "select coalesce(sum({column}), 0)::bigint from pg_stat_statements where query like \
             'select%from rows!_counted%' escape '!'"
        ))
    };
    Ok(StatementBlocks { shared: sum("shared_blks_read")?, temporary: sum("temp_blks_read")? })
}

/// Makes the table, with nothing left to be written.
fn filled(observer: &mut Control<'_>, rows: usize) -> Result<RelationFiles, LabError> {
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
    RelationFiles::of(observer, &["rows_counted", "rows_counted_key"])
}

fn sample(
    server: &Server<'_>,
    (way, files): (Way, &RelationFiles),
    (done, bench): (f64, &mut Bench<'_>),
    observer: &mut Control<'_>,
) -> Result<(Sample, Option<Untraced>), LabError> {
    let mut session = server.control()?;
    for statement in [&["set track_io_timing = on"], way.settings()].concat() {
        session.rows(statement).map_err(failed)?;
    }
    let pid = session.number("select pg_backend_pid()").map_err(failed)?;
    let size = (bench.either(LOOKUPS.0, LOOKUPS.1), bench.either(ROWS.0, ROWS.1));
    // Other rows each time: those of the sample before are in the server's own cache.
    let part = 31 + Way::ALL.iter().position(|one| *one == way).unwrap_or(0) as u64;
    let statements = way.statements(size, &mut bench.random(part));
    // What planning reads is not in counts by statement: catalogs, and a block or two of the index.
    if let Some(first) = statements.first() {
        session.rows(&format!("explain {first}")).map_err(failed)?;
        session.rows(FLUSH).map_err(failed)?;
    }
    let before = counters(observer, pid).map_err(failed)?;
    let (strace, untraced) = match Strace::attach(pid, done, bench)? {
        Ok(strace) => (Some(strace), None),
        Err(untraced) => (None, Some(untraced)),
    };
    let looks = watched(&mut session, pid, &statements, observer).map_err(failed)?;
    let text = strace.map(Strace::finish).transpose()?;
    session.rows(FLUSH).map_err(failed)?;
    let after = counters(observer, pid).map_err(failed)?;
    let device = after.from_device.zip(before.from_device);
    let sample = Sample {
        way,
        calls: text.map(|text| Calls::read(&text, &files.names)),
        blocks: after.blocks.saturating_sub(before.blocks),
        by_statement: None,
        read_s: after.read_s - before.read_s,
        looks,
        from_device: device.map(|(after, before)| after.saturating_sub(before)),
    };
    Ok((sample, untraced))
}

fn counters(observer: &mut Control<'_>, pid: u64) -> Result<Counters, PgError> {
    // What the observer itself has read, as to fill the table, is not to come later.
    observer.rows(FLUSH)?;
    let blocks = observer.number(TABLE_BLOCKS)?;
    let read_s = observer.number(READ_TIME)? as f64 / 1e6;
    let io = fs::read_to_string(format!("/proc/{pid}/io")).ok();
    Ok(Counters { blocks, read_s, from_device: io.as_deref().and_then(from_device) })
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
    use super::*;

    #[test]
    fn bytes_from_a_device_are_found_by_their_name() {
        let text = "rchar: 5\nwchar: 6\nsyscr: 1\nread_bytes: 4096\nwrite_bytes: 7\n";
        assert_eq!(from_device(text), Some(4_096));
        assert_eq!(from_device("read_bytes: many\n"), None);
        assert_eq!(from_device(""), None);
    }

    #[test]
    fn keys_are_a_permutation_of_the_rows() {
        for rows in [ROWS.0 as u64, ROWS.1 as u64] {
            assert_ne!(rows % SCATTER, 0);
        }
    }
}
