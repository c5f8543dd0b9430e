//! What the source says about itself.

use crate::{Meta, Need};

pub(crate) static META: Meta = Meta {
    name: "awrseries",
    address: "FILE or -",
    about: "AWR's history as CSV: wait events and their histograms, of isotherm's script for SQL*Plus and of \
        PerfSheet4's scripts",
    needs: &[
        Need {
            what: "the files",
            how: "isotherm sqlplus-script --awr --series system-events,event-histograms > series.sql, or \
                PerfSheet4's Perfsheet4_query_AWR_system_event.sql and ..._ioevent_histogram.sql",
        },
        Need {
            what: "the Diagnostics Pack licence, for the database that they are from",
            how: "Oracle sells it; CONTROL_MANAGEMENT_PACK_ACCESS says whether it is switched on",
        },
    ],
    command: "isotherm report awr-event-histograms.csv awr-system-events.csv -o prod.html",
    overhead: "None: the files are there. Writing them costs the database some queries of AWR's views.",
    loses: "What happened within an interval, most often an hour, is averaged. Histograms are of milliseconds. \
        System events are counts with their time: averages, without percentiles. PerfSheet4's files say \
        when an interval began, to the minute, in the time of the database's host (--zone), and not \
        how long it was: it lasts until the next begins, and the last is taken to be as long as the one before; what \
        AWR did not keep is counted in the interval after the gap. Its first snapshot has no numbers, and \
        where the instance was started anew its counts fall: these rows are rejected. Times of more than \
        ten digits are printed short (1.2346E+11) and marked ≈. The other files of both (statistics, I/O, \
        metrics) have no latencies: isotherm awr report draws them.",
    exact_time: false,
    example: "\
end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,foreground_time_us
2026-03-01T08:00:00Z,3600.000,271828182,1,1202,\"db file sequential read\",\"User I/O\",40000,100000000,38000,95000000
2026-03-01T08:00:00Z,3600.000,271828182,1,1202,\"log file sync\",\"Commit\",2800,19100000,2800,19100000
",
    interpretation: "In the hour to 08:00 UTC there were 40,000 waits for a single block, 100 seconds in all: \
        2.5 ms each, and 0.028 waiting on average. The file of histograms says how they were distributed.",
};
