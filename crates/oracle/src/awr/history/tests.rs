//! Tables against what a seeded generator put into them.

use std::fmt::Write as _;

use isotherm_frame::MemoryAccount;

use super::*;

const HOUR_US: i64 = 3_600_000_000;

fn read(files: &[(&str, &str)]) -> History {
    let mut reader = HistoryReader::within(MemoryAccount::of_bytes(64 << 20));
    for (name, text) in files {
        reader.read(name, text.as_bytes()).expect("bytes in memory");
    }
    reader.finish().expect("one clock")
}

/// A sequence that is the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

const CLASSES: &str = "end,seconds,dbid,instance,snap_id,wait_class,waits,time_us,foreground_waits,foreground_time_us\n";

#[test]
fn the_busiest_interval_is_that_of_the_generator() {
    let mut state = 7;
    let mut text = CLASSES.to_owned();
    let mut truth: Vec<(u64, String)> = Vec::new();
    for hour in 0..20 {
        for instance in 1..=2 {
            let times = [next(&mut state) % 90_000_000_000, next(&mut state) % 5_000_000_000];
            truth.push((times.iter().sum(), format!("{instance} {hour}")));
            for (class, time) in ["User I/O", "CPU"].iter().zip(times) {
                writeln!(text, "2026-03-01T{hour:02}:00:00Z,3600.000,5,{instance},{hour},\"{class}\",9,{},9,{time}",
                    time + 1_000_000).expect("a text takes everything");
            }
        }
    }
    let history = read(&[("wait-classes.csv", &text)]);
    let busiest = Busiest::of(&history).expect("times");
    let (most_us, whose) = truth.iter().max().expect("some");
    let interval = history.intervals[busiest.interval];
    let number = &history.instances[interval.instance].number;
    let day_us = interval.end_us.rem_euclid(24 * HOUR_US);
    assert_eq!(format!("{number} {}", day_us / HOUR_US), *whose);
    assert!((busiest.sessions - *most_us as f64 / 3.6e9).abs() < 1e-9);
    assert!(busiest.foreground && busiest.cpu);
    let mut of_it: Vec<u64> =
        truth.iter().filter(|(_, at)| at.starts_with(number.as_str())).map(|(us, _)| *us).collect();
    of_it.sort_unstable();
    assert!((busiest.median.expect("20") - of_it[10] as f64 / 3.6e9).abs() < 1e-9);
    let parts: f64 = busiest.parts.iter().map(|part| part.sessions).sum();
    assert!((parts - busiest.sessions).abs() < 1e-9);
}

#[test]
fn tables_are_told_by_their_heads_and_sums_are_conserved() {
    let events = "end,seconds,dbid,instance,snap_id,event,wait_class,waits,time_us,foreground_waits,foreground_time_us
2026-03-01T08:00:00Z,3600.500,5,1,11,\"db file sequential read\",\"User I/O\",200,40000,120,30000
2026-03-01T10:00:00Z,7199.500,5,1,13,\"db file sequential read\",\"User I/O\",600,210000,500,130000
2026-03-01T10:00:00Z,7199.500,5,1,13,\"log file \"\"sync\"\", new\",\"Commit\",4,800,4,800
2026-03-01T10:00:00Z,7199.500,5,1,13,short
";
    let other = events.replace(",200,40000,", ",201,40000,");
    let history = read(&[
        ("a.csv", events),
        ("again.csv", events),
        ("other.csv", "a,b\n1,2\n"),
        ("differs.csv", &other),
    ]);
    let table = history.table(TableKind::SystemEvents).expect("read");
    assert_eq!(table.rows.len(), 3);
    assert_eq!(table.sums(1), [250_000.0, 800.0]);
    assert_eq!(table.members[1], ["log file \"sync\", new", "Commit"]);
    let lengths: Vec<f64> = history.intervals.iter().map(Interval::seconds).collect();
    assert_eq!(lengths, [3600.5, 7199.5]);
    assert_eq!(history.files[0].left[0].rows, 1);
    assert_eq!(history.files[2].kind, None);
    // What is there twice is no loss; what is there with other numbers is.
    let repeated = &history.files[4].left[0];
    assert!(repeated.rows == 1 && repeated.reason.contains("other numbers"), "{repeated:?}");
}

/// Ten hours, of which the fourth has no snapshot; before the eighth the instance was started anew.
#[test]
fn perfsheet4_has_no_rates_across_a_missing_snapshot_or_a_restart() {
    let mut text =
        "SNAP_TIME       ,INSTANCE_NUMBER,STAT_NAME   ,VALUE,DELTA_VALUE,DELTAT_SEC,RATE_VALUE\n"
            .to_owned();
    for hour in (0..10).filter(|hour| *hour != 4) {
        let delta = match hour {
            0 => String::new(),
            8 => "-500".to_owned(),
            hour => format!("{}", hour * 3600),
        };
        writeln!(text, "2016_02_13 {hour:02}:00,     1,user commits    , 9,{delta},3600,")
            .expect("a text takes everything");
        if hour == 8 {
            text += "2016_02_13 08:00,     1,redo size       , 9,77,3600,\n";
        }
    }
    let history = read(&[("Perfsheet4_AWR_sysstat.csv", &text)]);
    assert!(!history.utc);
    let table = history.table(TableKind::SystemStatistics).expect("read");
    let mut rates: Vec<(i64, f64)> = table
        .rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let interval = history.intervals[row.interval as usize];
            let hour = interval.start_us.rem_euclid(24 * HOUR_US) / HOUR_US;
            (hour, table.values_of(at)[0] / interval.seconds())
        })
        .collect();
    rates.sort_by_key(|(hour, _)| *hour);
    // Hour 5 counts two hours, hour 8 what was before the restart: neither is there.
    assert_eq!(rates, [(1, 1.0), (2, 2.0), (3, 3.0), (6, 6.0), (7, 7.0), (9, 9.0)]);
}

/// Eight hours of which the snapshot of 14:00 was not taken, so that the interval from 13:00 lasts two hours, and those
/// of 16:00 and 17:00 were dropped.
#[test]
fn intervals_of_perfsheet4_are_as_long_as_its_statistics_say() {
    let mut statistics =
        "SNAP_TIME,INSTANCE_NUMBER,STAT_NAME,VALUE,DELTA_VALUE,DELTAT_SEC,RATE_VALUE\n".to_owned();
    let mut classes =
        "SNAP_TIME,SNAP_ID,INSTANCE_NUMBER,WAIT_CLASS,RATE_TIMEWAITED_PER_CLASS\n".to_owned();
    for (hour, seconds) in
        [(9, 3600), (10, 3600), (11, 3602), (12, 3599), (13, 7200), (15, 3600), (18, 3600)]
    {
        // Each second one commit, and 500,000 microseconds of waiting.
        let since = if hour == 18 { 3 * 3600 } else { seconds };
        writeln!(statistics, "2016_02_13 {hour:02}:00,1,user commits,9,{since},{seconds},1")
            .expect("a text takes everything");
        writeln!(classes, "2016_02_13 {hour:02}:00,{hour},1,Commit,500000")
            .expect("a text takes everything");
    }
    for files in [[&statistics, &classes], [&classes, &statistics]] {
        let history = read(&[("one.csv", files[0]), ("other.csv", files[1])]);
        for (kind, value, rate) in
            [(TableKind::SystemStatistics, 0, 1.0), (TableKind::WaitClasses, 1, 500_000.0)]
        {
            let table = history.table(kind).expect("read");
            let found: Vec<(i64, f64)> = (table.rows.iter().enumerate())
                .map(|(at, row)| {
                    let interval = history.intervals[row.interval as usize];
                    let per_second = table.values_of(at)[value] / interval.seconds();
                    assert!(
                        (per_second / rate - 1.0).abs() < 1e-3,
                        "{kind:?} {interval:?}: {per_second}"
                    );
                    (interval.start_us.rem_euclid(24 * HOUR_US) / HOUR_US, interval.seconds())
                })
                .collect();
            let hours = [9, 10, 11, 12, 13, 15];
            let expected = hours.map(|hour| (hour, if hour == 13 { 7200.0 } else { 3600.0 }));
            assert_eq!(found, expected, "{kind:?}");
        }
    }
}

#[test]
fn rates_of_wait_classes_become_amounts() {
    let text = "SNAP_TIME,SNAP_ID,INSTANCE_NUMBER,WAIT_CLASS,RATE_TIMEWAITED_PER_CLASS
2016_02_13 10:00, 1, 1,CPU, 500000
2016_02_13 11:00, 2, 1,CPU, 1500000
2016_02_13 12:00, 3, 1,CPU, 2500000
";
    let history = read(&[("Perfsheet4_AWR_Waitclass_and_CPU.csv", text)]);
    let busiest = Busiest::of(&history).expect("times");
    assert!((busiest.sessions - 2.5).abs() < 1e-9 && !busiest.foreground);
    assert_eq!(history.intervals[busiest.interval].seconds().to_string(), "3600");
}

/// A file as `PerfSheet4`'s scripts spool it: an empty line, heads, columns as wide as their values may be,
/// and lines that end as on Windows.
fn spooled(heads: &str, rows: &[&str]) -> String {
    let padded = |line: &str| line.replace(',', "      ,").replace(", ", ",  ");
    let lines = [heads].into_iter().chain(rows.iter().copied()).map(padded);
    format!("\r\n{}\r\n\r\n9 rows selected.\r\n", lines.collect::<Vec<_>>().join("\r\n"))
}

/// Member and value of the hour from 10:00, in the order of the members.
fn of_ten(history: &History, kind: TableKind, value: usize) -> Vec<(String, f64)> {
    let table = history.table(kind).expect("read");
    let is_ten = |row: &Row| {
        let interval = history.intervals[row.interval as usize];
        interval.start_us.rem_euclid(24 * HOUR_US) == 10 * HOUR_US
    };
    let rows = table.rows.iter().enumerate().filter(|(_, row)| is_ten(row));
    rows.map(|(at, row)| (table.members[row.member as usize].join("|"), table.values_of(at)[value]))
        .collect()
}

#[test]
fn statistics_of_services_are_not_those_of_the_instance() {
    let text = spooled(
        "SNAP_TIME,INSTANCE_NUMBER,SERVICE_NAME,STAT_NAME,VALUE,DELTA_VALUE,DELTAT_SEC,RATE_VALUE",
        &[
            "2016_02_13 10:00, 1,SALES,user commits, 9000, 7200, 3600, 2",
            "2016_02_13 10:00, 1,BATCH,user commits, 9000, 36, 3600, .01",
            "2016_02_13 10:00, 1,SALES,DB time, 1.2346E+11, 5400000000, 3600, 1500000",
            "2016_02_13 11:00, 1,SALES,user commits, 9001, 1, 3600, 0",
        ],
    );
    let history = read(&[("Perfsheet4_AWR_service_stat.csv", &text)]);
    assert_eq!(history.table(TableKind::SystemStatistics), None);
    let found = of_ten(&history, TableKind::ServiceStatistics, 0);
    let expected =
        [("SALES|user commits", 7200.0), ("BATCH|user commits", 36.0), ("SALES|DB time", 5.4e9)];
    assert_eq!(found, expected.map(|(name, delta)| (name.to_owned(), delta)));
    assert_eq!(history.files[0].left, []);
}

#[test]
fn buckets_of_perfsheet4_are_waits_of_an_event_by_their_upper_bound() {
    let text = spooled(
        "SNAP_TIME,SNAP_ID,INSTANCE_NUMBER,EVENT_NAME,WAIT_TIME_MILLI,WAIT_COUNT,DELTA_WAIT_COUNT",
        &[
            "2016_02_13 09:00, 6, 1,log file sync, 1, 4000,",
            "2016_02_13 10:00, 7, 1,log file sync, 1, 4100, 100",
            "2016_02_13 10:00, 7, 1,log file sync, 4, 60, 7",
            "2016_02_13 10:00, 7, 1,db file sequential read, 1, 9000, 8000",
            "2016_02_13 11:00, 8, 1,log file sync, 1, 4101, 1",
        ],
    );
    let history = read(&[("Perfsheet4_AWR_event_histogram.csv", &text)]);
    let found = of_ten(&history, TableKind::EventHistograms, 0);
    let expected = [
        ("log file sync||1", 100.0),
        ("log file sync||4", 7.0),
        ("db file sequential read||1", 8000.0),
    ];
    assert_eq!(found, expected.map(|(name, waits)| (name.to_owned(), waits)));
}

#[test]
fn reads_and_writes_by_function_are_rates_in_the_file() {
    let text = spooled(
        "SNAP_TIME,INSTANCE_NUMBER,FUNCTION_NAME,FILETYPE_NAME,RATE_SMALL_READ_REQS,\
         RATE_LARGE_READ_MEGABYTES,RATE_SMALL_WRITE_REQS,RATE_LARGE_WRITE_MEGABYTES,RATE_WAIT_TIME",
        &[
            "2016_02_13 09:00, 1,Buffer Cache Reads,Data File,,,,,",
            "2016_02_13 10:00, 1,Buffer Cache Reads,Data File, 250.5, .25, 0, 0, 1200",
            "2016_02_13 10:00, 1,Buffer Cache Reads,Temp File, 10, 0, 0, 0, 5",
            "2016_02_13 10:00, 1,LGWR,Log File, 0, 0, 80, 1.5, 3",
            "2016_02_13 11:00, 1,LGWR,Log File, 0, 0, 81, 1.5, 3",
        ],
    );
    let history = read(&[("Perfsheet4_AWR_iostat_detail.csv", &text)]);
    let value = |name| TableKind::IoFunctions.values().iter().position(|one| *one == name);
    let of = |name| {
        let found = of_ten(&history, TableKind::IoFunctions, value(name).expect("a column"));
        found.into_iter().map(|(_, amount)| amount).collect::<Vec<f64>>()
    };
    // Each second of an hour.
    assert_eq!(of("small_reads"), [250.5 * 3600.0, 36_000.0, 0.0]);
    assert_eq!(of("large_read_mb"), [900.0, 0.0, 0.0]);
    assert_eq!(of("small_writes"), [0.0, 0.0, 288_000.0]);
    assert_eq!(of("large_write_mb"), [0.0, 0.0, 5400.0]);
    assert_eq!(of("wait_time_ms"), [4_320_000.0, 18_000.0, 10_800.0]);
    // What the file does not say is not 0.
    assert!(of("large_reads").iter().chain(&of("waits")).all(|amount| amount.is_nan()));
    let names = of_ten(&history, TableKind::IoFunctions, 0).into_iter().map(|(name, _)| name);
    let expected =
        ["Buffer Cache Reads: Data File", "Buffer Cache Reads: Temp File", "LGWR: Log File"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn metrics_have_their_unit_behind_their_name() {
    let text = spooled(
        "SNAP_TIME,INSTANCE_NUMBER,METRIC_NAME_UNIT,MAXVAL,AVERAGE,STANDARD_DEVIATION",
        &[
            "2016_02_13 10:00, 1,Average Active Sessions - Active Sessions, 8.5, 2.25, .75",
            "2016_02_13 10:00, 1,Host CPU Utilization (%) - % Busy/(Idle+Busy), 90, 40, 12",
            "2016_02_13 11:00, 1,Average Active Sessions - Active Sessions, 1, 1, 0",
        ],
    );
    let history = read(&[("Perfsheet4_AWR_sysmetric.csv", &text)]);
    let names =
        ["Average Active Sessions|Active Sessions", "Host CPU Utilization (%)|% Busy/(Idle+Busy)"];
    let expected =
        |values: [f64; 2]| names.map(str::to_owned).into_iter().zip(values).collect::<Vec<_>>();
    assert_eq!(of_ten(&history, TableKind::Metrics, 1), expected([2.25, 40.0]));
    assert_eq!(of_ten(&history, TableKind::Metrics, 2), expected([8.5, 90.0]));
    assert_eq!(of_ten(&history, TableKind::Metrics, 3), expected([0.75, 12.0]));
}

#[test]
fn the_largest_events_are_counted_once_and_are_not_all() {
    let largest = spooled(
        "SNAP_TIME,SNAP_ID,INSTANCE_NUMBER,EVENT_NAME,RATE_TIMEWAITED",
        &[
            "2016_02_13 10:00, 7, 1,db file sequential read, 1500000",
            "2016_02_13 10:00, 7, 1,CPU used by this session, 500000",
            "2016_02_13 11:00, 8, 1,db file sequential read, 1000000",
        ],
    );
    let alone = read(&[("Perfsheet4_AWR_top3_waitevent_and_CPU.csv", &largest)]);
    let expected = [("db file sequential read|", 5.4e9), ("CPU used by this session|", 1.8e9)];
    assert_eq!(
        of_ten(&alone, TableKind::SystemEvents, 1),
        expected.map(|(name, time)| (name.to_owned(), time))
    );
    // How many sessions there were is not known.
    assert_eq!(Busiest::of(&alone), None);
    let all = spooled(
        "SNAP_TIME,INSTANCE_NUMBER,EVENT_NAME,WAIT_CLASS,TOTAL_WAITS,TIME_WAITED_MICRO,DELTA_WAITS,\
         DELTA_TIMEWAITED,WAITS_PER_SEC,RATE_TIMEWAITED,AVG_WAIT_TIME_MICRO",
        &[
            "2016_02_13 10:00, 1,db file sequential read,User I/O, 9, 9, 60000, 5400000000, 17, 1500000, 90",
            "2016_02_13 10:00, 1,log file sync,Commit, 9, 9, 100, 3600000, 0, 1000, 36",
            "2016_02_13 11:00, 1,log file sync,Commit, 9, 9, 100, 3600000, 0, 1000, 36",
        ],
    );
    for files in [[&largest, &all], [&all, &largest]] {
        let both = read(&[("one.csv", files[0]), ("other.csv", files[1])]);
        let table = both.table(TableKind::SystemEvents).expect("read");
        let keys: Vec<String> = table.members.iter().map(|keys| keys.join("|")).collect();
        assert_eq!(keys, ["db file sequential read|User I/O", "log file sync|Commit"]);
        assert_eq!(table.sums(1), [5.4e9, 7.2e6]);
        assert!((Busiest::of(&both).expect("all").sessions - 1.501).abs() < 1e-9);
        assert_eq!(both.files[0].left, []);
    }
}

#[test]
fn clocks_are_not_mixed() {
    let mut reader = HistoryReader::within(MemoryAccount::of_bytes(64 << 20));
    reader
        .read("a", format!("{CLASSES}2026-03-01T10:00:00Z,60,5,1,1,\"CPU\",1,1,1,1\n").as_bytes())
        .expect("bytes in memory");
    reader
        .read("b", format!("{CLASSES}2026-03-01T10:00:00,60,5,1,1,\"CPU\",1,1,1,1\n").as_bytes())
        .expect("bytes in memory");
    assert!(reader.finish().unwrap_err().contains("report them apart"));
}

/// A gauge among an instance's thousand statistics falls every hour, and nothing was started anew.
#[test]
fn a_statistic_that_nothing_is_made_of_takes_no_interval_away() {
    let statistics = "end,seconds,dbid,instance,snap_id,statistic,delta
2026-03-01T08:00:00Z,3600,5,1,11,\"logons current\",-3
2026-03-01T08:00:00Z,3600,5,1,11,\"user commits\",7200
";
    let classes = format!("{CLASSES}2026-03-01T08:00:00Z,3600,5,1,11,\"Commit\",1,3600,1,3600\n");
    let history = read(&[("s.csv", statistics), ("c.csv", &classes)]);
    assert!(history.files.iter().all(|file| file.left.is_empty()), "{:?}", history.files);
    let sums = |kind| history.table(kind).map(|table| table.sums(0));
    assert_eq!(sums(TableKind::SystemStatistics), Some(vec![7200.0]));
    assert_eq!(sums(TableKind::WaitClasses), Some(vec![1.0]));
}

#[test]
fn a_mistake_in_every_row_is_said_once_with_its_first_place() {
    let row = |hour: u32| format!("13-FEB-16 {hour:02}:00:00,3600,5,1,1,\"CPU\",1,1,1,1\n");
    let text = format!("{CLASSES}{}", (0..20).map(row).collect::<String>());
    let history = read(&[("classes.csv", &text)]);
    let left = &history.files[0].left;
    assert_eq!(left.len(), 1);
    assert_eq!(
        (left[0].rows, left[0].reason.as_str()),
        (20, "the time cannot be read (line 2: '13-FEB-16 00:00:00')")
    );
}

#[test]
fn rows_that_do_not_fit_are_counted_and_so_are_lines_that_are_no_rows() {
    let mut text = CLASSES.to_owned();
    for hour in 0..24 {
        for class in 0..50 {
            writeln!(
                text,
                "2026-03-01T{hour:02}:00:00Z,3600.000,5,1,{hour},\"class {class}\",9,7,9,7"
            )
            .expect("a text takes everything");
        }
    }
    let long = "1".repeat(3 << 20);
    write!(text, "2026-03-02T00:00:00Z,{long}\n2026-03-02T00:00:00Z,3600,5")
        .expect("a text takes everything");
    let mut reader = HistoryReader::within(MemoryAccount::of_bytes(64 << 10));
    reader.read("classes.csv", text.as_bytes()).expect("bytes in memory");
    let history = reader.finish().expect("one clock");
    let file = &history.files[0];
    let reasons: Vec<(u64, &str)> =
        file.left.iter().map(|left| (left.rows, left.reason.split(' ').next().unwrap())).collect();
    // By reason: "the line is cut short", "the line is longer", "they do not fit".
    assert_eq!((reasons.len(), reasons[0], reasons[1]), (3, (1, "the"), (1, "the")), "{file:?}");
    assert!(file.left[2].reason.contains("--memory") && file.left[2].rows > 500, "{file:?}");
    assert_eq!(file.rows + file.left[2].rows, 24 * 50);
    assert_eq!(history.tables[0].rows.len() as u64, file.rows);
}

/// A table of histograms with one event in the hour before 08:00: bounds in this unit, and waits.
fn histogram_of_eight(unit: &str, buckets: &[(&str, &str)]) -> String {
    let mut text =
        format!("end,seconds,dbid,instance,snap_id,event,wait_class,wait_time_{unit},waits\n");
    for (bound, waits) in buckets {
        writeln!(
            text,
            "2026-03-01T08:00:00Z,3600.000,5,1,11,\"log file sync\",\"Commit\",{bound},{waits}"
        )
        .expect("a text takes everything");
    }
    text
}

#[test]
fn buckets_in_microseconds_are_read_as_milliseconds() {
    let buckets = [("1", "3"), ("512", "40"), ("1024", "7"), ("4294967295", "1")];
    let micros = histogram_of_eight("us", &buckets);
    let millis = histogram_of_eight("ms", &[("1", "43"), ("2", "7")]);
    let history = read(&[("us.csv", &micros), ("ms.csv", &millis)]);
    let table = history.table(TableKind::EventHistograms).expect("read");
    let bounds: Vec<&str> = table.members.iter().map(|keys| keys[2].as_str()).collect();
    assert_eq!(bounds, ["0.001", "0.512", "1.024", "4294967.295"]);
    assert_eq!(table.sums(0), [3.0, 40.0, 7.0, 1.0]);
    // The same waits in other buckets are not added up.
    let left = &history.files[1].left[0];
    assert!(left.rows == 2 && left.reason.contains("another unit"), "{left:?}");
}

#[test]
fn buckets_that_no_histogram_has_are_left_out() {
    let good = [("512", "40"), ("1024", "0"), ("1048576", "5"), ("4294967295", "1")];
    let bad_bounds = ["x", "", "0", "700", "512.5", "1E3", "-4"].map(|bound| (bound, "9"));
    for unit in ["us", "ms"] {
        let buckets = [&good[..], &bad_bounds, &[("256", "1.5"), ("128", ".25")]].concat();
        let history = read(&[("h.csv", &histogram_of_eight(unit, &buckets))]);
        let table = history.table(TableKind::EventHistograms).expect("read");
        assert_eq!(table.sums(0), [40.0, 0.0, 5.0, 1.0], "{unit}");
        let file = &history.files[0];
        assert_eq!(file.rows, 4);
        let left: Vec<(u64, &str)> =
            file.left.iter().map(|left| (left.rows, left.reason.as_str())).collect();
        assert_eq!(
            left,
            [
                (7, "no histogram has a bucket that ends there (line 6: 'x')"),
                (2, "waits are not a whole number (line 13: '1.5')")
            ]
        );
    }
}
