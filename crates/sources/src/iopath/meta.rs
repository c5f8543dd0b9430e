//! What the source says about itself.

use crate::{Counting, Meta, Need};

pub(super) static META: Meta = Meta {
    name: "iopath",
    address: "FILE or -",
    about: "The path of each I/O as the programs of isotherm bpftrace pg-path and oracle-path print \
        it: statements, waits, system calls and block requests, each with its duration",
    needs: &[
        Need {
            what: "bpftrace 0.17 or later and root, on the database server",
            how: "apt install bpftrace, dnf install bpftrace; reading its output needs neither",
        },
        Need {
            what: "the kernel's types, for the names of files",
            how: "/sys/kernel/btf/vmlinux, which kernels of distributions have from 5.4 on",
        },
        Need {
            what: "for PostgreSQL, a server with probes (--enable-dtrace)",
            how: "the packages of Debian, Ubuntu and postgresql.org have them",
        },
    ],
    command: "isotherm bpftrace pg-path > path.bt; sudo bpftrace -f json path.bt > path.json",
    overhead: "Each line costs: 7 to 10 microseconds when a statement ends, 7 to 10 when a block has \
        been read, 10 to 16 when a system call returns, 9 when a block request completes; what begins \
        costs 0.2 to 2 (measured by the kernel with kernel.bpf_stats_enabled in a virtual machine, Linux \
        6.18, bpftrace 0.17, PostgreSQL 15). pgbench -S with 2 clients, on a table larger than its \
        buffers, fell from 18,000 to 5,600-6,800 transactions a second. Trace for seconds, and one session \
        with --pid. Reading the output costs the measured machine nothing.",
    loses: "Of a capture that lost lines (Lost N events) whatever they said: their number is shown. \
        Statements of PostgreSQL's extended protocol have no text, and a statement that failed is \
        printed when its session sends the next one. DataFileRead and DataFileWrite are PostgreSQL's \
        probes around a block of a relation, so that they hold opening and seeking beside the wait \
        event of that name; other wait events without a probe (WALSync, BufFileRead) show as their \
        system calls only. Requests that the kernel merged are one, of the thread that asked \
        first. Asynchronous reads (PostgreSQL 18 with io_uring) are not seen as system calls. A text \
        of several lines is whole only with bpftrace -f json.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
$ isotherm stats path.json     # one session: two rows by index, an update, a scan of the table
series                           events  events/s   waited  % waited  waiting    mean
statement                             3     0.538   190 ms       48%   0.0341  63.4ms
wait{name=DataFileRead}            4008       718   111 ms       28%   0.0199  27.7µs
block request{name=read ahead}       81      14.5  65.9 ms       17%   0.0118   814µs
system call{name=pread64}          4008       718  17.8 ms      4.5%  0.00318  4.43µs
block request{name=flush}             4     0.717  5.61 ms      1.4%    0.001   1.4ms
block request{name=read}              5     0.896  3.95 ms        1%   <0.001   790µs
system call{name=fdatasync}           1     0.179   741 µs      0.2%   <0.001   741µs
",
    interpretation: "Each of 4,008 blocks that PostgreSQL waited for is one pread64, and 81 requests of the \
        device brought them all: the kernel reads ahead. isotherm trace --timeline .. path.json shows which \
        request belongs to which call. Levels hold each other, so their times do not add up.",
};
