//! A table of a statistics view, by its header.

use isotherm_frame::{Histogram, Nanos, Series};

use super::record::fields;
use crate::calendar;
use super::view::{Counter, VIEWS, View};

/// Longer texts of statements are shortened: they only tell them apart for people.
const LONGEST_TEXT: usize = 80;

/// What a header says of the rows after it.
#[derive(Debug)]
pub struct Table {
    view: &'static View,
    separator: char,
    /// The number of columns.
    width: usize,
    /// The names of attributes, with their columns.
    attributes: Vec<(&'static str, usize)>,
    /// The counters that are there, with their columns of counts and of time.
    counters: Vec<(&'static Counter, Vec<usize>, usize)>,
    /// Counters of which the time is missing.
    untimed: Vec<&'static str>,
    /// The column that says when a row was read: of a view that is polled with `select now(), *`.
    moment: Option<usize>,
    /// Columns that are no part of what is read, and whose names do not say that they are of the view.
    free: Vec<usize>,
}

/// What people and programs call the moment at which a row was read.
const MOMENTS: [&str; 30] = [
    "epoch", "sample_ts", "snap_ts", "snapshot_ts", "captured", "collected", "sampled", "polled", "log_time",
    "collection_time", "date", "datetime",
    "now", "time", "ts", "timestamp", "at", "clock_timestamp", "current_timestamp", "localtimestamp",
    "statement_timestamp", "sample_time", "sampled_at", "snap_time", "snapshot_time", "captured_at",
    "collected_at", "polled_at", "logged_at", "sysdate",
];

/// Words in the names of columns of views that are dates or texts.
const OF_VIEWS: [&str; 12] = [
    "since", "reset", "seen", "last", "first", "start", "begin", "creat", "query", "text", "digest", "stmt",
];

impl Table {
    /// The table that begins with this line; `None` if it is no header that is known.
    pub(crate) fn of_header(line: &str) -> Option<Table> {
        let line = line.trim_end_matches('\r');
        let separator = ['\t', ',', '|'].into_iter().find(|separator| line.contains(*separator))?;
        let names: Vec<String> =
            fields(line, separator).iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        Some(Table { separator, ..Table::of_columns(&names)? })
    }

    /// The table of these columns; `None` if it is none that is known.
    pub fn of_columns(names: &[String]) -> Option<Table> {
        let column = |name: &str| names.iter().position(|own| own == name);
        let fits = |view: &&View| view.has.iter().all(|name| column(name).is_some());
        // pg_stat_monitor has the columns of pg_stat_statements too, and counts anew in each bucket of time.
        let view = VIEWS.iter().find(fits).filter(|_| column("resp_calls").is_none())?;
        let attributes = view.attributes.iter().filter_map(|name| Some((*name, column(name)?)));
        let (mut counters, mut untimed) = (Vec::new(), Vec::new());
        for counter in view.counters {
            let counts: Vec<usize> =
                counter.counts.iter().filter_map(|name| column(name)).collect();
            match counter.times.iter().find_map(|name| column(name)) {
                _ if counts.is_empty() => {}
                Some(time) => counters.push((counter, counts, time)),
                None => untimed.push(counter.name),
            }
        }
        let (attributes, width) = (attributes.collect(), names.len());
        let is_moment = |name: &String| MOMENTS.contains(&name.trim_end_matches("()"));
        let moment = names.iter().position(is_moment);
        let is_free = |name: &String| !OF_VIEWS.iter().any(|word| name.contains(word));
        let free = (0..width).filter(|column| names.get(*column).is_some_and(is_free)).collect();
        Some(Table { view, separator: ',', width, attributes, counters, untimed, moment, free })
    }

    /// Whether both are of one view.
    pub(super) fn is_of(&self, other: &Table) -> bool {
        self.view.name == other.view.name
    }

    /// What is counted and not timed.
    pub fn without_times(&self) -> impl Iterator<Item = String> + '_ {
        self.untimed.iter().map(|name| format!("{} {name}", self.view.name))
    }

    /// When a row says that it was read.
    pub(super) fn moment(&self, line: &str) -> Option<String> {
        let values = fields(line.trim_end_matches('\r'), self.separator);
        values.get(self.moment?).map(|value| value.trim().to_owned())
    }

    /// Takes the column in which a row has a date and a time as that in which it was read, where no name says so.
    /// Views have dates of their own, which say since when they count.
    pub(super) fn find_moment(&mut self, line: &str) {
        if self.moment.is_some() {
            return;
        }
        let values = fields(line.trim_end_matches('\r'), self.separator);
        let is_free = |column: usize| self.free.contains(&column);
        let is_date = |value: &String| value.contains(':') && calendar::date(value.trim()).is_some();
        self.moment = values.iter().enumerate().find_map(|(column, value)| {
            (is_free(column) && is_date(value)).then_some(column)
        });
    }

    /// The totals of a row, without what never happened or is not known.
    pub(super) fn row(&self, line: &str) -> Result<Vec<(Series, Histogram)>, String> {
        self.totals(&fields(line.trim_end_matches('\r'), self.separator))
    }

    /// The same of the values of a row.
    pub fn totals(&self, values: &[String]) -> Result<Vec<(Series, Histogram)>, String> {
        if values.len() != self.width {
            let (found, name) = (values.len(), self.view.name);
            return Err(format!("{found} columns instead of the {} of {name}", self.width));
        }
        let value = |column: usize| values.get(column).map_or("", |value| value.trim());
        let known = |column: usize| !matches!(value(column), "" | "NULL" | "\\N");
        let mut totals = Vec::new();
        for (counter, counts, time) in &self.counters {
            let mut events = 0_u64;
            for &column in counts.iter().filter(|column| known(**column)) {
                let text = value(column).as_bytes();
                let count = crate::number::whole(text).map_err(|w| w.about("count", text))?;
                events = events.saturating_add(count);
            }
            if events > 0 && known(*time) {
                let total = Nanos::new(self.view.unit.nanos(value(*time))?);
                if let Some(setting) = self.view.timed_by.filter(|_| total == Nanos::ZERO) {
                    let name = counter.name;
                    return Err(format!("{events} events ({name}) without a time: is {setting} off?"));
                }
                let total = if counter.counts_samples {
                    Histogram::of_sampled_time(total)
                } else {
                    Histogram::of_averages(events, total)
                };
                totals.push((self.series(counter, &value), total));
            }
        }
        Ok(totals)
    }

    fn series<'v>(&self, counter: &Counter, value: &dyn Fn(usize) -> &'v str) -> Series {
        let attribute = |(name, column): &(&'static str, usize)| {
            let name = match *name {
                "q" => "query",
                "dt" | "digest_text" => "statement",
                name => name,
            };
            (name, value(*column).chars().take(LONGEST_TEXT).collect::<String>())
        };
        let attributes: Vec<(&str, String)> = self.attributes.iter().map(attribute).collect();
        match (counter.name, attributes.split_first()) {
            ("", Some(((_, name), rest))) => {
                Series::with_attributes(name.clone(), rest.iter().cloned())
            }
            (name, _) => Series::with_attributes(name, attributes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(header: &str, row: &str) -> Vec<(String, u64, u64)> {
        let found = Table::of_header(header).unwrap().row(row).unwrap();
        let plain = |(series, total): (Series, Histogram)| {
            (series.to_string(), total.events(), total.sum().unwrap().as_nanos())
        };
        found.into_iter().map(plain).collect()
    }

    #[test]
    fn counts_and_times_are_found_by_their_names() {
        let wal = "wal_records,wal_write,wal_sync,wal_write_time,wal_sync_time,stats_reset";
        let expected = [("WAL write", 29_265, 122_802_000), ("WAL sync", 5_048, 8_692_014_000)];
        let expected: Vec<_> = expected.map(|(name, n, ns)| (name.to_owned(), n, ns)).into();
        assert_eq!(rows(wal, "135006,29265,5048,122.802,8692.014,2026-11-21 04:55:42+00"), expected);
        let io = "backend_type,object,context,reads,read_time,writes,write_time,fsyncs,fsync_time";
        let found = rows(io, "client backend,relation,normal,7,1.5,0,0,,");
        let name = "read{backend_type=client backend,context=normal,object=relation}";
        assert_eq!(found, [(name.to_owned(), 7, 1_500_000)]);
        let waits = "EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\tMIN_TIMER_WAIT";
        let found = rows(waits, "wait/io/table/sql/handler\t200000\t906426566370\t1217502");
        assert_eq!(found, [("wait/io/table/sql/handler".to_owned(), 200_000, 906_426_566)]);
    }

    #[test]
    fn events_without_any_time_are_none_that_took_no_time() {
        let wal = Table::of_header("wal_write,wal_write_time,wal_sync,wal_sync_time").unwrap();
        let why = wal.row("5,0,0,0").unwrap_err();
        assert_eq!(why, "5 events (WAL write) without a time: is track_wal_io_timing off?");
        assert_eq!(wal.row("0,0,0,0"), Ok(Vec::new()));
    }

    #[test]
    fn a_column_may_say_when_a_row_was_read() {
        for header in ["now,queryid,calls,total_exec_time", "NOW(),queryid,calls,total_exec_time"] {
            let table = Table::of_header(header).unwrap();
            assert_eq!(table.moment("2026-03-01 10:00:00+00,1,2,3").as_deref(), Some("2026-03-01 10:00:00+00"));
        }
        let table = Table::of_header("queryid,calls,total_exec_time,stats_since").unwrap();
        assert_eq!(table.moment("1,2,3,2026-03-01 10:00:00+00"), None);
    }

    #[test]
    fn other_tables_are_none_of_these() {
        for line in ["", "a,b", "datname,blks_read", "EVENT_NAME\tCOUNT", "time,latency"] {
            assert!(Table::of_header(line).is_none(), "{line}");
        }
        let table = Table::of_header("queryid,calls,total_exec_time").unwrap();
        assert!(table.row("1,2").is_err() && table.row("1,x,3").is_err());
        let old = Table::of_header("queryid,calls,rows").unwrap();
        assert_eq!(old.without_times().collect::<Vec<_>>(), ["pg_stat_statements statement"]);
    }
}
