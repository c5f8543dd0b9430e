//! Histograms of statements that `pg_stat_monitor` keeps, asked for again and again.

use isotherm_client::postgres::control::{Control, Row};
use isotherm_formats::pgstatmonitor::{Buckets, Columns};
use isotherm_formats::{DecodeError, Sink, reject};
use isotherm_frame::{Nanos, Place};

/// What is asked for, by the names that the decoder knows.
const COLUMNS: &str = "bucket_start_time,pgsm_query_id,query,datname,username,calls,total_exec_time,resp_calls,ranges";

/// The query of a poll.
const QUERY: &str = "select to_char(bucket_start_time at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), \
    pgsm_query_id, left(query, 80), datname, username, calls, total_exec_time, resp_calls::text, range()::text \
    from pg_stat_monitor";

/// How long a bucket of time is, in seconds.
const LENGTH: &str =
    "select setting from pg_settings where name = 'pg_stat_monitor.pgsm_bucket_time'";

/// The buckets of time, from poll to poll.
#[derive(Debug)]
pub(super) struct Monitor {
    columns: Columns,
    buckets: Buckets,
}

impl Monitor {
    /// Asks once, so that what is wrong is told at once.
    pub(super) fn open(control: &mut Control<'_>) -> Result<Monitor, String> {
        control.rows(QUERY).map_err(|error| {
            format!(
                "{error}: add pg_stat_monitor 2 to shared_preload_libraries, restart the server, \
                 CREATE EXTENSION pg_stat_monitor in this database, and GRANT pg_read_all_stats TO \
                 the user"
            )
        })?;
        let bucket_s = control.number(LENGTH);
        let length = bucket_s.ok().map(|seconds| Nanos::from_millis(seconds.saturating_mul(1_000)));
        let columns =
            Columns::of_header(COLUMNS).map_err(|error: DecodeError| error.to_string())?;
        Ok(Monitor { columns, buckets: Buckets::new(length) })
    }

    /// The query of a poll.
    pub(super) fn query() -> &'static str {
        QUERY
    }

    /// Takes what a poll found.
    pub(super) fn take(&mut self, rows: &[Row], sink: &mut dyn Sink) {
        for row in rows {
            let value = |value: &Option<String>| value.clone().unwrap_or_default();
            let values: Vec<String> = row.iter().map(value).collect();
            match self.columns.values(&values) {
                Ok(row) => self.buckets.take(row, sink),
                Err((reason, calls)) => reject(sink, Place { line: 1, byte: 0 }, reason, calls),
            }
        }
        self.buckets.tell(sink);
    }

    /// There are no more polls: the last bucket is told as far as it was read.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        std::mem::replace(&mut self.buckets, Buckets::new(None)).finish(sink);
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Reading;

    use super::*;
    use isotherm_formats::Message;

    /// Keeps how many events each interval has, and how many were rejected.
    #[derive(Default)]
    struct Kept(Vec<u64>, u64);

    impl Sink for Kept {
        fn take(&mut self, message: Message) {
            match message {
                Message::Reading(Reading::Delta(frame)) => self.0.push(frame.counts.events()),
                Message::Rejected(rejection) => self.1 += rejection.events,
                _ => {}
            }
        }
    }

    #[test]
    fn rows_of_a_server_are_read_as_those_of_a_file() {
        let columns = Columns::of_header(COLUMNS).unwrap();
        let length = Some(Nanos::from_millis(60_000));
        let mut monitor = Monitor { columns, buckets: Buckets::new(length) };
        let row = |minute: u32, calls: &str, counts: &str| -> Row {
            let start = format!("2026-11-21T05:{minute:02}:00Z");
            let ranges = r#"{"{{0.000 - 0.010}"," (0.010 - ...}}"}"#;
            let values = [start.as_str(), "7", "select 1", "d", "u", calls, "4.5", counts, ranges];
            values.into_iter().map(|value| Some(value.to_owned())).collect()
        };
        let mut kept = Kept::default();
        monitor.take(&[row(29, "3", "{1,2}")], &mut kept);
        assert!(kept.0.is_empty());
        monitor.take(&[row(29, "5", "{1,4}"), row(30, "1", "{1,0}")], &mut kept);
        assert_eq!(kept.0, [5]);
        monitor.take(&[row(30, "9", "{1,0}")], &mut kept);
        monitor.finish(&mut kept);
        assert_eq!((kept.0.as_slice(), kept.1), (&[5, 1][..], 9));
    }
}
