//! What reports of every layout say beside their histograms, against numbers computed by hand.
//! The reports are those of the fixtures of the source `awrreport`, all of the same quarter of an
//! hour.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its files must fail")]

use isotherm_oracle::awr::{
    AwrError, EventLine, Printed, Rate, Report, ReportKind, TimeFrom, WaitsOf, parse,
};

fn bytes(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/awrreport");
    let text = format!("{folder}/{name}/input.txt");
    std::fs::read(&text).or_else(|_| std::fs::read(text.replace(".txt", ".html"))).unwrap()
}

fn report(name: &str) -> Report {
    parse(&bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

const MILLI: [&str; 4] = ["text-10g", "text-11201-noise", "text-12102", "html-11204"];
const MICRO: [&str; 3] = ["html-12201", "text-12201", "text-19c-rac"];

fn near(found: Printed, value: f64, half: f64) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1e-6);
    close(found.value, value) && close(found.half, half)
}

#[test]
fn headers_of_every_layout_say_who_and_when() {
    for name in MILLI.iter().chain(&MICRO).chain(&["html-21c", "text-19c-pdb"]) {
        let report = report(name);
        assert!(report.faults.is_empty() && !report.cut_off, "{name}: {:?}", report.faults);
        assert_eq!(report.database.name, "HEAT", "{name}");
        assert_eq!(report.database.id, Some(271_828_182), "{name}");
        assert_eq!(report.instance.name, "heat1", "{name}");
        assert_eq!(report.instance.number, Some(1), "{name}");
        assert_eq!(report.instance.host, "cellar", "{name}");
        assert_eq!((report.begin.id, report.end.id), (Some(1201), Some(1202)), "{name}");
        assert_eq!((report.begin.sessions, report.end.sessions), (Some(41), Some(44)), "{name}");
        let begin = report.begin.time.local.unwrap();
        assert_eq!((begin.month(), begin.day(), begin.hour()), (3, 5, 14), "{name}");
        assert!(near(report.elapsed.unwrap(), 900.0, 0.3), "{name}: {:?}", report.elapsed);
        assert!(near(report.db_time.unwrap(), 432.0, 0.3), "{name}: {:?}", report.db_time);
    }
}

#[test]
fn headers_differ_by_version() {
    let old = report("text-10g");
    assert_eq!(old.database.release, "10.2.0.4.0");
    assert_eq!((old.instance.startup, old.instance.cpus), (None, None));
    assert_eq!(old.begin.time.text, "05-MRZ-16 14:00:03");
    let middle = report("text-11201-noise");
    assert_eq!(middle.database.release, "11.2.0.1.0");
    assert_eq!(middle.instance.startup.unwrap().text, "01-Mar-16 06:30");
    assert_eq!(middle.instance.platform.as_deref(), Some("Linux x86 64-bit"));
    assert_eq!((middle.instance.cpus, middle.instance.cores), (Some(16), Some(8)));
    assert_eq!((middle.instance.sockets, middle.instance.memory_gib), (None, Some(62.5)));
    let cluster = report("text-19c-rac");
    assert_eq!(cluster.database.rac, Some(true));
    assert_eq!(cluster.database.role.as_deref(), Some("PRIMARY"));
    let pluggable = report("text-19c-pdb");
    assert_eq!(pluggable.database.container.as_deref(), Some("SALES"));
    assert_eq!(pluggable.database.cdb, Some(true));
    assert!(pluggable.histograms.is_empty());
    assert_eq!(report("html-russian").begin.time.text, "05-Дек-25 14:00:03");
    assert_eq!(report("html-unknown-month").begin.time.local, None);
}

#[test]
fn load_profiles_and_top_lists_are_read_whole() {
    for (name, redo) in [
        ("text-10g", "Redo size"),
        ("text-11201-noise", "Redo size"),
        ("text-12102", "Redo size (bytes)"),
        ("html-11204", "Redo size (bytes)"),
        ("text-12201", "Redo size (bytes)"),
    ] {
        let report = report(name);
        let load = report.load(&[redo]).unwrap();
        assert!((load.per_second.unwrap().value - 50_000.0).abs() < 1e-9, "{name}");
        let transactions = report.load(&["Transactions"]).unwrap();
        assert!((transactions.per_second.unwrap().value - 5.5).abs() < 1e-9, "{name}");
        assert_eq!(transactions.per_transaction, None, "{name}");
    }
    let noisy = report("text-11201-noise");
    let top: Vec<_> = noisy.top_events.iter().map(|line| line.event.as_str()).collect();
    assert_eq!(top, ["log file sync", "DB CPU", "db file sequential read"]);
    assert_eq!(noisy.top_events[0].wait_class.as_deref(), Some("Commit"));
    assert_eq!(noisy.top_events[1].waits, None);
    assert_eq!(report("text-10g").top_events.len(), 2);
    assert_eq!(report("html-12201").top_events.len(), 3);
}

#[test]
fn rates_come_from_totals_of_the_instance() {
    for name in MILLI.iter().chain(&MICRO) {
        let summary = report(name).summary();
        let value = |rate: Option<isotherm_oracle::awr::Rate>| rate.unwrap().per_second.value;
        // 900 seconds: (90,000 + 27,000) requests, (900 + 300) MiB, 45,000,000 bytes of redo.
        assert!((value(summary.io_requests) - 130.0).abs() < 0.05, "{name}");
        assert!((value(summary.io_mib) - 1_200.0 / 900.0).abs() < 0.001, "{name}");
        assert!((value(summary.redo_bytes) - 50_000.0).abs() < 20.0, "{name}");
        assert!((value(summary.user_calls) - 40.0).abs() < 0.05, "{name}");
        // 4,500 commits and 450 rollbacks.
        assert!((value(summary.transactions) - 5.5).abs() < 0.05, "{name}");
        assert!((value(summary.logical_reads) - 2_000.0).abs() < 1.0, "{name}");
        assert_eq!(summary.io_requests.unwrap().from, "instance activity", "{name}");
    }
}

#[test]
fn without_statistics_rates_come_from_other_parts_and_say_so() {
    let text = String::from_utf8(bytes("text-12102")).unwrap();
    let no_statistics = text.replace("physical read total IO requests ", "physical read totals  ");
    let rate = parse(no_statistics.as_bytes()).unwrap().summary().io_requests.unwrap();
    assert_eq!(rate.from, "IOStat by Function");
    assert!(near(rate.per_second, 130.0, 0.1), "{rate:?}");
    let neither = no_statistics.replace("TOTAL:", "SUM:  ");
    let rate = parse(neither.as_bytes()).unwrap().summary().io_requests.unwrap();
    assert_eq!(rate.from, "load profile");
    assert!(near(rate.per_second, 115.0, 0.1), "{rate:?}");
    // 11.2.0.1 prints no requests in its load profile: blocks are never taken for them.
    let text = String::from_utf8(bytes("text-11201-noise")).unwrap();
    let text = text.replace("physical read total IO requests ", "physical read totals  ");
    let summary = parse(text.replace("TOTAL:", "SUM:  ").as_bytes()).unwrap().summary();
    assert_eq!(summary.io_requests, None);
}

#[test]
fn averages_are_computed_from_whatever_is_printed_more_closely() {
    // 11.2: whole seconds and whole milliseconds. 103 s of 39,995 waits, 21 s of 1,606, 7 s of
    // 6,981, 19 s of 2,799; half a second is how far each total may be off.
    for name in ["text-11201-noise", "text-12102", "html-11204"] {
        let latencies = report(name).summary().latencies;
        for (latency, (seconds, waits)) in latencies.iter().zip([
            (103.0, 39_995.0),
            (21.0, 1_606.0),
            (7.0, 6_981.0),
            (19.0, 2_799.0),
        ]) {
            let average = latency.average_us.unwrap();
            let expected = (seconds * 1e6 / waits, 0.5e6 / waits);
            assert!(near(average, expected.0, expected.1), "{name} {latency:?}");
            assert_eq!(latency.from, Some(TimeFrom::Total), "{name}");
        }
        let of: Vec<_> = latencies.iter().map(|latency| latency.of).collect();
        let (fore, back) = (WaitsOf::Foreground, WaitsOf::Background);
        assert_eq!(of, [fore, back, back, fore]);
    }
    // 12.2 prints 746.75us for 11.5 s of 15,400 reads and 577.25us for 1.7 s of 2,945 writes: closer
    // than the whole seconds beside them.
    for name in MICRO {
        let latencies = report(name).summary().latencies;
        assert!(near(latencies[0].average_us.unwrap(), 746.75, 0.005), "{name} {:?}", latencies[0]);
        assert_eq!(latencies[0].from, Some(TimeFrom::Average));
        assert!(near(latencies[2].average_us.unwrap(), 577.25, 0.005), "{:?}", latencies[2]);
        assert!(latencies[1].missing.as_ref().unwrap().contains("does not list it"));
    }
    // 10g: one table of all sessions.
    let old = report("text-10g").summary().latencies;
    assert!(old.iter().all(|latency| latency.of == WaitsOf::All));
    assert!(near(old[0].average_us.unwrap(), 106e6 / 41_202.0, 0.5e6 / 41_202.0), "{:?}", old[0]);
}

#[test]
fn a_total_rounded_to_nothing_gives_a_bound_not_a_number() {
    let text = String::from_utf8(bytes("text-12102")).unwrap();
    let (before, after) = ("39,995     0        103       3", "39,995     0          0       0");
    let quick = text
        .replace(before, after)
        .replace("39,995        103         3", "39,995          0         0");
    assert_ne!(quick, text);
    let latency = parse(quick.as_bytes()).unwrap().summary().latencies.remove(0);
    assert_eq!(latency.average_us, None);
    // Half a second over 39,995 waits.
    assert!(latency.missing.unwrap().ends_with("below 13 us"));
}

/// The time of an event as its line prints it.
fn seconds_of(line: &EventLine) -> Option<f64> {
    line.time().map(|time| time.total.value)
}

#[test]
fn histograms_take_a_total_only_when_it_is_of_the_same_waits() {
    let report = report("html-12201");
    let histogram =
        |event: &str| report.histograms.iter().find(|histogram| histogram.event == event).unwrap();
    // 15,563 waits of both tables, printed as 15.6K: the full count and the total of both.
    let read = histogram("db file sequential read");
    assert_eq!(read.waits, 15_563);
    assert!((read.printed.value - 15_600.0).abs() < 1e-9);
    assert!(read.total.unwrap().relative() < 0.005);
    // The table of events has one wait less than the histogram: its total is printed, and not exact.
    let text = self::report("text-12102");
    let sync = text.histograms.iter().find(|histogram| histogram.event == "log file sync").unwrap();
    assert_eq!((sync.waits, sync.total), (2_800, None));
    let lines = text.events.foreground.iter().chain(&text.events.background);
    let printed: f64 =
        lines.filter(|line| line.event == "log file sync").filter_map(seconds_of).sum();
    let about = sync.printed_total.unwrap();
    assert!((about.value - printed).abs() < 1e-9 && about.half > 0.0, "{about:?} {printed}");
}

#[test]
fn names_that_text_cuts_are_completed_where_they_are_known() {
    let events: Vec<_> =
        report("text-12102").histograms.iter().map(|one| one.event.clone()).collect();
    assert!(events.contains(&"control file sequential read".to_owned()), "{events:?}");
    assert!(events.contains(&"SQL*Net message from client".to_owned()), "{events:?}");
}

#[test]
fn bytes_of_no_known_encoding_keep_columns_and_places() {
    let text = String::from_utf8(bytes("bad-numbers")).unwrap();
    let (from, to) = ("cellar ", "k\u{e4}ller ");
    let latin: Vec<u8> =
        text.replace(from, to).chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    assert!(std::str::from_utf8(&latin).is_err());
    let (plain, latin) = (parse(text.as_bytes()).unwrap(), parse(&latin).unwrap());
    assert_eq!(latin.instance.host, "käller");
    assert_eq!(plain.faults.len(), 4);
    assert_eq!(plain.faults, latin.faults);
    assert_eq!(plain.histograms, latin.histograms);
}

#[test]
fn other_reports_are_refused_by_name() {
    let refused = |bytes: &[u8]| parse(bytes).unwrap_err();
    assert_eq!(refused(b"nothing"), AwrError::NotAReport);
    assert_eq!(refused(b""), AwrError::NotAReport);
    assert_eq!(refused(&bytes("bad-statspack")), AwrError::NoSnapshots);
    assert!(refused(&bytes("bad-rac-global")).to_string().contains("awrrpti.sql"));
    assert_eq!(refused(&bytes("bad-no-snapshots")), AwrError::NoSnapshots);
    let compared = b"<html><title>AWR Compare Period Report for DB: X</title>";
    assert!(refused(compared).to_string().contains("two periods"));
}

/// The least and the most seconds that the waits of a histogram can take.
fn seconds(histogram: &isotherm_oracle::awr::EventHistogram) -> (f64, f64) {
    let buckets = histogram.bounds.windows(2).zip(&histogram.counts).filter(|(_, n)| **n > 0);
    buckets.fold((0.0, 0.0), |(least, most), (bounds, &count)| {
        let of = |ns: u64| ns as f64 / 1e9 * count as f64;
        (least + of(bounds[0]), most + of(bounds[1]))
    })
}

#[test]
fn shortened_numbers_are_read_wherever_they_stand() {
    let report = report("html-shortened");
    assert!(report.faults.is_empty() && report.remarks.is_empty(), "{:?}", report.remarks);
    let names: Vec<_> = report.top_events.iter().map(|line| line.event.as_str()).collect();
    let cell = "cell list of blocks physical read";
    assert_eq!(names, ["library cache: mutex X", "DB CPU", cell, "log file sync"]);
    assert!(near(report.top_events[0].total.unwrap(), 100_500.0, 50.0));
    let shortened = &report.top_events[2];
    assert_eq!((shortened.waits, shortened.waits_half), (Some(1_200_000), 50_000.0));
}

#[test]
fn a_tail_of_zeros_holds_no_more_than_the_printed_total_leaves_room_for() {
    let report = report("html-shortened");
    let histogram =
        |event: &str| report.histograms.iter().find(|histogram| histogram.event == event).unwrap();
    let found = histogram("cell list of blocks physical read");
    // 1,200,000 waits of 387.50 us, to 0.005 us each.
    assert_eq!(found.waits, 1_200_000);
    assert!(near(found.total.unwrap(), 465.0, 0.006), "{:?}", found.total);
    let (least, most) = seconds(found);
    assert!(least <= 465.0 && 465.0 <= most, "{least} {most}");
    // 570 waits lie beyond 32 ms, printed as `.0` in three buckets. Were they spread evenly, the 190
    // of 1 to 2.1 s would take 200 s; the buckets below take at least 320 s. In truth there is one.
    let beyond = |ns: u64| {
        let counts = found.bounds.iter().zip(&found.counts).filter(|(bound, _)| **bound >= ns);
        counts.map(|(_, count)| *count).sum::<u64>()
    };
    assert!((569..=571).contains(&beyond(32_768_000)), "{}", beyond(32_768_000));
    assert!((1..=10).contains(&beyond(1_048_576_000)), "{}", beyond(1_048_576_000));
    // A range of 2,080,989 waits is printed as `2M`: the percentages beside it are closer.
    let metadata = histogram("metadata operation");
    assert_eq!(metadata.waits, 2_148_722);
    let percent = |lo: u64, hi: u64| {
        let inside = metadata.bounds.iter().zip(&metadata.counts);
        let inside = inside.filter(|(bound, _)| (lo..hi).contains(*bound));
        inside.map(|(_, count)| *count as f64).sum::<f64>() / 21_487.22
    };
    assert!((percent(0, 8_000) - 90.4).abs() < 0.2, "{}", percent(0, 8_000));
    assert!((percent(64_000, 128_000) - 0.4).abs() < 0.05, "{}", percent(64_000, 128_000));
    let (least, most) = seconds(metadata);
    // 2,148,624 waits of 30.09 us and 98 of 12.55 us.
    let printed = 2_148_624.0 * 30.09e-6 + 98.0 * 12.55e-6;
    assert!((metadata.total.unwrap().value - printed).abs() < 1e-6);
    assert!(least <= printed && printed <= most, "{least} {printed} {most}");
}

#[test]
fn idle_events_are_those_that_the_report_lists_last() {
    for name in ["html-shortened", "html-12201", "text-12102"] {
        for histogram in &report(name).histograms {
            let idle = ["AQPC idle", "SQL*Net message from client", "pmon timer"];
            assert_eq!(idle.contains(&histogram.event.as_str()), histogram.idle, "{histogram:?}");
        }
    }
}

fn changed(name: &str, from: &str, to: &str) -> Report {
    let text = String::from_utf8(bytes(name)).unwrap();
    assert!(text.contains(from), "{from}");
    parse(text.replacen(from, to, 1).as_bytes()).unwrap()
}

#[test]
fn what_is_cut_or_cannot_be_read_is_named() {
    let name = "html-shortened";
    let only = |report: &Report| {
        assert_eq!(report.faults.len(), 1, "{:?}", report.faults);
        report.faults[0].text.clone()
    };
    let overflow = changed(name, "100.5K", "######");
    assert!(only(&overflow).contains("'######' is not a time in seconds for 'library cache"));
    assert_eq!(overflow.top_events.len(), 3);
    // A cell that is missing is no zero.
    let cut = changed(name, "<td>20.0</td><td>80.0</td></tr>", "<td>20.0</td></tr>");
    assert!(only(&cut).contains("'log file sync' has 9 of 10 cells in"), "{:?}", cut.faults);
    assert!(!cut.histograms.iter().any(|histogram| histogram.event == "log file sync"));
    let text = String::from_utf8(bytes(name)).unwrap();
    let half = text.find("<td>metadata operation</td><td>2.1M</td>").unwrap();
    let half = parse(&text.as_bytes()[..half]).unwrap();
    assert!(half.cut_off);
    assert!(only(&half).contains("is cut short behind its row 2"), "{:?}", half.faults);
    let load = changed("html-12201", "<td>50,000.0</td>", "<td>50,0x0.0</td>");
    assert!(only(&load).contains("'50,0x0.0' cannot be read as a number of 'Redo size"));
}

#[test]
fn a_count_too_short_to_be_exact_and_numbers_that_contradict_each_other_are_said() {
    let idle = "<tr><td>SQL*Net message from client</td><td>1,100,000</td>";
    let vague = changed("html-shortened", idle, "<tr><td>another</td><td>1,100,000</td>");
    // 1.1M is anything from 1.05 to 1.15 millions.
    let expected = "the report prints the number of waits too short to be exact for SQL*Net \
                    message from client (±5 %)";
    assert_eq!(vague.remarks, [expected]);
    // The buckets take at least 320 s.
    let total = "<td>465</td><td>387.50us</td><td>1.0</td>";
    let odd = changed("html-shortened", total, "<td>5</td><td>4.17us</td><td>1.0</td>");
    assert!(odd.remarks[0].contains("rule each other out for cell list of blocks"));
    assert!(odd.remarks[0].contains("the printed time is used"), "{:?}", odd.remarks);
    let event = "cell list of blocks physical read";
    let found = odd.histograms.iter().find(|histogram| histogram.event == event).unwrap();
    assert_eq!((found.total, found.waits), (None, 1_200_000));
}

const STATSPACK: [&str; 4] = ["statspack-92", "statspack-102", "statspack-11204", "statspack-19c"];

#[test]
fn statspack_says_who_when_and_what() {
    for name in STATSPACK {
        let report = report(name);
        assert!(report.faults.is_empty() && !report.cut_off, "{name}: {:?}", report.faults);
        assert_eq!((report.kind, report.remarks.len()), (ReportKind::Statspack, 0), "{name}");
        assert_eq!(report.database.name, "HEAT", "{name}");
        assert_eq!(report.database.id, Some(271_828_182), "{name}");
        assert_eq!((report.instance.name.as_str(), report.instance.number), ("heat1", Some(1)));
        assert_eq!(report.instance.host, "cellar", "{name}");
        assert_eq!((report.begin.id, report.end.sessions), (Some(1201), Some(44)), "{name}");
        assert!(near(report.elapsed.unwrap(), 900.0, 0.3), "{name}: {:?}", report.elapsed);
        let load = report.load(&["Redo size"]).unwrap();
        assert!((load.per_second.unwrap().value - 50_000.0).abs() < 0.1, "{name}");
        assert_eq!(report.statistic("redo size").unwrap().total, 45_000_000, "{name}");
        // Its last line is behind a page break, and so are the heads once more.
        assert_eq!(report.statistic("user rollbacks").unwrap().total, 450, "{name}");
        assert_eq!(report.top_events[0].event, "latch: shared pool", "{name}");
        assert_eq!(report.top_events[1].event, "CPU time", "{name}");
        let percent = report.top_events[1].time_percent.unwrap();
        assert!((percent - 20.6).abs() < 0.06, "{name}: {percent}");
    }
}

#[test]
fn releases_of_statspack_differ() {
    let old = report("statspack-92");
    assert_eq!((old.database.release.as_str(), old.db_time), ("9.2.0.8.0", None));
    assert!(old.histograms.is_empty() && old.activity.time_model.is_empty());
    assert!(old.read_waits().is_none(), "9i counts no read requests");
    let middle = report("statspack-102");
    assert_eq!((middle.instance.cpus, middle.instance.memory_gib), (Some(16), Some(62.5)));
    // The time model's, as the header has none.
    assert!(near(middle.db_time.unwrap(), 432.0, 0.05), "{:?}", middle.db_time);
    for name in ["statspack-11204", "statspack-19c"] {
        let new = report(name);
        assert_eq!(new.instance.startup.as_ref().unwrap().text, "01-Mar-16 06:30");
        assert_eq!((new.instance.cores, new.instance.memory_gib), (Some(8), Some(62.5)));
        assert!(near(new.db_time.unwrap(), 432.0, 0.3), "{:?}", new.db_time);
        assert!(near(new.time_model("DB CPU").unwrap(), 120.4, 0.05));
        // Sessions of users alone: 102.9 s printed as 103 of 38,788 waits.
        let read = new.latency("db file sequential read", WaitsOf::Foreground);
        assert_eq!((read.of, read.waits), (WaitsOf::Foreground, Some(38_788)));
        assert!(near(read.average_us.unwrap(), 103e6 / 38_788.0, 0.5e6 / 38_788.0));
        let cache = &new.activity.io_functions[0];
        assert_eq!(
            (cache.function.as_str(), cache.waits.unwrap().value),
            ("Buffer Cache Re", 38_000.0)
        );
        assert_eq!((cache.read_mib.unwrap().value, cache.written_mib), (1_266.0, None));
    }
}

#[test]
fn histograms_of_statspack_have_the_full_counts() {
    // From the counts that the reports were made of.
    let expected: [(&str, u64, &[u64], Option<f64>); 4] = [
        (
            "db file sequential read",
            39_995,
            &[19_517, 10_679, 6_119, 2_040, 800, 360, 440, 40],
            Some(105.0),
        ),
        (
            "latch: shared pool",
            12_000,
            &[3_000, 2_000, 2_000, 2_000, 1_000, 500, 1_490, 10],
            Some(310.0),
        ),
        ("library cache load lock wa", 40, &[40, 0, 0, 0, 0, 0, 0, 0], None),
        ("smon timer", 3, &[0, 0, 0, 0, 0, 0, 0, 3], Some(900.0)),
    ];
    for name in &STATSPACK[1..] {
        let report = report(name);
        assert_eq!(report.histograms.len(), 9, "{name}");
        for (event, waits, counts, total) in &expected {
            let found = report.histograms.iter().find(|one| one.event == *event).unwrap();
            assert_eq!(
                (found.waits, found.idle),
                (*waits, *event == "smon timer"),
                "{name} {event}"
            );
            assert_eq!(found.total.map(|total| total.value), *total, "{name} {event}");
            let bounds = [1, 2, 4, 8, 16, 32, 1_024].map(|ms| ms * 1_000_000);
            let mut below = 0;
            for (bound, count) in bounds.iter().zip(*counts) {
                below += count;
                let at = found.bounds.iter().position(|known| known == bound).unwrap();
                let sum: u64 = found.counts[..at].iter().sum();
                // Each printed percentage is right to 0.05.
                assert!(
                    sum.abs_diff(below) as f64 <= 0.004 * *waits as f64 + 1.0,
                    "{name} {event}"
                );
            }
        }
    }
    // Nothing but `12K` is known without the tables of events: 12,000 to 12,999.
    let text = String::from_utf8(bytes("statspack-11204")).unwrap();
    let alone = parse(
        text.replace("latch: shared pool   ", "latch: xhared pool   ")
            .replacen("latch: xhared pool           12K", "latch: shared pool           12K", 1)
            .as_bytes(),
    )
    .unwrap();
    let found = alone.histograms.iter().find(|one| one.event == "latch: shared pool").unwrap();
    assert_eq!((found.waits, found.printed.range()), (12_500, (12_000.0, 13_000.0)));
}

#[test]
fn time_reads_and_writes_are_summed_up() {
    let summary = report("statspack-19c").summary();
    let per_second = |rate: Option<Rate>| rate.unwrap().per_second.value;
    // 60,000 reads of 1.5 GiB and 27,000 writes of 384 MiB in 900 s; 432 s in the database.
    assert!((per_second(summary.read_requests) - 60_000.0 / 900.0).abs() < 0.03);
    assert!((per_second(summary.write_requests) - 30.0).abs() < 0.02);
    assert!((per_second(summary.io_requests) - 87_000.0 / 900.0).abs() < 0.04);
    assert!((per_second(summary.read_mib) - 1_536.0 / 900.0).abs() < 0.001);
    assert!((per_second(summary.write_mib) - 384.0 / 900.0).abs() < 0.001);
    let active = summary.active_sessions.unwrap();
    assert!((active.value - 0.48).abs() < 1e-9 && active.half < 0.001, "{active:?}");
    let top: Vec<&str> = summary.top_events.iter().map(|top| top.event.as_str()).collect();
    assert_eq!(top[..3], ["latch: shared pool", "CPU time", "db file sequential read"]);
    assert_eq!((top.len(), summary.top_events[0].percent), (5, Some(53.1)));
    // Reads of data files 38,788 + 1,207, of control files 97 + 527.
    let reads = summary.read_waits.unwrap();
    assert_eq!((reads.waits, reads.requests), (40_619, 60_000));
    assert!((reads.ratio.value - 40_619.0 / 60_000.0).abs() < 1e-12 && reads.ratio.half < 1e-12);
    assert_eq!(reads.events, ["control file sequential read", "db file sequential read"]);
    assert!(reads.meaning.starts_with("fewer waits than reads"));
    // The same from two tables, where there is no third.
    let micro = report("html-12201").read_waits().unwrap();
    assert_eq!(micro.requests, 90_000);
}

#[test]
fn a_table_without_its_column_of_waits_is_a_fault_and_no_zero() {
    let odd = changed(
        "statspack-19c",
        "Event                               Waits  out",
        "Event                               Wants  out",
    );
    assert!(odd.faults[0].text.contains("has no column 'Waits'"), "{:?}", odd.faults);
}

/// What SQL*Plus prints before it writes a report, as a spool file has it.
const DIALOGUE: &str = "\
SQL> @?/rdbms/admin/awrrpt

Current Instance
~~~~~~~~~~~~~~~~

   DB Id    DB Name      Inst Num Instance
----------- ------------ -------- ------------
  314159265 OTHER               2 other2

Instances in this Workload Repository schema
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

   DB Id     Inst Num DB Name      Instance     Host
------------ -------- ------------ ------------ ------------
* 314159265         2 OTHER        other2       attic

Listing the last day's Completed Snapshots
                                                        Snap
Instance     DB Name        Snap Id    Snap Started    Level
------------ ------------ --------- ------------------ -----
heat1        HEAT              1200 05 Mar 2016 13:00      1
                               1201 05 Mar 2016 14:00      1

Specify the Begin and End Snapshot Ids
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
Enter value for begin_snap: 1201
Begin Snapshot Id specified: 1201
Press <return> to continue, otherwise enter an alternative.

";

#[test]
fn a_dialogue_before_a_report_changes_nothing() {
    for name in ["text-12102", "text-19c-rac", "statspack-11204", "html-11204", "html-12201"] {
        let expected = report(name);
        let spool = [DIALOGUE.as_bytes(), &bytes(name)].concat();
        let found = parse(&spool).unwrap();
        assert!(found.faults.is_empty(), "{name}: {:?}", found.faults);
        assert_eq!((&found.database, &found.instance), (&expected.database, &expected.instance));
        assert_eq!((&found.begin, &found.elapsed), (&expected.begin, &expected.elapsed));
        assert_eq!(found.histograms, expected.histograms, "{name}");
        assert_eq!(found.top_events, expected.top_events, "{name}");
    }
}
