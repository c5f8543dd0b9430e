//! What the source says about itself.

use crate::{Counting, Meta, Need};

pub(crate) static META: Meta = Meta {
    name: "awrseries",
    address: "FILE or -",
    about: "AWR's history as CSV: wait events and their histograms, as written by isotherm's \
        SQL*Plus script or PerfSheet4's scripts",
    needs: &[
        Need {
            what: "the files",
            how: "isotherm sqlplus-script --awr --queries system-events,event-histograms > awr.sql, or \
                PerfSheet4's Perfsheet4_query_AWR_system_event.sql and ..._ioevent_histogram.sql",
        },
        Need {
            what: "the Diagnostics Pack licence for the database from which the files come",
            how: "Oracle sells it; CONTROL_MANAGEMENT_PACK_ACCESS shows whether it is switched on",
        },
    ],
    command: "isotherm report awr-event-histograms.csv -o prod.html",
    overhead: "None to read the files. Writing them costs the database some queries of AWR's \
               views.",
    loses: "Changes within an interval, usually an hour. The buckets of histograms are in \
        milliseconds, or in microseconds if the database has a view of them and isotherm awr collect read it. System events have counts and total times: averages only, no percentiles. \
        Both files count the same waits: read one of them at a time. isotherm awr collect -o prod.heat reads \
        both, so that histograms have exact times. \
        PerfSheet4's files have the begin of each interval, to the minute, in the time zone of the \
        database's host (--zone), but not its length. isotherm assumes that an interval lasts \
        until the next one begins, and that the last one is as long as the one before. If \
        snapshots are missing, their waits are counted in the interval after the gap. PerfSheet4's \
        first snapshot has no numbers, and its counts are negative after a restart of the \
        instance: these rows are rejected. Times of more than ten digits are abbreviated in the \
        file (1.2346E+11) and marked ≈. The other files of both scripts (statistics, I/O, metrics) \
        have no latencies: isotherm awr report draws them.",
    counting: Counting::Intervals(
        "between two snapshots, as the script computes it: the interval in which an instance was \
        restarted is missing",
    ),
    exact_time: false,
    example: "\
end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,foreground_time_us
2026-03-01T08:00:00Z,3600.000,271828182,1,1202,\"db file sequential read\",\"User I/O\",40000,100000000,38000,95000000
2026-03-01T08:00:00Z,3600.000,271828182,1,1202,\"log file sync\",\"Commit\",2800,19100000,2800,19100000
",
    interpretation: "In the hour to 08:00 UTC there were 40,000 waits for a single block, 100 \
        seconds in all: a mean of 2.5 ms, and 0.028 waiting on average. The histogram file has \
        their distribution.",
};
