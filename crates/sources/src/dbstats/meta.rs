//! What statistics views say about themselves.

use crate::{Meta, Need};

pub(crate) static META: Meta = Meta {
    name: "dbstats",
    address: "FILE or -",
    about: "Statistics views of databases, printed repeatedly: PostgreSQL's pg_stat_statements, \
        pg_stat_io, pg_stat_wal, pg_stat_bgwriter and pg_stat_checkpointer as psql --csv prints \
        them, and summary tables of the Performance Schema (MySQL, MariaDB) with tabs",
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
    overhead: "The cost of the query. pg_stat_statements reads the texts of all statements from a \
        file unless you name only the columns you need (queryid, calls, total_exec_time). The \
        other views take well below a millisecond.",
    loses: "The distribution: the views have only a count and a total time, so each interval has \
        one cell, at the mean, and no percentiles. The minimum and maximum since the last reset \
        are not used, because the views do not say when they occurred. A statement that was \
        evicted and came back counts from zero: its interval is a gap. Counts without a time \
        (track_io_timing off) are left out.",
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
