//! Tables against what a seeded generator put into them.

use std::fmt::Write as _;

use super::*;

const HOUR_US: i64 = 3_600_000_000;

fn read(files: &[(&str, &str)]) -> History {
    let mut reader = HistoryReader::default();
    for (name, text) in files {
        reader.read(name, text.as_bytes());
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

#[test]
fn clocks_are_not_mixed() {
    let mut reader = HistoryReader::default();
    reader
        .read("a", format!("{CLASSES}2026-03-01T10:00:00Z,60,5,1,1,\"CPU\",1,1,1,1\n").as_bytes());
    reader.read("b", format!("{CLASSES}2026-03-01T10:00:00,60,5,1,1,\"CPU\",1,1,1,1\n").as_bytes());
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
