//! Sessions that ask for one lock of a real server, one after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle, sleep};
use std::time::{Duration, Instant};

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::grants::{Grant, in_order};
use super::kind::{LockKind, PREPARE};
use crate::server::{Server, failed};
use crate::{Bench, LabError};

/// Sessions that wait in a round.
pub const WAITING: usize = 8;
/// Rounds with each lock: short, full.
const ROUNDS: (usize, usize) = (10, 100);
/// Between two looks whether a session waits.
const GLANCE: Duration = Duration::from_micros(500);
/// Who has the lock keeps it for 2 ms.
const HOLD: &str = "select pg_sleep(0.002)";
const NEXT: &str = "select nextval('grants')";

/// The rounds of one lock.
#[derive(Debug)]
pub struct Measured {
    pub kind: LockKind,
    /// The grants of each round, in their order.
    pub rounds: Vec<Vec<Grant>>,
}

/// A session that asks.
struct Asker<'a> {
    control: Control<'a>,
    process: u64,
}

/// A grant as its session saw it.
struct Seen {
    granted: u64,
    at: Instant,
}

/// Takes every lock; `done` of the lab is done before.
pub fn measured(
    server: &Server<'_>,
    done: f64,
    bench: &mut Bench<'_>,
) -> Result<Vec<Measured>, LabError> {
    let (mut observer, mut holder) = (server.control()?, server.control()?);
    for statement in PREPARE {
        observer.rows(statement).map_err(failed)?;
    }
    let mut askers = Vec::new();
    for _ in 0..WAITING {
        let mut control = server.control()?;
        let process = control.number("select pg_backend_pid()").map_err(failed)?;
        askers.push(Asker { control, process });
    }
    let (mut random, mut found) = (bench.random(1_000), Vec::new());
    for (number, kind) in LockKind::ALL.into_iter().enumerate() {
        let mut rounds = Vec::new();
        for _ in 0..bench.either(ROUNDS.0, ROUNDS.1) {
            let part = number as f64 / LockKind::ALL.len() as f64;
            bench.step(done + (1.0 - done) * part, &format!("taking locks: {}", kind.name()))?;
            // Another order of the sessions each time: theirs is not that of asking.
            (1..askers.len()).rev().for_each(|at| askers.swap(at, random.index(at + 1)));
            rounds.push(round(kind, &mut askers, (&mut holder, &mut observer), bench)?);
        }
        found.push(Measured { kind, rounds });
    }
    Ok(found)
}

/// The holder has the lock, the askers ask one after the other, the holder gives it back.
fn round(
    kind: LockKind,
    askers: &mut [Asker<'_>],
    (holder, observer): (&mut Control<'_>, &mut Control<'_>),
    bench: &mut Bench<'_>,
) -> Result<Vec<Grant>, LabError> {
    observer.rows("select setval('grants', 1, false)").map_err(failed)?;
    holder.rows(kind.take()).map_err(failed)?;
    let refused: Vec<AtomicBool> = askers.iter().map(|_| AtomicBool::new(false)).collect();
    let (queued, freed, seen) = thread::scope(|scope| {
        let (mut asking, mut queued) = (Vec::new(), Ok(()));
        for (asker, refused) in askers.iter_mut().zip(&refused) {
            let process = asker.process;
            asking.push(scope.spawn(|| asker.ask(kind, refused)));
            queued = asking
                .last()
                .map_or(Ok(()), |thread| wait(kind, (process, refused), thread, (observer, bench)));
            if queued.is_err() {
                break;
            }
        }
        let freed = Instant::now();
        // Also after an error: they would wait forever.
        let released = holder.rows(kind.release()).map(|_| freed).map_err(failed);
        let join = |thread: ScopedJoinHandle<'_, Result<Seen, PgError>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(failed)
        };
        let seen: Vec<Result<Seen, LabError>> = asking.into_iter().map(join).collect();
        (queued, released, seen)
    });
    let (seen, freed) = (seen.into_iter().collect::<Result<Vec<Seen>, LabError>>()?, freed?);
    queued?;
    let grants = (1..).zip(seen).map(|(asked, seen)| Grant {
        asked,
        granted: seen.granted,
        after_s: seen.at.duration_since(freed).as_secs_f64(),
    });
    in_order(grants.collect()).ok_or_else(|| LabError::Unusable {
        why: "two sessions had a lock at once".to_owned(),
        next: "report this as a bug",
    })
}

/// Waits until a session waits for the lock, so that the next one asks after it.
fn wait(
    kind: LockKind,
    (process, refused): (u64, &AtomicBool),
    thread: &ScopedJoinHandle<'_, Result<Seen, PgError>>,
    (observer, bench): (&mut Control<'_>, &mut Bench<'_>),
) -> Result<(), LabError> {
    let asked = format!("select count(*) from pg_locks where pid = {process} and not granted");
    // One that failed never waits; its error is found by who joins it.
    while !thread.is_finished() {
        let is_waiting = match kind {
            LockKind::Polled => refused.load(Ordering::Acquire),
            _ => observer.number(&asked).map_err(failed)? > 0,
        };
        if is_waiting {
            break;
        }
        if bench.stop().load(Ordering::Relaxed) {
            return Err(LabError::Interrupted);
        }
        sleep(GLANCE);
    }
    Ok(())
}

impl Asker<'_> {
    /// Asks until the lock is there, takes the next number, keeps the lock for a while.
    fn ask(&mut self, kind: LockKind, refused: &AtomicBool) -> Result<Seen, PgError> {
        match kind {
            LockKind::Polled => {
                while self.control.value(kind.take())?.as_deref() != Some("t") {
                    refused.store(true, Ordering::Release);
                    if self.control.stopped() {
                        return Err(PgError::Stopped);
                    }
                }
            }
            _ => drop(self.control.rows(kind.take())?),
        }
        let at = Instant::now();
        let granted = self.control.number(NEXT)?;
        self.control.rows(HOLD)?;
        self.control.rows(kind.release())?;
        Ok(Seen { granted, at })
    }
}
