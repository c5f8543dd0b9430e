//! Do system calls, the server's statistics and wait events count the same reads?

mod calls;
mod found;
mod kernel;
mod looks;
mod measure;
mod report;
mod sample;
mod tables;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError, OnServer};

pub(crate) static LAB: Lab = Lab {
    name: "io-count",
    question: "Do system calls, the server's statistics and wait events count the same reads?",
    method: "Reads a table of PostgreSQL in six ways (single rows, cold and cached, the whole table, \
             prefetched, by parallel workers, with a sort on disk), six times each, and counts the reads by strace \
             of the session, by bpftrace of all of the server's processes, by pg_statio (from release 16 on also \
             by pg_stat_io), by pg_stat_statements and by looking at its wait events",
    lesson: &[
        "Reads of a database are counted in three places: system calls (strace, bpftrace), statistics of \
         the server (pg_statio_user_tables, in Oracle v$sesstat) and wait events (pg_stat_activity, in \
         Oracle v$session_event). OraPub compared them in Oracle. For a session of direct reads strace \
         and statistics agreed: 221,286 and 221,289 in 900 s. On production systems wait events had 71, \
         83 and 100 % of the reads of the statistics. So a sum of waits says too little time, while the \
         mean of a wait is sound.",
        "Calls are not blocks: one call may read several (PostgreSQL from release 17 on, db file scattered \
         read in Oracle). Compare blocks. A process is not a session: strace -p sees one process, and \
         parallel workers, from release 18 on also I/O workers, read for it. And files are not tables: a \
         sort or hash that does not fit into memory reads temporary files, which statistics of tables \
         leave out.",
        "Statistics by statement (pg_stat_statements) take in what workers read for a statement, and its \
         temporary blocks as a count of their own. They leave out what planning reads (unless track_planning \
         is on) and what no statement asked for, such as autovacuum, and cannot tell sessions apart.",
        "None of them counts what the device did. PostgreSQL reads through the system's page cache: most \
         of these calls may take a microsecond. Where it prefetches, it asks for a block long before it \
         reads it, and the read finds it there. The bytes that came from a device are in /proc/PID/io \
         (read_bytes) and in block requests (isotherm bpftrace pg-path).",
        "PostgreSQL does not count waits at all. It shows what each session waits for now, and who looks \
         often samples time: a read of 5 µs is hardly ever seen. The share of looks times the elapsed \
         time estimates the time waited, not the number of reads.",
    ],
    needs: "Linux, bpftrace (as root) if it is there, strace (as root, or where users may trace their own processes) and PostgreSQL 15 or \
            later: one that is installed here is started for the run, or --server names one of this machine",
    takes: (Nanos::from_millis(20_000), Nanos::from_millis(70_000)),
    disk: 1 << 30,
    takes_events: false,
    takes_traces: false,
    on_server: Some(OnServer {
        does: "It needs a superuser and the server's own machine, because it traces its own session with strace \
               and takes the files of its own table out of the page cache. It makes one checkpoint. Counts by \
               statement are taken where pg_stat_statements is loaded; nothing is reset.",
        disturbs: false,
        oracle: "waits and statistics of the lab's own session (V$SESSION_EVENT, V$SESSTAT) beside strace of its \
                 server process; `isotherm top oracle:// --io` shows both for the whole database",
    }),
    run,
};

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let mut server = Server::ready(bench)?;
    let found = measure::measurements(&mut server, bench)?;
    Ok(report::finding(&found, &server))
}
