//! Histograms of statements that `pg_stat_monitor` keeps, as CSV or asked of a server.

mod buckets;
mod columns;

use std::io::BufRead;

use isotherm_frame::Clock;

pub use self::buckets::Buckets;
pub use self::columns::Columns;
use crate::dbstats::record::Records;
use crate::sink::reject;
use crate::{Context, Counting, DecodeError, Meta, Need, Note, ReadingOption, Sink, Source, Verdict};

/// Reads what `pg_stat_monitor` keeps.
pub(crate) struct PgStatMonitor;

pub(crate) static SOURCE: PgStatMonitor = PgStatMonitor;

static META: Meta = Meta {
    name: "pgstatmonitor",
    address: "FILE or -",
    about: "PostgreSQL's extension pg_stat_monitor: a histogram per statement and time bucket, as \
        psql --csv prints them, once or repeatedly",
    needs: &[
        Need {
            what: "the bucket bounds, which depend on the server's settings, as a column range()",
            how: "select bucket_start_time, pgsm_query_id, left(query,80) as query, calls, total_exec_time, \
                resp_calls, range() as ranges from pg_stat_monitor",
        },
        Need {
            what: "optional, for a finer histogram than the default, which begins at 1 ms",
            how: "pg_stat_monitor.pgsm_histogram_min, _max and _buckets, set before the server starts",
        },
    ],
    command: "psql --csv -c \"select bucket_start_time, pgsm_query_id, left(query,80) as query, calls, \
        total_exec_time, resp_calls, range() as ranges from pg_stat_monitor\" | isotherm stats -",
    overhead: "Not measured. The server keeps the histograms in any case.",
    loses: "The exact latency within a bucket: there are 20 buckets and two for values outside \
        them; the second bucket always ends above 1 ms, whatever the settings. The exact time of a \
        statement within its time bucket (60 s, pgsm_bucket_time). The total time is exact if the \
        buckets hold all calls. Each time bucket counts from zero, and the server keeps 10 of them \
        (pgsm_max_buckets): read them before they are overwritten. The last one may be incomplete. \
        The length of a time bucket is the distance between two of them; if that is unknown, \
        --interval; without it, 60 s.",
    counting: Counting::Intervals(
        "within one of its time buckets, which begins at zero (pg_stat_monitor_reset() empties \
        all of them)",
    ),
    exact_time: true,
    example: "\
bucket_start_time,pgsm_query_id,query,calls,total_exec_time,resp_calls,ranges
2026-11-21 05:29:00+00,3629195281782908951,UPDATE t SET x = x + 1,53,4.628009,\"{50,3,0}\",\"{\"\"{{0.000 - 0.010}\"\",\"\" (0.010 - 1.423}\"\",\"\" (1.423 - ...}}\"\"}\"
",
    interpretation: "In the minute from 05:29 the statement ran 53 times: 50 times it took at most \
        10 microseconds, and 3 times up to 1.423 milliseconds. All runs together took 4.6 \
        milliseconds.",
};

impl Source for PgStatMonitor {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mut lines = head.split(|byte| *byte == b'\n').take(20).map(String::from_utf8_lossy);
        if lines.any(|line| columns::is_header(&line)) { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[
            ReadingOption::Unit,
            ReadingOption::TimeUnit,
            ReadingOption::Temporality,
            ReadingOption::Zone,
        ]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut records = Records::new(input);
        let (mut columns, mut buckets) = (None, Buckets::new(context.interval));
        sink.note(Note::Clock(Clock::Epoch));
        while let Some((place, text, ended)) = records.next()? {
            if columns::is_header(&text) {
                buckets.tell(sink);
                columns = Some(Columns::of_header(&text)?);
                continue;
            }
            let Some(columns) = columns.as_ref().filter(|_| !is_aside(&text)) else {
                if !text.trim().is_empty() {
                    sink.note(Note::Ignored);
                }
                continue;
            };
            let row =
                if ended { columns.row(&text) } else { Err(("the row is cut short".into(), 0)) };
            match row {
                Ok(row) => buckets.take(row, sink),
                Err((reason, events)) => reject(sink, place, reason, events),
            }
        }
        buckets.finish(sink);
        Ok(())
    }
}

/// Lines between two tables: the time of the next, or nothing.
fn is_aside(text: &str) -> bool {
    text.starts_with('#') || !text.contains(',')
}
