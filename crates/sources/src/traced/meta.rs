//! What the tracing of this machine says about itself.

use crate::Meta;
use crate::tracing_needs::{BPFTRACE, PRIVILEGE, TRACEFS};

pub(crate) static RUNQ: Meta = Meta {
    name: "runq",
    address: "runq:",
    about: "How long threads that could run waited for a processor, of the whole machine, woken or \
        preempted",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live runq:",
    overhead: "690 to 760 ns when a thread is woken and 1,200 ns when a processor changes threads (7,700 and \
        15,000 of them, measured by the kernel with kernel.bpf_stats_enabled in a virtual machine, \
        Linux 6.18, bpftrace 0.17): at 3,000 changes a second 0.5 % of one core. bpftrace takes some two \
        seconds to start.",
    loses: "Where in its bucket a wait was: buckets are powers of two of microseconds. Which thread \
        waited. More than 4,096 threads that wait at a time are not timed. Waits of a control group \
        that has used up its CPU quota are in them. An interval in which counts and times were not \
        read at one moment has no exact time.",
    exact_time: true,
    example: "\
$ sudo isotherm live runq: --for 6s | cat       # while pgbench runs with 4 clients on 2 processors
# 2026-11-23 UTC · cells ev/s ·>0 ░12.0 ▒625 ▓2.50k █5.62k to 10.0k sqrt
#time      ev/s waiting        p50        p99  <1µs 16µs 512µs       >2.09s  note
06:15:13  25.6k    10.5     8–16µs   8.1–17ms  ░▓▓▒▒▒▓▓▒░░░░░░░░
06:15:14  28.4k    9.89     8–16µs   8.1–17ms  ░▓█▒▓▓▓▓▒░░░░░░░░·
",
    interpretation: "Ten threads wait for one of the two processors at any time. Half of the waits end within 16 \
        microseconds; those of 8 to 17 ms are whole time slices of others.",
};

pub(crate) static SYSCALL: Meta = Meta {
    name: "syscall",
    address: "syscall:PID",
    about: "How long the system calls of a process take, all its threads, by name",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live syscall:$(pgrep -n mariadbd)",
    overhead: "170 ns when a call of the process begins and 320 ns when it ends (1,000,000 of each, measured \
        by the kernel with kernel.bpf_stats_enabled, Linux 6.18, bpftrace 0.17), and for every process of \
        the machine the slow path into the kernel: a program that did nothing but pread of cached pages \
        went from 948,000 to 304,000 calls a second.",
    loses: "Calls that end the process or thread (exit), and those under way when it begins. Calls that \
        wait for work (epoll_wait, futex, poll) are series like any other: choose with --series. Where \
        in its bucket a call was: buckets are powers of two of microseconds. Processes that it starts \
        are not followed. Calls of 32-bit programs have other numbers: their names are wrong.",
    exact_time: true,
    example: "\
$ sudo isotherm live syscall:12345 --for 7s | cat   # a program that writes 8 KiB, fdatasyncs and sleeps 5 ms
# 2026-11-23 UTC · cells ev/s ·>0 ░0.24 ▒12.5 ▓50.0 █112 to 200 sqrt
#time      ev/s waiting        p50        p99  <4µs  16µs  128µs 1.02ms        >131ms  note
06:15:28    306   0.995    2–4.1ms   8.1–17ms      ▓▓░░░░  ░░▒▒░░░░▒▒██▒▒
06:15:29    333   0.991    2–4.1ms   8.1–17ms    ░░▓▓░░    ░░▒▒░░▒▒▒▒██░░░░
06:15:30    356    1.00    2–4.1ms   8.1–17ms      ██  ░░  ░░▒▒░░▒▒▒▒██░░
",
    interpretation: "The band at the left is writes to the page cache, that in the middle fdatasync that had little to do; \
        the sleeps are at the right, with fdatasync that went to the disk. The one thread is always in a \
        call: 1.00 waiting.",
};

pub(crate) static FS: Meta = Meta {
    name: "fs",
    address: "fs:",
    about: "How long calls take that only files know, of the whole machine: pread and pwrite in their \
        variants, fsync, fdatasync and openat",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live fs:",
    overhead: "200 ns when a call begins and 460 ns when it ends (925,000 preads, measured by the kernel with \
        kernel.bpf_stats_enabled, Linux 6.18, bpftrace 0.17), and for every process of the machine the slow \
        path into the kernel: a program that did nothing but pread of cached pages went from 948,000 \
        to 231,000 calls a second.",
    loses: "read and write without a position: they are used for pipes and sockets, too, and a \
        tracepoint does not say which (syscall:PID has them for one process). Files that are mapped \
        (mmap), io_uring and AIO. What is answered from the page cache is in them: see disk: for the \
        disk alone. Where in its bucket a call was: buckets are powers of two of microseconds. openat \
        opens devices and folders, too, and calls that fail are counted.",
    exact_time: true,
    example: "\
$ sudo isotherm live fs: --series op=fdatasync --for 8s | cat   # 200 calls, a pause, and 200 again
# 2026-11-23 UTC · cells ev/s ·>0 ░0.12 ▒6.25 ▓25.0 █56.2 to 100 sqrt
#time      ev/s waiting        p50        p99  <32µs 128µs 1.02ms        >131ms  note
06:15:22    200    0.53    2–4.1ms   8.1–17ms      ▒▒▒▒▓▓▒▒▒▒██▒▒░░
06:15:23      0       0          -          -
06:15:24    200   0.433  256–512µs   8.1–17ms      ██▒▒▒▒░░▒▒▓▓▒▒░░
",
    interpretation: "The 200 calls of each second are all there. There are two bands: some 256 microseconds, and 2 to \
        4 ms where the disk had more to write.",
};

pub(crate) static TCP: Meta = Meta {
    name: "tcp",
    address: "tcp:",
    about: "TCP of the whole machine: how long connections take to be made, a round trip each, and the \
        kernel's smoothed round trip of every segment that arrives",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live tcp:",
    overhead: "750 ns when a connection changes its state and 930 ns for each segment that arrives (1,000 and \
        900 of them, measured by the kernel with kernel.bpf_stats_enabled, Linux 6.18, bpftrace 0.17): at \
        100,000 segments a second 9 % of one core.",
    loses: "'TCP smoothed round trip' is no latency of a segment: it is the running average that the \
        kernel keeps of a connection (seven eighths the old, one eighth the new), looked at as often \
        as a segment arrives, so that busy connections count more and a single slow round trip hardly \
        shows; its time waited means nothing. 'TCP connect' is measured, from the first packet to the \
        answer, for connections that begin here; those that failed are left out. Connections are not \
        separate. Where in its bucket a time was: buckets are powers of two of microseconds.",
    exact_time: false,
    example: "\
$ sudo isotherm live tcp: --series 'TCP connect' --for 7s | cat   # a client that connects 60 times
# 2026-11-23 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <8µs  16µs  64µs  256µs >1.02ms  note
06:15:39   28.0 0.00111    32–64µs   64–128µs        ▒▒▒▓▓▓░░░
06:15:40   32.0 0.00111    16–32µs   64–128µs        ▓▓▓▓▓▓░░░
06:15:41      0       0          -          -
",
    interpretation: "All 60 connections to a server on the same machine are there, made in 16 to 128 microseconds.",
};
