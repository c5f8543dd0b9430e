//! Buckets and sums of totals, each against what an independent program counted: Redis, the native
//! histograms of Prometheus, response times of `MariaDB`, `/proc/diskstats`.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times of samples are small and positive"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use isotherm_formats::{Context, Message, Recognition, Sink, Temporality, recognise};
use isotherm_frame::{Assembler, BinnerLimits, Event, Frame, Nanos};
use serde_json::Value;

use super::folder;

/// The frames that an input becomes, and the averages it prints.
struct Frames {
    frames: Vec<Frame>,
    assembler: Assembler,
}

impl Sink for Frames {
    fn take(&mut self, message: Message) {
        let reading = match message {
            Message::Reading(reading) => reading,
            Message::Rejected(rejection) => panic!("{rejection}"),
            _ => return,
        };
        let frames = &mut self.frames;
        self.assembler.push(reading, &mut |event| {
            if let Event::Frame(frame) = event {
                frames.push(frame);
            }
        });
    }
}

fn read(input: &[u8], source: &str, temporality: Temporality) -> Vec<Frame> {
    let Recognition::Known(known) = recognise(input) else { panic!("not recognised") };
    assert_eq!(known.meta().name, source);
    let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let mut sink = Frames { frames: Vec::new(), assembler };
    let context = Context { temporality, ..Context::default() };
    known.decode(&mut &input[..], &context, &mut sink).unwrap();
    sink.frames
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Counts by the upper bound of their bucket in nanoseconds.
fn by_upper_bound(frame: &Frame) -> BTreeMap<u64, u64> {
    let of = |(bucket, count): (isotherm_frame::Bucket, u64)| {
        (bucket.hi.map_or(u64::MAX, Nanos::as_nanos), count)
    };
    frame.counts.non_zero().map(of).collect()
}

#[test]
fn every_bucket_of_redis() {
    let Some(folder) = folder("redis") else { return };
    let expected = json(&folder.join("expected.json"));
    let bounds: BTreeMap<String, u64> = expected["bounds_us_label_to_exact_inclusive_ns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].to_string(), pair[1].as_u64().unwrap()))
        .collect();
    let mut compared = 0;
    for sample in expected["samples"].as_array().unwrap() {
        let file = sample["file"].as_str().unwrap();
        let frames = read(&fs::read(folder.join(file)).unwrap(), "redis", Temporality::Auto);
        let commands = sample["commands"].as_object().unwrap();
        assert_eq!(frames.len(), commands.len(), "{file}");
        for (command, said) in commands {
            let frame = frames.iter().find(|frame| frame.series.full() == *command).unwrap();
            assert_eq!(frame.counts.events(), said["calls"].as_u64().unwrap(), "{file} {command}");
            let buckets = said["per_bucket"].as_object().unwrap().iter();
            // Redis includes the bound in its bucket; buckets here end before theirs.
            let told: BTreeMap<u64, u64> = buckets
                .map(|(label, count)| (bounds[label] + 1, count.as_u64().unwrap()))
                .collect();
            assert_eq!(by_upper_bound(frame), told, "{file} {command}");
            compared += told.len();
        }
    }
    println!("redis: {compared} buckets equal");
}

#[test]
fn every_bucket_of_mariadbs_response_times() {
    let Some(folder) = folder("mariadb") else { return };
    let expected = json(&folder.join("expected.json"));
    let input = fs::read(folder.join("query_response_time_final.tsv")).unwrap();
    let frames = read(&input, "mysql", Temporality::Auto);
    let [frame] = &frames[..] else { panic!("{} frames", frames.len()) };
    assert_eq!(frame.counts.events(), expected["qrt_total"].as_u64().unwrap());
    let micros = |text: &str| (text.parse::<f64>().unwrap() * 1e6).round() as u64;
    let told = expected["qrt"].as_array().unwrap().iter();
    let told: Vec<(String, u64, u64)> = told
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            let total = text("total_s").parse().map_or(0, |_: f64| micros(&text("total_s")));
            (text("le_s"), row["count"].as_u64().unwrap(), total)
        })
        .collect();
    let counts: BTreeMap<u64, u64> = told
        .iter()
        .filter(|(_, count, _)| *count > 0)
        .map(|(bound, count, _)| {
            (bound.parse::<f64>().map_or(u64::MAX, |_| micros(bound) * 1_000), *count)
        })
        .collect();
    assert_eq!(by_upper_bound(frame), counts);
    let total: u64 = told.iter().map(|(_, _, micros)| micros).sum();
    assert_eq!(frame.counts.sum(), Some(Nanos::from_micros(total)));
    println!("mariadb: {} buckets equal, {total} µs in all", counts.len());
}

#[test]
fn averages_of_diskstats() {
    let Some(folder) = folder("diskstats") else { return };
    let expected = json(&folder.join("expected.json"));
    let device = expected["device"].as_str().unwrap();
    let input = fs::read(folder.join("diskstats_6x1s.txt")).unwrap();
    let frames = read(&input, "diskstats", Temporality::Auto);
    let deltas = expected["deltas"].as_array().unwrap();
    for (operation, count, millis) in [
        ("read", "reads", "read_ms"),
        ("write", "writes", "write_ms"),
        ("flush", "flushes", "flush_ms"),
    ] {
        let of: Vec<&Frame> = frames
            .iter()
            .filter(|frame| {
                let name = frame.series.full();
                name.contains(device) && name.contains(operation)
            })
            .collect();
        assert_eq!(of.len(), deltas.len(), "{operation}");
        for (frame, delta) in of.iter().zip(deltas) {
            assert_eq!(frame.counts.events(), delta[count].as_u64().unwrap(), "{operation}");
            let waited = frame.counts.sum().unwrap();
            assert_eq!(waited.as_nanos() / 1_000_000, delta[millis].as_u64().unwrap());
            let seconds = delta["dt"].as_f64().unwrap();
            assert!((frame.length().as_secs_f64() - seconds).abs() < 1e-5);
        }
    }
    println!("diskstats: {} intervals of three operations equal", deltas.len());
}

#[test]
fn every_bucket_of_native_histograms() {
    let Some(folder) = folder("prometheus") else { return };
    let expected = json(&folder.join("expected.json"));
    let mut compared = 0;
    for scrape in expected["scrapes"].as_array().unwrap() {
        let file = scrape["file"].as_str().unwrap();
        // The last of them was not kept.
        let Ok(input) = fs::read(folder.join(file)) else { continue };
        let frames = read(&input, "prompb", Temporality::Auto);
        for (name, said) in scrape["series"].as_object().unwrap() {
            let Some(operation) = name.strip_prefix("native ") else { continue };
            let frame = frames
                .iter()
                .find(|frame| {
                    let full = frame.series.full();
                    full.contains("native") && full.contains(&format!("op={operation}"))
                })
                .unwrap();
            assert_eq!(frame.counts.events(), said["count"].as_u64().unwrap(), "{file} {name}");
            let growth = 2_f64.powf(-(said["schema"].as_i64().unwrap() as f64)).exp2();
            let told: Vec<(u64, u64)> = said["pos"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(index, count)| {
                    let seconds = growth.powi(index.parse().unwrap());
                    ((seconds * 1e9) as u64, count.as_u64().unwrap())
                })
                .collect();
            let mut told: Vec<(u64, u64)> = told;
            told.sort_unstable();
            let ours: Vec<(u64, u64)> = by_upper_bound(frame).into_iter().collect();
            assert_eq!(ours.len(), told.len(), "{file} {name}");
            for (ours, told) in ours.iter().zip(&told) {
                assert_eq!(ours.1, told.1, "{file} {name}: {ours:?} {told:?}");
                assert!(ours.0.abs_diff(told.0) <= 2, "{file} {name}: {ours:?} {told:?}");
            }
            compared += told.len();
        }
    }
    assert!(compared > 400, "{compared}");
    println!("native histograms: {compared} buckets equal");
}
