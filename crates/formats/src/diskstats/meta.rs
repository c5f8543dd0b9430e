//! What the counters of block devices say about themselves.

use crate::{Counting, Meta, Need};

/// What averages of requests cannot show, of a file and of the machine.
pub const LOSES: &str = "The distribution: the kernel keeps only a count and a total time, so each \
    interval has one cell, at the mean, and no percentiles. Times are counted in milliseconds: on \
    a fast device, the mean of a few requests is off by up to a millisecond divided by their \
    number; over many intervals the error averages out. The time includes both the kernel's queue \
    and the device. Partitions are left out, because their disk already counts their requests. \
    Devices made of others (dm, md) are included and count the same request again: choose with \
    --series.";

pub(crate) static DISKSTATS: Meta = Meta {
    name: "diskstats",
    address: "FILE or -",
    about: "Snapshots of Linux' /proc/diskstats: the number of requests of each block device and \
        their mean time, by operation (read, write, discard, flush)",
    needs: &[Need {
        what: "a timestamp before each snapshot",
        how: "a line such as date +%s.%N prints; without timestamps, isotherm assumes one snapshot \
              per interval (--interval)",
    }],
    command: "while sleep 1; do date +%s.%N; cat /proc/diskstats; done | isotherm live -",
    overhead: "Almost none: the kernel counts in any case, and prints the counters in 20 to 100 \
        microseconds.",
    loses: LOSES,
    counting: Counting::Totals("a reboot, or the removal of the device"),
    exact_time: true,
    example: "\
1795237730.670923285
   7       0 loop0 30837 0 5674512 11803 17130 0 137056 24202 1 27484 54487 0 0 0 0 17130 18481
1795237731.678454689
   7       0 loop0 31201 0 5677424 11891 17334 0 138688 24395 1 27671 54895 0 0 0 0 17334 18608
",
    interpretation: "In one second loop0 finished 364 reads, which took 88 ms together: 0.24 ms on \
        average. 204 writes took 193 ms and 204 flushes 127 ms.",
};
