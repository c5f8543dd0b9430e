//! Commits, timed here and counted by the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::round::{Counted, Round, Scenario, Series};
use super::traced::Syncs;
use crate::server::{Server, failed};
use crate::strace::{Strace, Untraced};
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
/// Lets the server time the syncs of this session; a user may not be allowed to.
const TIMED: &str = "set track_wal_io_timing = on";
const PID: &str = "select pg_backend_pid()";
const COMMIT: &str = "commit /* isotherm lab */";

/// What times the syncs of the WAL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The server, with `track_wal_io_timing`.
    Server,
    /// strace of the sessions, because the server may not be asked to: what it said.
    Strace(String),
}

/// What is asked of a server.
pub struct Measurement<'a> {
    server: &'a Server<'a>,
    counters: &'static str,
    pub timing: Timing,
}

impl Measurement<'_> {
    /// Makes the table; fails where neither the server nor strace times syncs.
    pub fn of<'a>(
        server: &'a Server<'a>,
        bench: &mut Bench<'_>,
    ) -> Result<Measurement<'a>, LabError> {
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
        let mut session = server.control()?;
        session.rows(TABLE).map_err(failed)?;
        let timing = match session.rows(TIMED) {
            Ok(_) => Timing::Server,
            Err(error) if error.is("42501") => {
                let pid = session.number(PID).map_err(failed)?;
                drop(traced(&[pid], (0.0, bench), &error.to_string())?);
                Timing::Strace(error.to_string())
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Measurement { server, counters, timing })
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
        let mut observer = Observer { session: self.session()?, strace: None };
        if let Timing::Strace(refused) = &self.timing {
            let pids = sessions.iter_mut().map(|session| session.number(PID));
            let pids = pids.collect::<Result<Vec<u64>, PgError>>().map_err(failed)?;
            observer.strace = Some(traced(&pids, (part, bench), refused)?);
        }
        let mut series = Series { scenario, rounds: Vec::new(), left_out: 0 };
        let rounds = bench.either(ROUNDS.0, ROUNDS.1);
        for (at, &batch) in batches.iter().enumerate() {
            for number in 0..rounds {
                let within = (at * rounds + number) as f64 / (batches.len() * rounds) as f64;
                let done = part + within / Scenario::ALL.len() as f64;
                bench.step(done, &format!("{}, {batch} rows a commit", scenario.name()))?;
                let round = self.round((scenario, batch), &mut sessions, &mut observer)?;
                if round.is_clean(scenario) {
                    series.rounds.push(round);
                } else {
                    series.left_out += 1;
                }
            }
            observer.session.rows("truncate rows_of_commits").map_err(failed)?;
        }
        Ok(series)
    }

    fn session(&self) -> Result<Control<'_>, LabError> {
        let mut session = self.server.control()?;
        if self.timing == Timing::Server {
            session.rows(TIMED).map_err(failed)?;
        }
        Ok(session)
    }

    /// Syncs so far, and their seconds.
    fn counted(&self, observer: &mut Observer<'_>) -> Result<Counted, LabError> {
        observer.session.rows(FLUSH).map_err(failed)?;
        let rows = observer.session.rows(self.counters).map_err(failed)?;
        let cell = |column: usize| rows.first()?.get(column)?.as_deref();
        let syncs = cell(0).and_then(|text| text.parse().ok()).unwrap_or(0);
        if let Some(strace) = &observer.strace {
            let seen = Syncs::read(&strace.text()?);
            return Ok(Counted { syncs, time_s: seen.time_s, seen: Some(seen.count) });
        }
        let milliseconds: f64 = cell(1).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        Ok(Counted { syncs, time_s: milliseconds / 1e3, seen: None })
    }

    fn round(
        &self,
        (scenario, batch): (Scenario, u64),
        sessions: &mut [Control<'_>],
        observer: &mut Observer<'_>,
    ) -> Result<Round, LabError> {
        let before = self.counted(observer)?;
        let measured = match (scenario, &mut *sessions) {
            (Scenario::Idle, [session, ..]) => {
                sleep(PAUSE);
                commits(session, batch, 1).map(|times| (times, None))
            }
            (Scenario::Serial, [session, ..]) => {
                commits(session, batch, COMMITS).map(|times| (times, None))
            }
            (_, sessions) => together(sessions, &mut observer.session, batch)
                .map(|(times, looks)| (times, Some(looks))),
        };
        let (times, looks) = measured.map_err(failed)?;
        let mut round = Round::new(batch, &times, before, self.counted(observer)?);
        if let Some((in_commit, waiting)) = looks {
            round.share = waiting as f64 / in_commit as f64;
        }
        Ok(round)
    }
}

/// What asks for the counters, and times syncs where the server does not.
struct Observer<'a> {
    session: Control<'a>,
    strace: Option<Strace>,
}

/// Traces sessions, because the server refused to time their syncs; fails where that cannot be done either.
fn traced(
    pids: &[u64],
    (done, bench): (f64, &mut Bench<'_>),
    refused: &str,
) -> Result<Strace, LabError> {
    Syncs::trace(pids, done, bench)?.map_err(|Untraced(why)| LabError::OutOfReach {
        what: "the time of syncs of the WAL",
        why: format!("{refused}, and {why}"),
        next: "name a superuser, or GRANT SET ON PARAMETER track_wal_io_timing TO the user of the address, or run \
               the lab as root where the server runs, with strace installed",
    })
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
