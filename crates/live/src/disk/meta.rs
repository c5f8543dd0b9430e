//! What the tracing of block devices says about itself.

use isotherm_formats::{Counting, Meta};

use crate::tracing_needs::{BPFTRACE, PRIVILEGE, TRACEFS};

pub(crate) static DISK: Meta = Meta {
    name: "disk",
    address: "disk:[DEVICE]",
    about: "Every block request of this machine, or of one device, from its issue to the device \
            until its completion, by device and operation (read, write, discard, flush)",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live disk:",
    overhead: "385 ns when a request is issued and 1,010 ns when it completes (144,000 requests, \
               measured by the kernel with kernel.bpf_stats_enabled in a virtual machine, Linux \
               6.18, bpftrace 0.17): at 17,000 requests a second this is 2.4 % of one core, spread \
               over all cores. bpftrace itself took 0.2 % of one core, and about two seconds to \
               start.",
    loses: "The time a request waits in the kernel's own queue before the device gets it, \
            including the first attempt of a request that was requeued because the device was \
            full. The exact latency within a bucket: bucket bounds are powers of two of \
            microseconds. Partitions, volumes (dm) and RAID (md) are seen only as the disks under \
            them. A request is missed if it begins or ends while another one is being counted on \
            the same processor: 16 of 144,000 in the measurement above. At most 4,096 requests in \
            flight are timed. Counts and times are not read at the same instant: an interval in \
            which the two differ has no exact time.",
    counting: Counting::Totals("the start of isotherm: its program begins at zero in each run"),
    exact_time: true,
    example: "\
$ fio --name=a --filename=fio.bin --size=64M --direct=1 --rw=randrw --bs=8k --ioengine=psync \\
      --rate_iops=400,100 --time_based --runtime=6 > fio.txt &
$ sudo isotherm live disk:vda | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░1.20 ▒62.5 ▓250 █562 to 1.00k sqrt
#time          ev/s waiting        p50        p99  <16µs 32µs  128µs 512µs    >4.1ms  note
09:19:53.000    497  0.0334    32–64µs   64–128µs        ▓▓▓▒▒▒···         ···
09:19:54    499  0.0318    32–64µs   64–128µs        ▓▓▓▒▒▒░░░
09:19:55.000    499  0.0261    32–64µs   64–128µs        ▓▓▓▒▒▒
09:19:56    499  0.0314    32–64µs  128–256µs        ▓▓▓▒▒▒░░░░░░···
09:19:57    500  0.0284    32–64µs   64–128µs        ▓▓▓▒▒▒······
",
    interpretation: "All of the 400 reads and 100 writes a second that fio was configured for are \
                     there; more than half of them took less than 64 µs. On average 0.03 requests \
                     were in flight on the device.",
};
