//! What the histograms of `MariaDB` and `MySQL` say about themselves.

use crate::{Meta, Need};

pub(crate) static FILES: Meta = Meta {
    name: "mysql",
    address: "FILE or -",
    about: "MariaDB's QUERY_RESPONSE_TIME (also Percona Server's) and MySQL 8's statement histograms, \
        printed once or again and again: in boxes, with tabs (-B) or a column a line (\\G)",
    needs: &[
        Need {
            what: "MariaDB with the plugin query_response_time",
            how: "INSTALL SONAME 'query_response_time'; SET GLOBAL query_response_time_stats = 1; SET \
                GLOBAL query_response_time_range_base = 2; FLUSH QUERY_RESPONSE_TIME",
        },
        Need {
            what: "or MySQL 8.0 with the performance schema (the default)",
            how: "SELECT * FROM performance_schema.events_statements_histogram_by_digest",
        },
    ],
    command: "while sleep 1; do date +%s; mariadb -B -e 'show query_response_time'; done | isotherm \
        live -",
    overhead: "An answer of QUERY_RESPONSE_TIME is 14 rows, or 44 with base 2. Each statement that asks \
        is counted itself. One of MySQL has 450 rows for each digest.",
    loses: "Where in its bucket a latency was: by default a bucket of QUERY_RESPONSE_TIME is ten times as \
        long as the one before (query_response_time_range_base), one of MySQL 5 % longer. Totals \
        begin with the server, FLUSH or TRUNCATE. QUERY_RESPONSE_TIME has exact times; those of \
        MySQL are estimated unless the summary is joined (COUNT_STAR and SUM_TIMER_WAIT), and its \
        bounds are rounded down to nanoseconds. Without times between the tables each is taken to \
        come an interval after the last (--interval). A table without its last rows is refused.",
    exact_time: true,
    example: "\
TIME	COUNT	TOTAL
      0.000010	43	      0.000017
      0.000100	468	      0.021197
      0.001000	1342	      0.629336
      0.010000	449	      0.952519
TOO LONG	0	TOO LONG
",
    interpretation: "43 statements took less than 10 microseconds, 17 microseconds in all; 468 took 10 to \
        100 microseconds. isotherm takes the difference of one table to the next.",
};

pub(crate) static LIVE: Meta = Meta {
    name: "mysqllive",
    address: "mysql://[USER@]HOST[:PORT] or mysql://[USER@]/SOCKET",
    about: "A MariaDB or MySQL server: how long its statements take, from QUERY_RESPONSE_TIME or the \
        histograms of the performance schema",
    needs: &[
        Need {
            what: "MariaDB 10.0 or later with the plugin query_response_time (Percona Server 5.6 and 5.7, \
                too)",
            how: "INSTALL SONAME 'query_response_time'; SET GLOBAL query_response_time_stats = 1; finer \
                buckets: SET GLOBAL query_response_time_range_base = 2; FLUSH QUERY_RESPONSE_TIME",
        },
        Need {
            what: "or MySQL 8.0 or later; --by statement, schema or digest separates statements",
            how: "GRANT SELECT ON performance_schema.* TO monitor; UPDATE \
                performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = \
                'statements_digest'",
        },
        Need {
            what: "a user who logs on by mysql_native_password, caching_sha2_password or the owner of the \
                socket (auth_socket, unix_socket)",
            how: "the password comes from MYSQL_PWD, ?password_file=FILE or the terminal; there is no \
                TLS: over a network caching_sha2_password needs that another client has logged on \
                since the server started",
        },
    ],
    command: "isotherm live mysql://monitor@db1",
    overhead: "A poll is one statement. With MariaDB 10.11, base 2 (44 rows), it took 0.16 ms in the \
        server here, 0.14 of them for the server's uptime (a virtual machine with 2 cores); the plugin \
        counts each statement in any case. With MySQL --by digest reads 450 rows for each digest in \
        the server and sends those that are not empty: use --interval 10s where there are thousands.",
    loses: "Where in its bucket a latency was: by default a bucket of QUERY_RESPONSE_TIME is ten times as \
        long as the one before, one of MySQL 5 % longer. It is the time in the server, without the \
        network. The statement that asks is counted too, one a poll (MariaDB 11.5 and later leave it \
        out). The exact time is that of QUERY_RESPONSE_TIME, and of MySQL with --by where the summary \
        counts the same statements; else it is estimated. Reads and writes are separate series where \
        QUERY_RESPONSE_TIME_READ_WRITE is there (MariaDB 11.5). After FLUSH, TRUNCATE or a new start \
        of the server the interval is a gap. Waits for files, tables and locks have averages only: \
        they are not read. MySQL 8 was never asked by those who wrote this: what is read follows its \
        manual, and was tested with answers in its form.",
    exact_time: true,
    example: "\
$ isotherm live mysql://root@/run/mysqld/mysqld.sock --for 4s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░12.0 ▒625 ▓2.50k █5.62k to 10.0k sqrt
#time      ev/s waiting        p50        p99  <1µs  7µs 30µs  244µs     >7.81ms  note
05:48:13  9.40k   0.071      3–7µs    30–61µs  ····██▒▒░░░░░░······
05:48:14  8.58k  0.0624      3–7µs    15–30µs    ··██▒▒░░░░░░····
05:48:15  0.937  <0.001  244–488µs  244–488µs                  ··
",
    interpretation: "18,000 reads by primary key, some 9,000 a second, most of them in 3 to 7 microseconds: 0.07 \
        statements are under way on average. In the last second nothing runs but the statement that \
        asks.",
};
