//! What iostat and sar say about themselves.

use crate::{Counting, Meta, Need};

pub(crate) static META: Meta = Meta {
    name: "iostat",
    address: "FILE or -",
    about: "Output of sysstat's iostat -x -t (also with -o JSON), sar -d (-p) and sadf -j -- -d: \
        operations per second of each block device and their mean time",
    needs: &[
        Need { what: "the time of each report: iostat's option -t, or their distance (--interval)", how: "iostat -x -t 1" },
        Need {
            what: "numbers with a decimal point, and unambiguous dates",
            how: "LC_ALL=C S_TIME_FORMAT=ISO iostat -x -t 1",
        },
    ],
    command: "LC_ALL=C S_TIME_FORMAT=ISO iostat -x -t 1 | isotherm live -",
    overhead: "iostat reads /proc/diskstats for each report, which takes the kernel 20 to 100 \
        microseconds (see diskstats). The rest of its cost was not measured.",
    loses: "The distribution: each interval has one cell, at the mean, and no percentiles. Rates \
        and means are rounded, and timestamps are whole seconds: the counts and times computed \
        from them are estimates, marked ≈. The source diskstats:, which reads /proc/diskstats \
        itself, is exact. The first report is left out: it covers all time since the machine was \
        started. sar reports all operations of a device together (op all). \
        Partitions are left out: their requests are already in those of their disk; sar must print \
        names (-p) for that. Devices made of others (dm, md) are not left out and count the same \
        requests again: choose with --series.",
    counting: Counting::Intervals("since the report before"),
    exact_time: false,
    example: "\
2026-11-23T05:49:55+0000
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          96.50    0.00    3.50    0.00    0.00    0.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  %util
vda             16.00     76.00     0.00   0.00    0.12     4.75  692.00   2776.00     0.00   0.00    0.08     4.01   2.00
",
    interpretation: "In the second ending at 05:49:55 vda finished 16 reads of 0.12 ms on average \
        and 692 writes of 0.08 ms. isotherm computes the number of operations as rate times length \
        of the interval.",
};
