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
    loses: "Of a capture that lost lines (Lost N events) whatever they said: their number is shown, and the \
        program counts what it prints, so that lines missing without a word are counted, too. \
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
$ isotherm stats path.json --series 'system call'     # one session: a row by index, a scan, an update
All series: system call
series     events  events/s   waited  % waited  waiting    mean           p50           p90
pread64      4032       297  90.3 ms      >99%  0.00666  22.4µs   18.4–20.5µs   32.7–36.9µs
fdatasync       1    0.0737   418 µs      0.5%   <0.001   418µs     393–426µs     393–426µs
pwrite64        1    0.0737  15.5 µs     <0.1%   <0.001  15.5µs   15.3–16.4µs   15.3–16.4µs
read            1    0.0737  7.87 µs     <0.1%   <0.001  7.87µs    7.68–8.2µs    7.68–8.2µs
all 4        4035       298  90.7 ms      100%  0.00669  22.5µs   18.4–20.5µs   32.7–36.9µs
",
    interpretation: "PostgreSQL waited for 4,032 blocks (--series wait), and each was one pread64. \
        Levels hold each other: a statement its waits, a wait its system calls. So their times are not added \
        up: without --series the level with the most time is shown, which is that of the statements. \
        isotherm trace --timeline .. path.json has the sums of all levels, and shows which request belongs to \
        which call.",
};
