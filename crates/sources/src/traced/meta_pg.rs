//! What the probes of `PostgreSQL` say about themselves.

use crate::tracing_needs::{BPFTRACE, PRIVILEGE};
use crate::{Meta, Need};

pub(crate) static PGPROBE: Meta = Meta {
    name: "pgprobe",
    address: "pgprobe:reads, buffers, lwlocks, locks or wal, with ?binary=PATH",
    about: "PostgreSQL on this machine from inside, by its own probes: blocks read by relation, buffers, \
        waits for lightweight locks by tranche and for locks by type and mode, and syncs to disk",
    needs: &[
        Need {
            what: "a PostgreSQL built with --enable-dtrace, as Debian, Ubuntu and postgresql.org build it \
                (wal needs no probes)",
            how: "readelf -n /usr/lib/postgresql/15/bin/postgres | grep -c stapsdt",
        },
        Need {
            what: "its program, where several are running or none",
            how: "pgprobe:reads?binary=/usr/lib/postgresql/15/bin/postgres",
        },
        BPFTRACE,
        PRIVILEGE,
    ],
    command: "sudo isotherm live pgprobe:reads",
    overhead: "Each probe interrupts the server. A block that was read took 14 microseconds longer with reads, and \
        34 with buffers (three scans, 16,400 blocks in all, from the kernel's page cache, PostgreSQL 15, a \
        virtual machine, Linux 6.18, bpftrace 0.17): 0.29 s became 0.37 and 0.47 s. buffers also costs \
        that for each block that is found: never on a busy server. lwlocks and locks cost only where one \
        waits; they and wal (two tracepoints, as fs: has them) were not measured.",
    loses: "All servers that run the same program are measured together. Relations are separated by \
        the OID of their database and their file node: select relname from pg_class where \
        pg_relation_filenode(oid) = N, in that database, says which. reads: up to PostgreSQL 16 a \
        block each; from 17 on several at once. They are answered by the kernel's page cache, too: \
        disk: has those of the disk. buffers: a block that had to be read is one during which a read \
        began. wal: every fdatasync and fsync of a process called postgres; with \
        wal_sync_method=fdatasync (the default) fdatasync is the log, fsync checkpoints. locks: types \
        are PostgreSQL's numbers (0 relation, 4 transactionid in 15). Relations beyond 4,096 are \
        not measured. Waits under way when measuring begins are left out. Where in its bucket a time was: \
        buckets are powers of two of microseconds.",
    exact_time: true,
    example: "\
$ sudo isotherm record pgprobe:reads -o r.heat --for 9s   # while a table of 33,137 blocks is counted once
$ isotherm stats r.heat
series                                 events  events/s   waited  % waited  waiting    mean       p50         p90
block read{database=5,relation=16396}   33098     16.5k   455 ms      >99%    0.228  13.8µs     2–4µs       2–4µs
block read{database=5,relation=16404}       1       0.5  18.7 µs     <0.1%   <0.001  18.7µs  16–32µs     16–32µs
",
    interpretation: "PostgreSQL itself (explain analyze, buffers) says that the scan read 33,098 blocks and found 39 in \
        its buffers: every read is there. Nine of ten took at most 4 microseconds, from the kernel's page \
        cache.",
};
