//! What the ways to an Oracle database say about themselves.

use isotherm_formats::{Counting, Meta, Need};

pub(crate) static ORACLE: Meta = Meta {
    name: "oracle",
    address: "oracle://USER@HOST:PORT/SERVICE",
    about: "Oracle's wait events, by event and instance: the counts from V$EVENT_HISTOGRAM_MICRO \
            (or V$EVENT_HISTOGRAM, in milliseconds), the exact time waited from V$SYSTEM_EVENT. \
            With ?sample=session, single waits of sessions, polled as often as round trips allow",
    needs: &[
        Need {
            what: "Oracle 12.1 or later, over the network, and a user with a password (for OS \
                   users and older releases use sqlplus:)",
            how: "the password comes from ISOTHERM_ORACLE_PASSWORD, ?password_file=FILE or the \
                  terminal, never from the address",
        },
        Need {
            what: "SELECT on SYS.GV_$INSTANCE, V_$INSTANCE, V_$EVENT_HISTOGRAM_MICRO, \
                   V_$SYSTEM_EVENT, V_$EVENT_NAME (for a cluster the GV_$ views); with \
                   ?sample=session also V_$SESSION, V_$SESSION_WAIT_HISTORY. No Diagnostics Pack \
                   licence is needed. isotherm top reads other views; with --licensed \
                   diagnostics it reads GV_$ACTIVE_SESSION_HISTORY, which needs that licence",
            how: "GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO mon; if a grant is missing, the \
                  error shows the statement to run; GRANT SELECT_CATALOG_ROLE covers all of them",
        },
        Need {
            what: "options after a ?, joined by &: event=NAME (* for any text; may be repeated), \
                   inst=N,N, per_pdb=1, interval=1s; sample=session with sid=N, module=NAME or \
                   xkslwh=1 (SYS only)",
            how: "isotherm live oracle://... --events lists the instance's events",
        },
    ],
    command: "isotherm live 'oracle://mon@db1:1521/SALES?event=log file sync&event=db file*'",
    overhead: "isotherm used 0.3 % of one core for 200 events of 2 instances every second, with \
               one round trip per poll (0.09 s of processor time in 30 s, Linux 6.18, a virtual \
               machine with 2 cores). The server runs one statement per poll: a soft parse and a \
               scan of fixed views in memory. Its cost on a real server was not measured. On a \
               cluster, GV$ views start a parallel process on each instance. sample=session costs \
               far more: it polls without a pause, thousands of times a second, and keeps its \
               server process busy all the time. The median of seven runs was 10,144 polls a \
               second, against a test server on the same machine with other work on it; the load \
               on a real server was not measured.",
    loses: "The exact length of a wait within its bucket. A wait is counted when it ends: one \
            still in progress is missing. Counts and times come from two views, which are not read \
            at the same instant: where the two disagree by more than 1 % of an interval's waits, \
            the interval's time is an estimate. Idle events are left out unless you name them. \
            While the server cannot be reached, there is no data. When it can be reached again and \
            was not restarted, one long interval, marked as a late poll, holds everything since. \
            With sample=session, a wait that begins and ends between two polls is missed, unless \
            it is still among the last ten waits that Oracle keeps for the session. Oracle numbers \
            a session's waits, so isotherm knows how many it missed and reports them as lost. The \
            statements were run against a test server and, where PostgreSQL understands them, \
            against PostgreSQL, but not yet against a real Oracle. Oracle does not document \
            X$KSLWH.",
    counting: Counting::Varies(
        "Totals, reset by a restart of the instance. With sample=session single waits, which \
        nothing resets.",
    ),
    exact_time: true,
    example: "\
$ isotherm live 'oracle://demo@127.0.0.1:1521/FAKE?event=db file sequential read' | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░1.20 ▒62.5 ▓250 █562 to 1.00k sqrt
#time      ev/s waiting        p50        p99  <16µs 64µs  512µs 4.1ms       >262ms  note
11:56:34  1.18k    1.74  128–256µs   8.2–16ms      ░░▒▒██▒▒░░░░▒▒▒▒░░··
11:56:35  1.21k    1.80  128–256µs   8.2–16ms      ··▒▒██▒▒░░░░▒▒▒▒░░░░
11:56:36.531  1.23k    1.84  128–256µs   8.2–16ms      ░░▒▒██▒▒░░░░▒▒▒▒░░░░
",
    interpretation: "The test server has two kinds of reads: most take 128 to 256 µs, as from a \
                     cache, and every fifth takes 4 to 16 ms, as from a disk. On average 1.74 \
                     sessions were waiting for a read. The number has no ≈ because V$SYSTEM_EVENT \
                     has the exact time.",
};

pub(crate) static SQLPLUS: Meta = Meta {
    name: "sqlplus",
    address: "sqlplus:LOGON[?event=...]",
    about: "Wait events of an Oracle database, live, through SQL*Plus: for logons that only \
            SQL*Plus can make (the operating system's user, client wallets, Kerberos) and for \
            hosts where nothing else may connect",
    needs: &[
        Need {
            what: "SQL*Plus of any release, in PATH or in $ORACLE_HOME/bin",
            how: "oraenv on a database server; Oracle Instant Client elsewhere",
        },
        Need {
            what: "a logon: / as sysdba, /@WALLET_ALIAS, or USER@ALIAS with a password",
            how: "the password comes from ISOTHERM_ORACLE_PASSWORD, ?password_file=FILE or the \
                  terminal",
        },
        Need {
            what: "SELECT on V_$EVENT_HISTOGRAM_MICRO (V_$EVENT_HISTOGRAM before 12.1.0.2), \
                   V_$SYSTEM_EVENT, V_$INSTANCE and V_$EVENT_NAME; GV_$... for clusters",
            how: "GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO user, and so on",
        },
    ],
    command: "isotherm live 'sqlplus:/ as sysdba'",
    overhead: "One SELECT per interval, timed by isotherm: no PL/SQL, no DBMS_LOCK. isotherm used \
               0.3 % of a core to record 200 events of 2 instances every second (release build, 18 \
               s, a test program in place of SQL*Plus). The cost of SQL*Plus and of the server was \
               not measured. SQL*Plus runs in its own process group; its command line does not \
               show the logon.",
    loses: "The exact length of a wait within its bucket. A wait is counted when it ends: one \
            still in progress is missing. If no answer comes within ten seconds, or two intervals, \
            isotherm ends SQL*Plus and starts a new one. SQL*Plus does not accept a password that \
            contains a double quote. This source was tested with a program in place of SQL*Plus, \
            not with a live database.",
    counting: Counting::Totals("a restart of the instance"),
    exact_time: true,
    example: "\
$ isotherm live 'sqlplus:/ as sysdba?event=log file sync' | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░0.6 ▒31.2 ▓125 █281 to 500 sqrt
#time      ev/s waiting        p50        p99  <64µs 128µs 512µs       >8.19ms  note
11:34:14    281   0.101  256–512µs   0.51–1ms        ▒▒▒▓▓▓░░░
11:34:15    283   0.101  256–512µs   0.51–1ms        ▒▒▒▓▓▓▒▒▒
11:34:16    278   0.101  256–512µs   0.51–1ms        ▒▒▒▓▓▓░░░
",
    interpretation: "The program that the tests use in place of SQL*Plus reported 280 commits a \
                     second. Most of them waited a quarter to half a millisecond for the log \
                     writer. On average exactly 0.101 sessions were waiting for a commit.",
};

pub(crate) static AWR: Meta = Meta {
    name: "awr",
    address: "awr:oracle://... or awr:sqlplus:LOGON",
    about: "The wait histograms that an Oracle database keeps in its Automatic Workload Repository \
            (AWR), one interval per snapshot: days or months as one heat map",
    needs: &[
        Need {
            what: "a licence for the Diagnostics Pack, which the DBA_HIST_* views require",
            how: "ask whoever buys your licences; CONTROL_MANAGEMENT_PACK_ACCESS only shows what \
                  is switched on",
        },
        Need {
            what: "SELECT on DBA_HIST_SNAPSHOT, DBA_HIST_EVENT_HISTOGRAM, DBA_HIST_SYSTEM_EVENT \
                   and, for names, DBA_HIST_DATABASE_INSTANCE",
            how: "GRANT SELECT ON SYS.DBA_HIST_SNAPSHOT TO user, and so on, or the role \
                  SELECT_CATALOG_ROLE",
        },
    ],
    command: "isotherm show 'awr:oracle://mon@db1/SALES?since=7d&event=log file sync'",
    overhead: "One statement per day and instance, which reads that day's partitions of the \
               history. Its cost on a server was not measured.",
    loses: "Changes within the time between two snapshots, usually an hour. Buckets are in \
            milliseconds: the first holds everything faster. No release documents a view in \
            microseconds; if the database has one, isotherm uses it and reports that. The \
            timestamp of a cluster's snapshot is that of its last instance. Snapshots before \
            11.2.0.2 have no time zone: give it with --zone. Imported snapshots of several \
            databases are read one database after the other; dbid= chooses one. The statement is \
            tested on PostgreSQL, not with a live Oracle database.",
    counting: Counting::Totals("a restart of the instance"),
    exact_time: true,
    example: "\
$ isotherm live 'awr:sqlplus:/ as sysdba?since=7d&event=log file sync' | cat
isotherm: AWR's history (DBA_HIST_*) may be read only if the Diagnostics Pack is licensed; \
CONTROL_MANAGEMENT_PACK_ACCESS is 'DIAGNOSTIC+TUNING' here
# 2026-11-21 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <1ms  2ms   8ms      >64ms  note
02:00:00   27.0  0.0167       <1ms      1–2ms  ▓▓▓░░░   ···
03:00:00   27.0  0.0167       <1ms      1–2ms  ▓▓▓░░░   ···
04:00:00   36.7  0.0472       <1ms      4–8ms  ▓▓▓▒▒▒   ▒▒▒
05:00:00   36.7  0.0472       <1ms      4–8ms  ▓▓▓▒▒▒   ▒▒▒
06:00:00   36.7  0.0472       <1ms      4–8ms  ▓▓▓▒▒▒   ▒▒▒
",
    interpretation: "This is a test server with six snapshots. From three o'clock on, a second \
                     band of commits takes 4 to 8 ms, which no mean would have shown. The first \
                     snapshot is only the baseline, because the instance had been up since the \
                     first of the month.",
};
