use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::expand;

/// A trace of one event with so many waits, one each 10 ms.
fn trace(event: &str, waits: u64) -> String {
    let mut text = "*** 2026-11-21T09:08:07.123456+01:00\n".to_owned();
    for n in 0..waits {
        let (ela, tim) = (n % 97 * 11, 5_000_000 + n * 10_000);
        writeln!(text, "WAIT #1: nam='{event}' ela= {ela} p1=1 p2=2 p3=3 obj#=4 tim={tim}")
            .unwrap();
    }
    text
}

/// Files of several kinds, some of which are no input or have faults.
fn files(directory: &Path) {
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    write("a.trc", &trace("log file sync", 40_000));
    write("b.trc", &format!("{}WAIT #1: nam='cut\n", trace("latch free", 30)));
    let mut lines = "time,latency_us\n".to_owned();
    for n in 0..20 {
        writeln!(lines, "17000000{n:02}.5,{n}00").unwrap();
    }
    write("c.csv", &format!("{lines}1700000030.5,x\n"));
    write("d.txt", "nothing of interest\n");
    write("e.trc", "");
    write("f.trc", &trace("log file sync", 3_000));
    write("g.csv", "time,latency_us\n3.5,100\n4.5,200\n");
}

/// Everything that reading the inputs with so many threads gives, as text.
fn read(inputs: &[Input], threads: usize) -> (Vec<String>, String) {
    let _ends = testing::bounded::watchdog("reading several inputs");
    let context = Context { threads, ..Context::default() };
    let options = ReadOptions { context, ..ReadOptions::default() };
    let mut events = Vec::new();
    let mut take = |event| events.push(format!("{event:?}"));
    let read = read_each((inputs, None), &options, Binning::SECONDS, (None, &mut take));
    let read =
        read.map_or_else(|error| format!("failed: {error}"), |account| format!("{account:?}"));
    (events, read)
}

#[test]
fn inputs_read_at_a_time_give_what_they_give_one_after_the_other() {
    let directory = tempfile::tempdir().unwrap();
    files(directory.path());
    let inputs = expand(vec![directory.path().to_str().unwrap().parse().unwrap()]).unwrap();
    assert_eq!(inputs.len(), 7);
    let one = read(&inputs, 1);
    // 40,000 + 30 + 20 + 3,000 + 2 records, a cut wait and a latency that is no number.
    assert!(one.1.contains("records: 43052, rejected: 2,"), "{}", one.1);
    assert!(one.0.iter().any(|event| event.contains("files skipped")), "{:?}", one.0.last());
    for threads in [2, 3, 16] {
        assert_eq!(read(&inputs, threads), one, "{threads} threads");
    }
}

#[test]
fn an_input_that_cannot_be_read_ends_reading_where_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    files(directory.path());
    let names = ["a.trc", "c.csv", "missing.trc", "f.trc"];
    let address = |name: &&str| directory.path().join(name).to_str().unwrap().parse().unwrap();
    let inputs = expand(names.iter().map(address).collect()).unwrap();
    let one = read(&inputs, 1);
    assert!(one.1.starts_with("failed: ") && one.1.contains("missing.trc"), "{}", one.1);
    for threads in [2, 3, 16] {
        assert_eq!(read(&inputs, threads), one, "{threads} threads");
    }
}

/// A scrape of one histogram, of so many events within 1 ms, of a program of this name.
fn scrape(job: &str, events: u64) -> String {
    format!(
        "# TYPE read_seconds histogram\nread_seconds_bucket{{job=\"{job}\",le=\"0.001\"}} {events}\n\
         read_seconds_bucket{{job=\"{job}\",le=\"+Inf\"}} {events}\n\
         read_seconds_sum{{job=\"{job}\"}} 0.5\nread_seconds_count{{job=\"{job}\"}} {events}\n"
    )
}

#[test]
fn totals_of_one_series_in_two_files_are_not_added_up() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("1.prom", &scrape("a", 600));
    write("2.prom", &scrape("a", 1_000));
    write("both.prom", &format!("{}{}", scrape("a", 600), scrape("a", 1_000)));
    write("other.prom", &scrape("b", 70));
    let address = |name: &&str| directory.path().join(name).to_str().unwrap().parse().unwrap();
    let inputs = |names: &[&str]| expand(names.iter().map(address).collect()).unwrap();
    for threads in [1, 2] {
        let (_, same) = read(&inputs(&["1.prom", "2.prom"]), threads);
        assert!(same.starts_with("failed: ") && same.contains("1.prom'"), "{same}");
        assert!(same.contains("count twice") && same.contains("isotherm stats -"), "{same}");
        let (_, within) = read(&inputs(&["both.prom", "2.prom"]), threads);
        assert!(within.starts_with("failed: "), "{within}");
        let (_, others) = read(&inputs(&["1.prom", "other.prom"]), threads);
        assert!(others.contains("records: 2,"), "{others}");
    }
}

/// An export of a histogram of so many events since second 0, read at a second.
fn export(second: u64, events: u64) -> String {
    format!(
        "{{\"resourceMetrics\":[{{\"scopeMetrics\":[{{\"metrics\":[{{\"name\":\"read\",\"unit\":\"s\",\
         \"histogram\":{{\"aggregationTemporality\":2,\"dataPoints\":[{{\"startTimeUnixNano\":\
         \"1700000000000000000\",\"timeUnixNano\":\"17000000{second:02}000000000\",\"count\":\
         \"{events}\",\"bucketCounts\":[\"{events}\",\"0\"],\"explicitBounds\":[1]}}]}}}}]}}]}}]}}\n"
    )
}

#[test]
fn exports_that_go_on_in_a_second_file_are_not_added_up() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    write("1.json", &(export(10, 3) + &export(20, 5)));
    write("2.json", &(export(30, 9) + &export(40, 11)));
    write("all.json", &(export(10, 3) + &export(20, 5) + &export(30, 9) + &export(40, 11)));
    let address = |name: &&str| directory.path().join(name).to_str().unwrap().parse().unwrap();
    let inputs = |names: &[&str]| expand(names.iter().map(address).collect()).unwrap();
    let (_, both) = read(&inputs(&["1.json", "2.json"]), 1);
    assert!(both.starts_with("failed: ") && both.contains("count twice"), "{both}");
    let mut counted = 0;
    let mut take = |event| {
        if let Event::Frame(frame) = event {
            counted += frame.counts.events();
        }
    };
    read_all(&inputs(&["all.json"]), &ReadOptions::default(), Binning::SECONDS, &mut take).unwrap();
    assert_eq!(counted, 11);
}
