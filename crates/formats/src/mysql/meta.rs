//! What the histograms of `MariaDB` and `MySQL` say about themselves.

use crate::{Counting, Meta, Need};

pub(crate) static FILES: Meta = Meta {
    name: "mysql",
    address: "FILE or -",
    about: "QUERY_RESPONSE_TIME of MariaDB and Percona Server, and the statement histograms of \
        MySQL 8, printed once or repeatedly: in boxes, with tabs (-B) or with one column per line \
        (\\G)",
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
    overhead: "QUERY_RESPONSE_TIME returns 14 rows, or 44 with base 2. The statement that reads it \
        is counted, too. MySQL returns 450 rows for each digest.",
    loses: "The exact latency within a bucket: by default each bucket of QUERY_RESPONSE_TIME is \
        ten times as wide as the one before (query_response_time_range_base), each bucket of MySQL \
        5 % wider. Totals count from the server's start, FLUSH or TRUNCATE. QUERY_RESPONSE_TIME \
        has exact times. Times of MySQL are estimated unless the query joins the summary \
        (COUNT_STAR and SUM_TIMER_WAIT), and its bounds are rounded down to nanoseconds. Without \
        timestamps between the tables, isotherm assumes one table per interval (--interval). A \
        table without its last rows is rejected.",
    counting: Counting::Totals(
        "a server restart, FLUSH QUERY_RESPONSE_TIME (MariaDB, Percona Server), or TRUNCATE of \
        the summary (MySQL)",
    ),
    exact_time: true,
    example: "\
TIME	COUNT	TOTAL
      0.000010	43	      0.000017
      0.000100	468	      0.021197
      0.001000	1342	      0.629336
      0.010000	449	      0.952519
TOO LONG	0	TOO LONG
",
    interpretation: "43 statements took less than 10 microseconds each, 17 microseconds in all; \
        468 took 10 to 100 microseconds. isotherm shows the difference between each table and the \
        next.",
};
