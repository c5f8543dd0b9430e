//! What programs there are.

/// One program, for people who choose.
struct Entry {
    name: &'static str,
    shows: &'static str,
    probes: &'static str,
    costs: &'static str,
}

const ENTRIES: [Entry; 6] = [
    Entry {
        name: "oracle-waits",
        shows: "how long waits take, by event, in nanoseconds of the kernel's clock",
        probes: "kskthbwt, kskthewt",
        costs: "about 1.5 us for each wait",
    },
    Entry {
        name: "oracle-waits --clock oracle",
        shows: "the same in microseconds as Oracle measured them; waits of 0 us are not counted",
        probes: "kews_update_wait_time, kskthewt",
        costs: "about 1.5 us for each wait",
    },
    Entry {
        name: "oracle-io",
        shows: "waits by event, and the system calls for I/O that the same thread makes in them",
        probes: "kskthbwt, kskthewt; tracepoints of the system calls",
        costs: "about 1.8 us for each wait and 1.3 us for each of these system calls",
    },
    Entry {
        name: "oracle-path",
        shows: "a line for each wait, each system call in it, and each block request of that",
        probes: "kskthbwt, kskthewt; tracepoints of system calls and block devices",
        costs: "some 10 us for each wait and each system call: for seconds, one session",
    },
    Entry {
        name: "pg-path",
        shows: "the same of PostgreSQL, with its statements",
        probes: "those that PostgreSQL was built with; tracepoints of system calls and block devices",
        costs: "some 10 us for each block that is read, each system call and each block request: for seconds",
    },
    Entry {
        name: "oracle-lio",
        shows: "how long logical reads take, by object or tablespace",
        probes: "kcbgtcr and kcbgcur, and their returns",
        costs: "about 1.8 us for each logical read: for seconds, on a test system",
    },
];

const NEEDS: &str = "\
All need: root and bpftrace 0.17 or later on the database server (x86-64); from Oracle 12.1 on,
where probes are 2 bytes behind the beginning of functions, a bpftrace built with a disassembler
(`bpftrace --info` says bfd: yes). Nothing is needed inside the database.

All processes that run the binary pay, also those that are not counted. Not confirmed with
Oracle 19c or later. docs/guide/oracle-uprobes.md tells all of it.

`isotherm bpftrace NAME --help` lists the options.
";

/// The list, as it is printed.
pub(super) fn text() -> String {
    let entries = ENTRIES.iter().map(|Entry { name, shows, probes, costs }| {
        format!("{name}\n    shows: {shows}\n    probes: {probes}\n    costs: {costs}\n")
    });
    entries.collect::<String>() + "\n" + NEEDS
}
