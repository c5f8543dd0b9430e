//! What statistics views say about themselves.

use crate::{Counting, Meta, Need};

pub(crate) static META: Meta = Meta {
    name: "dbstats",
    address: "FILE or -",
    about: "Statistics views of databases, printed repeatedly: PostgreSQL's pg_stat_statements, \
        pg_stat_io, pg_stat_wal, pg_stat_bgwriter and pg_stat_checkpointer as psql --csv prints \
        them, also samples of its sessions (pg_stat_activity, and pg_wait_sampling's current, \
        history and profile); and summary tables of the Performance Schema (MySQL, MariaDB) with \
        tabs",
    needs: &[
        Need {
            what: "a timestamp before each table",
            how: "a line such as date +%s.%N prints; without timestamps, isotherm assumes one \
                  table per interval (--interval)",
        },
        Need {
            what: "PostgreSQL: track_io_timing for the times of I/O, track_wal_io_timing for those \
                   of the WAL",
            how: "ALTER SYSTEM SET track_io_timing = on",
        },
        Need {
            what: "MySQL, MariaDB: the Performance Schema with timed instruments",
            how: "SELECT * FROM performance_schema.setup_instruments",
        },
    ],
    command: "while sleep 1; do date +%s.%N; psql --csv -c 'select * from pg_stat_wal'; done | isotherm live -",
    overhead: "The cost of the query, which was not measured. pg_stat_statements reads the texts of \
        all statements from a file unless you name only the columns you need (queryid, calls, total_exec_time). The \
        other views have few rows.",
    loses: "The distribution: the views have only a count and a total time, so each interval has \
        one cell, at the mean, and no percentiles. The minimum and maximum since the last reset \
        are not used, because the views do not say when they occurred. A statement that was \
        evicted and came back counts from zero: its interval is a gap. Counts without a time \
        (track_io_timing off) are left out. A sample is time, not a wait: \
        a wait shorter than the time between two is sampled by chance or not at all, and two may \
        have seen the same wait. The session that asks is among them unless the query leaves it out \
        (where pid <> pg_backend_pid()).",
    counting: Counting::Varies(
        "Cumulative totals: isotherm subtracts those before. Reset by a restart without saved \
        statistics and by the server's own functions: pg_stat_reset(), pg_stat_reset_shared(), \
        pg_stat_statements_reset(), pg_wait_sampling_reset_profile(), TRUNCATE of a summary table. \
        Samples of sessions are no totals: there is nothing to reset, and each stands for the time \
        since the one before; one of a profile for 10 ms. The times of samples are estimates; for \
        all others this holds:",
    ),
    exact_time: true,
    example: "\
#t 1795238117.273357726
wal_records,wal_fpi,wal_bytes,wal_buffers_full,wal_write,wal_sync,wal_write_time,wal_sync_time,stats_reset
135006,6670,269899987,23359,29265,5048,122.802,8692.014,2026-11-21 04:55:42.13351+00
",
    interpretation: "Since the last reset the WAL was written 29,265 times in 122.8 ms and synced \
        5,048 times in 8.7 s: a mean of 1.7 ms per sync. isotherm shows the difference between \
        each table and the next.",
};
