//! What the live source of `MySQL` and `MariaDB` says about itself.

use isotherm_formats::{Counting, Meta, Need};

pub(crate) static LIVE: Meta = Meta {
    name: "mysqllive",
    address: "mysql://[USER@]HOST[:PORT] or mysql://[USER@]/SOCKET",
    about: "Statement latencies of a MariaDB or MySQL server, from QUERY_RESPONSE_TIME or the \
        histograms of the Performance Schema",
    needs: &[
        Need {
            what: "MariaDB 10.0 or later, or Percona Server 5.6 or 5.7, with the plugin \
                query_response_time",
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
            what: "a user who logs on with mysql_native_password, with caching_sha2_password or as \
                the operating system's user through the socket (auth_socket, unix_socket)",
            how: "the password comes from MYSQL_PWD, ?password_file=FILE or the terminal. TLS is \
                not supported: over a network, caching_sha2_password works only after another \
                client has logged on as this user since the server started",
        },
    ],
    command: "isotherm live mysql://monitor@db1",
    overhead: "A poll is one statement. With MariaDB 10.11 and base 2 (44 rows), it took the \
        server 0.16 ms, 0.14 ms of them to read the server's uptime (a virtual machine with 2 \
        cores). The plugin counts every statement, whether isotherm polls or not. With MySQL, --by \
        digest makes the server read 450 rows per digest and send those that are not empty: use \
        --interval 10s if there are thousands of digests.",
    loses: "The exact latency within a bucket: by default each bucket of QUERY_RESPONSE_TIME is \
        ten times as wide as the one before, each bucket of MySQL 5 % wider. The network: \
        latencies are measured in the server. The statement of each poll is counted, too (except \
        by MariaDB 11.5 and later). The total time is exact with QUERY_RESPONSE_TIME, and with \
        MySQL and --by if the summary counts the same statements; otherwise it is estimated. Reads \
        and writes are separate series if the server has QUERY_RESPONSE_TIME_READ_WRITE (MariaDB \
        11.5). An interval with a FLUSH, TRUNCATE or server restart is a gap. Waits for files, \
        tables and locks are not read, because the server keeps only their averages. The source \
        was written from MySQL 8's manual and tested with answers in its format, but never with a \
        MySQL 8 server, which Debian does not package: the tests run MariaDB.",
    counting: Counting::Totals(
        "a server restart, FLUSH QUERY_RESPONSE_TIME (MariaDB, Percona Server), or TRUNCATE of \
        the summary (MySQL)",
    ),
    exact_time: true,
    example: "\
$ isotherm live mysql://root@/run/mysqld/mysqld.sock --for 4s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░12.0 ▒625 ▓2.50k █5.62k to 10.0k sqrt
#time      ev/s waiting        p50        p99  <1µs  7µs 30µs  244µs     >7.81ms  note
05:48:13  9.40k   0.071      3–7µs    30–61µs  ····██▒▒░░░░░░······
05:48:14  8.58k  0.0624      3–7µs    15–30µs    ··██▒▒░░░░░░····
05:48:15  0.937  <0.001  244–488µs  244–488µs                  ··
",
    interpretation: "18,000 reads by primary key, about 9,000 a second, most of them in 3 to 7 \
        microseconds: on average 0.07 statements were running. In the last second nothing ran but \
        the statement of the poll.",
};
