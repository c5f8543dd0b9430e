//! How many distinct blocks were used: exactly, and about, in a fixed amount of memory; and how a cache
//! fills with them.

mod expected;
mod real;
mod real_report;
mod simulated;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError};

pub(crate) static LAB: Lab = Lab {
    name: "working-set",
    question: "Can distinct blocks be counted in 16 KiB, and how long until a cache holds them?",
    method: "Counts the distinct blocks of random references with HyperLogLog and with a hash set, for \
             working sets of many sizes, and fills simulated caches with them; then starts PostgreSQL \
             with an empty cache twice, reads random blocks, and compares what it reads with the distinct \
             blocks that were asked for",
    lesson: &[
        "The working set is the number of distinct blocks that are used. Counting it exactly needs \
         memory in proportion to it: a hash table with every block that was seen.",
        "HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007) keeps only the longest run of zeros at \
         the head of the hashes in each of m registers. Its standard error is 1.04 / sqrt(m), however \
         large the set is: 0.81 % with the 16,384 registers that isotherm uses, with the estimator of \
         Ertl (2017), which needs no corrections for small sets.",
        "A cache that is empty at first misses every block once. With random references to W blocks the \
         share of misses falls as (1 - 1/W)^n: after n = W references 37 % still miss, after 3 W 5 %. \
         So a test that is shorter than a few times the working set measures the warming up.",
        "In PostgreSQL the misses are heap_blks_read of pg_statio_user_tables. While nothing is evicted, \
         they are the distinct blocks of all references so far, to the last block: the counters of a \
         server that was just started measure its working set. For random references that is \
         W (1 - (1 - 1/W)^n), give or take the standard deviation of chance.",
        "A cache that is smaller than the working set levels off at its share of it: a cache of half \
         the blocks answers half the reads, however long it runs.",
    ],
    needs: "up to 400 MiB of memory; for the real cache PostgreSQL 15 or later, installed here, which is \
            started for the run",
    takes: (Nanos::from_millis(5_000), Nanos::from_millis(60_000)),
    disk: 1 << 29,
    takes_events: false,
    takes_traces: false,
    on_server: None,
    run,
};

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let simulated = simulated::run(bench)?;
    let mut server = match Server::ready(bench) {
        Err(LabError::NotInstalled { why, next, .. }) => {
            let why = format!("PostgreSQL is not at hand ({why}); {next}");
            return Ok(real_report::without(simulated, &why));
        }
        server => server?,
    };
    if server.version < real::LEAST_VERSION {
        return Ok(real_report::without(simulated, "PostgreSQL 15 or later is needed"));
    }
    let ramps = real::ramps(&mut server, bench)?;
    Ok(real_report::with(simulated, &ramps, &server))
}
