//! What the tracing of this machine says about itself.

use isotherm_formats::{Counting, Meta};

use crate::tracing_needs::{BPFTRACE, PRIVILEGE, TRACEFS};

pub(crate) static RUNQ: Meta = Meta {
    name: "runq",
    address: "runq:",
    about: "Run queue latency of the whole machine: how long runnable threads, woken or preempted, \
        waited for a processor",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live runq:",
    overhead: "690 to 760 ns when a thread is woken and 1,200 ns when a processor changes threads \
        (7,700 and 15,000 of them, measured by the kernel with kernel.bpf_stats_enabled in a \
        virtual machine, Linux 6.18, bpftrace 0.17): at 3,000 changes a second this is 0.5 % of \
        one core. bpftrace takes about two seconds to start.",
    loses: "The exact length of a wait within its bucket: bucket bounds are powers of two of \
        microseconds. Which thread waited. At most 4,096 threads that wait at the same time are \
        timed. Waits of a control group that has used up its CPU quota are included. Counts and \
        times are not read at the same instant: an interval in which the two differ has no exact \
        time.",
    counting: Counting::Totals("the start of isotherm: its program begins at zero in each run"),
    exact_time: true,
    example: "\
$ sudo isotherm live runq: --for 6s | cat       # while pgbench runs with 4 clients on 2 processors
# 2026-11-23 UTC · cells ev/s ·>0 ░12.0 ▒625 ▓2.50k █5.62k to 10.0k sqrt
#time      ev/s waiting        p50        p99  <1µs 16µs 512µs       >2.09s  note
06:15:13  25.6k    10.5     8–16µs   8.1–17ms  ░▓▓▒▒▒▓▓▒░░░░░░░░
06:15:14  28.4k    9.89     8–16µs   8.1–17ms  ░▓█▒▓▓▓▓▒░░░░░░░░·
",
    interpretation: "At any time ten threads are waiting for one of the two processors. Half of \
        the waits end within 16 microseconds; in those of 8 to 17 ms, other threads used a whole \
        time slice.",
};

pub(crate) static SYSCALL: Meta = Meta {
    name: "syscall",
    address: "syscall:PID",
    about: "The system calls of a process and all its threads: their latencies, by name",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live syscall:$(pgrep -n mariadbd)",
    overhead: "170 ns when a call of the process begins and 320 ns when it ends (1,000,000 of \
        each, measured by the kernel with kernel.bpf_stats_enabled, Linux 6.18, bpftrace 0.17), \
        and every process of the machine takes the slower path into the kernel: a program that did \
        nothing but pread cached pages fell from 948,000 to 304,000 calls a second.",
    loses: "Calls that end the process or thread (exit), and calls already in progress at the \
        start. Calls that wait for work (epoll_wait, futex, poll) are series like any other: \
        choose with --series. The exact latency within a bucket: bucket bounds are powers of two \
        of microseconds. Child processes are not followed. 32-bit programs use other call numbers, \
        so the names of their calls are wrong.",
    counting: Counting::Totals("the start of isotherm: its program begins at zero in each run"),
    exact_time: true,
    example: "\
$ sudo isotherm live syscall:12345 --for 7s | cat   # a program that writes 8 KiB, fdatasyncs and sleeps 5 ms
# 2026-11-23 UTC · cells ev/s ·>0 ░0.24 ▒12.5 ▓50.0 █112 to 200 sqrt
#time      ev/s waiting        p50        p99  <4µs  16µs  128µs 1.02ms        >131ms  note
06:15:28    306   0.995    2–4.1ms   8.1–17ms      ▓▓░░░░  ░░▒▒░░░░▒▒██▒▒
06:15:29    333   0.991    2–4.1ms   8.1–17ms    ░░▓▓░░    ░░▒▒░░▒▒▒▒██░░░░
06:15:30    356    1.00    2–4.1ms   8.1–17ms      ██  ░░  ░░▒▒░░▒▒▒▒██░░
",
    interpretation: "The left band shows writes to the page cache, the middle band fdatasync calls \
        that had little to write. The right band shows the sleeps and the fdatasync calls that \
        went to the disk. The program's only thread is always in a call: 1.00 waiting.",
};

pub(crate) static FS: Meta = Meta {
    name: "fs",
    address: "fs:",
    about: "File system calls of the whole machine: all variants of pread and pwrite, fsync, \
        fdatasync and openat",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live fs:",
    overhead: "200 ns when a call begins and 460 ns when it ends (925,000 preads, measured by the \
        kernel with kernel.bpf_stats_enabled, Linux 6.18, bpftrace 0.17), and every process of the \
        machine takes the slower path into the kernel: a program that did nothing but pread cached \
        pages fell from 948,000 to 231,000 calls a second.",
    loses: "read and write without a position: programs use them for pipes and sockets, too, and \
        the tracepoint cannot tell these from files (syscall:PID shows them for one process). \
        Mapped files (mmap), io_uring and AIO. Calls answered from the page cache are included; \
        see disk: for the disk alone. The exact latency within a bucket: bucket bounds are powers \
        of two of microseconds. openat also opens devices and directories, and failed calls are \
        counted.",
    counting: Counting::Totals("the start of isotherm: its program begins at zero in each run"),
    exact_time: true,
    example: "\
$ sudo isotherm live fs: --series op=fdatasync --for 8s | cat   # 200 calls, a pause, and 200 again
# 2026-11-23 UTC · cells ev/s ·>0 ░0.12 ▒6.25 ▓25.0 █56.2 to 100 sqrt
#time      ev/s waiting        p50        p99  <32µs 128µs 1.02ms        >131ms  note
06:15:22    200    0.53    2–4.1ms   8.1–17ms      ▒▒▒▒▓▓▒▒▒▒██▒▒░░
06:15:23      0       0          -          -
06:15:24    200   0.433  256–512µs   8.1–17ms      ██▒▒▒▒░░▒▒▓▓▒▒░░
",
    interpretation: "All 200 calls of each of the two seconds are there, in two bands: about 256 \
        microseconds, and 2 to 4 ms when the disk had more to write.",
};

pub(crate) static TCP: Meta = Meta {
    name: "tcp",
    address: "tcp:",
    about: "TCP of the whole machine: how long it takes to open each connection (one round trip), \
        and the kernel's smoothed round-trip time at every segment that arrives",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live tcp:",
    overhead: "750 ns when a connection changes its state and 930 ns for each segment that arrives \
        (1,000 and 900 of them, measured by the kernel with kernel.bpf_stats_enabled, Linux 6.18, \
        bpftrace 0.17): at 100,000 segments a second this is 9 % of one core.",
    loses: "The latency of single segments: 'TCP smoothed round trip' is the running average that \
        the kernel keeps for each connection (seven eighths old value, one eighth new). It is read \
        at each segment that arrives, so busy connections count more, and a single slow round trip \
        hardly shows; its time waited means nothing. 'TCP connect' is measured from the first \
        packet to the answer, for connections opened by this machine; failed ones are left out. \
        Connections are not separated. The exact latency within a bucket: bucket bounds are powers \
        of two of microseconds.",
    counting: Counting::Totals("the start of isotherm: its program begins at zero in each run"),
    exact_time: false,
    example: "\
$ sudo isotherm live tcp: --series 'TCP connect' --for 7s | cat   # a client that connects 60 times
# 2026-11-23 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <8µs  16µs  64µs  256µs >1.02ms  note
06:15:39   28.0 0.00111    32–64µs   64–128µs        ▒▒▒▓▓▓░░░
06:15:40   32.0 0.00111    16–32µs   64–128µs        ▓▓▓▓▓▓░░░
06:15:41      0       0          -          -
",
    interpretation: "All 60 connections to a server on the same machine are there; each took 16 to \
                     128 microseconds to open.",
};
