//! What the server counts and says of itself, as far as the user may see it.

use isotherm_frame::numbers;
use isotherm_oracle::client::{ClientError, Logon};
use isotherm_oracle::identifier;

use super::session::Session;

use crate::{Count, Unit};
use crate::{KnownCounter, KnownFact};

/// Hundredths of a second, in which `V$SYSSTAT` counts time, nanoseconds.
const CENTISECOND_NS: u64 = 10_000_000;

/// What is counted: its name, that in `V$SYSSTAT`, its unit.
const TOTALS: [(&str, &str, Unit); 8] = [
    (KnownCounter::OraclePhysicalReads.name(), "physical reads", Unit::Count),
    ("physical read requests", "physical read total IO requests", Unit::Count),
    (KnownCounter::OracleLogicalReads.name(), "session logical reads", Unit::Count),
    ("redo bytes", "redo size", Unit::Bytes),
    ("user commits", "user commits", Unit::Count),
    ("executions", "execute count", Unit::Count),
    (KnownCounter::OracleDbTime.name(), "DB time", Unit::Nanos),
    ("server cpu", "CPU used by this session", Unit::Nanos),
];

/// What the server counts, as far as it may be read; what may not was said beforehand. Fails when
/// the session is lost.
pub fn counts(session: &mut Session) -> Result<Vec<Count>, ClientError> {
    let mut counts = Vec::new();
    for read in [totals, waits] {
        match read(session) {
            Ok(more) => counts.extend(more),
            Err(error) if error.ends_session() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(counts)
}

/// Totals of the instance.
fn totals(session: &mut Session) -> Result<Vec<Count>, ClientError> {
    let names: Vec<String> = TOTALS.iter().map(|(_, name, _)| format!("'{name}'")).collect();
    let sql =
        format!("SELECT name || '|' || value FROM v$sysstat WHERE name IN ({})", names.join(", "));
    let lines = session.lines(&sql, &[])?;
    let value = |name: &str| {
        lines
            .iter()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('|')?.parse::<u64>().ok())
    };
    let count = |(name, statistic, unit): (&'static str, &str, Unit)| {
        let factor = if unit == Unit::Nanos { CENTISECOND_NS } else { 1 };
        Some(Count { name: name.into(), value: value(statistic)?.checked_mul(factor)?, unit })
    };
    Ok(TOTALS.into_iter().filter_map(count).collect())
}

/// How often and how long was waited.
#[derive(Default)]
struct Waited {
    waits: u64,
    time_ns: u64,
}

impl Waited {
    fn add(&mut self, waits: u64, time_us: u64) {
        self.waits = self.waits.saturating_add(waits);
        self.time_ns = self.time_ns.saturating_add(time_us.saturating_mul(1_000));
    }

    fn counts(&self, waits: &'static str, time: &'static str) -> [Count; 2] {
        [
            Count { name: waits.into(), value: self.waits, unit: Unit::Count },
            Count { name: time.into(), value: self.time_ns, unit: Unit::Nanos },
        ]
    }
}

/// Waits of foreground sessions for data files: those for one block, and all of them.
fn waits(session: &mut Session) -> Result<Vec<Count>, ClientError> {
    let sql = "SELECT event || '|' || total_waits_fg || '|' || time_waited_micro_fg \
               FROM v$system_event WHERE wait_class = 'User I/O'";
    let (mut one_block, mut all) = (Waited::default(), Waited::default());
    for line in session.lines(sql, &[])? {
        let mut parts = line.rsplit('|');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (Some(time_us), Some(waits)) = (number(), number()) else { continue };
        all.add(waits, time_us);
        if parts.next() == Some("db file sequential read") {
            one_block.add(waits, time_us);
        }
    }
    let one_block = one_block
        .counts(KnownCounter::OracleSingleBlockWaits.name(), "db file sequential read time");
    Ok([
        one_block,
        all.counts(KnownCounter::OracleFileWaits.name(), KnownCounter::OracleFileTime.name()),
    ]
    .concat())
}

/// Bytes of a block, as the tables have it; 8192 where that is not known.
pub fn block_bytes(session: &mut Session) -> u64 {
    let sql = "SELECT MAX(s.block_size) FROM user_tables t JOIN user_tablespaces s \
               ON s.tablespace_name = t.tablespace_name \
               WHERE t.table_name LIKE 'ISOTHERM\\_%' ESCAPE '\\'";
    session.number(sql, &[]).ok().filter(|bytes| *bytes > 0).unwrap_or(8_192)
}

/// What is known of the server, in the order to be shown.
///
/// `visited` are the bytes of all blocks that the load visits.
pub fn facts(session: &mut Session, logon: &Logon, visited: u64) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
    if let Ok(lines) = session.lines("SELECT banner FROM v$version WHERE ROWNUM = 1", &[]) {
        for banner in lines {
            add("server", banner);
        }
    }
    add("place", format!("{} as {}", logon.connect, logon.user));
    let grant =
        |view: &str| format!("not read: GRANT SELECT ON SYS.{view} TO {}", identifier(&logon.user));
    let parameters = "SELECT name || '|' || value FROM v$parameter WHERE name IN \
                      ('cpu_count', 'filesystemio_options') ORDER BY name";
    match session.lines(parameters, &[]) {
        Ok(lines) => {
            let pairs = lines.iter().filter_map(|line| line.split_once('|'));
            pairs.for_each(|(name, value)| add(name, value.to_owned()));
        }
        Err(_) => add("cpu_count", grant("V_$PARAMETER")),
    }
    let cache = "SELECT bytes FROM v$sgainfo WHERE name = 'Buffer Cache Size'";
    let cache = session.number(cache, &[]);
    match &cache {
        Ok(bytes) => add("buffer cache", numbers::bytes(*bytes)),
        Err(_) => add("buffer cache", grant("V_$SGAINFO")),
    }
    if let Some(cache) = cache.ok().filter(|cache| visited <= *cache) {
        let words = format!("{} of {}", numbers::bytes(visited), numbers::bytes(cache));
        add(KnownFact::FitsCache.name(), words);
    }
    let size = "SELECT NVL(SUM(bytes), 0) FROM user_segments \
                WHERE segment_name LIKE 'ISOTHERM\\_%' ESCAPE '\\'";
    if let Ok(bytes) = session.number(size, &[]) {
        add("tables and indexes", numbers::bytes(bytes));
    }
    if totals(session).is_err() {
        add("totals of the server", grant("V_$SYSSTAT"));
    }
    if waits(session).is_err() {
        add("waits of the server", grant("V_$SYSTEM_EVENT"));
    }
    facts
}
