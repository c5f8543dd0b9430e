//! What do more rows in a commit do to the time of each row?

mod measure;
mod model;
mod report;
mod stretch;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError, OnServer};

pub(crate) static LAB: Lab = Lab {
    name: "batch",
    question: "What do more rows in a commit do to the time of each row?",
    method: "Lets four sessions insert rows into PostgreSQL without pauses, with 1 to 32 rows a commit in \
             random order; divides the time of each row into service (CPU of the session) and queueing, \
             and compares it with what one observation predicts by OraPub's formula",
    lesson: &[
        "A commit costs CPU and the wait for the sync of the WAL. Rows that share a commit share both. So \
         with more rows a commit each row needs less service time (CPU) and less queue time (all waiting), \
         and more rows are done in a second.",
        "OraPub measured this in Oracle and solved one observation for its effective servers M, by R = S / \
         (1 - (S L / M)^M). One row a commit: S = 0.0914 ms, L = 10.8445 a millisecond, R = 0.2270 ms, so \
         M = 1.4235. Four rows a commit (S = 0.0613 ms, L = 16.2470): R is predicted as 0.1538 ms, and was \
         0.1527 ms. At the old rate it would be 0.0926 ms; the article prints ten times that.",
        "Such agreement does not test the formula. A fixed number of sessions without pauses is a closed \
         system: R = N / L, whatever the formula says. In the example R × L is 2.46 and 2.48, and S × L is \
         0.99 and 1.00: the same processors were the limit before and after. R / S depends on S × L only, \
         so the formula had to agree.",
        "Where the sync is the limit, the processors are mostly idle and S × L changes with the batch. Then \
         the M of one observation says little of another: each batch has its own. Use one observation for \
         a question near to it (isotherm fit --point), and measure several loads before you rely on a \
         curve (isotherm sweep, isotherm fit).",
    ],
    needs: "Linux and PostgreSQL 11 or later: one that is installed here is started for the run, or --server names \
            one",
    takes: (Nanos::from_millis(5_000), Nanos::from_millis(22_000)),
    disk: 1 << 30,
    takes_events: false,
    takes_traces: false,
    on_server: Some(OnServer {
        does: "It needs Linux there, and a user who may read the CPU time of its sessions with pg_read_file: a \
               superuser, or one with pg_read_server_files and EXECUTE on pg_read_file(text). Four sessions \
               insert without pauses: they take up to four processors and sync the WAL all the time.",
        disturbs: false,
        oracle: "the CPU time of the lab's own sessions from V$SESS_TIME_MODEL beside inserts in PL/SQL; a SQL trace \
                 has both (`isotherm trace`), and `isotherm fit --point` solves one observation",
    }),
    run,
};

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let server = Server::ready(bench)?;
    let rounds = measure::rounds(&server, bench)?;
    Ok(report::finding(&rounds, &server))
}
