//! What the counters of block devices say about themselves.

use crate::{Meta, Need};

const LOSES: &str = "The distribution: there are a count and a total time, so a map has one cell to an \
    interval, at the mean, and there are no percentiles. Times are counted in milliseconds: of a fast \
    device the mean of a few requests is off by up to a millisecond divided by their number, of many \
    intervals together it is not. The time is that in the kernel's queue and in the device. Partitions \
    are left out, because their requests are in those of their disk; devices made of others (dm, md) \
    are not, and count the same request once more: choose with --series.";

pub(crate) static DISKSTATS: Meta = Meta {
    name: "diskstats",
    address: "FILE or -",
    about: "Snapshots of Linux' /proc/diskstats: requests of each block device and their mean time, by \
        operation (read, write, discard, flush)",
    needs: &[Need {
        what: "a time before each snapshot",
        how: "a line such as that of date +%s.%N; without, each is taken to come an interval after the \
              last (--interval)",
    }],
    command: "while sleep 1; do date +%s.%N; cat /proc/diskstats; done | isotherm live -",
    overhead: "None to speak of: the kernel counts in any case, and prints the counters in some 20 to 100 \
        microseconds.",
    loses: LOSES,
    exact_time: true,
    example: "\
1795237730.670923285
   7       0 loop0 30837 0 5674512 11803 17130 0 137056 24202 1 27484 54487 0 0 0 0 17130 18481
1795237731.678454689
   7       0 loop0 31201 0 5677424 11891 17334 0 138688 24395 1 27671 54895 0 0 0 0 17334 18608
",
    interpretation: "In a second loop0 finished 364 reads, which took 88 ms together: 0.24 ms on average. \
        204 writes took 193 ms and 204 flushes 127 ms.",
};

pub(crate) static LIVE: Meta = Meta {
    name: "diskstatslive",
    address: "diskstats:[DEVICE]",
    about: "The block devices of this machine, or one device or partition: requests and their mean time, \
        by operation, from /proc/diskstats",
    needs: &[Need { what: "Linux; no privileges", how: "cat /proc/diskstats" }],
    command: "isotherm live diskstats:",
    overhead: "None to speak of: the kernel counts in any case, and prints the counters in some 20 to 100 \
        microseconds.",
    loses: LOSES,
    exact_time: true,
    example: "",
    interpretation: "",
};
