//! A queue served in order against one served at random: the same mean, other percentiles; and the order
//! in which a real server grants its locks.

mod grants;
mod kind;
mod queue;
mod real;
mod real_report;
mod report;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError, OnServer};

pub(crate) static LAB: Lab = Lab {
    name: "locks",
    question: "Locks queue in order, latches are raced for: what does the order do to waiting?",
    method: "Simulates one server at 80 % utilisation twice with the same arrivals and service times, \
             served first come first served and in random order, 20 times, and checks both against the \
             formulas of M/M/1; then takes locks of PostgreSQL with eight sessions that wait, and counts the grants out \
             of order",
    lesson: &[
        "A lock or enqueue serves those who wait in the order in which they came. A latch, a spinlock \
         or a mutex without a queue is taken by whoever asks at the right moment: the order is \
         random.",
        "The order does not change how much is waited in all: the server is busy at the same moments, \
         and the same number of tasks is waiting at each moment. So the mean is the same to the \
         nanosecond, and a mean shows no difference.",
        "It changes who waits. In random order most get through sooner and a few are overtaken again \
         and again: the median falls and p99 rises. The mean square of the waiting time grows by \
         2 / (2 - utilisation), so it matters most near saturation (Kingman 1962, Takács 1963).",
        "PostgreSQL's heavyweight locks are queues: an advisory lock, LOCK TABLE and a row by SELECT FOR \
         UPDATE are granted in the order of asking. A row that is updated is not: each UPDATE makes a new \
         version of it, and those who waited for the old one race for the new one. A lock that is tried \
         in a loop (pg_try_advisory_lock, NOWAIT) is a race as well. The order of lightweight locks and \
         spinlocks, PostgreSQL's latches, cannot be seen from outside.",
        "Two systems with one mean and different p99 may differ in nothing but the order. Look at \
         percentiles, or at the heat map, before blaming the holder of a latch.",
    ],
    needs: "PostgreSQL for the real locks: one that is installed here is started for the run, or --server names \
            one; without it there is the simulation alone",
    takes: (Nanos::from_millis(8_000), Nanos::from_millis(45_000)),
    disk: 1 << 28,
    takes_events: false,
    takes_traces: false,
    on_server: Some(OnServer {
        does: "It takes locks of its own table, and advisory locks, with ten sessions; nobody else waits for \
               them.",
        disturbs: false,
        oracle: "sessions that lock rows and say in which order they were granted",
    }),
    run,
};

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let replications = queue::replications(bench)?;
    let simulated = report::finding(&replications);
    let server = match Server::ready(bench) {
        Err(LabError::NotInstalled { why, next, .. }) => {
            let why = format!("PostgreSQL is not at hand ({why}); {next}");
            return Ok(real_report::without(simulated, &why));
        }
        server => server?,
    };
    let measured = real::measured(&server, queue::SHARE, bench)?;
    Ok(real_report::with(simulated, &measured, &server))
}
