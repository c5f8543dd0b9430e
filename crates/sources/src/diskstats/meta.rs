//! What the counters of block devices say about themselves.

use crate::{Counting, Meta, Need};

const LOSES: &str = "The distribution: the kernel keeps only a count and a total time, so each \
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

pub(crate) static DISKSTATS_LIVE: Meta = Meta {
    name: "diskstatslive",
    address: "diskstats:[DEVICE]",
    about: "The block devices of this machine, or one device or partition: the number of requests \
        and their mean time, by operation, from /proc/diskstats",
    needs: &[Need { what: "Linux; no privileges needed", how: "cat /proc/diskstats" }],
    command: "isotherm live diskstats:",
    overhead: "Almost none: the kernel counts in any case, and prints the counters in 20 to 100 \
        microseconds.",
    loses: LOSES,
    counting: Counting::Totals("a reboot, or the removal of the device"),
    exact_time: true,
    example: "\
$ for i in $(seq 300); do dd if=/dev/zero of=dd.bin bs=8k count=16 oflag=dsync; done 2> dd.txt &
$ isotherm live diskstats:vda --series op=write --for 5s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░2.40 ▒125 ▓500 █1.12k to 2.00k sqrt
#time      ev/s waiting        p50        p99  <65.6µs  262µs       >2.09ms  note
06:12:27  1.30k   0.204          -          -       █
06:12:28  1.93k   0.955          -          -              █
06:12:29  1.09k  0.0837          -          -   ▓
06:12:30    854  0.0753          -          -    ▓
",
    interpretation: "vda finished 854 to 1,930 writes a second. In the second ending at 06:12:28 \
        they took half a millisecond on average instead of a tenth: 0.955 were in flight. These \
        counters cannot show how long the slowest of them took.",
};
