//! The views that are known: which columns count, and which say how long.

use isotherm_frame::Unit;

/// What a column of time counts in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum TimeUnit {
    /// Milliseconds with a fraction: `PostgreSQL`.
    Millis,
    /// Whole picoseconds: Performance Schema.
    Picos,
}

/// A statistics view.
#[derive(Debug)]
pub(super) struct View {
    /// Its name, for messages.
    pub(super) name: &'static str,
    /// Columns that it certainly has, in lower case.
    pub(super) has: &'static [&'static str],
    /// Columns that tell its series apart, as far as they are there.
    pub(super) attributes: &'static [&'static str],
    /// What it counts.
    pub(super) counters: &'static [Counter],
    pub(super) unit: TimeUnit,
    /// The setting without which every time is zero.
    pub(super) timed_by: Option<&'static str>,
}

/// A number of events and their total time.
#[derive(Debug)]
pub(super) struct Counter {
    /// What the events are called; empty for the value of the first attribute.
    pub(super) name: &'static str,
    /// The columns whose sum is the number of events.
    pub(super) counts: &'static [&'static str],
    /// The columns of which the first one there is says how long they took.
    pub(super) times: &'static [&'static str],
    /// Whether what is counted are samples, each of which stands for some time: no events.
    pub(super) counts_samples: bool,
}

const fn counter(
    name: &'static str,
    counts: &'static [&'static str],
    times: &'static [&'static str],
) -> Counter {
    Counter { name, counts, times, counts_samples: false }
}

/// The views; of two that fit the first counts.
pub(super) static VIEWS: &[View] = &[
    View {
        name: "pg_wait_sampling_profile",
        has: &["event", "samples", "sampled_ms"],
        attributes: &["event"],
        counters: &[Counter {
            counts_samples: true,
            ..counter("sampled waits", &["samples"], &["sampled_ms"])
        }],
        unit: TimeUnit::Millis,
        timed_by: None,
    },
    View {
        name: "pg_stat_statements",
        has: &["queryid", "calls"],
        attributes: &["queryid", "query", "q", "userid", "dbid", "toplevel"],
        counters: &[counter("statement", &["calls"], &["total_exec_time", "total_time"])],
        unit: TimeUnit::Millis,
        timed_by: None,
    },
    View {
        name: "pg_stat_io",
        has: &["backend_type", "object", "context", "reads", "read_time"],
        attributes: &["backend_type", "object", "context"],
        counters: &[
            counter("read", &["reads"], &["read_time"]),
            counter("write", &["writes"], &["write_time"]),
            counter("writeback", &["writebacks"], &["writeback_time"]),
            counter("extend", &["extends"], &["extend_time"]),
            counter("fsync", &["fsyncs"], &["fsync_time"]),
        ],
        unit: TimeUnit::Millis,
        timed_by: Some("track_io_timing"),
    },
    View {
        name: "pg_stat_wal",
        has: &["wal_write", "wal_write_time", "wal_sync", "wal_sync_time"],
        attributes: &[],
        counters: &[
            counter("WAL write", &["wal_write"], &["wal_write_time"]),
            counter("WAL sync", &["wal_sync"], &["wal_sync_time"]),
        ],
        unit: TimeUnit::Millis,
        timed_by: Some("track_wal_io_timing"),
    },
    View {
        name: "pg_stat_bgwriter",
        has: &["checkpoints_timed", "checkpoints_req", "checkpoint_write_time"],
        attributes: &[],
        counters: &[
            counter(
                "checkpoint write",
                &["checkpoints_timed", "checkpoints_req"],
                &["checkpoint_write_time"],
            ),
            counter(
                "checkpoint sync",
                &["checkpoints_timed", "checkpoints_req"],
                &["checkpoint_sync_time"],
            ),
        ],
        unit: TimeUnit::Millis,
        timed_by: None,
    },
    View {
        name: "pg_stat_checkpointer",
        has: &["num_timed", "num_requested", "write_time", "sync_time"],
        attributes: &[],
        counters: &[
            counter("checkpoint write", &["num_timed", "num_requested"], &["write_time"]),
            counter("checkpoint sync", &["num_timed", "num_requested"], &["sync_time"]),
        ],
        unit: TimeUnit::Millis,
        timed_by: None,
    },
    View {
        name: "events_statements_summary_by_digest",
        has: &["digest", "count_star", "sum_timer_wait"],
        attributes: &["schema_name", "digest", "digest_text", "dt"],
        counters: &[counter("statement", &["count_star"], &["sum_timer_wait"])],
        unit: TimeUnit::Picos,
        timed_by: None,
    },
    View {
        name: "file_summary_by_event_name",
        has: &["event_name", "count_read", "sum_timer_read", "count_write", "count_misc"],
        attributes: &["event_name"],
        counters: &[
            counter("read", &["count_read"], &["sum_timer_read"]),
            counter("write", &["count_write"], &["sum_timer_write"]),
            counter("misc", &["count_misc"], &["sum_timer_misc"]),
        ],
        unit: TimeUnit::Picos,
        timed_by: None,
    },
    View {
        name: "events_waits_summary_global_by_event_name",
        has: &["event_name", "count_star", "sum_timer_wait"],
        attributes: &["event_name"],
        counters: &[counter("", &["count_star"], &["sum_timer_wait"])],
        unit: TimeUnit::Picos,
        timed_by: None,
    },
];

impl TimeUnit {
    /// A length of time in nanoseconds.
    pub(super) fn nanos(self, text: &str) -> Result<u64, String> {
        let text = text.as_bytes();
        match self {
            TimeUnit::Millis => crate::number::nanos(text, Unit::Millis),
            TimeUnit::Picos => crate::number::whole(text).map(|picos| picos / 1_000),
        }
        .map_err(|wrong| wrong.about("time", text))
    }
}
