//! The predefined queries: views and columns of Oracle's reference, 11.2.0.2 and later.

use isotherm_oracle::awr::history::TableKind;

use super::statement::{AwrSeries, Kind, Part, Top};

const WAITS: [&str; 4] =
    ["@.total_waits", "@.time_waited_micro", "@.total_waits_fg", "@.time_waited_micro_fg"];
const IO: [&str; 10] = [
    "@.small_read_reqs",
    "@.large_read_reqs",
    "@.small_write_reqs",
    "@.large_write_reqs",
    "@.small_read_megabytes",
    "@.large_read_megabytes",
    "@.small_write_megabytes",
    "@.large_write_megabytes",
    "@.number_of_waits",
    "@.wait_time",
];
const EVENTS: Part = Part {
    view: "dba_hist_system_event",
    ids: &["event_id"],
    keys: &["@.event_name", "@.wait_class"],
    values: &WAITS,
    filter: "",
};

const fn io(keys: &'static [&'static str]) -> Part {
    let ids = &["function_id", "filetype_id"];
    Part { view: "dba_hist_iostat_detail", ids, keys, values: &IO, filter: "" }
}

const ALL_EVENTS: &[Part] = &[EVENTS];
const NOT_IDLE: &[Part] = &[Part { filter: " and @.wait_class <> 'Idle'", ..EVENTS }];
const CLASSES: &[Part] = &[
    Part { keys: &["@.wait_class"], filter: " and @.wait_class <> 'Idle'", ..EVENTS },
    Part {
        view: "dba_hist_sys_time_model",
        ids: &["stat_id"],
        keys: &["'CPU'"],
        values: &["0", "@.value", "0", "case when @.stat_name = 'DB CPU' then @.value else 0 end"],
        filter: " and @.stat_name in ('DB CPU', 'background cpu time')",
    },
];
const FUNCTIONS: &[Part] = &[io(&["@.function_name"])];
const FILE_TYPES: &[Part] = &[io(&["@.filetype_name"])];

/// A series of totals that are neither added up nor ranked.
const fn totals(table: TableKind, about: &'static str, parts: &'static [Part]) -> AwrSeries {
    AwrSeries {
        name: table.name(),
        about,
        keys: table.keys(),
        values: table.values(),
        parts,
        kind: Kind::Totals,
        grouped: false,
        top: None,
    }
}

const SEGMENTS: &str = "(select t.dbid, t.snap_id, t.instance_number, o.owner, o.object_name,\n\
    o.subobject_name, o.object_type, t.logical_reads_delta, t.physical_reads_delta,\n\
    t.physical_read_requests_delta, t.physical_writes_delta, t.physical_write_requests_delta,\n\
    t.db_block_changes_delta, t.buffer_busy_waits_delta, t.row_lock_waits_delta\n\
    from dba_hist_seg_stat t join dba_hist_seg_stat_obj o\n\
    on o.dbid = t.dbid and o.\"TS#\" = t.\"TS#\" and o.\"OBJ#\" = t.\"OBJ#\" \
    and o.\"DATAOBJ#\" = t.\"DATAOBJ#\"{same_container})";

/// All of them.
pub(crate) static QUERIES: [AwrSeries; 14] = [
    totals(
        TableKind::SystemEvents,
        "waits and their time by event, of all sessions and of the foreground",
        ALL_EVENTS,
    ),
    AwrSeries {
        grouped: true,
        ..totals(
            TableKind::WaitClasses,
            "the same by wait class without idle events, and time on CPU: divided by seconds, average \
             active sessions",
            CLASSES,
        )
    },
    AwrSeries {
        top: Some(Top { rows: 10, by: 2, each_snapshot: false }),
        name: "top-events",
        ..totals(
            TableKind::SystemEvents,
            "the ten events of each instance with most time in all, idle ones left out",
            NOT_IDLE,
        )
    },
    totals(
        TableKind::EventHistograms,
        "waits by event and latency: below wait_time_ms, and not below half of it (the first bucket from 0 on)",
        &[Part {
            view: "{histograms}",
            ids: &["event_id", "{bound}"],
            keys: &["@.event_name", "@.wait_class", "to_char(@.{bound}, 'FM9999999990')"],
            values: &["@.wait_count"],
            filter: " and @.wait_class <> 'Idle'",
        }],
    ),
    totals(
        TableKind::SystemStatistics,
        "all statistics of the instance: how much each grew",
        &[Part {
            view: "dba_hist_sysstat",
            ids: &["stat_id"],
            keys: &["@.stat_name"],
            values: &["@.value"],
            filter: "",
        }],
    ),
    totals(
        TableKind::TimeModel,
        "where time was spent: DB time, DB CPU, parsing, SQL, PL/SQL; parts overlap",
        &[Part {
            view: "dba_hist_sys_time_model",
            ids: &["stat_id"],
            keys: &["@.stat_name"],
            values: &["@.value"],
            filter: "",
        }],
    ),
    AwrSeries {
        grouped: true,
        ..totals(
            TableKind::IoFunctions,
            "reads and writes by function (buffer cache, LGWR, DBWR, RMAN, ...)",
            FUNCTIONS,
        )
    },
    AwrSeries {
        grouped: true,
        ..totals(
            TableKind::IoFileTypes,
            "reads and writes by type of file (data, redo, control, temporary, ...)",
            FILE_TYPES,
        )
    },
    totals(
        TableKind::IoFiles,
        "reads, writes and their time by data file (up to 12.2: later releases keep none)",
        &[Part {
            view: "dba_hist_filestatxs",
            ids: &["\"FILE#\"", "\"CREATION_CHANGE#\""],
            keys: &["@.tsname", "@.filename"],
            values: &[
                "@.phyrds",
                "@.phyblkrd",
                "@.readtim",
                "@.singleblkrds",
                "@.singleblkrdtim",
                "@.phywrts",
                "@.phyblkwrt",
                "@.writetim",
            ],
            filter: "",
        }],
    ),
    totals(
        TableKind::ServiceStatistics,
        "statistics by service: times in microseconds, calls, reads",
        &[Part {
            view: "dba_hist_service_stat",
            ids: &["service_name_hash", "stat_id"],
            keys: &["@.service_name", "@.stat_name"],
            values: &["@.value"],
            filter: "",
        }],
    ),
    AwrSeries {
        kind: Kind::Amounts,
        ..totals(
            TableKind::Metrics,
            "minimum, average, maximum and deviation of each metric between two snapshots",
            &[Part {
                view: "dba_hist_sysmetric_summary",
                ids: &[],
                keys: &["@.metric_name", "@.metric_unit"],
                values: &["@.minval", "@.average", "@.maxval", "@.standard_deviation"],
                filter: "",
            }],
        )
    },
    AwrSeries {
        name: "metric-history",
        keys: &["local_end", "metric", "unit"],
        values: &["value"],
        kind: Kind::Amounts,
        ..totals(
            TableKind::Metrics,
            "the same metrics minute by minute, where AWR keeps them; local_end is the host's time",
            &[Part {
                view: "dba_hist_sysmetric_history",
                ids: &[],
                keys: &[
                    "to_char(@.end_time, 'YYYY-MM-DD\"T\"HH24:MI:SS')",
                    "@.metric_name",
                    "@.metric_unit",
                ],
                values: &["@.value"],
                filter: " and @.group_id = 2",
            }],
        )
    },
    AwrSeries {
        kind: Kind::Amounts,
        // The same name in several containers.
        grouped: true,
        top: Some(Top { rows: 20, by: 1, each_snapshot: true }),
        ..totals(
            TableKind::Segments,
            "the twenty segments with most logical reads of each snapshot",
            &[Part {
                view: SEGMENTS,
                ids: &[],
                keys: &["@.owner", "@.object_name", "@.subobject_name", "@.object_type"],
                values: &[
                    "@.logical_reads_delta",
                    "@.physical_reads_delta",
                    "@.physical_read_requests_delta",
                    "@.physical_writes_delta",
                    "@.physical_write_requests_delta",
                    "@.db_block_changes_delta",
                    "@.buffer_busy_waits_delta",
                    "@.row_lock_waits_delta",
                ],
                filter: "",
            }],
        )
    },
    AwrSeries {
        kind: Kind::Amounts,
        grouped: true,
        top: Some(Top { rows: 20, by: 1, each_snapshot: true }),
        ..totals(
            TableKind::Sql,
            "the twenty statements with most elapsed time of each snapshot",
            &[Part {
                view: "dba_hist_sqlstat",
                ids: &[],
                keys: &["@.sql_id", "@.module"],
                values: &[
                    "@.elapsed_time_delta",
                    "@.cpu_time_delta",
                    "@.iowait_delta",
                    "@.executions_delta",
                    "@.buffer_gets_delta",
                    "@.disk_reads_delta",
                    "@.rows_processed_delta",
                ],
                filter: "",
            }],
        )
    },
];
