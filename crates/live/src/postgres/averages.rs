//! Statistics views of a server, asked for again and again: how often, and how long in all.

use std::collections::BTreeSet;

use isotherm_client::postgres::control::{Control, Row};
use isotherm_client::postgres::error::PgError;
use isotherm_formats::dbstats::Table;
use isotherm_formats::{Sink, reject};
use isotherm_frame::{Histogram, Place, Reading, Series, Timestamp};

use super::sampled::{BUSY, EVENT};

/// A statistics view that can be asked for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum StatsView {
    Statements,
    Io,
    Wal,
    Checkpointer,
}

/// Releases in which views came, changed or went.
const WITH_IO: u64 = 160_000;
const WITH_CHECKPOINTER: u64 = 170_000;
const WAL_IN_IO: u64 = 180_000;

/// The column that says when counting began.
const EPOCH: &str = "(extract(epoch from stats_reset) * 1000000)::bigint as epoch_us";

impl StatsView {
    pub(super) const WORDS: [(StatsView, &'static str); 4] = [
        (StatsView::Statements, "statements"),
        (StatsView::Io, "io"),
        (StatsView::Wal, "wal"),
        (StatsView::Checkpointer, "checkpointer"),
    ];

    /// Reads what stands after `averages=`.
    pub(super) fn read(word: &str) -> Result<StatsView, String> {
        let found = StatsView::WORDS.iter().find(|(_, known)| *known == word);
        found.map(|(view, _)| *view).ok_or_else(|| {
            format!("averages={word}: there are statements, io, wal and checkpointer")
        })
    }

    /// The columns that are asked for, the view, and the setting without which it has no times; or why
    /// this release has no such view.
    fn asked(self, version: u64) -> Result<Asked, String> {
        let release = version / 10_000;
        let asked = |columns, from, setting| Ok(Asked { columns, from, setting });
        match self {
            StatsView::Statements => asked(
                "queryid, left(regexp_replace(query, '\\s+', ' ', 'g'), 80) as query, userid, dbid, \
                 toplevel, calls, total_exec_time",
                "pg_stat_statements, pg_stat_statements_info",
                None,
            ),
            StatsView::Io if version < WITH_IO => Err(format!(
                "averages=io needs pg_stat_io, which came with PostgreSQL 16; this is {release}"
            )),
            StatsView::Io => asked(
                "backend_type, object, context, reads, read_time, writes, write_time, writebacks, \
                 writeback_time, extends, extend_time, fsyncs, fsync_time",
                "pg_stat_io",
                Some("track_io_timing"),
            ),
            StatsView::Wal if version >= WAL_IN_IO => Err(format!(
                "averages=wal: PostgreSQL {release} has the times of WAL in pg_stat_io; use averages=io"
            )),
            StatsView::Wal => asked(
                "wal_write, wal_write_time, wal_sync, wal_sync_time",
                "pg_stat_wal",
                Some("track_wal_io_timing"),
            ),
            StatsView::Checkpointer if version < WITH_CHECKPOINTER => asked(
                "checkpoints_timed, checkpoints_req, checkpoint_write_time, checkpoint_sync_time",
                "pg_stat_bgwriter",
                None,
            ),
            StatsView::Checkpointer => asked(
                "num_timed, num_requested, write_time, sync_time",
                "pg_stat_checkpointer",
                None,
            ),
        }
    }
}

/// What is asked of a server.
#[derive(Debug)]
struct Asked {
    columns: &'static str,
    from: &'static str,
    setting: Option<&'static str>,
}

/// The totals of a row, and since when they are counted.
type RowTotals = (Vec<(Series, Histogram)>, Option<Timestamp>);

/// The totals of a view, from poll to poll.
#[derive(Debug)]
pub(super) struct Averages {
    query: String,
    table: Table,
    known: BTreeSet<Series>,
    last: Option<Timestamp>,
}

impl Averages {
    /// What to ask a server; or why it cannot say.
    pub(super) fn of(
        view: StatsView,
        version: u64,
        control: &mut Control<'_>,
    ) -> Result<Averages, String> {
        let Asked { columns, from, setting } = view.asked(version)?;
        if let Some(setting) = setting {
            let value = control.value(&format!("show {setting}")).map_err(|e| e.to_string())?;
            if value.as_deref() != Some("on") {
                return Err(format!(
                    "{setting} is off, so that {from} has no times: ALTER SYSTEM SET {setting} = on; \
                     SELECT pg_reload_conf()"
                ));
            }
        }
        let query = format!("select {columns}, {EPOCH} from {from}");
        let rows = control.rows(&query);
        rows.map_err(|error| refused(view, &error))?;
        let table = Table::of_columns(&names(columns)).ok_or("the view has other columns")?;
        Ok(Averages { query, table, known: BTreeSet::new(), last: None })
    }

    /// The profile of `pg_wait_sampling`, of which each sample stands for so many milliseconds.
    pub(super) fn of_profile(period_ms: u64) -> Option<Averages> {
        let columns = ["event", "samples", "sampled_ms"].map(str::to_owned);
        let query = format!(
            "select {EVENT}, sum(count)::bigint, (sum(count) * {period_ms})::bigint, null::bigint from \
             pg_wait_sampling_profile where {BUSY} group by 1"
        );
        let table = Table::of_columns(&columns)?;
        Some(Averages { query, table, known: BTreeSet::new(), last: None })
    }

    /// The query of a poll.
    pub(super) fn query(&self) -> &str {
        &self.query
    }

    /// Takes what a poll found. What is there for the first time stood at zero at the last poll.
    pub(super) fn take(&mut self, at: Timestamp, rows: &[Row], sink: &mut dyn Sink) {
        let (mut totals, mut is_whole) = (Vec::new(), true);
        for row in rows {
            let (found, epoch) = self.totals(row).unwrap_or_else(|why| {
                is_whole = false;
                reject(sink, Place { line: 1, byte: 0 }, why, 0);
                (Vec::new(), None)
            });
            totals.extend(found.into_iter().map(|(series, total)| (series, total, epoch)));
        }
        if let Some(last) = self.last {
            for (series, total, epoch) in &totals {
                if self.known.insert(series.clone()) {
                    let total = total.cleared();
                    let (series, epoch) = (series.clone(), *epoch);
                    sink.reading(Reading::Cumulative { at: last, series, total, epoch });
                }
            }
        }
        for (series, total, epoch) in totals {
            self.known.insert(series.clone());
            sink.record();
            sink.reading(Reading::Cumulative { at, series, total, epoch });
        }
        self.last = Some(at).filter(|_| is_whole);
    }

    /// The totals of a row of the answer, and since when they are counted.
    pub(super) fn totals(&self, row: &Row) -> Result<RowTotals, String> {
        let value = |value: &Option<String>| value.clone().unwrap_or_default();
        let mut values: Vec<String> = row.iter().map(value).collect();
        let epoch = values.pop().and_then(|us| us.parse::<i64>().ok());
        let epoch = epoch.map(|us| Timestamp::new(us.saturating_mul(1_000)));
        let totals = self.table.totals(&values)?;
        Ok((totals, epoch))
    }

    /// The connection was lost: what appears meanwhile is not known to have stood at zero.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}

/// The names of columns, after `as` where that is there.
fn names(columns: &str) -> Vec<String> {
    let (mut names, mut depth, mut name) = (Vec::new(), 0_i32, String::new());
    for character in columns.chars().chain([',']) {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                let last = name.split_whitespace().next_back().unwrap_or_default();
                names.push(last.to_owned());
                name.clear();
                continue;
            }
            _ => {}
        }
        name.push(character);
    }
    names
}

/// Why the server does not let the view be read, and what to do.
fn refused(view: StatsView, error: &PgError) -> String {
    if view == StatsView::Statements && (error.is("42P01") || error.is("55000")) {
        return format!(
            "{error}: add pg_stat_statements to shared_preload_libraries, restart the server, and \
             CREATE EXTENSION pg_stat_statements in this database"
        );
    }
    format!("{error}: GRANT pg_monitor TO the user")
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Account, Nanos};

    use super::*;
    use isotherm_formats::Message;

    #[test]
    fn views_are_those_of_the_release() {
        let of = |view: StatsView, version| view.asked(version).map(|asked| asked.from);
        assert_eq!(of(StatsView::Checkpointer, 150_018), Ok("pg_stat_bgwriter"));
        assert_eq!(of(StatsView::Checkpointer, 170_002), Ok("pg_stat_checkpointer"));
        let why = of(StatsView::Io, 150_018).unwrap_err();
        assert!(why.contains("PostgreSQL 16") && why.ends_with("this is 15"), "{why}");
        assert!(of(StatsView::Wal, 180_000).unwrap_err().contains("averages=io"));
        assert_eq!(StatsView::read("wal"), Ok(StatsView::Wal));
        assert!(StatsView::read("x").unwrap_err().contains("checkpointer"));
    }

    #[test]
    fn the_columns_of_every_query_are_a_known_table() {
        for (view, word) in StatsView::WORDS {
            for version in [140_000, 150_000, 160_000, 170_000, 180_000] {
                let Ok(asked) = view.asked(version) else { continue };
                let table = Table::of_columns(&names(asked.columns));
                assert!(table.is_some_and(|table| table.without_times().count() == 0), "{word}");
            }
        }
        let statements = StatsView::Statements.asked(150_000).unwrap();
        assert_eq!(names(statements.columns)[..2], ["queryid", "query"]);
    }

    /// Keeps the readings.
    #[derive(Default)]
    struct Collected(Account, Vec<Reading>);

    impl Sink for Collected {
        fn take(&mut self, message: Message) {
            self.1.extend(message.into_reading(&mut self.0));
        }
    }

    #[test]
    fn the_time_of_samples_is_an_estimate_also_from_poll_to_poll() {
        let profile = Averages::of_profile(10).unwrap();
        let total = |samples: u64| {
            let row = ["LWLock:WALWrite".into(), samples.to_string(), (samples * 10).to_string()];
            let row: Row = row.into_iter().map(Some).chain([None]).collect();
            profile.totals(&row).unwrap().0.remove(0).1
        };
        let between = total(12).since(&total(5)).unwrap();
        // A sample is no wait: there is time, an estimate, and neither a number nor a mean.
        assert_eq!(between, Histogram::of_sampled_time(Nanos::from_millis(70)));
        assert_eq!((between.events(), between.mean_ns()), (0, None));
        assert!(!between.time_waited().exact);
    }

    #[test]
    fn what_appears_stood_at_zero_unless_the_connection_was_lost() {
        let asked = StatsView::Wal.asked(150_000).unwrap();
        let table = Table::of_columns(&names(asked.columns)).unwrap();
        let mut averages =
            Averages { query: String::new(), table, known: BTreeSet::new(), last: None };
        let row = |writes: u64, syncs: u64| {
            let text =
                [writes.to_string(), "1.5".into(), syncs.to_string(), "2".into(), "9".into()];
            vec![text.into_iter().map(Some).collect::<Row>()]
        };
        let mut kept = Collected::default();
        averages.take(Timestamp::new(1), &row(5, 0), &mut kept);
        averages.take(Timestamp::new(2), &row(6, 3), &mut kept);
        let totals: Vec<(i64, Histogram)> = kept
            .1
            .into_iter()
            .filter_map(|reading| match reading {
                Reading::Cumulative { at, total, epoch, .. } => {
                    assert_eq!(epoch, Some(Timestamp::new(9_000)));
                    Some((at.as_nanos(), total))
                }
                _ => None,
            })
            .collect();
        let of = |events, us| Histogram::of_averages(events, Nanos::from_micros(us));
        let expected = [(1, of(5, 1_500)), (1, of(0, 0)), (2, of(6, 1_500)), (2, of(3, 2_000))];
        assert_eq!(totals, expected);
    }
}
