//! Rows that sessions of `PostgreSQL` insert, and the CPU that the system counts for them.

use std::fs;
use std::thread;
use std::time::Instant;

use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::stretch::{Round, Stretch, Work};
use crate::server::{Server, failed};
use crate::{Bench, LabError};

pub const SESSIONS: usize = 4;
/// Rows a commit: short, full.
const BATCHES: (&[u64], &[u64]) = (&[1, 4, 32], &[1, 2, 4, 8, 16, 32]);
const ROUNDS: (usize, usize) = (4, 10);
/// How long sessions insert before they look at the clock after a commit for the last time.
const LASTING: (&str, &str) = ("100ms", "300ms");

const TABLE: &str = "create table rows_of_batches (id bigint, filler text)";
/// Inserts in the server, so that no time passes between a row and the next.
const PROCEDURE: &str = "create procedure insert_rows(inout done bigint, batch int, lasting interval) \
    language plpgsql as $$ \
    declare till timestamptz := clock_timestamp() + lasting; \
    begin \
      loop \
        for number in 1..batch loop \
          insert into rows_of_batches values (number, 'a row of a batch'); \
        end loop; \
        commit; \
        done := done + batch; \
        exit when clock_timestamp() >= till; \
      end loop; \
    end $$";

/// A session and the process that serves it.
struct Session<'a> {
    control: Control<'a>,
    pid: u64,
}

/// Rounds of all batches, each in random order.
pub fn rounds(server: &Server<'_>, bench: &mut Bench<'_>) -> Result<Vec<Round>, LabError> {
    let mut observer = server.control()?;
    for statement in [TABLE, PROCEDURE] {
        observer.rows(statement).map_err(failed)?;
    }
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let mut control = server.control()?;
        let pid = control.number("select pg_backend_pid()").map_err(failed)?;
        sessions.push(Session { control, pid });
    }
    let clock = CpuClock::of(server);
    let mut random = bench.random(21);
    let mut batches = bench.either(BATCHES.0, BATCHES.1).to_vec();
    let (count, lasting) = (bench.either(ROUNDS.0, ROUNDS.1), bench.either(LASTING.0, LASTING.1));
    let mut rounds = Vec::new();
    for number in 0..count {
        for at in (1..batches.len()).rev() {
            batches.swap(at, random.index(at + 1));
        }
        let mut round = Round::new();
        for &batch in &batches {
            let done = number * batches.len() + round.len();
            let done = done as f64 / (count * batches.len()) as f64;
            bench.step(done, &format!("inserting, {batch} rows a commit"))?;
            round.push(stretch(&mut sessions, (batch, lasting), clock, &mut observer)?);
        }
        audited(&round, &mut observer)?;
        rounds.push(round);
    }
    Ok(rounds)
}

/// Compares the rows of a round with those of the table, and empties it.
fn audited(round: &Round, observer: &mut Control<'_>) -> Result<(), LabError> {
    let reported: u64 = round.iter().map(|stretch| stretch.work.rows).sum();
    let found = observer.number("select count(*) from rows_of_batches").map_err(failed)?;
    observer.rows("truncate rows_of_batches").map_err(failed)?;
    if reported == found {
        return Ok(());
    }
    Err(LabError::Unusable {
        why: format!("sessions inserted {reported} rows, and the table has {found}"),
        next: "run it again; if it happens again, report it as a bug",
    })
}

fn stretch(
    sessions: &mut [Session<'_>],
    (batch, lasting): (u64, &str),
    clock: CpuClock,
    observer: &mut Control<'_>,
) -> Result<Stretch, LabError> {
    let call = format!("call insert_rows(0, {batch}, '{lasting}')");
    let pids: Vec<u64> = sessions.iter().map(|session| session.pid).collect();
    let before = clock.scheduled(&pids, observer)?;
    let begun = Instant::now();
    let results: Vec<Result<(u64, f64), PgError>> = thread::scope(|scope| {
        let started: Vec<_> = sessions
            .iter_mut()
            .map(|session| scope.spawn(|| inserted(&mut session.control, &call)))
            .collect();
        let joined = started
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    });
    let length_s = begun.elapsed().as_secs_f64();
    let after = clock.scheduled(&pids, observer)?;
    let mut each = Vec::new();
    for (result, (before, after)) in results.into_iter().zip(before.into_iter().zip(after)) {
        let (rows, elapsed_s) = result.map_err(failed)?;
        let (cpu_s, runnable_s) = (after.0 - before.0, after.1 - before.1);
        each.push(Work { rows, elapsed_s, cpu_s, runnable_s });
    }
    Ok(Stretch::new(batch, &each, length_s))
}

/// Rows that a session inserted, and the seconds until its answer came.
fn inserted(session: &mut Control<'_>, call: &str) -> Result<(u64, f64), PgError> {
    let begun = Instant::now();
    let rows = session.number(call)?;
    Ok((rows, begun.elapsed().as_secs_f64()))
}

/// Who reads the CPU time of the sessions' processes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum CpuClock {
    /// The lab: they are processes of this machine.
    Lab,
    /// The server of the user, wherever it runs.
    Server,
}

impl CpuClock {
    fn of(server: &Server<'_>) -> CpuClock {
        if server.is_own() { CpuClock::Lab } else { CpuClock::Server }
    }

    fn scheduled(
        self,
        pids: &[u64],
        observer: &mut Control<'_>,
    ) -> Result<Vec<(f64, f64)>, LabError> {
        match self {
            CpuClock::Lab => scheduled(pids),
            CpuClock::Server => scheduled_there(pids, observer),
        }
    }
}

/// The same of processes on the server's machine.
fn scheduled_there(pids: &[u64], observer: &mut Control<'_>) -> Result<Vec<(f64, f64)>, LabError> {
    let read = pids.iter().map(|pid| format!("pg_read_file('/proc/{pid}/schedstat')"));
    let rows = observer
        .rows(&format!("select {}", read.collect::<Vec<String>>().join(", ")))
        .map_err(|error| match error {
            PgError::Stopped => LabError::Interrupted,
            error => {
                let next = if error.is("42501") {
                    "use a superuser, or GRANT pg_read_server_files TO the user of the address and GRANT \
                     EXECUTE ON FUNCTION pg_read_file(text) TO it"
                } else {
                    "name a server on Linux, of PostgreSQL 14 or later"
                };
                LabError::OutOfReach { what: CPU, why: error.to_string(), next }
            }
        })?;
    let texts = rows.first().into_iter().flatten().flatten();
    let found: Vec<(f64, f64)> = texts.filter_map(|text| times(text)).collect();
    if found.len() == pids.len() {
        return Ok(found);
    }
    Err(LabError::OutOfReach {
        what: CPU,
        why: "/proc/PID/schedstat on the server's machine has no two numbers".to_owned(),
        next: "name a server on Linux, of PostgreSQL 14 or later",
    })
}

const CPU: &str = "the CPU time of the server's processes";

/// Seconds that each process has run, and waited for a processor.
fn scheduled(pids: &[u64]) -> Result<Vec<(f64, f64)>, LabError> {
    let read = |pid: &u64| {
        let path = format!("/proc/{pid}/schedstat");
        let unreadable = |why: String| LabError::Unreadable {
            what: path.clone(),
            why,
            next: "run the lab on Linux, where the system counts the CPU time of each process",
        };
        let text = fs::read_to_string(&path).map_err(|error| unreadable(error.to_string()))?;
        times(&text).ok_or_else(|| unreadable(format!("'{}' are not two numbers", text.trim_end())))
    };
    pids.iter().map(read).collect()
}

/// The first two numbers of `/proc/PID/schedstat`: nanoseconds of running and of waiting to run.
fn times(text: &str) -> Option<(f64, f64)> {
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let mut seconds = || Some(numbers.next()?.ok()? as f64 / 1e9);
    Some((seconds()?, seconds()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_process_are_read() {
        assert_eq!(times("2500000000 500000000 17\n"), Some((2.5, 0.5)));
        for bad in ["", "1", "-1 2 3", "x 2 3"] {
            assert_eq!(times(bad), None, "{bad}");
        }
        let own = scheduled(&[std::process::id().into()]).unwrap();
        assert!(own[0].0 > 0.0);
        let error = scheduled(&[u64::MAX]).unwrap_err().to_string();
        assert!(error.contains("/schedstat") && error.contains("run the lab on Linux"), "{error}");
    }
}
