//! Tools that write one line for each event: strace, fio, `PostgreSQL`, `MariaDB`, perf, blkparse.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use isotherm_formats::{Context, Message, Only, Recognition, SOURCES, Sink, recognise};
use isotherm_frame::{Account, Nanos, Reading};
use serde_json::Value;

use super::folder;

/// The events of one series.
#[derive(Default)]
struct Events {
    count: u64,
    sum_ns: u64,
    greatest_ns: u64,
    log2_us: BTreeMap<u64, u64>,
}

/// The events of an input by series, and totals of what it says in histograms.
#[derive(Default)]
struct Found {
    series: BTreeMap<String, Events>,
    tally: Account,
}

impl Found {
    fn events(&self) -> u64 {
        self.series.values().map(|events| events.count).sum()
    }

    fn sum_ns(&self) -> u64 {
        self.series.values().map(|events| events.sum_ns).sum()
    }
}

impl Sink for Found {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        match reading {
            Reading::Event { series, latency, .. } => {
                let events = self.series.entry(series.full()).or_default();
                let ns = latency.as_nanos();
                events.count += 1;
                events.sum_ns += ns;
                events.greatest_ns = events.greatest_ns.max(ns);
                let us = ns / 1_000;
                *events.log2_us.entry(if us == 0 { 0 } else { 1 << us.ilog2() }).or_default() += 1;
            }
            Reading::Delta(frame) => {
                let events = self.series.entry(frame.series.full()).or_default();
                events.count += frame.counts.events();
                events.sum_ns += frame.counts.sum().map_or(0, Nanos::as_nanos);
                for (bucket, count) in frame.counts.non_zero() {
                    *events.log2_us.entry(bucket.lo.as_nanos()).or_default() += count;
                }
            }
            Reading::Unselected { .. } => {}
            Reading::Cumulative { .. } | Reading::Sampled { .. } => panic!("totals or samples"),
        }
    }
}

fn read(path: &Path, source: &str, context: &Context) -> Found {
    let input = fs::read(path).unwrap();
    let Recognition::Known(known) = recognise(&input) else { panic!("{}", path.display()) };
    assert_eq!(known.meta().name, source, "{}", path.display());
    let mut found = Found::default();
    known.decode(&mut &input[..], context, &mut found).unwrap();
    found
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn by(names: &[&str]) -> Context {
    Context { by: names.iter().map(|name| (*name).to_owned()).collect(), ..Context::default() }
}

fn only(attribute: &str, pattern: &str) -> Only {
    Only { attribute: attribute.to_owned(), pattern: pattern.to_owned(), other: false }
}

fn counts(value: &Value) -> BTreeMap<u64, u64> {
    let pairs = value.as_object().unwrap().iter();
    pairs.map(|(key, count)| (key.parse().unwrap(), count.as_u64().unwrap())).collect()
}

fn is_as_expected(name: &str, found: &Events, expected: &Value) {
    assert_eq!(Some(found.count), expected["n"].as_u64(), "{name}");
    assert_eq!(Some(found.sum_ns), expected["sum_ns"].as_u64(), "{name}");
    if let Some(greatest) = expected["max_ns"].as_u64().or(expected["max"].as_u64()) {
        assert_eq!(found.greatest_ns, greatest, "{name}");
    }
    assert_eq!(found.log2_us, counts(&expected["log2_us"]), "{name}");
}

#[test]
fn system_calls_of_strace() {
    let Some(folder) = folder("strace") else { return };
    let expected = json(&folder.join("expected.json"));
    for (file, expected) in expected.as_object().unwrap() {
        let path = folder.join(file);
        let (true, Some(calls)) = (path.exists(), expected["syscalls"].as_object()) else {
            println!("SKIPPED: {file}");
            continue;
        };
        let found = read(&path, "strace", &Context::default());
        assert_eq!(found.tally.rejected, 0, "{file}: {:?}", found.tally.rejections);
        let names: Vec<_> = found.series.keys().collect();
        assert_eq!(names, calls.keys().collect::<Vec<_>>(), "{file}");
        for (call, expected) in calls {
            is_as_expected(&format!("{file} {call}"), &found.series[call], expected);
        }
        println!("{file}: {} calls of {} kinds equal", found.events(), names.len());
    }
}

#[test]
fn reports_and_logs_of_fio() {
    let Some(folder) = folder("fio") else { return };
    let context = Context { only: vec![only("time", "clat")], ..by(&["direction", "job", "time"]) };
    let report = read(&folder.join("fio_jsonplus.json"), "fio", &context);
    let expected = json(&folder.join("expected.json"));
    let mut compared = 0;
    for job in expected["jobs"].as_array().unwrap() {
        let name = job["jobname"].as_str().unwrap();
        for direction in ["read", "write"] {
            let Some(bins) = job[direction]["expected_bins"].as_array() else { continue };
            let bins: BTreeMap<u64, u64> = bins
                .iter()
                .map(|bin| (bin["lo_ns"].as_u64().unwrap(), bin["count"].as_u64().unwrap()))
                .collect();
            let found = &report.series[&format!("{direction}{{job={name},time=clat}}")];
            assert_eq!(found.log2_us, bins, "{name} {direction}");
            assert_eq!(Some(found.count), job[direction]["n_from_log"].as_u64());
            assert_eq!(Some(found.sum_ns), job[direction]["sum_ns_from_log"].as_u64());
            compared += 1;
        }
    }
    println!("fio json+: {compared} histograms equal, sums too");
    for (number, job) in [(1, "rr"), (2, "aio"), (3, "syncw")] {
        let job = expected["jobs"].as_array().unwrap().iter().find(|it| it["jobname"] == job);
        let job = job.unwrap();
        for (kind, key) in [("clat", "n_from_log"), ("clat_hist", "hist_log_total")] {
            let path = folder.join(format!("mix_{kind}.{number}.log"));
            if !path.exists() {
                println!("SKIPPED: {}", path.display());
                continue;
            }
            let found = read(&path, "fio", &by(&["direction"]));
            assert_eq!(found.tally.rejected, 0, "{:?}", found.tally.rejections);
            for direction in ["read", "write"] {
                let Some(count) = job[direction][key].as_u64() else { continue };
                let events = &found.series[direction];
                assert_eq!(events.count, count, "{kind} {number} {direction}");
                if kind == "clat" {
                    let sum = job[direction]["sum_ns_from_log"].as_u64();
                    assert_eq!(Some(events.sum_ns), sum, "{kind} {number} {direction}");
                }
            }
            println!("{}: {} operations equal", path.display(), found.events());
        }
    }
}

#[test]
fn statements_of_postgresql() {
    let Some(folder) = folder("postgres") else { return };
    let expected = json(&folder.join("log_min_duration.expected.json"));
    let found = read(&folder.join("log_min_duration.log"), "postgreslog", &by(&["step"]));
    assert_eq!(found.tally.rejected, 0, "{:?}", found.tally.rejections);
    let events = &found.series["statements"];
    assert_eq!(Some(events.count), expected["n"].as_u64());
    let ms = expected["sum_ms"].as_f64().unwrap();
    assert!((events.sum_ns as f64 / 1e6 - ms).abs() < 1e-3, "{}", events.sum_ns);
    assert_eq!(events.log2_us, counts(&expected["log2_us"]));
    println!("{} statements equal; said: {:?}", events.count, found.tally.notices);
    let statements = read(&folder.join("log_min_duration.log"), "postgreslog", &Context::default());
    println!("{} fingerprints", statements.series.len());
    let csv = fs::read_to_string(folder.join("log_csvlog.csv")).unwrap();
    let durations = csv.matches(",\"duration: ").count();
    if durations > 0 {
        let csv = read(&folder.join("log_csvlog.csv"), "postgreslog", &Context::default());
        println!("csvlog: {} of {durations} durations, {:?}", csv.events(), csv.tally.notices);
        assert_eq!(csv.tally.records, durations as u64);
    }
}

#[test]
fn transactions_of_pgbench() {
    for (folder_name, parts) in [
        ("postgres", ["pgbl_g.18137", "pgbl_g.18137.1"]),
        ("pg_stat_monitor", ["pgbl_m.3032", "pgbl_m.3032.1"]),
    ] {
        let Some(folder) = folder(folder_name) else { return };
        let expected = json(&folder.join("pgbench_log.expected.json"));
        for (time, key) in [("total", "log2_us"), ("service", "log2_us_minus_lag")] {
            let context = Context { only: vec![only("time", time)], ..Context::default() };
            let (mut count, mut sum, mut log2_us) = (0, 0, BTreeMap::new());
            for part in parts {
                let found = read(&folder.join(part), "pgbench", &context);
                assert_eq!(found.tally.rejected, 0, "{part}");
                (count, sum) = (count + found.events(), sum + found.sum_ns());
                for (bucket, n) in found.series.values().flat_map(|events| &events.log2_us) {
                    *log2_us.entry(*bucket).or_insert(0) += n;
                }
            }
            if expected[key].is_null() {
                continue;
            }
            assert_eq!(log2_us, counts(&expected[key]), "{folder_name} {time}");
            assert_eq!(Some(count), expected["n"].as_u64());
            if time == "total" {
                assert_eq!(Some(sum / 1_000), expected["sum_us"].as_u64());
            }
            println!("{folder_name} pgbench {time}: {count} transactions equal");
        }
    }
}

#[test]
fn statements_of_mariadb() {
    let Some(folder) = folder("mariadb") else { return };
    let expected = json(&folder.join("expected.json"));
    let found = read(&folder.join("slow.log"), "mysqlslow", &Context::default());
    assert_eq!(found.tally.rejected, 0, "{:?}", found.tally.rejections);
    assert_eq!(Some(found.events()), expected["slow_log_entries"].as_u64());
    assert_eq!(Some(found.sum_ns() / 1_000), expected["sum_query_time_us_slow_stmt"].as_u64());
    println!("{} statements equal, {} fingerprints", found.events(), found.series.len());
}

#[test]
fn block_requests() {
    let Some(perf) = folder("perf") else { return };
    let expected = json(&perf.join("expected.json"));
    for file in ["perf_script_block.txt", "perf_script_block_F.txt"] {
        let found = read(&perf.join(file), "blocktrace", &by(&["flags", "device"]));
        for (name, expected) in expected["series"].as_object().unwrap() {
            if name == "254,0 WS" {
                // The expectation takes a flush for the write that asked for it.
                continue;
            }
            let (device, flags) = name.split_once(' ').unwrap();
            let series = format!("requests{{device={device},flags={flags}}}");
            if file.ends_with("_F.txt") {
                assert!(found.series[&series].count > 0, "{file} {name}");
            } else {
                is_as_expected(name, &found.series[&series], expected);
            }
        }
        let flushes = &found.series["requests{device=254,0,flags=FF}"];
        assert_eq!(flushes.count, 245, "{file}");
        println!("{file}: {} requests equal; {:?}", found.events(), found.tally.notices);
    }
    let Some(blktrace) = folder("blktrace") else { return };
    let expected = json(&blktrace.join("expected.json"));
    for (stage, key) in [("device", "d2c"), ("total", "q2c")] {
        for file in ["blkparse_default.txt", "blkparse_t.txt"] {
            let context = Context { only: vec![only("stage", stage)], ..by(&["flags"]) };
            let found = read(&blktrace.join(file), "blocktrace", &context);
            for (flags, expected) in expected[key].as_object().unwrap() {
                let series = format!("requests{{flags={flags}}}");
                is_as_expected(
                    &format!("{file} {stage} {flags}"),
                    &found.series[&series],
                    expected,
                );
            }
            println!(
                "{file} {stage}: {} requests equal; {:?}",
                found.events(),
                found.tally.notices
            );
        }
    }
}

#[test]
fn intervals_of_hdrhistogram() {
    let Some(folder) = folder("hdrhistogram") else { return };
    let expected = json(&folder.join("expected.json"));
    let rows = expected["rows"].as_array().unwrap();
    let found = read(&folder.join("sample_v2.hlog"), "hdrlog", &Context::default());
    assert_eq!((found.tally.records, found.tally.rejected), (rows.len() as u64, 0));
    let mut by_tag: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        let tag = row["tag"].as_str().unwrap_or("latency").to_owned();
        *by_tag.entry(tag).or_default() += row["count"].as_u64().unwrap();
    }
    let events: BTreeMap<String, u64> =
        found.series.iter().map(|(name, events)| (name.clone(), events.count)).collect();
    assert_eq!(events, by_tag);
    println!("{} rows, {} values equal; {:?}", rows.len(), found.events(), found.tally.notices);
    let double = fs::read(folder.join("sample_double.hlog")).unwrap();
    let mut refused = Found::default();
    let source = SOURCES.iter().find(|source| source.meta().name == "hdrlog").unwrap();
    source.decode(&mut &double[..], &Context::default(), &mut refused).unwrap();
    assert!(refused.tally.rejected > 0 && refused.events() == 0);
}
