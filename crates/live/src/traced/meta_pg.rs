//! What the probes of `PostgreSQL` say about themselves.

use isotherm_formats::{Counting, Meta, Need};

use crate::tracing_needs::{BPFTRACE, PRIVILEGE};

pub(crate) static PGPROBE: Meta = Meta {
    name: "pgprobe",
    address: "pgprobe:reads, buffers, lwlocks, locks or wal, with ?binary=PATH, and of reads \
        names=FILE; the same as postgres://localhost/?probe=reads",
    about: "PostgreSQL on this machine, measured with its own probes: block reads by relation, \
        buffer lookups, waits for lightweight locks by tranche and for locks by type and mode, and \
        syncs to disk",
    needs: &[
        Need {
            what: "a PostgreSQL built with --enable-dtrace, as in the packages of Debian, Ubuntu \
                and postgresql.org (wal needs no probes)",
            how: "readelf -n /usr/lib/postgresql/15/bin/postgres | grep -c stapsdt",
        },
        Need {
            what: "the path of its program, if no PostgreSQL is running or more than one",
            how: "pgprobe:reads?binary=/usr/lib/postgresql/15/bin/postgres",
        },
        Need {
            what: "names of relations in place of numbers: a file of lines DATABASE|FILE|NAME, which psql \
                writes for each database, then pgprobe:reads?names=FILE",
            how: "psql -Atc 'select d.oid, pg_relation_filenode(c.oid), c.oid::regclass from pg_class c, \
                pg_database d where d.datname = current_database() and c.relfilenode > 0'",
        },
        BPFTRACE,
        PRIVILEGE,
    ],
    command: "sudo isotherm live pgprobe:reads",
    overhead: "Each probe interrupts the server. A block read took 14 microseconds longer with \
        reads, and 34 microseconds longer with buffers: a scan of 0.29 s became 0.37 s and 0.47 s \
        (three scans, 16,400 blocks in all, from the kernel's page cache, PostgreSQL 15, a virtual \
        machine, Linux 6.18, bpftrace 0.17). buffers also slows down each block that is found in \
        the buffer cache: never use it on a busy server. lwlocks and locks cost something only \
        when a process waits: 3.9 and 1.2 microseconds when a wait for a lightweight lock begins \
        and ends (6,266 waits), 3.2 and 1.0 for other locks (5,644), and besides, at each, the \
        interruption itself, which this does not contain. wal costs 1.6 microseconds when a sync \
        begins and 3.6 when it ends (3,866 syncs), and every process of the machine takes the \
        slower path into the kernel, as with fs: (measured by the kernel with \
        kernel.bpf_stats_enabled during pgbench with 8 clients). pgbench ran 902 (wal), 951 \
        (lwlocks) and 1,001 (locks) transactions a second, and 949 to 1,027 without probes.",
    loses: "Single servers: all servers that run the same program are measured together. Relations \
        are identified by the OID of their database and their file node; names=FILE gives them names. \
        A relation has another file node after VACUUM FULL, REINDEX or TRUNCATE, and then its number \
        until the file is rewritten. reads: \
        up to PostgreSQL 16 an event is one block, from 17 on it may be several blocks. Reads from \
        the kernel's page cache are included; see disk: for those of the disk alone. buffers: a \
        block counts as read from outside the buffer cache if a read began during its lookup. wal: \
        every fdatasync and fsync of a process named postgres. With wal_sync_method=fdatasync (the \
        default), fdatasync is the log and fsync the checkpoints. locks: types are those of \
        pg_locks.locktype in PostgreSQL 14 and later; a wait for a row is one for the transaction that \
        changed it (transactionid), and of those that queue behind it for the row (tuple). At most 4,096 relations are measured. Waits \
        already in progress at the start are left out. The exact latency within a bucket: bucket \
        bounds are powers of two of microseconds.",
    counting: Counting::Totals("the start of isotherm: its program begins at zero in each run"),
    exact_time: true,
    example: "\
$ sudo isotherm record pgprobe:reads -o r.heat --for 9s   # while a table of 33,137 blocks is counted once
$ isotherm stats r.heat
series                                 events  events/s   waited  % waited  waiting    mean       p50         p90
block read{database=5,relation=16396}   33098     16.5k   455 ms      >99%    0.228  13.8µs     2–4µs       2–4µs
block read{database=5,relation=16404}       1       0.5  18.7 µs     <0.1%   <0.001  18.7µs  16–32µs     16–32µs
",
    interpretation: "PostgreSQL itself (explain analyze, buffers) reports that the scan read \
        33,098 blocks and found 39 in its buffers: every read is there. Nine of ten reads took at \
        most 4 microseconds, from the kernel's page cache.",
};
