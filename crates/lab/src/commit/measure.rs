//! Commits, timed here and counted by the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::round::{Round, Scenario, Series};
use crate::server::{Server, failed};
use crate::{Bench, LabError};

/// Rounds of each number of rows: short, full.
const ROUNDS: (usize, usize) = (8, 25);
/// Commits of each session in a round, without pauses. Few, because a round with the sync of a full
/// WAL segment is left out.
const COMMITS: usize = 4;
/// The pause of the idle session.
const PAUSE: Duration = Duration::from_millis(10);
/// Time between two looks at what the sessions wait for.
const LOOK: Duration = Duration::from_millis(1);
/// The first release that counts syncs on demand, and the first that counts them in `pg_stat_io`.
const LEAST_VERSION: u64 = 150_000;
const IN_STAT_IO: u64 = 180_000;

const TABLE: &str = "create table rows_of_commits (id bigint, filler text)";
const FLUSH: &str = "select pg_stat_force_next_flush()";
/// Sessions of this table's users that are in COMMIT, and those of them that wait for a sync: their
/// own, or that of another session.
const LOOKED: &str = "select count(*), count(*) filter (where (wait_event_type = 'IO' and \
    lower(wait_event) = 'walsync') or (wait_event_type = 'LWLock' and wait_event = 'WALWrite')) \
    from pg_stat_activity where state = 'active' and query = 'commit /* isotherm lab */'";
const COMMIT: &str = "commit /* isotherm lab */";

/// What is asked of a server.
pub struct Measurement<'a> {
    server: &'a Server<'a>,
    counters: &'static str,
}

impl Measurement<'_> {
    /// Makes the table; fails where the server does not count what is needed.
    pub fn of<'a>(server: &'a Server<'a>) -> Result<Measurement<'a>, LabError> {
        if server.version < LEAST_VERSION {
            return Err(LabError::NotInstalled {
                what: format!("PostgreSQL {}", server.version / 10_000),
                why: "it cannot say at once how long its syncs of the WAL took".to_owned(),
                next: "use PostgreSQL 15 or later",
            });
        }
        let counters = if server.version < IN_STAT_IO {
            "select wal_sync, wal_sync_time from pg_stat_wal"
        } else {
            "select sum(fsyncs), sum(fsync_time) from pg_stat_io where object = 'wal'"
        };
        server.control()?.rows(TABLE).map_err(failed)?;
        Ok(Measurement { server, counters })
    }

    /// Rounds of each number of rows; `part` of the lab is done before.
    pub fn run(
        &self,
        scenario: Scenario,
        batches: &[u64],
        part: f64,
        bench: &mut Bench<'_>,
    ) -> Result<Series, LabError> {
        let mut sessions = Vec::new();
        for _ in 0..scenario.sessions() {
            sessions.push(self.session()?);
        }
        let mut observer = self.session()?;
        let mut series = Series { scenario, rounds: Vec::new(), left_out: 0 };
        let rounds = bench.either(ROUNDS.0, ROUNDS.1);
        for (at, &batch) in batches.iter().enumerate() {
            for number in 0..rounds {
                let within = (at * rounds + number) as f64 / (batches.len() * rounds) as f64;
                let done = part + within / Scenario::ALL.len() as f64;
                bench.step(done, &format!("{}, {batch} rows a commit", scenario.name()))?;
                let round =
                    self.round((scenario, batch), &mut sessions, &mut observer).map_err(failed)?;
                if round.is_clean(scenario) {
                    series.rounds.push(round);
                } else {
                    series.left_out += 1;
                }
            }
            observer.rows("truncate rows_of_commits").map_err(failed)?;
        }
        Ok(series)
    }

    fn session(&self) -> Result<Control<'_>, LabError> {
        let mut session = self.server.control()?;
        session.rows("set track_wal_io_timing = on").map_err(|error| match error {
            error if error.is("42501") => LabError::OutOfReach {
                what: "the time of syncs of the WAL",
                why: error.to_string(),
                next: "name a superuser, or GRANT SET ON PARAMETER track_wal_io_timing TO the user of the \
                       address",
            },
            error => failed(error),
        })?;
        Ok(session)
    }

    /// Syncs so far, and their seconds.
    fn counted(&self, observer: &mut Control<'_>) -> Result<(u64, f64), PgError> {
        observer.rows(FLUSH)?;
        let rows = observer.rows(self.counters)?;
        let cell = |column: usize| rows.first()?.get(column)?.as_deref();
        let count = cell(0).and_then(|text| text.parse().ok()).unwrap_or(0);
        let milliseconds: f64 = cell(1).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        Ok((count, milliseconds / 1e3))
    }

    fn round(
        &self,
        (scenario, batch): (Scenario, u64),
        sessions: &mut [Control<'_>],
        observer: &mut Control<'_>,
    ) -> Result<Round, PgError> {
        let before = self.counted(observer)?;
        let (times, looks) = match (scenario, &mut *sessions) {
            (Scenario::Idle, [session, ..]) => {
                sleep(PAUSE);
                (commits(session, batch, 1)?, None)
            }
            (Scenario::Serial, [session, ..]) => (commits(session, batch, COMMITS)?, None),
            (_, sessions) => {
                let (times, looks) = together(sessions, observer, batch)?;
                (times, Some(looks))
            }
        };
        let mut round = Round::new(batch, &times, before, self.counted(observer)?);
        if let Some((in_commit, waiting)) = looks {
            round.share = waiting as f64 / in_commit as f64;
        }
        Ok(round)
    }
}

/// Transactions of one session: the seconds of each COMMIT.
fn commits(session: &mut Control<'_>, batch: u64, count: usize) -> Result<Vec<f64>, PgError> {
    let mut times = Vec::with_capacity(count);
    let insert = format!(
        "insert into rows_of_commits select n, 'a row of a transaction' from generate_series(1, \
         {batch}) n"
    );
    for _ in 0..count {
        session.rows("begin")?;
        session.rows(&insert)?;
        let begun = Instant::now();
        session.rows(COMMIT)?;
        times.push(begun.elapsed().as_secs_f64());
    }
    session.rows(FLUSH)?;
    Ok(times)
}

/// The same of all sessions at once, while the observer looks at what they wait for: the looks that
/// found a session in COMMIT, and those that found it waiting for a sync.
fn together(
    sessions: &mut [Control<'_>],
    observer: &mut Control<'_>,
    batch: u64,
) -> Result<(Vec<f64>, (u64, u64)), PgError> {
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut looks = (0, 0);
            while !ended.load(Ordering::Relaxed) {
                let rows = observer.rows(LOOKED)?;
                let cell = |column: usize| rows.first()?.get(column)?.as_deref()?.parse().ok();
                looks.0 += cell(0).unwrap_or(0_u64);
                looks.1 += cell(1).unwrap_or(0_u64);
                sleep(LOOK);
            }
            Ok(looks)
        });
        let workers: Vec<_> = sessions
            .iter_mut()
            .map(|session| scope.spawn(move || commits(session, batch, COMMITS)))
            .collect();
        let mut times: Result<Vec<f64>, PgError> = Ok(Vec::new());
        for worker in workers {
            let more = joined(worker.join());
            times = times.and_then(|mut times| {
                times.extend(more?);
                Ok(times)
            });
        }
        ended.store(true, Ordering::Relaxed);
        let looks = joined(looking.join());
        Ok((times?, looks?))
    })
}

/// What a thread gave; its panic goes on here.
fn joined<T>(result: thread::Result<Result<T, PgError>>) -> Result<T, PgError> {
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
