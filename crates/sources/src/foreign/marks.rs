//! Texts told by words that only one tool prints.

use super::{Foreign, Way};

/// A format that holds words no other has.
struct Mark {
    /// All of these are in its beginning.
    words: &'static [&'static str],
    name: &'static str,
    /// Why it cannot be read, and what to use instead.
    instead: &'static str,
}

const fn mark(words: &'static [&'static str], name: &'static str, instead: &'static str) -> Mark {
    Mark { words, name, instead }
}

const AVERAGES: &str = "it holds averages, of which no distribution can be made";
const PERCENTILES: &str = "it holds percentiles, of which no distribution over time can be made";
const PAIRS: &str = "begin and end of each request have to be paired first; disk: measures the \
    same requests live";

/// In this order: the first whose words are all there.
const MARKS: &[Mark] = &[
    mark(&["% time", "usecs/call"], "a summary of strace (-c)", AVERAGES),
    mark(
        &["\"fio version\""],
        "JSON output of fio",
        "write single latencies with --write_lat_log=NAME",
    ),
    mark(
        &["fio-3", "clat ("],
        "a report of fio",
        "write single latencies with --write_lat_log=NAME",
    ),
    mark(&["1/(1-Percentile)"], "a percentile table of HdrHistogram", PERCENTILES),
    mark(
        &["Histogram log format version"],
        "a HdrHistogram log",
        "write one 'time latency' line for each event instead",
    ),
    mark(&["Summary of events:", "syscall"], "a summary of perf trace (-s)", AVERAGES),
    mark(&["block:block_rq_issue:"], "output of perf script", PAIRS),
    mark(&["raw_syscalls:sys_e"], "output of perf script", "use strace -ttt -T instead"),
    mark(&["syscalls:sys_e"], "output of perf script", "use strace -ttt -T instead"),
    mark(&["block_rq_issue: "], "a trace of ftrace", PAIRS),
    mark(&["# tracer:"], "a trace of ftrace", PAIRS),
    mark(
        &["All Devices", "Q2Q"],
        "a summary of btt",
        "its files of single latencies can be: btt -i TRACE -q NAME (queue to completion) or \
         -l NAME (device)",
    ),
    mark(&["le=\"", "_bucket{"], "a page of Prometheus metrics", "metrics pages are not read yet"),
    mark(&["# TYPE ", "# HELP "], "a page of Prometheus metrics", "metrics pages are not read yet"),
    mark(&["\"resultType\""], "an answer of the Prometheus API", "metrics are not read yet"),
    mark(&["request=", "time=", "<<<"], "output of ioping", "probe:PATH measures the same"),
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
    mark(
        &["histogram_usec"],
        "LATENCY HISTOGRAM of Redis",
        "stress redis://HOST measures a server",
    ),
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
        "samples tell no durations",
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
    mark(&["nvme amzn stats"], "latency statistics of nvme", "use disk: instead"),
    mark(&["asvc_t", "density distribution"], "iostat of Solaris", "use DTrace's quantize instead"),
    mark(&["_latency.<", "us:"], "a latency histogram of ONTAP", "its counts have no bounds below"),
    mark(&["Latency Distribution", "Requests/sec"], "a report of wrk", PERCENTILES),
    mark(&["Thread Stats", "Requests/sec"], "a report of wrk", AVERAGES),
    mark(
        &["Response time histogram:", "Requests/sec"],
        "a report of hey",
        "its single latencies can be: hey -o csv",
    ),
    mark(&["\"resourceMetrics\""], "OpenTelemetry metrics", "metrics are not read yet"),
];

/// The format of a text, if words in it tell.
pub(super) fn recognise(text: &str) -> Option<Foreign> {
    let special = [postgres, slow_log, strace, perf_trace, blkparse, diskstats];
    special.into_iter().find_map(|of| of(text)).or_else(|| {
        let has = |mark: &&Mark| mark.words.iter().all(|word| text.contains(word));
        let known = MARKS.iter().find(has)?;
        Some(Foreign { name: known.name, way: Way::NotYet(known.instead) })
    })
}

/// A server log of `PostgreSQL`, plain or as CSV.
fn postgres(text: &str) -> Option<Foreign> {
    let is_entry = |line: &str| {
        let date = line.as_bytes();
        let dated = date.len() > 30 && date[4] == b'-' && date[10] == b' ' && date[13] == b':';
        dated && (line.contains(" LOG:  ") || line.contains(",LOG,00000,"))
    };
    let first = text.lines().find(|line| is_entry(line))?;
    if !text.contains("duration: ") {
        let way = Way::NotYet("it tells no durations here: set log_min_duration_statement");
        return Some(Foreign { name: "a log of PostgreSQL", way });
    }
    let utc = first.get(19..).is_some_and(|rest| rest.contains(" UTC"));
    let (time, remark) = if utc {
        (r#"^([0-9-]+) ([0-9:.]+) UTC.*(LOG:  |,")duration: ([0-9.]+) ms.*/\1T\2Z \4"#, "")
    } else {
        (
            r#"^([0-9-]+) ([0-9:.]+) .*(LOG:  |,")duration: ([0-9.]+) ms.*/\1T\2 \4"#,
            "its times are those of the server: say --zone",
        )
    };
    let command = format!("sed -nE '/ ms  plan:/d; s/{time}/p' FILE");
    let way = Way::Filter { command, names: "end,latency_ms", remark };
    Some(Foreign { name: "a log of PostgreSQL", way })
}

/// The slow query log of `MySQL` or `MariaDB`.
fn slow_log(text: &str) -> Option<Foreign> {
    /// Makes one form of both: `MariaDB` writes `261121  5:13:44` and only when the second changes.
    const TIME: &str = "/^# Time:/ {t = $3; if ($4) {h = $4; if (length(h) < 8) h = \"0\" h; \
        t = \"20\" substr(t, 1, 2) \"-\" substr(t, 3, 2) \"-\" substr(t, 5, 2) \"T\" h}}";
    if !text.contains("# Query_time: ") || !text.contains("# User@Host:") {
        return None;
    }
    let command = format!("awk '{TIME} /^# Query_time:/ {{print t, $3}}' FILE");
    let remark = "times without a zone are those of the server: say --zone";
    let way = Way::Filter { command, names: "end,latency_s", remark };
    Some(Foreign { name: "a slow query log of MySQL or MariaDB", way })
}

/// System calls with their durations.
fn strace(text: &str) -> Option<Foreign> {
    /// A complete line has the time of the call, one that was resumed that of its return.
    const CALLS: &str = "awk 'match($0, /<[0-9.]+>$/) {l = substr($0, RSTART + 1, RLENGTH - 2); \
        r = /<[.][.][.] [a-z0-9_]+ resumed>/; match($0, /[a-z_][a-z0-9_]*([(]| resumed>)/); \
        c = substr($0, RSTART, RLENGTH); sub(/[(]| resumed>/, \"\", c); \
        for (i = 1; i < 4; i++) if ($i ~ /^[0-9]+[.][0-9]+$/) \
        {printf \"%.6f %s %s\\n\", r ? $i : $i + l, l, c; break}}' FILE";
    let is_call = |line: &str| {
        let seconds = line.strip_suffix('>').and_then(|line| line.rsplit_once('<'));
        let timed = seconds.is_some_and(|(_, text)| {
            text.contains('.') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        });
        timed && (line.contains(") = ") || line.contains(" resumed>"))
    };
    let calls: Vec<&str> = text.lines().filter(|line| is_call(line.trim_end())).take(20).collect();
    if calls.len() < 2 {
        return None;
    }
    let since_1970 = |line: &&str| {
        line.split_ascii_whitespace().take(3).any(|word| {
            word.split_once('.').is_some_and(|(second, part)| {
                second.len() == 10 && second.parse::<u64>().is_ok() && part.parse::<u64>().is_ok()
            })
        })
    };
    let both = |line: &&str| line.contains(" (+ ");
    let way = if calls.iter().all(since_1970) && !calls.iter().any(both) {
        Way::Filter { command: CALLS.into(), names: "end_s,latency_s,call", remark: "" }
    } else {
        Way::NotYet("its lines have no full time: run strace -ttt -T")
    };
    Some(Foreign { name: "output of strace -T", way })
}

/// `0.047 ( 1.835 ms): fio/16796 pread64(...) = 8192`.
fn perf_trace(text: &str) -> Option<Foreign> {
    let is_call = |line: &str| {
        let parts = line.trim_start().split_once(" (").and_then(|(at, rest)| {
            rest.split_once("): ").map(|(took, _)| (at, took.trim().trim_end_matches(" ms")))
        });
        parts.is_some_and(|(at, took)| {
            at.parse::<f64>().is_ok() && (took.is_empty() || took.parse::<f64>().is_ok())
        })
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(20);
    let (calls, others): (Vec<&str>, Vec<&str>) = lines.partition(|line| is_call(line));
    let way = Way::NotYet("use strace -ttt -T instead");
    let known = calls.len() > others.len() && calls.iter().any(|line| line.contains(" ms): "));
    known.then_some(Foreign { name: "output of perf trace", way })
}

/// `7,0 1 0 0.000000000 28250 Q RS 430848 + 16 [fio]`, also as the kernel prints it itself.
fn blkparse(text: &str) -> Option<Foreign> {
    const ACTIONS: &str = "QGPUDCXRMFIATSB";
    let device = |word: &str| {
        word.split_once(',').is_some_and(|(major, minor)| {
            major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok()
        })
    };
    let is_event = |line: &str| {
        let words: Vec<&str> = line.split_ascii_whitespace().take(9).collect();
        let action = words.iter().any(|word| word.len() == 1 && ACTIONS.contains(word));
        words.iter().take(6).any(|word| device(word)) && action && line.contains('.')
    };
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(10);
    if !lines().all(is_event) || lines().next().is_none() {
        return None;
    }
    let way = Way::NotYet(
        "queue and completion have to be paired: btt -i TRACE -q NAME (queue to completion) or -l \
         NAME (device) writes files of 'time latency' in seconds, which can be read",
    );
    Some(Foreign { name: "a block trace (blkparse)", way })
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
