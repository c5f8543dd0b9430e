//! What statistics views say about themselves.

use crate::{Meta, Need};

pub(crate) static META: Meta = Meta {
    name: "dbstats",
    address: "FILE or -",
    about: "Statistics views of databases, printed again and again: PostgreSQL's pg_stat_statements, \
        pg_stat_io, pg_stat_wal, pg_stat_bgwriter and pg_stat_checkpointer as psql --csv prints them, and \
        summaries of Performance Schema (MySQL, MariaDB) with tabs",
    needs: &[
        Need {
            what: "a time before each table",
            how: "a line such as that of date +%s.%N; without, each is taken to come an interval after \
                  the last (--interval)",
        },
        Need {
            what: "PostgreSQL: track_io_timing (of WAL: track_wal_io_timing) for times of I/O",
            how: "ALTER SYSTEM SET track_io_timing = on",
        },
        Need {
            what: "MySQL, MariaDB: Performance Schema with timed instruments",
            how: "SELECT * FROM performance_schema.setup_instruments",
        },
    ],
    command: "while sleep 1; do date +%s.%N; psql --csv -c 'select * from pg_stat_wal'; done | isotherm live -",
    overhead: "What the query costs: pg_stat_statements reads the texts of all statements from a file, so \
        name the columns (queryid, calls, total_exec_time). The others take well below a millisecond.",
    loses: "The distribution: there are a count and a total time, so a map has one cell to an interval, at \
        the mean, and there are no percentiles. A minimum and a maximum since the last reset are not used: \
        nobody knows when they were. Statements that were evicted and came again count from zero: a gap. \
        Counts without a time (track_io_timing off) are left out.",
    exact_time: true,
    example: "\
#t 1795238117.273357726
wal_records,wal_fpi,wal_bytes,wal_buffers_full,wal_write,wal_sync,wal_write_time,wal_sync_time,stats_reset
135006,6670,269899987,23359,29265,5048,122.802,8692.014,2026-11-21 04:55:42.13351+00
",
    interpretation: "Since the last reset WAL was written 29,265 times in 122.8 ms and synced 5,048 times \
        in 8.7 s: 1.7 ms each. isotherm takes the difference of one table to the next.",
};
