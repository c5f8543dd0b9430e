//! What sampling `PostgreSQL` says about itself.

use crate::{Meta, Need};

pub(crate) static POSTGRES: Meta = Meta {
    name: "postgres",
    address: "postgres://USER@HOST:PORT/DATABASE",
    about: "PostgreSQL's waits for locks and idle transactions, with their lengths, and how many \
        sessions wait for what: pg_stat_activity, sampled by one session",
    needs: &[
        Need {
            what: "PostgreSQL 14 or later, and a user who sees the sessions of others",
            how: "GRANT pg_monitor TO monitor; without it only the user's own sessions are seen",
        },
        Need {
            what: "options after a ?, joined by &: hz=N (1 to 100 samples a second, 10 if not given), \
                password_file=FILE, and those of libpq's addresses (sslmode, connect_timeout, ...)",
            how: "the password comes from PGPASSWORD, ~/.pgpass, ?password_file=FILE or the terminal",
        },
        Need {
            what: "averages=statements, io, wal or checkpointer in place of waits: the number of events and \
                their mean time from pg_stat_statements (preloaded), pg_stat_io (PostgreSQL 16, \
                track_io_timing), pg_stat_wal (up to 17, track_wal_io_timing) or pg_stat_checkpointer \
                (before 17 pg_stat_bgwriter), every --interval",
            how: "isotherm live 'postgres://monitor@db1/postgres?averages=wal'",
        },
        Need {
            what: "waits=history or profile: what the extension pg_wait_sampling sampled, every --interval. \
                They are samples, not lengths of waits; what is shown as events is samples",
            how: "shared_preload_libraries = 'pg_wait_sampling', CREATE EXTENSION pg_wait_sampling, GRANT \
                pg_read_all_stats TO monitor; isotherm live 'postgres://monitor@db1/postgres?waits=history'",
        },
        Need {
            what: "histograms=pg_stat_monitor: the histograms of statements that this extension keeps, one \
                interval for each of its buckets of time (60 s), shown when the next one begins. Written after its \
                documentation and its views; never run with a server here",
            how: "see pgstatmonitor; isotherm live 'postgres://monitor@db1/postgres?histograms=pg_stat_monitor'",
        },
        Need {
            what: "attributes for --by and --where: event, database, user, application, query_id, state",
            how: "query_id needs compute_query_id = on, or auto with pg_stat_statements",
        },
    ],
    command: "isotherm live 'postgres://monitor@db1/postgres?hz=20'",
    overhead: "One session looks at pg_stat_activity hz times a second, and at pg_locks only where a \
        session waits for a lock. A sample took 1.7 to 2.5 ms here with 5 sessions (PostgreSQL 15, a \
        virtual machine with 2 busy cores): at 50 a second one connection was busy 9 to 13 % of \
        the time. What it took is said at the end of each run. With waits= a poll \
        took the server 37 ms for 5,000 samples of a history and 2.5 ms for a profile (EXPLAIN ANALYZE); the \
        extension itself looks at all sessions 100 times a second in any case.",
    loses: "What begins and ends between two samples. Of waits shorter than that only some are seen, \
        by chance: their number is too small. PostgreSQL says since when a session waits for a \
        lock and since when a transaction idles, and no end: a length is that up to the middle \
        between the last sample that saw it and the next, at most half the time between two \
        samples off. For other wait events (I/O, LWLock, IPC, ...) two samples may have seen two \
        waits: no lengths are made of them. How many sessions were seen waiting for each is said \
        at the end: an average over samples, each of which stands for 1/hz seconds. Background \
        processes are left out. A wait that goes on when sampling ends, or ends while the connection is \
        lost, is left out. \
        With averages= there is no distribution: one cell to an interval, at the mean, and no percentiles. \
        Nor with waits=: a wait shorter than the time between two samples (10 ms) is seen by chance, or \
        not at all, and two samples may have seen one wait. Their number times that time is the time waited, \
        estimated. The profile has totals since the server was started or pg_wait_sampling_reset_profile() \
        was called, and takes each sample for its period: they were 3.4 % further apart here. The history \
        has the time of each sample, and is a ring: what was overwritten between two polls is a gap. \
        Samples without a wait are the event CPU; version 1.1.4, which was tried, takes none. Waits of sessions for their \
        client (ClientRead) and of background processes for work (Activity) are left out.",
    exact_time: false,
    example: "\
$ isotherm live 'postgres://monitor@db1/postgres?hz=50' --for 4s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <33.6ms  134ms       >1.07s  note
02:38:57   36.0    2.76    75–84ms    83–93ms       █▒
02:38:58   36.0    2.93    75–84ms    83–93ms       ▓▒
02:38:59   39.0    2.87    75–84ms    83–93ms       █▒
isotherm: sessions on average in 200 samples, 50 a second (estimates, not latencies): \
Lock:transactionid 3.00, Timeout:PgSleep 0.99
isotherm: a sample took 2.52 ms on average: one connection was busy 12.6 % of the time
",
    interpretation: "Four clients change the same row and hold it for 80 ms: three of them always wait \
        for the fourth, and each wait ends with its transaction. In a run of 9 seconds 216 waits \
        were seen, of 79.2 ms on average; the server's own log (log_lock_waits) had 216, of 81.6 ms.",
};
