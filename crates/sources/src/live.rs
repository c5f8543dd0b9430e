//! What the sources that fetch bytes, or measure themselves, say about themselves.

use crate::{Meta, Need};

/// Every source that is not a format: what each address leads to.
pub static LIVE: &[&Meta] =
    &[&PROBE, &DISK, &SCRIPT, &COMMAND, &ORACLE, &SQLPLUS, &AWR, &INPUT, &RECORDING];

const BPFTRACE: Need = Need {
    what: "bpftrace",
    how: "apt install bpftrace (Debian, Ubuntu), dnf install bpftrace (Fedora, RHEL)",
};

const PRIVILEGE: Need = Need {
    what: "root, or CAP_BPF and CAP_PERFMON with a bpftrace that accepts them (0.17 does not)",
    how: "sudo isotherm live ...",
};

const TRACEFS: Need = Need {
    what: "the kernel's tracepoints in /sys/kernel/tracing",
    how: "sudo mount -t tracefs tracefs /sys/kernel/tracing, if that folder is empty",
};

static PROBE: Meta = Meta {
    name: "probe",
    address: "probe:PATH",
    about: "The disk under a directory, measured by reading (or, with --write, writing and \
            syncing) a block of a scratch file at random, 64 times a second, one at a time",
    needs: &[Need {
        what: "a directory in which a file of 64 MiB may be created",
        how: "name one you can write to; the size is an option",
    }],
    command: "isotherm live probe:.",
    overhead: "Writing the scratch file once, 64 MiB; then 64 reads of 8 KiB a second on the \
               device, and 0.5 % of one core, nearly all of it in the kernel (measured over 20 s \
               in a virtual machine with 2 cores on Linux 6.18: 106 ms for 1,280 reads). The file \
               loses its name before it is filled, so nothing is left behind, not even after \
               kill -9.",
    loses: "What the machine's other work waits for: it shows what one more small read would \
            have waited for. Waits that begin and end between two reads. While a read takes \
            longer than the time between two, those due meanwhile are left out and counted, so \
            a stall weighs less than its length. In memory (tmpfs) and where direct I/O is \
            refused, what is measured is not the device, and a warning says so. A scratch file \
            that fits a cache of the device is answered from there.",
    exact_time: true,
    example: "\
$ isotherm live probe:. | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <32.8µs  131µs   524µs       >4.19ms  note
09:19:38   64.0  0.0155  229–246µs  328–360µs           ░░▒█▓░
09:19:39   64.0  0.0126  197–213µs  295–328µs        ░░▒▒▒▓▓░
09:19:40   64.0  0.0133  197–213µs  328–360µs          ▒▓▒▒▓▓░
09:19:41   64.0  0.0126  180–197µs  295–328µs          ▒▒▒▓▓▒
",
    interpretation: "Each of the 64 reads in a second took about 0.2 ms and none much longer than \
                     0.3 ms: a fast device without a queue. The 0.013 seconds waited per second \
                     are the probe's own presence on the device, about one per cent of the time.",
};

pub(crate) static DISK: Meta = Meta {
    name: "disk",
    address: "disk:[DEVICE]",
    about: "Every block request of this machine, or of one device, from when the device gets it \
            to when it is done, by device and operation (read, write, discard, flush)",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live disk:",
    overhead: "385 ns when a request is issued and 1,010 ns when it completes (144,000 requests, \
               measured by the kernel with kernel.bpf_stats_enabled in a virtual machine, Linux \
               6.18, bpftrace 0.17): at 17,000 requests a second 2.4 % of one core, spread over \
               all. bpftrace itself took 0.2 % of one core, and about two seconds to start.",
    loses: "The time a request waits in the kernel's own queue before the device gets it, and \
            that of one sent back because the device was full. Where in its bucket a request \
            was: buckets are powers of two of microseconds. Partitions, volumes (dm) and RAID \
            (md) are seen only as the disks under them. A request that begins or ends just while \
            another is being counted on the same processor is missed: 16 of 144,000 in the \
            measurement above. More than 4,096 requests at a time are not timed. An interval in \
            which counts and times were not read at one moment has no exact time.",
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
    interpretation: "The 400 reads and 100 writes a second that fio was told to do are all there, \
                     more than half of them answered within 64 µs. Together they waited 0.03 seconds \
                     per second: on average the device had 0.03 requests under way.",
};

static SCRIPT: Meta = Meta {
    name: "script",
    address: "bpftrace:FILE",
    about: "The histograms that a bpftrace program of yours prints, while it runs",
    needs: &[BPFTRACE, PRIVILEGE, TRACEFS],
    command: "sudo isotherm live bpftrace:reads.bt",
    overhead: "That of the program: see the source bpftrace. The program is run with -f json, in \
               a process group of its own, and ended with SIGTERM.",
    loses: "What the program loses: print totals and never clear() or zero() them, because \
            clearing races with counting. Prints are placed in time when they arrive, some \
            milliseconds after they were made. What is printed at the end has no interval of its \
            own: clear the maps in END.",
    exact_time: false,
    example: "\
$ cat reads.bt
tracepoint:syscalls:sys_enter_pread64 { @began[tid] = nsecs; }
tracepoint:syscalls:sys_exit_pread64 / @began[tid] / {
  @usecs = hist((nsecs - @began[tid]) / 1000); delete(@began[tid]);
}
interval:s:1 { print(@usecs); }
END { clear(@began); clear(@usecs); }
$ sudo isotherm live bpftrace:reads.bt | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░0.6 ▒31.2 ▓125 █281 to 500 sqrt
#time      ev/s waiting        p50        p99  <1µs  4µs 16µs  128µs 1.02ms      >65.5ms  note
09:20:28    469  ≈0.112   64–128µs    2–4.1ms  ▒▒▒▒░░░░    ▒▒▓▓░░░░░░░░░░░░
09:20:29.276    306  ≈0.038   64–128µs   0.51–1ms  ░░░░░░      ░░▓▓▒▒░░░░░░
09:20:30    300 ≈0.0316   64–128µs  128–256µs              ░░▓▓░░░░
09:20:31.276    331  ≈0.036   64–128µs  128–256µs  ░░░░░░░░      ▓▓▒▒░░    ░░
",
    interpretation: "A load of 300 reads a second went to the disk and took 64 to 256 µs each. \
                     The others, within 8 µs, were answered from the page cache: two bands that \
                     a mean would blur into one number.",
};

static COMMAND: Meta = Meta {
    name: "command",
    address: "cmd:'...'",
    about: "What a shell command prints, in any of the formats above, while it runs",
    needs: &[Need {
        what: "a command that does not hold its lines back when it prints into a pipe",
        how: "stdbuf -oL COMMAND, grep --line-buffered, python3 -u",
    }],
    command: "isotherm live \"cmd:ssh db1 'sudo biolatency-bpfcc -m 1'\"",
    overhead: "That of the command. It is run by sh, without standard input, in a process group \
               of its own; the whole group is ended with SIGTERM, and after a second with SIGKILL; \
               isotherm itself does not wait for that.",
    loses: "What the format loses. Prints without a time of their own are placed when they \
            arrive. Lines of standard error are shown as warnings, ten in a second at most; the \
            last twenty are kept.",
    exact_time: false,
    example: "\
$ isotherm live \"cmd:bpftrace nosuch.bt\"; echo \"exit code $?\"
isotherm: ERROR: failed to open file 'nosuch.bt': No such file or directory
isotherm: 'bpftrace nosuch.bt' ended with exit code 255: ERROR: failed to open file 'nosuch.bt': \
No such file or directory
exit code 3
",
    interpretation: "The command's own words and its exit code are shown. Because it ended before \
                     it printed anything, the source counts as one that cannot be reached, which \
                     is exit code 3.",
};

static ORACLE: Meta = Meta {
    name: "oracle",
    address: "oracle://USER@HOST:PORT/SERVICE",
    about: "Oracle's wait events, by event and instance, from V$EVENT_HISTOGRAM_MICRO (or the \
            view with milliseconds) with the exact time waited from V$SYSTEM_EVENT; or, with \
            ?sample=session, single waits of sessions, looked at as often as round trips allow",
    needs: &[
        Need {
            what: "Oracle 12.1 or later, over the network, and a user with a password (OS users \
                   and older releases: sqlplus:)",
            how: "the password comes from ISOTHERM_ORACLE_PASSWORD, ?password_file=FILE or the \
                  terminal, never from the address",
        },
        Need {
            what: "SELECT on SYS.GV_$INSTANCE, V_$INSTANCE, V_$EVENT_HISTOGRAM_MICRO, \
                   V_$SYSTEM_EVENT, V_$EVENT_NAME (for a cluster the GV_$ views); for sessions \
                   V_$SESSION, V_$SESSION_WAIT_HISTORY. No Diagnostics Pack",
            how: "GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO mon; what is missing is told \
                  with the statement that allows it; GRANT SELECT_CATALOG_ROLE is enough for all",
        },
        Need {
            what: "options after a ?, joined by &: event=NAME (* for any text; may be repeated), \
                   inst=N,N, per_pdb=1, interval=1s; sample=session with sid=N, module=NAME or \
                   xkslwh=1 (SYS only)",
            how: "isotherm live oracle://... --events lists the events there are",
        },
    ],
    command: "isotherm live 'oracle://mon@db1:1521/SALES?event=log file sync&event=db file*'",
    overhead: "Here: 0.3 % of one core for 200 events of 2 instances every second (0.09 s of \
               processor time in 30 s, Linux 6.18, a virtual machine with 2 cores), in one round \
               trip per poll. On the server one statement per poll: a soft parse and a scan of \
               fixed views in memory, not measured on a real one; on a cluster GV$ views put a \
               parallel process to work on each instance. sample=session is another matter: it \
               asks without a pause, thousands of times a second (the median of seven runs was \
               10,144 against a server made for tests on the same machine, with other work on \
               it), and keeps its server process busy all the time, which was not measured.",
    loses: "Where in its bucket a wait was. A wait counts when it ends: one that goes on is not \
            there. Counts and times are read from two views, not at one instant: where they \
            differ by more than 1 % of an interval's waits, its time is an estimate. Idle events \
            are left out unless named. While the server is away nothing is known; when it is back \
            and was not restarted, one long interval marked as a late poll holds everything. Of \
            sessions, waits that begin and end between two looks are unseen, unless the session's \
            history of ten still holds them; the numbers Oracle gives to waits tell how many, and \
            they are reported as lost. The statements have been run against a server made for \
            tests and, as far as it goes, PostgreSQL: not yet against a real Oracle. X$KSLWH is \
            not documented by Oracle.",
    exact_time: true,
    example: "\
$ isotherm live 'oracle://demo@127.0.0.1:1521/FAKE?event=db file sequential read' | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░1.20 ▒62.5 ▓250 █562 to 1.00k sqrt
#time      ev/s waiting        p50        p99  <16µs 64µs  512µs 4.1ms       >262ms  note
11:56:34  1.18k    1.74  128–256µs   8.2–16ms      ░░▒▒██▒▒░░░░▒▒▒▒░░··
11:56:35  1.21k    1.80  128–256µs   8.2–16ms      ··▒▒██▒▒░░░░▒▒▒▒░░░░
11:56:36.531  1.23k    1.84  128–256µs   8.2–16ms      ░░▒▒██▒▒░░░░▒▒▒▒░░░░
",
    interpretation: "A server made for tests, which has two kinds of reads: most take 128 to 256 µs, as \
                     from a cache, and every fifth 4 to 16 ms, as from disks. 1.74 seconds waited \
                     per second, without a ≈ because V$SYSTEM_EVENT gives them: on average 1.74 \
                     sessions were waiting for a read.",
};

static SQLPLUS: Meta = Meta {
    name: "sqlplus",
    address: "sqlplus:LOGON[?event=...]",
    about: "Wait events of an Oracle database as they happen, asked through SQL*Plus: for logons \
            that only it can make (the operating system's user, wallets of the client, Kerberos) \
            and for hosts where nothing else may connect",
    needs: &[
        Need {
            what: "SQL*Plus of any release, in PATH or in $ORACLE_HOME/bin",
            how: "oraenv on a database server; Oracle Instant Client elsewhere",
        },
        Need {
            what: "a logon: / as sysdba, /@WALLET_ALIAS, or USER@ALIAS with a password",
            how: "ISOTHERM_ORACLE_PASSWORD, ?password_file=FILE, or the terminal asks",
        },
        Need {
            what: "SELECT on V_$EVENT_HISTOGRAM_MICRO (V_$EVENT_HISTOGRAM before 12.1.0.2), \
                   V_$SYSTEM_EVENT, V_$INSTANCE and V_$EVENT_NAME; GV_$... for clusters",
            how: "GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO user, and so on",
        },
    ],
    command: "isotherm live 'sqlplus:/ as sysdba'",
    overhead: "One SELECT each interval, by our own clock: no PL/SQL, no DBMS_LOCK. 0.3 % of a \
               core in this program for 200 events of 2 instances each second, recorded (release \
               build, 18 s, a stand-in for SQL*Plus); what SQL*Plus and the server use was not \
               measured. SQL*Plus runs in a process group of its own, without an argument that \
               tells who logs on.",
    loses: "What the views lose: a wait is counted when it ends, and where in its bucket it was \
            is not known. An answer that does not come within ten seconds, or two intervals, \
            ends SQL*Plus, and a new one is started. A password with a double quote in it cannot \
            be told to SQL*Plus. This has been tested with a stand-in, not with a live database.",
    exact_time: true,
    example: "\
$ isotherm live 'sqlplus:/ as sysdba?event=log file sync' | cat
# 2026-11-21 UTC · cells ev/s ·>0 ░0.6 ▒31.2 ▓125 █281 to 500 sqrt
#time      ev/s waiting        p50        p99  <64µs 128µs 512µs       >8.19ms  note
11:34:14    281   0.101  256–512µs   0.51–1ms        ▒▒▒▓▓▓░░░
11:34:15    283   0.101  256–512µs   0.51–1ms        ▒▒▒▓▓▓▒▒▒
11:34:16    278   0.101  256–512µs   0.51–1ms        ▒▒▒▓▓▓░░░
",
    interpretation: "The stand-in that the tests use told of 280 commits a second, most of which \
                     waited a quarter to half a millisecond for the log writer. The 0.101 seconds \
                     waited per second are exact: one session in ten was waiting for its commit.",
};

static AWR: Meta = Meta {
    name: "awr",
    address: "awr:oracle://... or awr:sqlplus:LOGON",
    about: "The wait histograms that the Automatic Workload Repository of an Oracle database \
            remembers, one interval for each snapshot: days or months as one heat map",
    needs: &[
        Need {
            what: "a licence of the Diagnostics Pack, which DBA_HIST_* views need",
            how: "ask who bought the licences; CONTROL_MANAGEMENT_PACK_ACCESS only says what is \
                  switched on",
        },
        Need {
            what: "SELECT on DBA_HIST_SNAPSHOT, DBA_HIST_EVENT_HISTOGRAM, DBA_HIST_SYSTEM_EVENT \
                   and, for names, DBA_HIST_DATABASE_INSTANCE",
            how: "GRANT SELECT ON SYS.DBA_HIST_SNAPSHOT TO user, and so on, or the role \
                  SELECT_CATALOG_ROLE",
        },
    ],
    command: "isotherm show 'awr:oracle://mon@db1/SALES?since=7d&event=log file sync'",
    overhead: "One statement for each day and instance, which reads that day's partitions of the \
               history. Its cost on a server was not measured.",
    loses: "Everything shorter than the time between two snapshots, mostly an hour. Buckets are \
            milliseconds: everything faster is in the first; no release documents a view of \
            microseconds, but if there is one, it is used and said so. The time of a cluster's \
            snapshot is that of its last instance. Snapshots before 11.2.0.2 do not say their \
            time zone: give it (--zone). Databases whose snapshots were imported come one after \
            the other; dbid= picks one. The statement is tested on PostgreSQL, not with a live \
            Oracle database.",
    exact_time: true,
    example: "\
$ isotherm live 'awr:sqlplus:/ as sysdba?since=7d&event=log file sync' | cat
isotherm: AWR's history (DBA_HIST_*) may be read only where the Diagnostics Pack is licensed; \
CONTROL_MANAGEMENT_PACK_ACCESS is 'DIAGNOSTIC+TUNING' here
# 2026-11-21 UTC · cells ev/s ·>0 ░0.06 ▒3.12 ▓12.5 █28.1 to 50.0 sqrt
#time      ev/s waiting        p50        p99  <1ms  2ms   8ms      >64ms  note
02:00:00   27.0  0.0167       <1ms      1–2ms  ▓▓▓░░░   ···
03:00:00   27.0  0.0167       <1ms      1–2ms  ▓▓▓░░░   ···
04:00:00   36.7  0.0472       <1ms      4–8ms  ▓▓▓▒▒▒   ▒▒▒
05:00:00   36.7  0.0472       <1ms      4–8ms  ▓▓▓▒▒▒   ▒▒▒
06:00:00   36.7  0.0472       <1ms      4–8ms  ▓▓▓▒▒▒   ▒▒▒
",
    interpretation: "The stand-in that the tests use told of six snapshots: from three o'clock on \
                     a second band of commits at 4 to 8 ms, which no mean would have shown. The \
                     first snapshot is where counting begins, as the instance had been up since \
                     the first of the month.",
};

static INPUT: Meta = Meta {
    name: "input",
    address: "FILE or -",
    about: "A file, a pipe or standard input in any of the formats above, recognised by content",
    needs: &[Need {
        what: "a word if the content does not tell: which format, or which columns",
        how: "--as NAME, or --columns NAME,... --unit UNIT",
    }],
    command: "tool-that-prints-latencies | isotherm live -",
    overhead: "Nothing on the machine that was measured. A pipe that is read more slowly than it \
               is written makes its writer wait.",
    loses: "What the format loses. A pipe is decoded as it is written, and prints without a time \
            of their own are placed when they arrive; a file is read as fast as it can be, and \
            such prints are placed one interval after the other.",
    exact_time: false,
    example: "\
$ isotherm stats saved.txt
isotherm: the input has no times: each print is taken as one interval (--interval)
isotherm: counts never fell from print to print: read as totals since the start (--temporality \
delta if each print is one interval)
series  events  ev/s    waited  waiting     mean       p50       p90       p99       p99.9         max
@usecs     881   294  ≈0.0838s  ≈0.0279  ≈95.1µs  64–128µs  64–128µs  64–128µs  2.05–4.1ms  2.05–4.1ms

input  4 records  881 events  0 rejected  0 lost  0 resets  0 gaps  1 other lines  3s, intervals assumed
",
    interpretation: "The file was recognised as bpftrace's output; what had to be assumed about \
                     it is said first. The first of its four prints is where counting begins, so \
                     there are three intervals, with 881 reads, and their times are ranges \
                     because only their buckets are known.",
};

static RECORDING: Meta = Meta {
    name: "recording",
    address: "FILE.heat",
    about: "A recording made by isotherm record, or by live --record: replayed, summarised, \
            exported",
    needs: &[],
    command: "isotherm record probe:. -o run.heat --for 10m",
    overhead: "Nothing on the machine that was measured. The recording below takes 52 KiB.",
    loses: "Single latencies: a recording holds the counts of each interval. Everything else is \
            as the source gave it, exact times among it.",
    exact_time: false,
    example: "\
$ isotherm record probe:. -o run.heat --for 10s
isotherm: stopped; 641 events in 11 frames in run.heat
$ isotherm stats run.heat
series                            events  ev/s  waited  waiting   mean        p50        p90        \
p99      p99.9        max
probe{direct=yes,op=read,path=.}     641  64.1  0.113s   0.0113  177µs  164–180µs  213–229µs  \
262–295µs  852–918µs  852–918µs

input  641 records  641 events  0 rejected  0 lost  0 resets  0 gaps  2026-11-21 09:21:25–\
09:21:35 UTC, 10s
",
    interpretation: "In ten seconds 641 reads were timed; half of them took at most 0.18 ms and \
                     one in a thousand 0.9 ms. The mean has no ≈ because the probe's times are \
                     exact.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_live_source_says_everything_under_a_name_of_its_own() {
        let mut names: Vec<&str> = crate::SOURCES.iter().map(|source| source.meta().name).collect();
        names.extend(LIVE.iter().map(|meta| meta.name));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        for meta in LIVE {
            for text in [meta.about, meta.command, meta.overhead, meta.loses, meta.example] {
                assert!(!text.trim().is_empty(), "{}", meta.name);
                assert!(!text.contains("  \n"), "{}", meta.name);
            }
            assert!(meta.interpretation.ends_with('.'), "{}", meta.name);
        }
    }

    #[test]
    fn every_address_is_one() {
        for (address, meta) in [
            "probe:PATH",
            "disk:",
            "bpftrace:FILE",
            "cmd:...",
            "oracle://u@h/s",
            "sqlplus:/ as sysdba",
            "awr:sqlplus:/",
            "-",
            "FILE.heat",
        ]
        .iter()
        .zip(LIVE)
        {
            let read: Result<crate::Address, _> = address.parse();
            assert!(read.is_ok(), "{address}");
            let begins = address.split(':').next().unwrap_or_default();
            assert!(meta.address.contains(begins), "{address} {}", meta.address);
        }
    }
}
