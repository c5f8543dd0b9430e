//! Texts recognised by words that only one tool prints.

use super::{Foreign, Way};

/// A format that holds words no other has.
struct Mark {
    /// All of these are in its beginning.
    words: &'static [&'static str],
    name: &'static str,
    /// Why it cannot be read, and what to use instead.
    instead: &'static str,
    /// Whether its numbers may be those of single events, where names of columns say so.
    may_be_events: bool,
}

const fn mark(words: &'static [&'static str], name: &'static str, instead: &'static str) -> Mark {
    Mark { words, name, instead, may_be_events: true }
}

/// Of a text in which no number is that of a single event: read as columns, it would be wrong.
const fn no_events(
    words: &'static [&'static str],
    name: &'static str,
    instead: &'static str,
) -> Mark {
    Mark { words, name, instead, may_be_events: false }
}

const AVERAGES: &str = "it holds averages, which cannot give a distribution";
const PERCENTILES: &str = "it holds percentiles, which cannot give a distribution over time";
const WRK: &str = "it holds percentiles or averages, which cannot give a distribution over time: use a tool \
    that writes each request, such as oha --output-format csv, hey -o csv or k6 --out csv=FILE";
const YCSB: &str = "it holds averages and percentiles: isotherm reads single operations, which it writes with \
     -p measurementtype=raw -p measurement.raw.output_file=FILE";

/// In this order: the first whose words are all there.
const MARKS: &[Mark] = &[
    no_events(
        &["(PDH-CSV 4.0)"],
        "a counter log of perfmon, typeperf or esxtop (PDH-CSV)",
        "its times are averages of intervals, which cannot give a distribution",
    ),
    no_events(
        &["Percentage served", "Time in ms"],
        "percentiles of ab (-e)",
        "it holds percentiles and no events: isotherm reads what ab -g FILE writes",
    ),
    no_events(&[" sec: ", " operations;", "current ops/sec"], "status lines of YCSB", YCSB),
    no_events(
        &["[OVERALL], RunTime(ms)", "[OVERALL], Throughput(ops/sec)"],
        "a summary of YCSB",
        YCSB,
    ),
    mark(&["% time", "usecs/call"], "a summary of strace (-c)", AVERAGES),
    mark(
        &["fio-3", "clat ("],
        "a report of fio",
        "write its histograms with --output-format=json+, or single latencies with \
         --write_lat_log=NAME",
    ),
    mark(&["Summary of events:", "syscall"], "a summary of perf trace (-s)", AVERAGES),
    mark(
        &["All Devices", "Q2Q"],
        "a summary of btt",
        "its files of single latencies can be: btt -i TRACE -q NAME (queue to completion) or \
         -l NAME (device)",
    ),
    mark(
        &["\"resultType\""],
        "an answer of the Prometheus API",
        "save the metrics themselves: curl http://HOST:PORT/metrics",
    ),
    mark(&["Transfer-Encoding: ", "HTTP/1."], "the head of a web page", "it holds no latencies"),
    mark(&["TIME\tCOUNT\tTOTAL"], "QUERY_RESPONSE_TIME of MariaDB", "use the slow log instead"),
    mark(
        &["| Time ", "| Count |", "| Total "],
        "QUERY_RESPONSE_TIME of MariaDB",
        "use the slow log instead",
    ),
    mark(&["BUCKET_TIMER_LOW"], "a statement histogram of MySQL", "use the slow log instead"),
    mark(&["COUNT_STAR", "SUM_TIMER_WAIT"], "counters of a Performance Schema", AVERAGES),
    mark(&["count_star", "sum_timer_wait"], "counters of a Performance Schema", AVERAGES),
    mark(&["cmdstat_", "usec_per_call"], "command statistics of Redis", AVERAGES),
    mark(&["latency_percentiles_usec_"], "latency statistics of Redis", PERCENTILES),
    mark(&["resp_calls"], "counters of pg_stat_monitor", "use log_min_duration_statement instead"),
    mark(&["total_exec_time"], "counters of pg_stat_statements", AVERAGES),
    mark(&["blk_read_time"], "counters of PostgreSQL", AVERAGES),
    mark(&["wal_write_time"], "counters of PostgreSQL", AVERAGES),
    mark(&["checkpoint_write_time"], "counters of PostgreSQL", AVERAGES),
    mark(
        &["event_type", "event,queryid"],
        "samples of pg_wait_sampling",
        "samples have no durations",
    ),
    mark(&["Compare file sync methods"], "output of pg_test_fsync", AVERAGES),
    mark(
        &["Histogram of timing durations"],
        "output of pg_test_timing",
        "it measures the clock only",
    ),
    mark(&["opLatencies"], "latency statistics of MongoDB", "its profiler lists single operations"),
    mark(&["latency_in_bytes_histogram"], "a histogram of Ceph", "use bpftrace or disk: instead"),
    mark(&["total_wait", "disk_wait"], "zpool iostat -w", "use bpftrace or disk: instead"),
    mark(&["Command Latency Statistics"], "latency statistics of nvme", "use disk: instead"),
    mark(&["asvc_t", "density distribution"], "iostat of Solaris", "use DTrace's quantize instead"),
    mark(&["Latency Distribution", "Requests/sec"], "a report of wrk", WRK),
    mark(&["Thread Stats", "Requests/sec"], "a report of wrk", WRK),
    mark(
        &["Response time histogram:", "Requests/sec"],
        "a report of hey",
        "its single latencies can be: hey -o csv",
    ),
    mark(
        &["Latency (ms):", "95th percentile:"],
        "a report of sysbench",
        "it holds an average and a percentile: run sysbench with --histogram",
    ),
    mark(
        &["thds: ", "tps: ", "lat (ms,"],
        "interval lines of sysbench",
        "they hold a percentile each: run sysbench with --histogram",
    ),
];

/// The format of bytes that are no text.
pub(super) fn binary(head: &[u8]) -> Option<Foreign> {
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    // A record of the run: its kind, then the version of Gatling with its length in front.
    let version = head.strip_prefix(&[0, 0, 0, 0]).and_then(|rest| rest.split_first());
    let is_gatling = version.is_some_and(|(length, rest)| {
        let version = rest.get(..usize::from(*length)).unwrap_or_default();
        let is_of_version = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        version.starts_with(b"3.") && version.iter().all(is_of_version)
    });
    if is_gatling {
        return Some(Foreign {
            name: "a binary simulation log of Gatling (3.10 and later)",
            way: Way::NotYet(
                "its form is not documented: Gatling up to 3.9 writes text, and the console or Graphite \
                 listener of later ones has averages only",
            ),
        });
    }
    let is_vegeta =
        [&b"Result"[..], b"Attack", b"Timestamp", b"Latency", b"BytesOut"].into_iter().all(has);
    is_vegeta.then_some(Foreign {
        name: "results of vegeta (binary)",
        way: Way::Elsewhere("write them as text: vegeta encode --to csv FILE > run.csv"),
    })
}

/// The format of a text, if words in it tell.
pub(super) fn recognise(text: &str) -> Option<Foreign> {
    diskstats(text).or_else(|| stacks(text)).or_else(|| {
        let has = |mark: &&Mark| mark.words.iter().all(|word| text.contains(word));
        let known = MARKS.iter().find(has)?;
        let way = if known.may_be_events { Way::NotYet } else { Way::NoEvents };
        Some(Foreign { name: known.name, way: way(known.instead) })
    })
}

/// Stacks, which have no latencies: `dd 99 100.000001:   10101010 cpu-clock:` with frames below it, or
/// folded ones such as `main;read 12`.
fn stacks(text: &str) -> Option<Foreign> {
    const INSTEAD: Way =
        Way::Elsewhere("it holds stacks and no latencies: isotherm flame FILE draws them");
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect();
    let is_frame = |line: &str| {
        let mut words = line.split_whitespace();
        let is_address =
            |word: &str| word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        words.next().is_some_and(is_address)
            && line.trim_end().ends_with(')')
            && words.next().is_some()
    };
    let is_event = |line: &str| {
        line.trim_end().ends_with(':')
            && line.split_whitespace().any(|word| {
                let digits = word.strip_suffix(':').and_then(|word| word.split_once('.'));
                digits.is_some_and(|(one, two)| {
                    [one, two].iter().all(|part| part.parse::<u64>().is_ok())
                })
            })
    };
    if lines.windows(2).any(|pair| is_event(pair[0]) && is_frame(pair[1])) {
        return Some(Foreign { name: "stacks of perf script", way: INSTEAD });
    }
    let is_folded = |line: &&str| {
        let counted = line.rsplit_once(' ');
        counted.is_some_and(|(stack, count)| {
            // A line of a log or of a table begins otherwise.
            let first = stack.split_once(';').map_or("", |(first, _)| first);
            let is_name = first.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            is_name && !first.contains(char::is_whitespace) && count.parse::<f64>().is_ok()
        })
    };
    let folded = !lines.is_empty() && lines.iter().take(10).all(is_folded);
    folded.then_some(Foreign { name: "folded stacks", way: INSTEAD })
}

/// `/proc/diskstats`.
fn diskstats(text: &str) -> Option<Foreign> {
    let is_device = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let number = |(index, word): (usize, &&str)| index == 2 || word.parse::<u64>().is_ok();
        words.len() >= 14
            && words[2].parse::<u64>().is_err()
            && words.iter().enumerate().all(number)
    };
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).take(10);
    let first = lines.next()?;
    let all = is_device(first) && lines.all(is_device);
    all.then_some(Foreign { name: "/proc/diskstats", way: Way::NotYet(AVERAGES) })
}
