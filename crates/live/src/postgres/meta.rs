//! What sampling `PostgreSQL` says about itself.

use isotherm_formats::{Counting, Meta, Need};

pub(crate) static POSTGRES: Meta = Meta {
    name: "postgres",
    address: "postgres://USER@HOST:PORT/DATABASE",
    about: "What PostgreSQL's sessions wait for, as average waiting, and the durations of lock waits \
        and idle transactions: one session samples pg_stat_activity",
    needs: &[
        Need {
            what: "PostgreSQL 14 or later, and a user who may see the sessions of other users",
            how: "GRANT pg_monitor TO monitor; without the grant only the user's own sessions are \
                  visible",
        },
        Need {
            what: "options after a ?, joined by &: hz=N (1 to 100 samples a second, default 10), \
                password_file=FILE, and the options of libpq's connection URIs (sslmode, \
                connect_timeout, ...)",
            how: "the password comes from PGPASSWORD, ~/.pgpass, ?password_file=FILE or the terminal",
        },
        Need {
            what: "averages=statements, io, wal or checkpointer instead of waits: the number of \
                events and their mean time every --interval, from pg_stat_statements (preloaded), \
                pg_stat_io (PostgreSQL 16, track_io_timing), pg_stat_wal (up to 17, \
                track_wal_io_timing) or pg_stat_checkpointer (before 17 pg_stat_bgwriter)",
            how: "isotherm live 'postgres://monitor@db1/postgres?averages=wal'",
        },
        Need {
            what: "waits=history or profile: the samples of the extension pg_wait_sampling, every \
                --interval, as average waiting: a sample is time, not a wait, so there are neither \
                rates nor latencies",
            how: "shared_preload_libraries = 'pg_wait_sampling', CREATE EXTENSION pg_wait_sampling, GRANT \
                pg_read_all_stats TO monitor; isotherm live 'postgres://monitor@db1/postgres?waits=history'",
        },
        Need {
            what: "histograms=pg_stat_monitor: the statement histograms of this extension. Each of \
                its time buckets (60 s) becomes one interval, shown when the next one begins. This \
                was written from the extension's documentation and views and was never run with a \
                server",
            how: "see pgstatmonitor; isotherm live 'postgres://monitor@db1/postgres?histograms=pg_stat_monitor'",
        },
        Need {
            what: "waits=sessions: active sessions by wait event over time, hz times a second, as \
                average waiting: a sample is time, not a wait, so there are neither rates nor latencies",
            how: "isotherm live 'postgres://monitor@db1/postgres?waits=sessions'",
        },
        Need {
            what: "probe=reads, buffers, lwlocks, locks or wal: block reads, buffer lookups, waits \
                for locks or syncs, each with its latency, measured by bpftrace on the server's own \
                machine, without a logon (see pgprobe)",
            how: "sudo isotherm live 'postgres://localhost/?probe=reads'",
        },
        Need {
            what: "attributes for --by and --where: event, database, user, application, query_id, state, \
                query (the statement without literals)",
            how: "isotherm live 'postgres://monitor@db1/postgres' --by query,state; query_id needs \
                compute_query_id = on, or auto with pg_stat_statements",
        },
    ],
    command: "isotherm live 'postgres://monitor@db1/postgres?hz=20'",
    overhead: "One session reads pg_stat_activity hz times a second, by a prepared statement; it \
        reads pg_locks only when a session waits for a lock. For isotherm top, at 10 samples a \
        second, which is usual, the server's process for it took 0.4 % of a core and isotherm 0.1 %; at \
        100 a second 2.1 % and 1.3 % (processor time in 10 s, 8 clients of pgbench, PostgreSQL 15, a \
        virtual machine with 2 cores; benches/top.py). At the end of each run \
        isotherm reports how long its samples took. \
        With waits=, a poll took the server 37 ms for 5,000 samples of a \
        history and 2.5 ms for a profile (EXPLAIN ANALYZE). The extension samples all sessions 100 \
        times a second, whether isotherm polls it or not.",
    loses: "Waits that begin and end between two samples. Of waits shorter than the time between \
        two samples, only some are sampled, by chance: their count is too low, and the mean of all \
        is too high. PostgreSQL reports when a lock wait or an idle transaction began, but not when it ended. The end is \
        taken as the middle between the last sample that saw the wait and the next sample, so a \
        duration is off by at most half the time between two samples: means and totals are \
        estimates (≈), and the range of a percentile is that much wider on both sides. Other wait \
        events (I/O, \
        LWLock, IPC, ...) get no durations, because two samples may have seen two different waits: \
        they are shown as average waiting, where each sample stands for 1/hz seconds. So is a wait \
        that a single sample saw: its length would be that between two samples. A transaction that \
        idles for less than 1 s and blocks nobody is idle, and left out. Background processes are \
        left out. A wait that is still in progress when \
        sampling ends is time and no event; one that ends while the connection is lost is left \
        out. With averages= there is no distribution: each interval has one cell, \
        at the mean, and no percentiles. With waits= there is no distribution either: a wait \
        shorter than the time between two samples (10 ms) is sampled by chance or not at all, and \
        two samples may have seen the same wait. The time waited is an estimate: the number of \
        samples times the sampling period. The profile has totals since the server start or the \
        last pg_wait_sampling_reset_profile(). It counts each sample as one sampling period; in \
        our test samples were 3.4 % further apart. The history has the time of each sample but is \
        a ring buffer: samples overwritten between two polls leave a gap. A sample of a session \
        that was not waiting is the event CPU; the tested version 1.1.4 takes no such samples. \
        Sessions that wait for their client (ClientRead) and background processes that wait for \
        work (Activity) are left out.",
    counting: Counting::Varies(
        "Sampled waits are single events, and waits=sessions, waits=history and histograms= read \
        what happened since the last look: there is nothing to reset. averages= reads totals, reset \
        by a server restart without saved statistics, pg_stat_reset_shared() or \
        pg_stat_statements_reset(). waits=profile reads totals, reset by \
        pg_wait_sampling_reset_profile(). probe= reads totals that begin at zero in each run.",
    ),
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
    interpretation: "Four clients update the same row and hold its lock for 80 ms. Three of them \
        always wait for the fourth, and each wait ends when a transaction ends. In a run of 9 \
        seconds isotherm saw 216 waits with a mean of 79.2 ms; the server's own log \
        (log_lock_waits) had 216, with a mean of 81.6 ms.",
};
