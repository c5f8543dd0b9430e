//! How much of a commit's time is the sync of the WAL?

mod measure;
mod report;
mod round;
mod rule;
mod traced;

use isotherm_frame::Nanos;
use isotherm_frame::numbers::counted;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError, OnServer};
use measure::Measurement;
use round::Scenario;

pub(crate) static LAB: Lab = Lab {
    name: "commit",
    question: "How much of a commit's time is the sync of the WAL?",
    method: "Commits transactions of 1 to 10,000 rows in PostgreSQL from an idle session, from one \
             session without pauses and from ten sessions at once, and compares the time of COMMIT \
             with the time that the server counts for syncs of the WAL",
    lesson: &[
        "A commit is done when its WAL is on disk. What a session waits for in COMMIT is mostly that \
         sync: WALSync and WALWrite in PostgreSQL, log file sync in Oracle. The rest is the way to \
         the server and back, CPU, and waiting for a processor.",
        "OraPub measured the share in Oracle: 87, 76 and 73 % of the commit time with an idle system, \
         one session and ten, 45 % at one row a commit and 96 % at 10,000. From this comes a rule: if \
         a commit has a limit, the sync alone must keep 75 % of it.",
        "So a slow commit is first a question to the device of the WAL. If its syncs are fast and \
         commits are slow, look for a processor that is too busy, and for the network.",
        "Sessions that commit at the same moment share a sync (group commit): with ten of them there \
         are fewer syncs than commits, and a session also waits for the sync of another one.",
    ],
    needs: "PostgreSQL 15 or later: one that is installed here is started for the run, or --server names \
            one (as a superuser, or as root where it runs, with strace)",
    takes: (Nanos::from_millis(5_000), Nanos::from_millis(40_000)),
    disk: 3 << 29,
    takes_events: false,
    takes_traces: false,
    on_server: Some(OnServer {
        does: "It needs a superuser, for track_wal_io_timing in its own sessions; for another user it times their \
               syncs with strace, if it may (as root, on the server's own machine). It commits from up to ten \
               sessions at once: other commits wait for the same syncs, and rounds with other syncs are left out.",
        disturbs: false,
        oracle: "log file sync of the lab's own sessions from V$SESSION_EVENT; `isotherm trace` shows the share of \
                 log file sync in a commit from an SQL trace",
    }),
    run,
};

/// Rows of a transaction: short, full.
const BATCHES: (&[u64], &[u64]) = (&[1, 100], &[1, 10, 100, 1_000, 10_000]);

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let server = Server::ready(bench)?;
    let batches = bench.either(BATCHES.0, BATCHES.1);
    let measurement = Measurement::of(&server, bench)?;
    let mut found = Vec::new();
    for (number, scenario) in Scenario::ALL.into_iter().enumerate() {
        let part = number as f64 / Scenario::ALL.len() as f64;
        found.push(measurement.run(scenario, batches, part, bench)?);
    }
    if found.iter().all(|series| series.rounds.is_empty()) {
        let rounds: usize = found.iter().map(|series| series.left_out).sum();
        let rounds = counted(rounds as u64, "round");
        return Err(LabError::Unusable {
            why: format!("{rounds}, and in none as many syncs as commits"),
            next: "run it where fsync is on and nothing else writes",
        });
    }
    let limit_s = bench.commit_limit.map(Nanos::as_secs_f64);
    Ok(report::finding(&found, (&server, &measurement.timing), limit_s))
}
