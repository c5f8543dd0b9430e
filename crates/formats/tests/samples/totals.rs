//! Totals that are read again and again: Redis and Prometheus.

use std::collections::BTreeMap;
use std::fs;

use isotherm_formats::{Context, Message, Recognition, Sink, recognise};
use isotherm_frame::{Account, Assembler, BinnerLimits, Event, Nanos};

use super::folder;

/// The events of every series in all intervals.
struct Found {
    events: BTreeMap<String, u64>,
    tally: Account,
    assembler: Assembler,
}

impl Sink for Found {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        let events = &mut self.events;
        self.assembler.push(reading, &mut |event| {
            if let Event::Frame(frame) = event {
                *events.entry(frame.series.full()).or_default() += frame.counts.events();
            }
        });
    }
}

fn read(input: &[u8], source: &str) -> Found {
    let Recognition::Known(known) = recognise(input) else { panic!("not recognised") };
    assert_eq!(known.meta().name, source);
    let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let mut found = Found { events: BTreeMap::new(), tally: Account::default(), assembler };
    known.decode(&mut &input[..], &Context::default(), &mut found).unwrap();
    assert_eq!(found.tally.rejected, 0, "{:?}", found.tally.rejections);
    found
}

/// The number behind each `NAME_count{...}` of a page whose name has a `_bucket` with bounds.
fn counts(page: &str) -> BTreeMap<String, u64> {
    let classic = |name: &str| {
        let bucket = format!("{name}_bucket{{");
        let bounds = page.lines().filter(|line| line.starts_with(&bucket));
        bounds.filter(|line| !line.contains("+Inf")).count() > 0
    };
    let lines = page.lines().filter_map(|line| line.split_once("_count{"));
    let classic = lines.filter(|(name, _)| name.ends_with("_seconds") && classic(name));
    classic
        .map(|(name, rest)| {
            let (labels, count) = rest.split_once("} ").unwrap();
            let series = format!("{name}{{{}}}", labels.replace('"', ""));
            (series, count.parse().unwrap())
        })
        .collect()
}

#[test]
fn pages_of_prometheus() {
    let Some(folder) = folder("prometheus") else { return };
    for (kind, last) in [("exp_text", 6), ("exp_openmetrics", 5)] {
        let pages: Vec<String> = (1..=last)
            .map(|number| fs::read_to_string(folder.join(format!("{kind}_{number}.txt"))).unwrap())
            .collect();
        let one = read(pages[0].as_bytes(), "prometheus");
        let expected = counts(&pages[0]);
        assert!(!expected.is_empty());
        for (series, count) in &expected {
            assert_eq!(one.events.get(series), Some(count), "{kind} {series}");
        }
        let all = read(pages.concat().as_bytes(), "prometheus");
        let end = counts(&pages[pages.len() - 1]);
        for (series, first) in &expected {
            assert_eq!(all.events[series], end[series] - first, "{kind} {series}");
        }
        println!(
            "{kind}: {} series of {last} pages equal; {:?}",
            expected.len(),
            one.tally.notices
        );
    }
}

#[test]
fn histograms_of_redis() {
    let Some(folder) = folder("redis") else { return };
    let text = fs::read_to_string(folder.join("latency_histogram_cli.txt")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (mut first, mut last) = (BTreeMap::new(), BTreeMap::new());
    for at in 1..lines.len() - 1 {
        if lines[at] == "calls" {
            let calls: u64 = lines[at + 1].parse().unwrap();
            first.entry(lines[at - 1]).or_insert(calls);
            last.insert(lines[at - 1], calls);
        }
    }
    let found = read(text.as_bytes(), "redis");
    for (command, calls) in &last {
        assert_eq!(found.events[*command], calls - first[command], "{command}");
    }
    println!(
        "redis: {} commands, {} answers; {:?}",
        last.len(),
        found.tally.records,
        found.tally.notices
    );
    for file in ["final_cli.txt", "final_tty.txt", "final_json.txt", "final_raw.txt"] {
        let found = read(&fs::read(folder.join(file)).unwrap(), "redis");
        assert_eq!(found.events["set"], 200_000, "{file}");
    }
    for version in ["resp2", "resp3"] {
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(version))
            .collect();
        files.sort();
        for file in &files {
            let found = read(&fs::read(file).unwrap(), "redis");
            assert!(found.events["get"] > 0, "{}", file.display());
        }
        println!("{version}: {} answers read", files.len());
    }
    let slow = read(&fs::read(folder.join("slowlog.txt")).unwrap(), "redis");
    println!("slow log: {:?}", slow.tally.records);
}
