//! Texts as people have them, each with what is true of it: counted by hand, not by a decoder.

#![allow(clippy::unwrap_used, reason = "a test that cannot write its files must fail")]

use isotherm_formats::{Bytes, Columns, Context, Message, Note, Only, SOURCES, Sink, decode_bytes};
use isotherm_frame::{Account, Assembler, BinnerLimits, Event, Frame, Nanos, Unit};

/// What an input becomes.
struct Outcome {
    frames: Vec<Frame>,
    account: Account,
    error: Option<String>,
    assembler: Assembler,
    marks: Vec<String>,
}

impl Sink for Outcome {
    fn take(&mut self, message: Message) {
        if let Message::Note(Note::Mark(mark)) = &message {
            self.marks.push(mark.text.clone());
        }
        let Some(reading) = message.into_reading(&mut self.account) else { return };
        let frames = &mut self.frames;
        self.assembler.push(reading, &mut |output| {
            if let Event::Frame(frame) = output {
                frames.push(frame);
            }
        });
    }
}

impl Outcome {
    fn events(&self) -> u64 {
        self.frames.iter().map(|frame| frame.counts.events()).sum()
    }

    /// The time of all events, where it is known.
    fn ns(&self) -> u64 {
        let known = |frame: &Frame| {
            let ns = frame.counts.sum().or(frame.counts.partly_known_sum());
            ns.map_or(0, Nanos::as_nanos)
        };
        self.frames.iter().map(known).sum()
    }

    /// The bounds of all buckets with counts, in nanoseconds.
    fn range(&self) -> (u64, u64) {
        let buckets = self.frames.iter().flat_map(|frame| frame.counts.non_zero());
        let bounds =
            buckets.map(|(bucket, _)| (bucket.lo.as_nanos(), bucket.hi.map_or(0, Nanos::as_nanos)));
        bounds.fold((u64::MAX, 0), |(lo, hi), next| (lo.min(next.0), hi.max(next.1)))
    }

    /// From the first second to the last with any counts.
    fn seconds(&self) -> (i64, i64) {
        let filled = || self.frames.iter().filter(|frame| !frame.counts.is_empty());
        let second = 1_000_000_000;
        let start = filled().map(|frame| frame.start.as_nanos().div_euclid(second)).min();
        let end = filled().map(|frame| frame.end.as_nanos().div_euclid(second)).max();
        (start.unwrap_or(0), end.unwrap_or(0))
    }

    fn series(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.frames.iter().map(|frame| frame.series.to_string()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn says(&self, words: &str) -> bool {
        self.account.notices.iter().any(|said| said.contains(words))
            || self.error.as_ref().is_some_and(|error| error.contains(words))
            || self.account.rejections.iter().any(|rejection| rejection.reason.contains(words))
    }
}

fn read_with(text: &str, context: &Context, source: Option<&str>) -> Outcome {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (frames, account) = (Vec::new(), Account::default());
    let mut outcome = Outcome { frames, account, error: None, assembler, marks: Vec::new() };
    let source =
        source.map(|name| *SOURCES.iter().find(|source| source.meta().name == name).unwrap());
    let read = Bytes::file(file.path())
        .and_then(|bytes| decode_bytes(bytes, context, source, &mut outcome));
    outcome.error = read.err().map(|error| error.to_string());
    let Outcome { frames, assembler, .. } = &mut outcome;
    assembler.finish(&mut |output| {
        if let Event::Frame(frame) = output {
            frames.push(frame);
        }
    });
    outcome
}

fn read(text: &str) -> Outcome {
    read_with(text, &Context::default(), None)
}

fn dtrace(above: &str, title: &str) -> String {
    format!(
        "{above}\n  {title}\n           value  ------------- Distribution ------------- count    \n\
         \u{20}             16 |                                         0        \n\
         \u{20}             32 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 8        \n\
         \u{20}             64 |                                         0        \n\n"
    )
}

fn systemtap(above: &str, statistics: &str) -> String {
    format!(
        "{above}\n{statistics}value |-------------------------------------------------- count\n\
         \u{20}  16 |                                                    0\n\
         \u{20}  32 |@@@@@@@@                                            8\n\
         \u{20}  64 |                                                    0\n\n"
    )
}

#[test]
fn a_unit_in_prose_is_no_unit_of_the_values() {
    for (text, ns) in [
        (dtrace("Tracing, one summary every 10 seconds\n", "pread"), 32),
        (dtrace("Sampling at 997 Hz for 30 secs, then a report\n", "pread"), 32),
        (dtrace("dtrace -n 'tick-100ms'\n", "pread us-east"), 32),
        (systemtap("Tracing for 5 seconds ...\n\n=== accept ===", ""), 32_000),
        (systemtap("1000 ms between prints\n\naccept", ""), 32_000),
        // In the place of a unit it is one, whatever the words before it say.
        (dtrace("one summary every 10 seconds\n", "reads of 5 ms and more (us)"), 32_000),
        (systemtap("waits over 5 seconds (ms)", ""), 32_000_000),
        (dtrace("", "wait_usecs"), 32_000),
    ] {
        let outcome = read(&text);
        assert_eq!((outcome.events(), outcome.range()), (8, (ns, 2 * ns)), "{text}");
    }
    for title in ["write (bytes)", "io size", "queue depth"] {
        let outcome = read(&dtrace("", title));
        assert_eq!((outcome.events(), outcome.account.rejected_events), (0, 8), "{title}");
        assert!(outcome.says("sizes"), "{title}");
    }
}

#[test]
fn statistics_between_a_title_and_its_histogram_are_no_name() {
    let print = |statistics: &str| systemtap("accept wait (us)", statistics);
    let text = print("min/avg/max: 33/41/60\n") + &print("min/avg/max: 34/40/59\n");
    let outcome = read(&text);
    // A greatest value that falls is none of totals.
    assert_eq!((outcome.series(), outcome.events()), (vec!["accept wait".to_owned()], 16));
    let outcome = read(&(print("avg=41us max=60us\n") + &print("avg=41us max=60us\n")));
    assert_eq!(outcome.series(), ["accept wait"]);
}

#[test]
fn what_cannot_be_true_is_rejected_with_its_line() {
    let slow = |time: &str| {
        format!(
            "# Time: 2026-03-01T10:00:00.000000Z\n# User@Host: u[u] @ localhost []  Id:     3\n\
             # Query_time: {time}  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1\n\
             SET timestamp=1772359200;\nselect 1;\n"
        )
    };
    let outcome = read(&(slow("0.250000") + &slow("9223372035.000000")));
    assert_eq!(
        (outcome.events(), outcome.ns(), outcome.account.rejected_events),
        (1, 250_000_000, 1)
    );
    assert_eq!(outcome.account.rejections[0].place.line, 8);
    let outcome = read(
        "1772359200.100000 read(3, \"x\", 1) = 1 <0.000100>\n\
                        1772359200.200000 read(3, \"x\", 1) = 1 <4294967295.000000>\n",
    );
    assert_eq!((outcome.events(), outcome.account.rejected), (1, 1));
    assert_eq!(outcome.account.rejections[0].place.line, 2);
    // 2^60 ns are 36 years.
    let bpftrace = "Attaching 1 probe...\n\n@ns: \n[32, 64)   5 |@@@@@|\n[1152921504606846976, 2305843009213693952)   2 |@@|\n";
    let outcome = read(bpftrace);
    assert_eq!((outcome.events(), outcome.account.rejected_events), (5, 2));
    let counts = bpftrace
        .replace("   2 |@@|", " 9223372036854775807 |@@|")
        .replace("[1152921504606846976, 2305843009213693952)", "[64, 128)");
    let outcome = read(&counts);
    assert_eq!(outcome.events(), 0);
    assert_eq!((outcome.account.rejected, outcome.account.records), (1, 0));
}

#[test]
fn days_of_sar_appended_to_a_file_are_dated_once() {
    let day = |date: &str, times: [&str; 3]| {
        let [begin, one, two] = times;
        format!(
            "Linux 6.1.0 (h) \t{date} \t_x86_64_\t(4 CPU)\n\n\
             {begin}          DEV       tps     await     %util\n\
             {one}          sda     10.00      2.00      1.00\n\
             {two}          sda     10.00      2.00      1.00\n\
             Average:          sda     10.00      2.00      1.00\n\n"
        )
    };
    let text = day("2026-03-01", ["23:30:01", "23:40:01", "23:50:01"])
        + &day("2026-03-02", ["00:00:01", "00:10:01", "00:20:01"])
        + &day("2026-03-03", ["00:00:01", "00:10:01", "00:20:01"]);
    let outcome = read(&text);
    // 2026-03-01 is day 20,513 after 1970-01-01; 6 intervals of 600 s with 10 operations a second.
    let midnight = 20_513 * 86_400;
    let (start, end) = (midnight + 23 * 3_600 + 30 * 60 + 1, midnight + 2 * 86_400 + 20 * 60 + 1);
    assert_eq!((outcome.seconds(), outcome.events()), ((start, end), 6 * 6_000));
}

#[test]
fn averages_and_restarts_in_the_output_of_sar_are_no_rows() {
    let text = "Linux 6.1.0 (h) \t2026-03-01 \t_x86_64_\t(4 CPU)\n\n\
        23:30:01          DEV       tps     await     %util\n23:40:01          sda     10.00      2.00      1.00\n\n\
        23:45:00     LINUX RESTART\t(4 CPU)\n\n23:50:01          DEV       tps     await     %util\n\
        23:55:01          sda     10.00      2.00      1.00\n\n\
        Average:          DEV       tps     await     %util\nAverage:          sda     10.00      2.00      1.00\n";
    let outcome = read(text);
    let found = (outcome.events(), outcome.account.rejected, outcome.error.clone());
    assert_eq!(found, (6_000 + 3_000, 0, None));
    assert!(!outcome.says("left out"), "{:?}", outcome.account);
    // As `grep -v DEV` leaves it: nothing says when the report after the restart began.
    let lines = text.split_inclusive('\n').enumerate();
    let bare = lines.filter(|(number, line)| *number < 3 || !line.contains("DEV"));
    let bare: String = bare.map(|(_, line)| line).collect();
    let later = "00:00:01          sda     10.00      2.00      1.00\n\nAverage:";
    let outcome = read(&bare.replacen("\nAverage:", later, 1));
    assert_eq!((outcome.events(), outcome.account.rejected), (6_000 + 3_000, 0));
    assert!(outcome.says("after a restart is left out"), "{:?}", outcome.account);
}

fn fio(start_s: u64, bins: &str, events: u64, mean: f64) -> String {
    let (start, end) = (start_s * 1_000, start_s * 1_000 + 1_165);
    format!(
        "{{\n \"fio version\": \"fio-3.37\",\n \"timestamp\": {},\n \"timestamp_ms\": {end},\n \"time\": \"x\",\n \
         \"jobs\": [\n  {{\"jobname\": \"t\", \"groupid\": 0, \"job_start\": {start}, \"error\": 0, \"elapsed\": 2, \
         \"read\": {{\"runtime\": 1000, \"total_ios\": {events}, \"lat_ns\": {{\"min\": 1, \"max\": 2, \"mean\": {mean:.6}, \
         \"stddev\": 0.0, \"N\": {events}, \"bins\": {{{bins}}}}}}}}}\n ]\n}}\n",
        end / 1_000
    )
}

#[test]
fn runs_of_fio_in_one_file_are_each_counted_from_their_start() {
    let one = fio(1_772_359_200, "\"12352\": 3, \"20096\": 2", 5, 15_449.6);
    let two = fio(1_772_359_260, "\"10048\": 4", 4, 10_048.0);
    let three = fio(1_772_359_320, "\"10048\": 1", 1, 10_048.0);
    let outcome = read(&format!("{one}{two}"));
    assert_eq!((outcome.events(), outcome.ns()), (9, 77_248 + 40_192));
    assert_eq!(read(&format!("{one}{two}{three}")).events(), 10);
    // A later total of the same run.
    let later =
        one.replace("1772359201165", "1772359211165").replace("\"20096\": 2", "\"20096\": 4");
    let later = later.replace("\"N\": 5", "\"N\": 7");
    assert_eq!(read(&format!("{one}{later}")).events(), 7);
    let outcome = read(&one.replace("12352", "12288"));
    assert!(outcome.says("none of them could be read"), "{:?}", outcome.error);
}

#[test]
fn an_interval_log_may_have_ends_in_place_of_lengths() {
    const PAYLOAD: &str = "HISTFAAAACN4nJNpmSzMwMDAzAABMJoRyHQz2LGAwf4DROA8vwgAXiUFQA==";
    let rows = |rows: &[(f64, f64)]| {
        let row = |(start, second): &(f64, f64)| format!("{start:.3},{second:.3},0.001,{PAYLOAD}");
        rows.iter().map(row).collect::<Vec<_>>().join("\n") + "\n"
    };
    let context = Context { unit: Some(Unit::Nanos), ..Context::default() };
    let read = |text: &str| read_with(text, &context, None);
    let head = "#[StartTime: 1772359200.000 (seconds since epoch)]\n";
    // Ten events in each payload.
    for (text, seconds) in [
        (rows(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), 3),
        (rows(&[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), 3),
        (rows(&[(10.0, 15.0), (15.0, 20.0)]), 10),
    ] {
        let outcome = read(&format!("{head}{text}"));
        let (start, end) = outcome.seconds();
        assert_eq!((end - start, outcome.account.rejected), (seconds, 0), "{text}");
        assert_eq!(outcome.events(), 10 * outcome.account.records, "{text}");
    }
    let ends = read(&format!("{head}{}", rows(&[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)])));
    assert!(ends.says("the end of each interval"));
    let overlap = read(&format!("{head}{}", rows(&[(0.0, 5.0), (1.0, 5.0), (2.0, 5.0)])));
    assert!(overlap.says("overlap"));
    let bare = read_with(&rows(&[(0.0, 1.0), (1.0, 1.0)]), &context, None);
    assert_eq!((bare.events(), bare.error), (20, None));
}

#[test]
fn a_view_polled_with_a_time_in_each_row_is_a_series_of_totals() {
    for head in ["now", "clock_timestamp", "captured_at"] {
        let text = format!(
            "{head},userid,dbid,queryid,query,calls,total_exec_time\n\
             2026-03-01 10:00:00+00,10,5,77,select a from t,1000,5000\n\
             2026-03-01 10:00:10+00,10,5,77,select a from t,1100,5600\n\
             2026-03-01 10:00:20+00,10,5,77,select a from t,1150,5900\n"
        );
        let outcome = read(&text);
        let found = (outcome.events(), outcome.ns(), outcome.seconds());
        // 2026-03-01 10:00:00 UTC is 1,772,359,200.
        assert_eq!(found, (150, 900_000_000, (1_772_359_200, 1_772_359_220)), "{head}");
    }
}

#[test]
fn times_of_old_slow_logs_are_local() {
    let text = "/usr/sbin/mysqld, Version: 5.0.96. started with:\nTcp port: 3306  Unix socket: mysql.sock\n\
        Time                 Id Command    Argument\n# Time: 260301 10:00:02\n\
        # User@Host: u[u] @ localhost []\n# Query_time: 2  Lock_time: 0  Rows_sent: 1  Rows_examined: 0\n\
        use shop;\nselect sleep(2);\n# Time: 260301  9:01:05\n# User@Host: u[u] @ localhost []\n\
        # Query_time: 5  Lock_time: 1  Rows_sent: 1  Rows_examined: 900\nselect count(*) from orders;\n";
    let zone = jiff::tz::TimeZone::get("Europe/Zurich").unwrap();
    for (zone, offset) in [(None, 0), (Some(zone), 3_600)] {
        let context = Context { zone, ..Context::default() };
        let outcome = read_with(text, &context, None);
        assert_eq!(
            (outcome.events(), outcome.ns(), outcome.account.rejected),
            (2, 7_000_000_000, 0)
        );
        // 09:01:05 and 10:00:02, in intervals of a second.
        let (start, end) = outcome.seconds();
        assert_eq!((start, end), (1_772_359_200 - 3_600 + 65 - offset, 1_772_359_200 + 3 - offset));
    }
}

#[test]
fn postgresql_through_syslog_is_read() {
    let entry = |stamp: &str, number: u64| {
        format!(
            "{stamp} db1 postgres[90]: [{number}-1] user=a,db=b LOG:  duration: 12.000 ms  statement: select 1\n\
             {stamp} db1 postgres[90]: [{number}-2] #011from t{number}\n"
        )
    };
    for stamps in [
        ["2026-03-01T10:00:00.123456+00:00", "2026-03-01T10:00:01.123456+00:00"],
        ["2026-03-01T12:00:00+02:00", "2026-03-01T12:00:01+02:00"],
        ["Mar  1 10:00:00", "Mar  1 10:00:01"],
        ["<134>Mar  1 10:00:00", "<134>Mar  1 10:00:01"],
    ] {
        let outcome = read(&(entry(stamps[0], 7) + &entry(stamps[1], 8)));
        let found =
            (outcome.events(), outcome.ns(), outcome.account.rejected, outcome.error.clone());
        assert_eq!(found, (2, 24_000_000, 0, None), "{stamps:?}");
        let (start, end) = outcome.seconds();
        assert!((1..=3).contains(&(end - start)), "{stamps:?}");
    }
}

/// What a server of version 15 logged, and the same entries as CSV and JSON.
fn server_log(form: &str) -> String {
    const VACUUM: &str = "automatic vacuum of table \"shop.public.t\": index scans: 0\n\
        \tpages: 0 removed, 345 remain, 345 scanned (100.00% of total)\n\
        \tsystem usage: CPU: user: 0.01 s, system: 0.00 s, elapsed: 0.02 s";
    const ANALYZE: &str = "automatic analyze of table \"shop.public.t\"\n\
        \tsystem usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 0.00 s";
    const ENTRIES: [(u8, &str); 9] = [
        (1, "checkpoint starting: time"),
        (1, "temporary file: path \"base/pgsql_tmp/pgsql_tmp2082.0\", size 280000"),
        (2, "process 2091 still waiting for ShareLock on transaction 726 after 101.894 ms"),
        (2, "process 2091 acquired ShareLock on transaction 726 after 245.692 ms"),
        (2, "duration: 250.500 ms  statement: update t set b='z' where a=1"),
        (3, VACUUM),
        (3, ANALYZE),
        (
            4,
            "process 2190 detected deadlock while waiting for ShareLock on transaction 752 after 100.308 ms",
        ),
        (
            5,
            "checkpoint complete: wrote 442 buffers (21.6%); 0 WAL file(s) added, 0 removed, 0 recycled; \
            write=4.018 s, sync=0.116 s, total=4.150 s; sync files=37, longest=0.006 s, average=0.004 s; \
            distance=4573 kB, estimate=4573 kB",
        ),
    ];
    let entry = |(second, message): (u8, &str)| {
        let at = format!("2026-11-28 21:07:0{second}.257 UTC");
        match form {
            "text" => format!("{at} [2091] app@shop LOG:  {message}\n"),
            "csv" => {
                let message = message.replace('"', "\"\"");
                format!(
                    "{at},\"app\",\"shop\",2091,\"[local]\",6929.82b,1,\"\",{at},3/4,0,LOG,00000,\"{message}\",,,,,,,,,\"psql\",\"client backend\",,0\n"
                )
            }
            _ => {
                let message = serde_json::to_string(message).unwrap();
                format!(
                    "{{\"timestamp\":\"{at}\",\"user\":\"app\",\"dbname\":\"shop\",\"pid\":2091,\"error_severity\":\"LOG\",\"message\":{message}}}\n"
                )
            }
        }
    };
    ENTRIES.map(entry).concat()
}

#[test]
fn the_work_of_a_postgresql_server_is_marked_and_counted_when_it_is_asked_for() {
    let asked = |step: &str| Context {
        only: vec![Only { attribute: "step".to_owned(), pattern: step.to_owned(), other: false }],
        ..Context::default()
    };
    for form in ["text", "csv", "json"] {
        let log = server_log(form);
        let outcome = read(&log);
        assert_eq!((outcome.events(), outcome.ns()), (1, 250_500_000), "{form}");
        assert_eq!((outcome.account.records, outcome.account.rejected), (1, 0), "{form}");
        let marks = [
            "temporary file of 274 kB",
            "waited 245.692 ms for ShareLock on transaction 726",
            "autovacuum shop.public.t: 0.02 s",
            "deadlock: waited 100.308 ms for ShareLock on transaction 752",
            "checkpoint: 4.150 s, wrote 442 buffers (21.6%)",
        ];
        assert_eq!(outcome.marks, marks, "{form}");
        let assumed = "also in the log: 1 checkpoint (4.15s), 2 waits for locks (346ms), 2 runs of autovacuum \
            (≈30ms), 1 temporary file (274 kB); the longest are marks; --where step=checkpoint or --where step=lock or \
            --where step=autovacuum shows how long they took";
        assert!(
            outcome.account.assumptions.iter().any(|said| said == assumed),
            "{:?}",
            outcome.account.assumptions
        );
        for (step, events, ns) in [
            ("checkpoint", 1, 4_150_000_000),
            ("lock", 2, 346_000_000),
            // 0.02 and 0.00 s are cut off after hundredths: 20 to 30 ms and 0 to 10 ms.
            ("autovacuum", 2, 30_000_000),
        ] {
            let outcome = read_with(&log, &asked(step), None);
            assert_eq!((outcome.events(), outcome.ns()), (events, ns), "{form} {step}");
        }
    }
    let without = server_log("text").replace("duration:", "took:");
    let outcome = read(&without);
    assert!(outcome.says("It has 1 checkpoint (4.15s), 2 waits for locks"), "{:?}", outcome.error);
}

#[test]
fn answers_of_redis_in_its_third_protocol_are_read() {
    let text = "1# \"get\" =>\n   1# \"calls\" => (integer) 400\n   2# \"histogram_usec\" =>\n\
        \u{20}     1# (integer) 1 => (integer) 300\n      2# (integer) 2 => (integer) 390\n\
        \u{20}     3# (integer) 4 => (integer) 400\n2# \"set\" =>\n   1# \"calls\" => (integer) 5\n\
        \u{20}  2# \"histogram_usec\" => 1# (integer) 8 => (integer) 5\n";
    assert_eq!(read(&text[..text.find("2# \"set\"").unwrap()]).events(), 400);
}

#[test]
fn observations_below_zero_are_in_no_bucket() {
    let page = |bounds: &str| {
        format!(
            "# TYPE offset_seconds histogram\n{bounds}offset_seconds_bucket{{le=\"0.001\"}} 9\n\
             offset_seconds_bucket{{le=\"+Inf\"}} 10\noffset_seconds_sum 0.002\noffset_seconds_count 10\n"
        )
    };
    for bounds in [
        "offset_seconds_bucket{le=\"-0.001\"} 4\n",
        "offset_seconds_bucket{le=\"-1\"} 1\noffset_seconds_bucket{le=\"-0.001\"} 4\n",
        "offset_seconds_bucket{le=\"-0.001\"} 4\noffset_seconds_bucket{le=\"0\"} 4\n",
    ] {
        let outcome = read(&page(bounds));
        assert_eq!((outcome.events(), outcome.account.rejected_events), (6, 4), "{bounds}");
    }
    assert_eq!(read(&page("")).events(), 10);
}

#[test]
fn cells_of_tables_are_read_as_people_write_them() {
    for (text, events, ns) in [
        (
            "ts,duration\n2026-03-01T10:00:00Z,1ms\n2026-03-01T10:00:01Z,2ms\n2026-03-01T10:00:02Z,900us\n",
            3,
            3_900_000,
        ),
        (
            "ts,duration\n2026-03-01T10:00:00Z,1m2.5s\n2026-03-01T10:00:01Z,PT0.5S\n",
            2,
            63_000_000_000,
        ),
        (
            "ts;duration\n2026-03-01T10:00:00Z;00:00:01.234\n2026-03-01T10:00:01Z;00:00:00.766\n",
            2,
            2_000_000_000,
        ),
        ("time,latency_ms\n1772359200,5\n1772359201,\n1772359202,7\n", 2, 12_000_000),
        ("sep=;\ntime;latency_ms\n1772359200;5\n1772359201;6\n", 2, 11_000_000),
        (
            "ts,duration_ms,sql\n1772359200,5,\"select 1\nfrom t\"\n1772359201,6,\"select 2\nfrom t\"\n",
            2,
            11_000_000,
        ),
        ("1772359200.101 0.045\n1772359200.523 0.145\n1772359201.123 0.002\n", 3, 192_000_000),
        ("1772359200.101 1.045\n1772359200.523 0.145\n1772359201.123 0.002\n", 3, 1_192_000_000),
        (
            "{\"ts\":\"2026-03-01T10:00:00Z\",\"duration_s\":0.012}\n{\"ts\":\"2026-03-01T10:00:01Z\",\"duration_s\":0.015}\n",
            2,
            27_000_000,
        ),
    ] {
        let outcome = read(text);
        assert_eq!((outcome.events(), outcome.ns()), (events, ns), "{text}: {:?}", outcome.error);
    }
    // 2026-03-13 10:00:00 is 1,773,396,000.
    for (first, second) in [
        ("03/13/2026 10:00:00", "03/13/2026 10:00:01"),
        ("13/03/2026 10:00:00", "13/03/2026 10:00:01"),
        ("13.03.2026 10:00:00", "13.03.2026 10:00:01"),
        ("2026-03-13 10:00:00 AM", "2026-03-13 10:00:01 AM"),
        ("3/13/2026 10:00:00 AM", "3/13/2026 10:00:01 AM"),
    ] {
        let outcome = read(&format!("time;latency_us\n{first};1'000\n{second};2'000\n"));
        let found = (outcome.events(), outcome.ns(), outcome.seconds());
        assert_eq!(
            found,
            (2, 3_000_000, (1_773_396_000, 1_773_396_001)),
            "{first}: {:?}",
            outcome.error
        );
    }
    // Which is the day is seen two lines later, or not at all.
    let later = read("time,latency_us\n03/05/2026 10:00:00,5\n03/13/2026 10:00:00,6\n");
    let days = (later.seconds().1 - later.seconds().0) / 86_400;
    assert_eq!((later.events(), days), (2, 8));
    let unclear = read_with(
        "time,latency_us\n03/05/2026 10:00:00,5\n03/06/2026 10:00:00,6\n",
        &Context::default(),
        Some("columns"),
    );
    assert!(unclear.says("day and month"), "{:?}", unclear.error);
    // Two times of day without a head are no latency of ten hours.
    let outcome = read("2026-03-01 10:00:00 10:00:01\n2026-03-01 10:00:02 10:00:03\n");
    assert_eq!(outcome.events(), 0);
}

#[test]
fn a_line_without_a_time_does_not_hide_a_log() {
    let text = "2026-03-01 10:00:00 INFO request done in 10 ms\n2026-03-01 10:00:01 INFO request done in 11 ms\n\
        2026-03-01 10:00:02 INFO request done in 12 ms\nstopped in 3 ms\n";
    let outcome = read(text);
    assert_eq!((outcome.events(), outcome.ns()), (3, 33_000_000), "{:?}", outcome.error);
    assert_eq!(outcome.account.rejected, 1);
}

#[test]
fn ioping_before_its_first_version_is_read() {
    let text = "4.0 KiB from . (ext4 /dev/vda1): request=1 time=296 us\n\
        4.0 KiB from . (ext4 /dev/vda1): request=2 time=1.6 ms\n\n--- . (ext4 /dev/vda1) ioping statistics ---\n\
        2 requests completed in 1.0 s, 1.1 k iops, 4.1 MiB/s\nmin/avg/max/mdev = 296 us / 948 us / 1.6 ms / 652 us\n";
    let outcome = read(text);
    assert_eq!((outcome.events(), outcome.ns()), (2, 1_896_000), "{:?}", outcome.error);
}

#[test]
fn statistics_of_a_second_table_are_not_those_of_the_first() {
    let table = |values: &[(f64, u64)], mean: f64| {
        let rows: String = values
            .iter()
            .flat_map(|(value, count)| {
                [format!("{value:>12.3}     0.500000 {count:>12}         2.00"), "\n".to_owned()]
            })
            .collect();
        format!(
            "  Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n{rows}\
             #[Mean    = {mean:>12.3}, StdDeviation   =        1.000]\n#[Max     =        8.000, Total count    =          100]\n\
             #[Buckets =           27, SubBuckets     =         2048]\n----------\n"
        )
    };
    let text =
        table(&[(4.0, 50), (6.0, 90), (8.0, 100)], 4.4) + &table(&[(1.0, 50), (2.0, 100)], 1.1);
    let context = Context { unit: Some(Unit::Millis), ..Context::default() };
    let outcome = read_with(&text, &context, None);
    assert_eq!((outcome.events(), outcome.ns()), (100, 440_000_000));
    assert!(outcome.says("a second table") && !outcome.says("does not fit"));
}

#[test]
fn a_unit_that_is_no_time_is_named_and_stacks_are_sent_to_flame() {
    let text = "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"wait\",\"unit\":\"1\",\"histogram\":\
        {\"aggregationTemporality\":1,\"dataPoints\":[{\"startTimeUnixNano\":\"1772359200000000000\",\"timeUnixNano\":\
        \"1772359210000000000\",\"count\":\"2\",\"sum\":2,\"bucketCounts\":[\"1\",\"1\"],\"explicitBounds\":[1]}]}}]}]}]}\n";
    let context = Context { unit: Some(Unit::Seconds), ..Context::default() };
    let outcome = read_with(text, &context, None);
    assert!(outcome.says("its unit is '1'") && outcome.says("--unit does not override"));
    let counters = "\"(PDH-CSV 4.0) (W. Europe Standard Time)(-60)\",\"\\\\H\\PhysicalDisk(_Total)\\Avg. Disk sec/Read\"\n\
        \"03/01/2026 10:00:00.123\",\"0.000312\"\n\"03/01/2026 10:00:01.123\",\"0.000400\"\n";
    assert!(
        read(counters).says("read its averages with --columns 'latency_s="),
        "{:?}",
        read(counters).error
    );
    for text in [
        "dd 99 100.000001:   10101010 cpu-clock:\n\tffffffff8103d0ca copy_user ([kernel.kallsyms])\n\
         \t     7f72432b4e9a main (/usr/bin/dd)\n\n",
        "main;read 12\nmain;write 7\n",
    ] {
        assert!(read(text).says("isotherm flame"), "{text}");
    }
}

/// A slow log of 20 entries as redis-cli prints it on a terminal or, `raw`, into a pipe: one line for each
/// value.
fn slow_log(raw: bool) -> Vec<String> {
    let entry = |id: u64| {
        let (second, us) = (1_795_238_000 + id, 1_000 + id);
        if raw {
            return [id.to_string(), second.to_string(), us.to_string()]
                .into_iter()
                .chain(["get", "70000", "1795238000", "9", "127.0.0.1:5000"].map(str::to_owned))
                .collect::<Vec<_>>();
        }
        vec![
            format!("{:>2}) 1) (integer) {id}", 21 - id),
            format!("    2) (integer) {second}"),
            format!("    3) (integer) {us}"),
            "    4) 1) \"get\"".to_owned(),
            "       2) \"7\"".to_owned(),
            "    5) \"127.0.0.1:5000\"".to_owned(),
            "    6) \"\"".to_owned(),
        ]
    };
    (1..=20).rev().flat_map(entry).collect()
}

#[test]
fn an_odd_line_of_a_slow_log_costs_one_entry() {
    for raw in [true, false] {
        let good = slow_log(raw);
        let width = good.len() / 20;
        let text = |lines: &[String]| lines.join("\n") + "\n";
        let outcome = read(&text(&good));
        // Of the entries 1 to 20 each took 1,000 µs and its number.
        assert_eq!((outcome.events(), outcome.ns(), outcome.account.rejected), (20, 20_210_000, 0));
        for part in 0..3 {
            // The sixth entry has number 15; its line is known by its number or its second.
            let mut lines = good.clone();
            lines[5 * width + part] = if raw { "?" } else { "    2) \"?\"" }.to_owned();
            let outcome = read(&text(&lines));
            let found = (outcome.events(), outcome.ns(), outcome.account.rejected_events);
            assert_eq!(found, (19, 20_210_000 - 1_015_000, 1), "{raw} {part}");
            let near = 5 * width as u64 + 1..7 * width as u64 + 2;
            let line = outcome.account.rejections[0].place.line;
            assert!(near.contains(&line), "{raw} {part}: line {line}");
        }
        let mut lines = good.clone();
        lines[5 * width + 3] = "\"GET\"".to_owned();
        assert_eq!(read(&text(&lines)).events(), 20, "arguments may be anything");
        lines.insert(3 * width + 1, "(error) LOADING".to_owned());
        let outcome = read(&text(&lines));
        assert_eq!((outcome.events(), outcome.account.rejected_events), (19, 1), "{raw}");
        // The last entry of an answer is followed by none.
        let mut lines = good.clone();
        lines[19 * width + 2] = "x".to_owned();
        let outcome = read(&text(&lines));
        assert_eq!((outcome.events(), outcome.account.rejected_events), (19, 1), "{raw}");
        let outcome = read(&text(&[lines, good].concat()));
        assert_eq!((outcome.events(), outcome.account.rejected_events), (20, 1), "{raw}");
    }
}

#[test]
fn a_row_with_more_cells_than_its_head_is_rejected() {
    let rows = |odd: &str| {
        format!("time,latency_ms,op\n1795238000,1,r\n1795238001,2,r\n{odd}\n1795238003,4,r\n")
    };
    for odd in ["1795238002,1,234,r", "1795238002,1,234,r,", "1795238002,3,r,x"] {
        let outcome = read(&rows(odd));
        let found = (outcome.events(), outcome.ns(), outcome.account.rejected);
        assert_eq!(found, (3, 7_000_000, 1), "{odd}");
        let rejection = outcome.account.rejections[0].to_string();
        assert!(rejection.contains("line 4") && rejection.contains("column"), "{rejection}");
    }
    // In quotes the comma is one of thousands or of decimals, which nothing tells.
    let quoted = read(&rows("1795238002,\"1,234\",r"));
    assert_eq!((quoted.events(), quoted.ns(), quoted.account.rejected), (3, 7_000_000, 1));
    let first = read("time,latency_ms\n1795238000,1,234\n1795238001,2\n1795238002,3\n");
    assert_eq!((first.events(), first.ns(), first.account.rejected), (2, 5_000_000, 1));
    assert!(first.account.rejections[0].to_string().contains("where the head names 2"));
    // Every row ends with a separator, and its head does not.
    let trailing = read("time;latency_ms\n1795238000;1;\n1795238001;2;\n1795238002;3\n");
    assert_eq!((trailing.events(), trailing.ns(), trailing.account.rejected), (3, 6_000_000, 0));
}

#[test]
fn a_cell_without_a_value_costs_its_row() {
    for odd in ["-", "N/A", "", "null", "timeout", "\"\""] {
        for place in 0..3 {
            let mut rows =
                ["1795238000,1,7,a", "1795238001,2,8,a", "1795238002,3,9,b"].map(str::to_owned);
            rows[place] = rows[place].replacen(&format!(",{},", place + 1), &format!(",{odd},"), 1);
            let outcome = read(&format!("time,latency_ms,size,op\n{}\n", rows.join("\n")));
            let left = 6 - (place as u64 + 1);
            let found = (outcome.events(), outcome.ns(), outcome.account.rejected);
            assert_eq!(found, (2, left * 1_000_000, 1), "'{odd}' in row {place}");
        }
    }
    // Nor does it make words of a column of numbers.
    let text = "time,latency_ms,size\n1795238000,1,-\n1795238001,2,8\n1795238002,3,9\n";
    assert_eq!(read(text).series(), ["latency"]);
    // Without a head, too.
    let plain = |at: usize| {
        let mut rows: Vec<String> =
            (0..20).map(|row| format!("{} {}", 1_795_238_000 + row, 5)).collect();
        rows[at] = format!("{} -", 1_795_238_000 + at);
        read(&(rows.join("\n") + "\n"))
    };
    for at in [0, 1, 19] {
        let outcome = plain(at);
        assert_eq!((outcome.events(), outcome.account.rejected), (19, 1), "{at}");
    }
}

#[test]
fn a_number_at_which_the_input_ends_may_lack_digits() {
    let entry = |time: &str| {
        format!(
            "# Time: 2026-11-21T05:13:44.512345Z\n# User@Host: root[root] @ localhost []  Id:     8\n\
             # Query_time: {time}"
        )
    };
    let whole = entry("0.250000  Lock_time: 0.000139 Rows_sent: 1  Rows_examined: 44\nselect 1;\n");
    for cut in ["1", "12.3", "12.345678", "12.345678  "] {
        let outcome = read(&(whole.clone() + &entry(cut)));
        let found = (outcome.events(), outcome.ns(), outcome.account.rejected_events);
        assert_eq!(found, (1, 250_000_000, 1), "{cut}");
    }
    // What follows the number shows that all of it is there.
    let outcome = read(&(whole.clone() + &entry("12.345678  Lock_time: 0.00")));
    assert_eq!((outcome.events(), outcome.ns()), (2, 12_595_678_000));
    // Where all others have six decimals, fewer are not all.
    let row = |row: u32| format!("{},0.125000\n", 1_795_238_000 + row);
    let rows: String = (0..20).map(row).collect();
    for (end, events) in [("1795238020,0.12", 20), ("1795238020", 20), ("1795238020,0.125000", 21)]
    {
        let outcome = read(&format!("time,latency_s\n{rows}{end}"));
        let found = (outcome.events(), outcome.ns(), outcome.account.rejected);
        assert_eq!(found, (events, events * 125_000_000, 21 - events), "{end}");
    }
}

#[test]
fn lines_that_end_with_a_carriage_return_alone_are_lines() {
    let log = "2026-03-01 10:00:00.000 UTC [7] LOG:  duration: 5.000 ms  statement: select 1\n\
               2026-03-01 10:00:01.000 UTC [7] LOG:  duration: 6.000 ms  statement: select 2\n";
    let calls =
        "1795237745.000000 close(3) = 0 <0.000012>\n1795237745.100000 close(4) = 0 <0.000013>\n";
    let table = "time,latency_ms\n1795238000,1\n1795238001,2\n";
    for (text, ns) in [(log, 11_000_000), (calls, 25_000), (table, 3_000_000)] {
        for ends in ["\n", "\r\n", "\r"] {
            let outcome = read(&text.replace('\n', ends));
            assert_eq!((outcome.events(), outcome.ns()), (2, ns), "{ends:?} {text}");
            assert_eq!(outcome.says("carriage return"), ends == "\r", "{ends:?}");
        }
    }
}

#[test]
fn a_call_that_makes_a_process_is_read_once() {
    let text = "     0.000000 read(3, \"\", 8) = 0 <0.000010>\n\
                \u{20}    0.000100 vfork(strace: Process 25833 attached\n <unfinished ...>\n\
                [pid 25833]      0.002236 close(3) = 0 <0.000003>\n\
                [pid 25832]      0.000182 <... vfork resumed>) = 25833 <0.002437>\n";
    let outcome = read(text);
    let found = (outcome.events(), outcome.ns(), outcome.account.rejected);
    assert_eq!(found, (3, 2_450_000, 0));
    // The times are those since the line before: 0.1 + 2.236 + 0.182 ms from the first call to the last.
    let ends = outcome.frames.iter().map(|frame| frame.end).max().unwrap();
    let first = outcome.frames.iter().map(|frame| frame.start).min().unwrap();
    assert!(ends.since(first) >= Nanos::from_micros(2_518), "{first:?} {ends:?}");
}

/// `iostat -x -t -o JSON` of two intervals after the report of all time, or `sadf -j` of the same.
fn sysstat(stamps: [&str; 3], device: &str, values: &str) -> String {
    let report = |stamp: &str| {
        format!(
            "\t\t\t\t{{\n\t\t\t\t\t\"timestamp\": {stamp},\n\t\t\t\t\t\"avg-cpu\":  {{\"user\": 0.5, \"idle\": 99.5}},\n\
             \t\t\t\t\t\"disk\": [\n\t\t\t\t\t\t{{\"{device}\": \"vda\", {values}}},\n\
             \t\t\t\t\t\t{{\"{device}\": \"vda1\", {values}}}\n\t\t\t\t\t]\n\t\t\t\t}}"
        )
    };
    let reports = stamps.map(report).join(",\n");
    format!(
        "{{\"sysstat\": {{\n\t\"hosts\": [\n\t\t{{\n\t\t\t\"nodename\": \"vm{{\",\n\t\t\t\"date\": \"11/23/26\",\n\
         \t\t\t\"statistics\": [\n{reports}\n\t\t\t]\n\t\t}}\n\t]\n}}}}\n"
    )
}

#[test]
fn json_of_sysstat_is_read_as_its_text_is() {
    let values = "\"r/s\": 10.00, \"w/s\": 20.00, \"d/s\": 0.00, \"r_await\": 0.50, \"w_await\": 1.00, \
                  \"d_await\": 0.00, \"rareq-sz\": 4.00, \"util\": 1.00";
    let iostat = |stamps: [&str; 3]| read(&sysstat(stamps, "disk_device", values));
    for stamps in [
        [
            "\"2026-11-23T05:49:55+0000\"",
            "\"2026-11-23T05:49:56+0000\"",
            "\"2026-11-23T05:49:57+0000\"",
        ],
        ["\"11/23/26 05:49:55\"", "\"11/23/26 05:49:56\"", "\"11/23/26 05:49:57\""],
        [
            "\"11\\/23\\/2026 05:49:55 AM\"",
            "\"11\\/23\\/2026 05:49:56 AM\"",
            "\"11\\/23\\/2026 05:49:57 AM\"",
        ],
    ] {
        let outcome = iostat(stamps);
        // Two intervals of a second: 10 reads of 0.5 ms and 20 writes of 1 ms in each; the first report is
        // of all time, and the partition's requests are in those of its disk.
        assert_eq!(
            (outcome.events(), outcome.account.rejected),
            (60, 0),
            "{stamps:?} {:?}",
            outcome.error
        );
        let waited: f64 =
            outcome.frames.iter().map(|frame| frame.counts.latency_total().seconds).sum();
        assert!((waited - 0.05).abs() < 1e-9, "{waited}");
        // 2026-11-23 05:49:55 UTC.
        assert_eq!(outcome.seconds(), (1_795_412_995, 1_795_412_997));
    }
    let stamp = |minute: u32, zone: &str| {
        format!(
            "{{\"date\": \"2026-11-23\", \"time\": \"05:{minute}:00\", {zone}, \"interval\": 600}}"
        )
    };
    let values =
        "\"tps\": 1.50, \"rkB\": 8.00, \"areq-sz\": 4.00, \"await\": 2.00, \"util-percent\": 1.00";
    for zone in ["\"utc\": 1", "\"tz\": \"UTC\""] {
        let stamps = [20, 30, 40].map(|minute| stamp(minute, zone));
        let [one, two, three] = stamps.each_ref().map(String::as_str);
        let outcome = read(&sysstat([one, two, three], "disk-device", values));
        // sadf says how long each interval was: 3 times 600 s with 1.5 operations of 2 ms each second.
        assert_eq!((outcome.events(), outcome.account.rejected), (2_700, 0), "{:?}", outcome.error);
        assert_eq!(outcome.seconds(), (1_795_411_200 - 600, 1_795_411_200 + 1_200));
    }
}

#[test]
fn json_of_sysstat_that_is_cut_or_has_no_times_says_so() {
    let values = "\"r/s\": 10.00, \"r_await\": 0.50";
    let stamps = [
        "\"2026-11-23T05:49:55+0000\"",
        "\"2026-11-23T05:49:56+0000\"",
        "\"2026-11-23T05:49:57+0000\"",
    ];
    let text = sysstat(stamps, "disk_device", values);
    let cut = read(text.rsplit_once("\"r_await\": 0.50").unwrap().0);
    assert_eq!((cut.events(), cut.account.rejected), (20, 1));
    assert!(cut.account.rejections[0].to_string().contains("ends within a device"));
    let undated =
        text.lines().filter(|line| !line.contains("timestamp")).collect::<Vec<_>>().join("\n");
    assert!(read(&undated).says("-x -t"), "{:?}", read(&undated).error);
    let odd = text.replacen("\"r/s\": 10.00", "\"r/s\": \"many\"", 3);
    assert!(read(&odd).account.rejections[0].to_string().contains("not a number"));
    let none = read(&text.replace("disk_device", "cpu"));
    assert!(none.says("no block device"), "{:?}", none.error);
}

#[test]
fn closing_words_say_what_was_seen() {
    let entry =
        |prefix: &str, ms: &str| format!("{prefix}LOG:  duration: {ms} ms  statement: select 1\n");
    let untimed = "starting up\n".to_owned() + &entry("", "5.123").repeat(3);
    let outcome = read(&untimed);
    let words =
        "3 messages have a duration, and none has a time that could be read (first: line 2)";
    assert!(outcome.says(words), "{:?}", outcome.error);
    let dated = entry("2026-03-01 10:00:00.123 UTC [7] ", "5,123");
    let outcome = read(&dated);
    let words = "1 message has a duration, and none is a number that could be read (first: line 1)";
    assert!(outcome.says(words), "{:?}", outcome.error);
    let outcome = read(&"INFO request done path=/a duration_ms=12\n".repeat(5));
    assert_eq!(outcome.events(), 0);
    let logs = read_with(
        &"INFO request done path=/a duration_ms=12\n".repeat(5),
        &Context::default(),
        Some("logs"),
    );
    assert!(logs.says("none of its first 5 lines with a latency has a time"), "{:?}", logs.error);
}

#[test]
fn tables_of_the_history_of_awr_are_no_columns() {
    let heads = "end,seconds,dbid,instance,snap_id";
    let row = "2026-03-01T10:00:00Z,3600,1,1,7";
    for (names, values) in [
        (
            "sql_id,module,elapsed_us,cpu_us,io_wait_us,executions,buffer_gets,disk_reads,rows",
            "abc,app,3600000000,1,2,3,4,5,6",
        ),
        ("wait_class,waits,time_us,foreground_waits,foreground_time_us", "User I/O,1,2,3,4"),
        ("statistic,time_us", "DB time,5"),
        ("metric,unit,minimum,average,maximum,standard_deviation", "x,y,1,2,3,4"),
    ] {
        let text = format!("{heads},{names}\n{}", format!("{row},{values}\n").repeat(20));
        let outcome = read(&text);
        assert_eq!(outcome.events(), 0, "{names}");
        assert!(outcome.says("awr report"), "{names}: {:?}", outcome.error);
    }
}

#[test]
fn events_and_histograms_of_awr_in_one_input_are_not_added_up() {
    let events = "SNAP_TIME,INSTANCE_NUMBER,EVENT_NAME,WAIT_CLASS,DELTA_WAITS,DELTA_TIMEWAITED\n\
        2016_02_13 10:00,1,log file sync,Commit,40,80000\n\
        2016_02_13 11:00,1,log file sync,Commit,30,60000\n";
    let histograms = "SNAP_TIME,INSTANCE_NUMBER,EVENT_NAME,WAIT_TIME_MILLI,DELTA_WAIT_COUNT\n\
        2016_02_13 10:00,1,log file sync,2,30\n2016_02_13 10:00,1,log file sync,4,10\n\
        2016_02_13 11:00,1,log file sync,2,30\n";
    for (text, left_out) in
        [(format!("{events}{histograms}"), 3), (format!("{histograms}{events}"), 2)]
    {
        let outcome = read(&text);
        assert_eq!(outcome.events(), 70, "{text}");
        assert_eq!(outcome.account.rejected, left_out, "{text}");
    }
    // Pages of one table repeat its heads.
    assert_eq!(read(&format!("{events}{}", events.replace("02_13", "02_14"))).events(), 140);
}

/// Six of the eight files that `PerfSheet4`'s scripts spool: an empty line, padded heads, and a first snapshot
/// without numbers.
#[test]
fn the_files_of_perfsheet4_without_latencies_are_no_columns() {
    for (heads, row) in [
        ("SNAP_ID,INSTANCE_NUMBER,WAIT_CLASS,RATE_TIMEWAITED_PER_CLASS", "7,1,User I/O,1500000.5"),
        ("SNAP_ID,INSTANCE_NUMBER,EVENT_NAME,RATE_TIMEWAITED", "7,1,log file sync,2500"),
        (
            "INSTANCE_NUMBER,FUNCTION_NAME,FILETYPE_NAME,RATE_SMALL_READ_REQS,RATE_LARGE_READ_MEGABYTES,\
             RATE_SMALL_WRITE_REQS,RATE_LARGE_WRITE_MEGABYTES,RATE_WAIT_TIME",
            "1,LGWR,Log File,0,0,80,1.5,3",
        ),
        (
            "INSTANCE_NUMBER,SERVICE_NAME,STAT_NAME,VALUE,DELTA_VALUE,DELTAT_SEC,RATE_VALUE",
            "1,SALES,DB time,5,4,3600,.01",
        ),
        (
            "INSTANCE_NUMBER,STAT_NAME,VALUE,DELTA_VALUE,DELTAT_SEC,RATE_VALUE",
            "1,user commits,5,4,3600,.01",
        ),
        (
            "INSTANCE_NUMBER,METRIC_NAME_UNIT,MAXVAL,AVERAGE,STANDARD_DEVIATION",
            "1,Average Active Sessions - Active Sessions,8.5,2.25,.75",
        ),
    ] {
        let heads = format!("SNAP_TIME       ,{}", heads.replace(',', "      ,"));
        let row = row.replace(',', "   ,");
        let rows: Vec<String> =
            (0..20).map(|hour| format!("2016_02_13 {hour:02}:00,{row}\r\n")).collect();
        let rows = rows.concat();
        let outcome = read(&format!("\r\n{heads}\r\n{rows}\r\n20 rows selected.\r\n"));
        assert_eq!(outcome.events(), 0, "{heads}");
        assert!(outcome.says("awr report"), "{heads}: {:?}", outcome.error);
        assert!(!outcome.says("--columns"), "{heads}: {:?}", outcome.error);
    }
}

#[test]
fn a_bucket_that_cannot_be_read_takes_its_histogram_with_it() {
    let bcc = |row: &str| {
        format!(
            "     usecs               : count     distribution\n\
             \u{20}        0 -> 1          : 4        |****      |\n{row}\n\
             \u{20}        4 -> 7          : 9        |**********|\n"
        )
    };
    let bpftrace =
        |row: &str| format!("@usecs: \n[1]    4 |@@@   |\n{row}\n[4, 8)    9 |@@@@@@|\n\n");
    for (text, good, unread) in [
        (
            &bcc as &dyn Fn(&str) -> String,
            "         2 -> 3          : 5        |*****     |",
            "         x -> x          : x        |*****     |",
        ),
        (&bpftrace as &dyn Fn(&str) -> String, "[2, 4)    5 |@@@@  |", "[x, x)    x |@@@@  |"),
    ] {
        let outcome = read(&text(good));
        assert_eq!((outcome.events(), outcome.account.rejected), (18, 0));
        for odd in [unread, "WARNING: something else"] {
            let outcome = read(&text(odd));
            assert_eq!((outcome.events(), outcome.account.rejected), (0, 1), "{odd}");
        }
        // Between two buckets nothing is missing.
        let outcome = read(&text(&format!("WARNING: something else\n{good}")));
        assert_eq!((outcome.events(), outcome.account.rejected), (18, 0));
    }
    let sar = |clock: &str| {
        format!(
            "Linux 6.1.0 (vm)  2026-03-01  _x86_64_  (2 CPU)\n\n\
             10:00:00  DEV  tps  areq-sz  await  %util\n10:00:01  vda  5.00  4.0  1.00  0.5\n\
             {clock}  vda  6.00  4.0  1.00  0.5\n10:00:03  vda  7.00  4.0  1.00  0.5\n"
        )
    };
    assert_eq!(read(&sar("10:00:02")).events(), 18);
    let outcome = read(&sar("x:x:x"));
    // Nor is it known when the report behind it began.
    let found = (outcome.events(), outcome.account.rejected);
    assert_eq!(found, (5, 1), "{:?}", outcome.account.rejections);
    assert!(outcome.says("a report is left out"));
}

/// A print of bcc, cut where its last row may be cut: no count is passed over without a word.
#[test]
fn a_print_that_is_cut_in_its_last_row_is_rejected_with_its_line() {
    let whole = "Tracing block device I/O... Hit Ctrl-C to end.\n\n     usecs               : count     distribution\n\
        \u{20}        2 -> 3          : 5        |********************                    |\n\
        \u{20}        4 -> 7          : 10       |****************************************|\n";
    let last = "         8 -> 15         : 9        |************************************    |\n";
    assert_eq!(read(&[whole, last].concat()).events(), 24);
    for cut in [
        "         8",
        "         8 -> 1",
        "         8 -> 15",
        "         8 -> 15         : 9",
        &last[..50],
    ] {
        for end in ["", "\n"] {
            let outcome = read(&[whole, cut, end].concat());
            let account = &outcome.account;
            assert_eq!((outcome.events(), account.rejected_events), (0, 15), "{cut:?} {account:?}");
            assert_eq!(account.rejections[0].place.line, 6, "{cut:?} {account:?}");
        }
    }
}

/// A map of bpftrace with these counts from 16 us on, as bpftrace draws it.
fn bpftrace(counts: &[u64]) -> String {
    let most = counts.iter().max().unwrap();
    let rows = counts.iter().zip(4..).map(|(count, power)| {
        let label = format!("[{}, {})", 1 << power, 2 << power);
        let bar = "@".repeat(usize::try_from(count * 52 / most).unwrap());
        format!("{label:<16}{count:>8} |{bar:<52}|\n")
    });
    "@usecs: \n".to_owned() + &rows.collect::<String>()
}

/// A print of bpftrace, cut between two lines: what is certainly missing costs the map, what may be
/// missing is said.
#[test]
fn a_map_that_is_cut_between_two_lines_is_rejected_or_said() {
    let (one, two) = (bpftrace(&[5, 0, 40, 7, 3]), bpftrace(&[4, 0, 40, 7, 3]));
    let text = format!("Attaching 1 probe...\n10:00:01\n{one}\n10:00:02\n{two}");
    let read_lines = |lines: usize| {
        let outcome = read(&text.split_inclusive('\n').take(lines).collect::<String>());
        (outcome.events(), outcome.account.rejected_events, outcome)
    };
    let whole = read(&(text.clone() + "\n"));
    assert_eq!((whole.events(), whole.account.rejected), (109, 0));
    assert!(!whole.says("may be"), "{:?}", whole.account);
    // Its heading, and its rows up to the empty one above the fullest.
    for (lines, rejected) in [(11, 0), (12, 4), (13, 4)] {
        let (events, lost, outcome) = read_lines(lines);
        assert_eq!((events, lost, outcome.account.rejected), (55, rejected, 1), "{lines}");
        let place = outcome.account.rejections[0].place;
        assert_eq!(place.line, lines as u64, "{:?}", outcome.account);
    }
    for (lines, more) in [(14, 44), (15, 51), (16, 54)] {
        let (events, _, outcome) = read_lines(lines);
        assert_eq!((events, outcome.account.rejected), (55 + more, 0), "{lines}");
        assert!(outcome.says("without the empty line"), "{lines} {:?}", outcome.account);
    }
    // Within the bar of the first row: above it stand rows of the print before.
    let row = text.rfind("[16").unwrap();
    for length in 26..76 {
        let outcome = read(&text[..row + length]);
        assert_eq!((outcome.events(), outcome.account.rejected), (55, 1), "{length}");
    }
}

/// Totals that are cut behind their fullest bucket are no intervals.
#[test]
fn a_total_that_is_cut_between_two_lines_is_rejected() {
    let print = |second: u64| {
        format!("10:00:{second:02}\n{}\n", bpftrace(&[5 + second, 40 * second, 7 * second, 3]))
    };
    let text = "Attaching 1 probe...\n".to_owned() + &(1..=4).map(print).collect::<String>();
    assert_eq!(read(&text).events(), 3 * 48);
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let up_to_fullest = lines[..lines.len() - 3].concat();
    let outcome = read(&up_to_fullest);
    assert_eq!((outcome.events(), outcome.account.rejected_events), (2 * 48, 9 + 160));
    assert!(outcome.says("buckets that the print before has are missing"), "{:?}", outcome.account);
    // Nothing is missing of what was pasted without its last line.
    let outcome = read(text.trim_end());
    assert_eq!((outcome.events(), outcome.account.rejected), (3 * 48, 0), "{:?}", outcome.account);
}

/// bcc prints no line behind a histogram: its bars, its last bucket and the total of the others tell.
#[test]
fn a_histogram_of_bcc_that_is_cut_between_two_lines_is_rejected_or_said() {
    let histogram = "     usecs               : count     distribution\n\
        \u{20}        0 -> 1          : 3        |***                                     |\n\
        \u{20}        2 -> 3          : 40       |****************************************|\n\
        \u{20}        4 -> 7          : 0        |                                        |\n\
        \u{20}        8 -> 15         : 5        |*****                                   |\n";
    let total = "\navg = 3 usecs, total: 168 usecs, count: 48\n";
    for has_total in [false, true] {
        let print = [histogram, if has_total { total } else { "" }].concat();
        let first = format!(
            "Tracing block device I/O... Hit Ctrl-C to end.\n\n10:00:01\n{print}\n10:00:02\n"
        );
        let whole = read(&(first.clone() + &print));
        assert_eq!((whole.events(), whole.account.rejected), (96, 0));
        assert!(!whole.says("may be"), "{:?}", whole.account);
        for (lines, events, rejected) in [(1, 0, 0), (2, 0, 3), (3, 43, 0), (4, 0, 43), (5, 48, 0)]
        {
            let cut = histogram.split_inclusive('\n').take(lines).collect::<String>();
            let outcome = read(&(first.clone() + &cut));
            let account = &outcome.account;
            assert_eq!(
                (outcome.events(), account.rejected_events),
                (48 + events, rejected),
                "{lines}"
            );
            assert_eq!(account.rejected, u64::from(events == 0), "{lines} {account:?}");
            let is_said = outcome.says("without the total");
            assert_eq!(is_said, has_total && events > 0, "{lines} {account:?}");
        }
    }
}

/// An answer in the protocol of Redis says how much follows; a total of SystemTap may lack digits.
#[test]
fn what_is_cut_between_two_values_is_said() {
    let command = |name: &str| {
        format!(
            "$3\r\n{name}\r\n*4\r\n$5\r\ncalls\r\n:9\r\n$14\r\nhistogram_usec\r\n*2\r\n:4\r\n:9\r\n"
        )
    };
    let text = format!("*4\r\n{}", command("set"));
    let whole = read(&(text.clone() + &command("get")));
    assert_eq!((whole.events(), whole.account.rejected), (18, 0), "{:?}", whole.account);
    let outcome = read(&text);
    assert_eq!((outcome.events(), outcome.account.rejected), (9, 1), "{:?}", outcome.account);
    assert!(outcome.says("before all the values"), "{:?}", outcome.account);
    let drawn = "read (us)\nvalue |-------------------------------------------------- count\n\
        \u{20}  8 |                                                     0\n\
        \u{20} 16 |@@@@@@@@                                             9\n\
        \u{20} 32 |                                                     0\n\n";
    for (total, is_cut) in
        [("count=9 sum=200\n", false), ("count=9 sum=200", true), ("count=9 sum=20", true)]
    {
        let outcome = read(&[drawn, total].concat());
        assert_eq!(outcome.events(), 9, "{total:?} {:?}", outcome.account);
        assert_eq!(
            outcome.ns() == 200_000,
            total.contains("200"),
            "{total:?} {:?}",
            outcome.account
        );
        let is_said =
            outcome.says("may lack digits") || outcome.says("its last value is too small");
        assert_eq!(is_said, is_cut, "{total:?} {:?}", outcome.account);
    }
}

/// Ten reports of 100 reads a second, one of which has no time: neither it nor the one after it is a second.
#[test]
fn a_report_of_iostat_without_its_time_is_no_part_of_the_one_before() {
    let report = |second: u32| {
        format!(
            "11/28/2026 10:00:{second:02} AM\nDevice            r/s     rkB/s r_await     w/s w_await  %util\n\
             sda            100.00     10.00    1.00    0.00    0.00   1.00\n\
             sdb             50.00     10.00    1.00    0.00    0.00   1.00\n\n"
        )
    };
    let head = "Linux 6.1.0 (host) \t11/28/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned();
    let text = |lost: Option<u32>| {
        let reports = (0..10).map(|second| match report(second) {
            all if lost == Some(second) => all.split_once('\n').unwrap().1.to_owned(),
            all => all,
        });
        head.clone() + &reports.collect::<String>()
    };
    let whole = read(&text(None));
    assert_eq!((whole.events(), whole.account.rejected), (9 * 150, 0));
    let outcome = read(&text(Some(5)));
    assert_eq!((outcome.events(), outcome.account.rejected), (7 * 150, 1), "{:?}", outcome.account);
    assert!(outcome.says("the time of its report is missing"), "{:?}", outcome.account);
}

#[test]
fn an_odd_line_among_the_entries_of_a_slow_log_is_said() {
    let entry = |number: u32| {
        format!(
            "{}) 1) (integer) {}\n   2) (integer) {}\n   3) (integer) 12000\n   4) 1) \"GET\"\n      2) \"a\"\n\
             \u{20}  5) \"127.0.0.1:6379\"\n   6) \"\"\n",
            number + 1,
            14 - number,
            1_760_000_010 - number
        )
    };
    let outcome = read(&[entry(0), entry(1), "an odd line\n".to_owned(), entry(2)].concat());
    let account = &outcome.account;
    assert_eq!((outcome.events(), account.rejected, account.rejected_events), (3, 1, 0));
    assert_eq!(account.rejections[0].place.line, 15, "{account:?}");
    let prompt = "127.0.0.1:6379> slowlog get\n".to_owned();
    let outcome = read(&[entry(0), entry(1), prompt, entry(2)].concat());
    assert_eq!((outcome.account.rejected, outcome.account.ignored_lines), (0, 1));
}

#[test]
fn a_word_in_the_place_of_a_latency_is_rejected() {
    for word in ["N/A", "none", "undefined", "nil"] {
        let line = |at: u64| match at % 10 {
            3 => format!("{{\"ts\":{},\"latency_ms\":\"{word}\"}}\n", 1_760_000_000 + at),
            _ => format!("{{\"ts\":{},\"latency_ms\":{}}}\n", 1_760_000_000 + at, 10 + at % 2),
        };
        let outcome = read(&(0..60).map(line).collect::<String>());
        let account = &outcome.account;
        assert_eq!((outcome.events(), account.rejected_events), (54, 6), "{word}");
        assert!(account.rejections[0].reason.contains(word), "{account:?}");
    }
}

#[test]
fn summaries_are_refused_also_where_their_columns_are_named() {
    let status = "2026-03-01 10:00:10:000 10 sec: 52318 operations; 5231.8 current ops/sec;\n";
    for (text, columns, instead) in [
        (
            "Percentage served,Time in ms\n0,5.123\n1,5.200\n2,5.3\n",
            "-,latency_ms",
            "ab with -g FILE",
        ),
        (&status.repeat(3), "latency=sec", "measurementtype=raw"),
    ] {
        let names = columns.split(',').map(str::to_owned).collect();
        let context = Context { columns: Some(Columns { names }), ..Context::default() };
        let outcome = read_with(text, &context, None);
        assert!(outcome.says(instead), "{:?}", outcome.error);
        assert_eq!((outcome.account.records, outcome.events()), (0, 0));
    }
}

#[test]
fn runs_of_fio_in_any_order_and_on_one_line_are_each_counted() {
    let one = fio(1_772_359_200, "\"12352\": 3, \"20096\": 2", 5, 15_449.6);
    let two = fio(1_772_359_260, "\"10048\": 4", 4, 10_048.0);
    let ns = 77_248 + 40_192;
    let glued = format!("{}{}", one.trim_end(), two.trim_end());
    // Another run began before the first one ended.
    let parallel = fio(1_772_359_200, "\"10048\": 4", 4, 10_048.0)
        .replace("\"job_start\": 1772359200000", "\"job_start\": 1772359200500");
    for text in [
        format!("{two}{one}"),
        glued,
        format!("{one}note of fio\n{two}"),
        format!("{one}{parallel}"),
    ] {
        let outcome = read(&text);
        let found = (outcome.events(), outcome.ns(), outcome.account.rejected);
        assert_eq!(found, (9, ns, 0), "{text} {:?}", outcome.account);
    }
    // The same report once more adds nothing.
    assert_eq!(read(&format!("{one}{one}")).events(), 5);
}

#[test]
fn a_polled_view_has_its_time_in_whatever_column() {
    let rows = [("10:00:00", 1_000, 5_000), ("10:00:10", 1_100, 5_600), ("10:00:20", 1_150, 5_900)];
    let expected = (150, 900_000_000, (1_772_359_200, 1_772_359_220));
    let table = |head: &str, time: &dyn Fn(usize, &str) -> String| {
        let row = |(number, (clock, calls, ms)): (usize, &(&str, u32, u32))| {
            format!("{},10,5,77,select a,{calls},{ms}\n", time(number, clock))
        };
        format!("{head},userid,dbid,queryid,query,calls,total_exec_time\n")
            + &rows.iter().enumerate().map(row).collect::<String>()
    };
    let dated = |_: usize, clock: &str| format!("2026-03-01 {clock}+00");
    for text in [
        table("epoch", &|number, _| (1_772_359_200 + 10 * number).to_string()),
        table("when_it_was", &dated),
        table("snapped", &dated),
    ] {
        let outcome = read(&text);
        assert_eq!((outcome.events(), outcome.ns(), outcome.seconds()), expected, "{text}");
    }
    let line = |(clock, calls, ms): &(&str, u32, u32)| {
        format!(" 2026-03-01 {clock}+00 | 10 | 5 | 77 | select a | {calls} | {ms}\n")
    };
    let psql = [
        " now | userid | dbid | queryid | query | calls | total_exec_time \n\
         -----+--------+------+---------+-------+-------+----------------\n",
        &rows.iter().map(line).collect::<String>(),
        "(3 rows)\n\n",
    ]
    .concat();
    let outcome = read(&psql);
    assert_eq!(
        (outcome.events(), outcome.ns(), outcome.seconds()),
        expected,
        "{:?}",
        outcome.account
    );
    assert_eq!(outcome.account.rejected, 0);
    // Without any time nothing tells: it is said.
    let untimed = table("stats_since", &|_, _| "2026-02-01 09:00:00+00".to_owned());
    assert!(read(&untimed).says("are added up"), "{:?}", read(&untimed).account);
}

#[test]
fn a_name_with_a_unit_is_the_latency_of_tables_and_logs() {
    let values = [11, 17, 23];
    let moment = |row: usize| format!("2026-03-01T10:00:0{row}Z");
    let lines = |line: &dyn Fn(usize) -> String| (0..3).map(line).collect::<String>();
    for (name, unit_ns) in [
        ("wait_us", 1_000),
        ("wait_ms", 1_000_000),
        ("lock_wait_us", 1_000),
        ("waitMicros", 1_000),
        ("exec_ms", 1_000_000),
        ("response_ms", 1_000_000),
        ("svc_us", 1_000),
        ("took_ms", 1_000_000),
        ("response_time_ms", 1_000_000),
        ("rtt_us", 1_000),
        ("durationMs", 1_000_000),
        ("query_time_s", 1_000_000_000),
    ] {
        for text in [
            lines(&|row| format!("{{\"ts\":\"{}\",\"{name}\":{}}}\n", moment(row), values[row])),
            lines(&|row| {
                format!("{} INFO done op=read {name}={} id=7{row}\n", moment(row), values[row])
            }),
            lines(&|row| {
                format!("ts={} level=info {name}={} id=7{row}\n", moment(row), values[row])
            }),
            format!("ts,{name}\n") + &lines(&|row| format!("{},{}\n", moment(row), values[row])),
            format!("op;{name};timestamp\n")
                + &lines(&|row| format!("r;{};{}\n", values[row], moment(row))),
        ] {
            let outcome = read(&text);
            assert_eq!(
                (outcome.events(), outcome.ns()),
                (3, 51 * unit_ns),
                "{text} {:?}",
                outcome.error
            );
        }
    }
    // Waits of a table of counts are sums, and a mean is no event.
    for head in ["ts,calls,wait_us", "ts,avg,response_ms", "ts,took_ms,rtt_ms"] {
        let rows = lines(&|row| format!("{},4,{}\n", moment(row), values[row]));
        assert_eq!(read(&format!("{head}\n{rows}")).events(), 0, "{head}");
    }
}

#[test]
fn dates_of_logs_are_dates_of_tables() {
    // 2026-03-13 10:00:00 is 1,773,396,000.
    for (first, second) in [
        ("2026/03/13 10:00:00", "2026/03/13 10:00:01"),
        ("13-Mar-2026 10:00:00", "13-Mar-2026 10:00:01"),
        ("13 Mar 2026 10:00:00", "13 Mar 2026 10:00:01"),
        ("Fri Mar 13 10:00:00 2026", "Fri Mar 13 10:00:01 2026"),
        ("Fri Mar 13 11:00:00 CET 2026", "Fri Mar 13 11:00:01 CET 2026"),
        ("13/Mar/2026:12:00:00 +0200", "13/Mar/2026:12:00:01 +0200"),
        ("20260313T100000Z", "20260313T100001Z"),
        ("13-MAR-26 10.00.00.000000 AM", "13-MAR-26 10.00.01.000000 AM"),
        ("13-03-2026 10:00:00", "13-03-2026 10:00:01"),
    ] {
        for separator in [';', '\t'] {
            let text = format!(
                "time{separator}latency_us\n{first}{separator}1000\n{second}{separator}2000\n"
            );
            let outcome = read(&text);
            let found = (outcome.events(), outcome.ns(), outcome.seconds());
            assert_eq!(
                found,
                (2, 3_000_000, (1_773_396_000, 1_773_396_001)),
                "{text} {:?}",
                outcome.error
            );
        }
    }
    let text = "time;latency_us\n03-05-2026 10:00:00;5\n03-06-2026 10:00:00;6\n";
    let unclear = read_with(text, &Context::default(), Some("columns"));
    assert!(unclear.says("day and month"), "{:?}", unclear.error);
}

#[test]
fn lengths_of_tables_are_lengths_of_logs() {
    for (first, second, ns) in
        [("PT0.5S", "PT1M2.5S", 63_000_000_000), ("00:00:01.234", "00:00:00.766", 2_000_000_000)]
    {
        let moments = ["2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"];
        let both = |line: &dyn Fn(&str, &str) -> String| {
            line(moments[0], first) + &line(moments[1], second)
        };
        for text in [
            both(&|at, length| {
                format!("{{\"time\":\"{at}\",\"duration\":\"{length}\",\"n\":7}}\n")
            }),
            both(&|at, length| format!("{at} INFO done latency={length} path=/x\n")),
            both(&|at, length| format!("time=\"{at}\" level=info duration=\"{length}\"\n")),
            "time,duration\n".to_owned() + &both(&|at, length| format!("{at},{length}\n")),
        ] {
            let outcome = read(&text);
            assert_eq!((outcome.events(), outcome.ns()), (2, ns), "{text} {:?}", outcome.error);
        }
    }
    // A time of day is no latency.
    let text = "2026-03-01 start=10:00:00 time=10:00:01 done in 5 ms\n2026-03-01 start=10:00:01 time=10:00:02 done in 6 ms\n";
    assert!(read(text).ns() <= 11_000_000);
    // Letters of several bytes stand in front of colons, too.
    let text = "2026-03-01T10:00:00Z \u{e9}: \u{1f600}:: PT\u{e9} done in 5 ms\n2026-03-01T10:00:01Z \u{e9}: done in 6 ms\n";
    assert_eq!(read(text).ns(), 11_000_000);
}

#[test]
fn reports_of_iostat_without_times_are_read_where_their_distance_is_known() {
    let report = "Device            r/s     rkB/s r_await     w/s w_await  %util\n\
        sda             10.00     10.00    1.00    5.00    2.00   1.00\n\n";
    let text =
        "Linux 6.1.0 (h) \t03/01/2026 \t_x86_64_\t(4 CPU)\n\n".to_owned() + &report.repeat(4);
    let context = Context { interval: Some(Nanos::from_millis(2_000)), ..Context::default() };
    let outcome = read_with(&text, &context, None);
    // The first one counts since the machine was started.
    assert_eq!(
        (outcome.events(), outcome.account.rejected),
        (3 * 2 * 15, 0),
        "{:?}",
        outcome.error
    );
    let without = read(&text);
    assert!(without.events() == 0 && without.says("--interval"), "{:?}", without.error);
}

#[test]
fn sar_is_read_in_other_languages_and_once() {
    let day = |average: &str| {
        format!(
            "Linux 6.1.0 (h) \t01.03.2026 \t_x86_64_\t(4 CPU)\n\n\
             23:30:01          DEV       tps     await     %util\n\
             23:40:01          sda     10.00      2.00      1.00\n\
             23:50:01          sda     10.00      2.00      1.00\n\
             {average}          sda     10.00      2.00      1.00\n\n"
        )
    };
    // 2026-03-01 is day 20,513 after 1970-01-01.
    let from = 20_513 * 86_400 + 23 * 3_600 + 30 * 60 + 1;
    for average in ["Average:", "Durchschn.:", "Moyenne :", "Media:", "Среднее:"] {
        let outcome = read(&day(average));
        let found = (outcome.events(), outcome.account.rejected, outcome.seconds());
        assert_eq!(found, (12_000, 0, (from, from + 1_200)), "{average} {:?}", outcome.account);
    }
    let twice = read(&day("Average:").repeat(2));
    assert_eq!(twice.events(), 12_000);
    assert!(twice.says("holds them twice"), "{:?}", twice.account);
}

#[test]
fn a_slow_log_below_other_text_and_a_text_from_a_page_are_recognised() {
    let entry = |number: u32| {
        format!(
            "{}) 1) (integer) {}\n   2) (integer) {}\n   3) (integer) 12000\n   4) 1) \"GET\"\n      2) \"a\"\n\
             \u{20}  5) \"127.0.0.1:6379\"\n   6) \"\"\n",
            number + 1,
            14 - number,
            1_760_000_010 - number
        )
    };
    let entries = entry(0) + &entry(1);
    for above in ["Here is the slow log:\n\n", "root@db1:~# redis-cli slowlog get\n", "```text\n"] {
        let outcome = read(&format!("{above}{entries}"));
        let found = (outcome.events(), outcome.ns(), outcome.account.rejected);
        assert_eq!(found, (2, 24_000_000, 0), "{above} {:?}", outcome.error);
    }
    // Pages indent with blanks that break no line.
    let log = "1772359200.100000 read(3, \"x\", 1) = 1 <0.000100>\n1772359200.200000 read(3, \"x\", 1) = 1 <0.000200>\n";
    for text in [log, &entries] {
        let indent = |line: &str| format!("\u{a0}\u{a0}{line}\n");
        let indented: String = text.lines().map(indent).collect();
        assert_eq!(read(&indented).events(), 2, "{indented} {:?}", read(&indented).error);
    }
}

/// A print that is cut above its first count looks like one of a histogram that was cleared: running totals were
/// taken for intervals.
#[test]
fn a_print_that_is_cut_above_its_counts_is_no_cleared_histogram() {
    let head = "           value  ------------- Distribution ------------- count    \n";
    let row = |at: u32, count: u64| format!("{:>16} |{:40} {count:<9}\n", 1_u64 << at, "@@@");
    let print = |second: u32, count: u64| {
        let tick = format!("  3  7263{second}                        :tick-1s\n\n  read (us)\n");
        tick + head + &row(4, 0) + &row(5, count) + &row(6, 0) + "\n"
    };
    let whole = print(1, 100) + &print(2, 150) + &print(3, 158);
    let expected = read(&whole).events();
    assert!(expected <= 158, "{expected}");
    let cut = whole.clone()
        + "  3  72634                        :tick-1s\n\n  read (us)\n"
        + head
        + &row(4, 0);
    let outcome = read(&cut);
    assert_eq!(
        (outcome.events(), outcome.account.rejected),
        (expected, 1),
        "{:?}",
        outcome.account
    );
}

/// Whatever is rejected has a line, also where what should name it is cut off.
#[test]
fn what_is_rejected_has_a_line_where_its_name_is_missing() {
    // The numbers of a command of Redis of which the name is cut off, and no bucket.
    let redis =
        read_with("calls\n:1\n$14\nhistogram_usec\n*2\n", &Context::default(), Some("redis"));
    let lines: Vec<u64> = redis.account.rejections.iter().map(|one| one.place.line).collect();
    assert_eq!(lines, [1, 5]);
    // A report that is cut below the heads of a table, which begins in line 45.
    let report = include_str!("../fixtures/awrreport/html-12201/input.html");
    let cut: String = report.lines().take(46).map(|line| line.to_owned() + "\n").collect();
    assert!(cut.lines().nth(44).unwrap().contains("top 10 wait events"));
    let outcome = read_with(&cut, &Context::default(), Some("awrreport"));
    let short = outcome
        .account
        .rejections
        .iter()
        .find(|one| one.reason.contains("cut short behind its row 0"));
    assert_eq!(
        short.map(|one| one.place.line),
        Some(45),
        "{:?} {:?}",
        outcome.account.rejections,
        outcome.error
    );
    assert!(outcome.account.rejections.iter().all(|one| one.place.line > 0));
}

/// The row of a log of `HdrHistogram` whose time is beyond what can be counted from 1970 has no interval.
#[test]
fn a_row_of_a_time_beyond_all_calendars_is_rejected() {
    let whole = include_str!("../fixtures/hdrlog/tags/input.hlog");
    let (before, last) = whole.trim_end().rsplit_once('\n').unwrap();
    let mut fields: Vec<&str> = last.split(',').collect();
    let start = usize::from(fields[0].starts_with("Tag="));
    // The year 2286, in nanoseconds more than 2^63.
    fields[start] = "9999999999.999";
    let moved = format!("{before}\n{}\n", fields.join(","));
    let (whole, moved) = (read(whole), read(&moved));
    assert_eq!(whole.account.rejected, 0);
    assert_eq!(moved.account.rejected, 1, "{:?}", moved.account.rejections);
    assert!(moved.says("the time is too large to be true"));
    assert!(moved.account.rejected_events > 0);
    assert_eq!(moved.events() + moved.account.rejected_events, whole.events());
}

/// A last row without a line end is read, and what may be missing behind it is said.
#[test]
fn a_last_row_without_a_line_end_may_not_be_the_last() {
    let bcc = "     usecs               : count    distribution\n         0 -> 1          : 0        |                    |\n\
        \u{20}        2 -> 3          : 4        |**********          |\n         4 -> 7          : 8        |********************|";
    let outcome = read(bcc);
    assert_eq!(outcome.events(), 12, "{:?}", outcome.error);
    assert!(outcome.says("buckets behind the last one are missing"));
    assert!(!read(&format!("{bcc}\n")).says("buckets behind the last one"));
}

/// A difference below zero in a table or a log of a millisecond is rejected with its line, by whatever number of threads.
#[test]
fn nearly_a_full_counter_in_a_short_input_is_rejected_with_its_line() {
    let table = |rows: u64, wrapped: u64| -> String {
        let row = |row: u64| {
            let us: u64 = if row == wrapped { 4_294_967_200 } else { 100 };
            format!("17000000{:02}.{:06} {us}\n", row / 1_000_000, row % 1_000_000)
        };
        (1..=rows).map(row).collect()
    };
    for threads in [1, 2] {
        let context = Context { threads, block_length: Some(4 << 10), ..Context::default() };
        // One row each microsecond, all of them of 100 us.
        let outcome = read_with(&table(20_000, 15_000), &context, None);
        assert_eq!((outcome.events(), outcome.account.rejected_events), (19_999, 1), "{threads}");
        assert_eq!(outcome.account.rejections[0].place.line, 15_000, "{threads}");
        assert!(outcome.says("within 1 % of 2^32 us"), "{:?}", outcome.account.rejections);
    }
    let line = |n: u64, us: u64| format!("2026-03-01T10:00:00.{n:06}Z took {us}us\n");
    let log: String =
        (1..=300).map(|n| line(n, if n == 17 { 4_294_967_295 } else { 80 })).collect();
    let outcome = read(&log);
    assert_eq!((outcome.events(), outcome.account.rejections[0].place.line), (299, 17));
    // Ten minutes of lines: a job of 71 minutes began before them.
    let line = |n: u64| {
        let ms = if n == 4 { 4_294_967 } else { 5 };
        format!("2026-03-01T10:{n:02}:00Z took {ms}ms\n")
    };
    let jobs: String = (0..10).map(line).collect();
    assert_eq!((read(&jobs).events(), read(&jobs).account.rejected), (10, 0));
}

/// The only key of a line whose name tells a unit of time is its latency; what may be a sum, a rate, a limit or a
/// running total is asked for.
#[test]
fn the_only_key_with_a_unit_is_the_latency() {
    const FEW: &[u64] = &[120, 95, 410];
    let json = |key: &str, values: &[u64]| -> String {
        let line = |(second, value)| {
            format!(
                "{{\"ts\":\"2026-03-01T10:00:{second:02}Z\",\"op\":\"read\",\"{key}\":{value},\"size\":4096}}\n"
            )
        };
        values.iter().enumerate().map(line).collect()
    };
    let pairs = |key: &str, values: &[u64]| -> String {
        let line = |(second, value)| {
            format!("2026-03-01T10:00:{second:02}Z level=info op=read {key}={value} size=4096\n")
        };
        values.iter().enumerate().map(line).collect()
    };
    for (key, unit) in [
        ("read_us", 1_000),
        ("delay_ms", 1_000_000),
        ("flush_ns", 1),
        ("fsync_seconds", 1_000_000_000),
        ("queue_ms", 1_000_000),
        ("commitMicros", 1_000),
    ] {
        for text in [json(key, FEW), pairs(key, FEW)] {
            let outcome = read(&text);
            assert_eq!(
                (outcome.events(), outcome.ns()),
                (3, 625 * unit),
                "{key} {:?}\n{text}",
                outcome.error
            );
            assert!(outcome.says(&format!("latency = field {key}")), "{key}");
        }
    }
    for key in ["total_us", "total_time_ms", "items_s", "timeout_ms", "retry_delay_ms", "avg_us"] {
        for text in [json(key, FEW), pairs(key, FEW)] {
            let outcome = read(&text);
            assert!(outcome.events() == 0 && outcome.error.is_some(), "{key}");
        }
    }
    // A latency beside a pause goes first, of two keys none.
    let both = json("delay_ms", FEW).replace("\"size\":4096", "\"duration_us\":7");
    assert_eq!(read(&both).ns(), 3 * 7_000);
    assert!(
        read(&json("read_us", FEW).replace("\"size\":4096", "\"write_us\":7"))
            .says("more than one duration")
    );
    // A number of events beside it makes a sum of it, and what never falls is a running total.
    assert!(read(&json("busy_ms", FEW).replace("\"size\"", "\"calls\"")).says("nothing says"));
    assert!(read(&json("cpu_us", &[1, 2, 5, 9, 14, 20, 27, 35])).says("nothing says"));
    assert_eq!(read(&json("cpu_us", &[1, 2, 5, 9, 14, 20, 27, 3])).events(), 8);
}
