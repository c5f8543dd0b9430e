//! Which table a file is, by its heads.

use std::borrow::Cow;

use isotherm_frame::Unit;
use schemars::JsonSchema;
use serde::Serialize;

use super::fields::Fields;
use crate::wait_histogram::is_upper_bound;

/// The tables of AWR's history that are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TableKind {
    /// Waits by wait class, and time on CPU.
    WaitClasses,
    /// Waits by event.
    SystemEvents,
    /// Waits by event and latency.
    EventHistograms,
    /// Statistics of the instance.
    SystemStatistics,
    /// Where time was spent.
    TimeModel,
    /// Reads and writes by function.
    IoFunctions,
    /// Reads and writes by type of file.
    IoFileTypes,
    /// Reads and writes by data file.
    IoFiles,
    /// Statistics by service.
    ServiceStatistics,
    /// Metrics between two snapshots.
    Metrics,
    /// Segments with most logical reads.
    Segments,
    /// Statements with most elapsed time.
    Sql,
}

/// The columns that each table begins with: when its interval ended, in UTC, how long it was, and whose it
/// is.
pub const COMMON_COLUMNS: [&str; 5] = ["end", "seconds", "dbid", "instance", "snap_id"];

const WAITS: &[&str] = &["waits", "time_us", "foreground_waits", "foreground_time_us"];
const IO: &[&str] = &[
    "small_reads",
    "large_reads",
    "small_writes",
    "large_writes",
    "small_read_mb",
    "large_read_mb",
    "small_write_mb",
    "large_write_mb",
    "waits",
    "wait_time_ms",
];
const FILES: &[&str] = &[
    "reads",
    "read_blocks",
    "read_time_cs",
    "single_block_reads",
    "single_block_read_time_cs",
    "writes",
    "written_blocks",
    "write_time_cs",
];
const SEGMENTS: &[&str] = &[
    "logical_reads",
    "physical_reads",
    "physical_read_requests",
    "physical_writes",
    "physical_write_requests",
    "block_changes",
    "buffer_busy_waits",
    "row_lock_waits",
];
const SQL: &[&str] =
    &["elapsed_us", "cpu_us", "io_wait_us", "executions", "buffer_gets", "disk_reads", "rows"];

impl TableKind {
    /// All of them.
    pub const ALL: [TableKind; 12] = [
        TableKind::WaitClasses,
        TableKind::SystemEvents,
        TableKind::EventHistograms,
        TableKind::SystemStatistics,
        TableKind::TimeModel,
        TableKind::IoFunctions,
        TableKind::IoFileTypes,
        TableKind::IoFiles,
        TableKind::ServiceStatistics,
        TableKind::Metrics,
        TableKind::Segments,
        TableKind::Sql,
    ];

    /// What the predefined query is called.
    pub const fn name(self) -> &'static str {
        match self {
            TableKind::WaitClasses => "wait-classes",
            TableKind::SystemEvents => "system-events",
            TableKind::EventHistograms => "event-histograms",
            TableKind::SystemStatistics => "system-statistics",
            TableKind::TimeModel => "time-model",
            TableKind::IoFunctions => "io-functions",
            TableKind::IoFileTypes => "io-file-types",
            TableKind::IoFiles => "io-files",
            TableKind::ServiceStatistics => "service-statistics",
            TableKind::Metrics => "metrics",
            TableKind::Segments => "segments",
            TableKind::Sql => "sql",
        }
    }

    /// The columns that say what a row is about. A file may have upper bounds of buckets in microseconds,
    /// `wait_time_us`; they are read as milliseconds.
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            TableKind::WaitClasses => &["wait_class"],
            TableKind::SystemEvents => &["event", "wait_class"],
            TableKind::EventHistograms => &["event", "wait_class", "wait_time_ms"],
            TableKind::SystemStatistics | TableKind::TimeModel => &["statistic"],
            TableKind::IoFunctions => &["function"],
            TableKind::IoFileTypes => &["file_type"],
            TableKind::IoFiles => &["tablespace", "file"],
            TableKind::ServiceStatistics => &["service", "statistic"],
            TableKind::Metrics => &["metric", "unit"],
            TableKind::Segments => &["owner", "object", "subobject", "type"],
            TableKind::Sql => &["sql_id", "module"],
        }
    }

    /// The columns with numbers.
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            TableKind::WaitClasses | TableKind::SystemEvents => WAITS,
            TableKind::EventHistograms => &["waits"],
            TableKind::SystemStatistics | TableKind::ServiceStatistics => &["delta"],
            TableKind::TimeModel => &["time_us"],
            TableKind::IoFunctions | TableKind::IoFileTypes => IO,
            TableKind::IoFiles => FILES,
            TableKind::Metrics => &["minimum", "average", "maximum", "standard_deviation"],
            TableKind::Segments => SEGMENTS,
            TableKind::Sql => SQL,
        }
    }

    /// Whether its numbers are differences of totals, which fall only where an instance was started
    /// anew.
    pub(super) fn is_of_totals(self) -> bool {
        !matches!(self, TableKind::Metrics | TableKind::Segments | TableKind::Sql)
    }
}

/// `PerfSheet4`'s columns for a table: keys, and values in the order of [`TableKind::values`]. An empty
/// name stands for a column that it has not.
struct Begun {
    kind: TableKind,
    keys: &'static [BegunKey],
    values: &'static [&'static str],
    rows: RowMeaning,
}

/// Where one of `PerfSheet4`'s files has a key.
enum BegunKey {
    /// Nowhere.
    Absent,
    /// In a column.
    Column(&'static str),
    /// In two columns that belong together.
    Joined([&'static str; 2]),
    /// In a column, before the last ` - `.
    Before(&'static str),
    /// Behind it.
    Behind(&'static str),
}

use BegunKey::{Absent, Before, Behind, Column, Joined};

/// A file of services holds the columns of one of statistics and more: it comes first, as that of all events
/// comes before that of the largest.
const BEGUN: [Begun; 8] = [
    Begun {
        kind: TableKind::EventHistograms,
        keys: &[Column("event_name"), Absent, Column("wait_time_milli")],
        values: &["delta_wait_count"],
        rows: RowMeaning::Amounts,
    },
    Begun {
        kind: TableKind::SystemEvents,
        keys: &[Column("event_name"), Column("wait_class")],
        values: &["delta_waits", "delta_timewaited", "", ""],
        rows: RowMeaning::Amounts,
    },
    Begun {
        kind: TableKind::ServiceStatistics,
        keys: &[Column("service_name"), Column("stat_name")],
        values: &["delta_value"],
        rows: RowMeaning::Amounts,
    },
    Begun {
        kind: TableKind::SystemStatistics,
        keys: &[Column("stat_name")],
        values: &["delta_value"],
        rows: RowMeaning::Amounts,
    },
    Begun {
        kind: TableKind::WaitClasses,
        keys: &[Column("wait_class")],
        values: &["", "rate_timewaited_per_class", "", ""],
        rows: RowMeaning::Rates,
    },
    Begun {
        kind: TableKind::SystemEvents,
        keys: &[Column("event_name"), Absent],
        values: &["", "rate_timewaited", "", ""],
        rows: RowMeaning::RatesOfLargest,
    },
    Begun {
        kind: TableKind::IoFunctions,
        keys: &[Joined(["function_name", "filetype_name"])],
        values: &[
            "rate_small_read_reqs",
            "",
            "rate_small_write_reqs",
            "",
            "",
            "rate_large_read_megabytes",
            "",
            "rate_large_write_megabytes",
            "",
            "rate_wait_time",
        ],
        rows: RowMeaning::Rates,
    },
    Begun {
        kind: TableKind::Metrics,
        keys: &[Before("metric_name_unit"), Behind("metric_name_unit")],
        values: &["", "average", "maxval", "standard_deviation"],
        rows: RowMeaning::Amounts,
    },
];

/// What the numbers of a file's rows are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum RowMeaning {
    /// Of the whole interval.
    Amounts,
    /// For each of its seconds.
    Rates,
    /// For each of its seconds, and only of the events of an instance with the most time, and CPU.
    RatesOfLargest,
}

impl RowMeaning {
    pub(super) fn is_rate(self) -> bool {
        self != RowMeaning::Amounts
    }
}

/// Where a line has a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeyPlace {
    Absent,
    Column(usize),
    /// In microseconds, of which the key is milliseconds.
    Micros(usize),
    Joined([usize; 2]),
    Before(usize),
    Behind(usize),
}

impl KeyPlace {
    /// The key of a line with these cells.
    pub(super) fn key<'a>(&self, cell: &impl Fn(usize) -> &'a str) -> Cow<'a, str> {
        let parts = |at: usize| cell(at).rsplit_once(" - ").unwrap_or((cell(at), ""));
        match self {
            KeyPlace::Absent => "".into(),
            KeyPlace::Column(at) => cell(*at).into(),
            KeyPlace::Micros(at) => in_millis(cell(*at)),
            KeyPlace::Joined([first, second]) => {
                format!("{}: {}", cell(*first), cell(*second)).into()
            }
            KeyPlace::Before(at) => parts(*at).0.trim_end().into(),
            KeyPlace::Behind(at) => parts(*at).1.trim_start().into(),
        }
    }
}

/// Whole microseconds as milliseconds: `512` is `0.512`. Anything else is left as it is.
fn in_millis(cell: &str) -> Cow<'_, str> {
    let Ok(micros) = cell.parse::<u64>() else { return cell.into() };
    let text = format!("{}.{:03}", micros / 1_000, micros % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned().into()
}

/// Where the columns of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) kind: TableKind,
    pub(super) fields: usize,
    pub(super) time: usize,
    /// Where the length of the interval is; `PerfSheet4` says when it began alone.
    pub(super) seconds: Option<usize>,
    /// Where `PerfSheet4`'s statistics say it.
    pub(super) length: Option<usize>,
    pub(super) database: Option<usize>,
    pub(super) instance: usize,
    pub(super) keys: Vec<KeyPlace>,
    pub(super) values: Vec<Option<usize>>,
    pub(super) rows: RowMeaning,
}

impl Layout {
    /// The unit of the upper bounds of buckets, if the table has buckets; the text of a bound that no bucket has.
    pub(super) fn bucket_unit<'a>(
        &self,
        cell: &impl Fn(usize) -> &'a str,
    ) -> Result<Option<Unit>, &'a str> {
        if self.kind != TableKind::EventHistograms {
            return Ok(None);
        }
        let (bound, unit) = match self.keys.last() {
            Some(KeyPlace::Micros(at)) => (cell(*at), Unit::Micros),
            Some(KeyPlace::Column(at)) => (cell(*at), Unit::Millis),
            _ => return Ok(None),
        };
        let is_bound = bound.parse().is_ok_and(|bound| is_upper_bound(bound, unit));
        if is_bound { Ok(Some(unit)) } else { Err(bound) }
    }

    /// The layout that these heads name.
    pub(super) fn of(line: &str) -> Option<Layout> {
        let heads: Vec<String> = Fields::of(line).map(|head| head.to_lowercase()).collect();
        let at = |name: &str| heads.iter().position(|head| head == name);
        let all = |names: &[&str]| -> Option<Vec<Option<usize>>> {
            let place = |name: &&str| if name.is_empty() { Some(None) } else { at(name).map(Some) };
            names.iter().map(place).collect()
        };
        let layout = |kind, time, seconds, instance, keys, values, rows| Layout {
            kind,
            fields: heads.len(),
            time,
            seconds,
            length: at("deltat_sec"),
            database: at("dbid"),
            instance,
            keys,
            values,
            rows,
        };
        let columns = |kind: TableKind| -> Option<Vec<KeyPlace>> {
            let place = |name: &&str| {
                let micros = Some("wait_time_us").filter(|_| *name == "wait_time_ms");
                let in_micros = || micros.and_then(at).map(KeyPlace::Micros);
                at(name).map(KeyPlace::Column).or_else(in_micros)
            };
            kind.keys().iter().map(place).collect()
        };
        let place = |key: &BegunKey| {
            Some(match key {
                Absent => KeyPlace::Absent,
                Column(name) => KeyPlace::Column(at(name)?),
                Joined([first, second]) => KeyPlace::Joined([at(first)?, at(second)?]),
                Before(name) => KeyPlace::Before(at(name)?),
                Behind(name) => KeyPlace::Behind(at(name)?),
            })
        };
        if let (Some(end), Some(seconds), Some(instance)) =
            (at("end"), at("seconds"), at("instance"))
        {
            return TableKind::ALL.into_iter().find_map(|kind| {
                let (keys, values) = (columns(kind)?, all(kind.values())?);
                // Heads of another table may hold these and more.
                let columns = COMMON_COLUMNS.len() + keys.len() + values.len();
                let rows = RowMeaning::Amounts;
                (columns == heads.len())
                    .then(|| layout(kind, end, Some(seconds), instance, keys, values, rows))
            });
        }
        let (began, instance) = (at("snap_time")?, at("instance_number")?);
        BEGUN.iter().find_map(|begun| {
            let keys: Option<Vec<KeyPlace>> = begun.keys.iter().map(place).collect();
            let values = all(begun.values)?;
            Some(layout(begun.kind, began, None, instance, keys?, values, begun.rows))
        })
    }
}

/// Whether a file that begins so is a table of AWR's history.
pub fn is_history(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.lines().take(20).any(|line| Layout::of(line).is_some())
}
