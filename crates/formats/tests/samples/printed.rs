//! bpftrace and bcc.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use isotherm_formats::{Context, Message, Recognition, Sink, Temporality, recognise};
use isotherm_frame::{Account, Histogram, Reading, Series};
use serde_json::Value;

use super::folder;

/// Every histogram printed, in the order of time: with the temporality given, each print becomes
/// exactly one reading.
#[derive(Default)]
struct Printed {
    histograms: Vec<(i64, Series, Histogram)>,
    tally: Account,
}

impl Sink for Printed {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        let printed = match reading {
            Reading::Cumulative { at, series, total, .. } => (at.as_nanos(), series, total),
            Reading::Delta(frame) => (frame.end.as_nanos(), frame.series, frame.counts),
            other => panic!("no events here: {other:?}"),
        };
        self.histograms.push(printed);
    }
}

fn printed(input: &[u8], source: &str, temporality: Temporality) -> Printed {
    let Recognition::Known(found) = recognise(input) else { panic!("not recognised") };
    assert_eq!(found.meta().name, source);
    let context = Context { temporality, ..Context::default() };
    let mut printed = Printed::default();
    found.decode(&mut &*input, &context, &mut printed).unwrap();
    printed
}

/// The counts of the buckets that hold any, by their lower bound in `unit` nanoseconds.
fn counts(histogram: &Histogram, unit: u64) -> BTreeMap<u64, u64> {
    histogram.non_zero().map(|(bucket, count)| (bucket.lo.as_nanos() / unit, count)).collect()
}

fn expected(value: &Value) -> BTreeMap<u64, u64> {
    let pairs = value.as_object().unwrap().iter();
    pairs
        .map(|(lo, count)| (lo.parse().unwrap(), count.as_u64().unwrap()))
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn json(path: PathBuf) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// `@kusecs[254, 0, RS]` as a series.
fn series(name: &str) -> Series {
    match name.split_once('[') {
        Some((name, key)) => {
            let key = key.trim_end_matches(']').replace(", ", ",");
            Series::with_attributes(name, [("key", key)])
        }
        None => Series::named(name),
    }
}

#[test]
fn bpftrace_totals_equal_the_events_printed_beside_them() {
    let Some(folder) = folder("bpftrace") else { return };
    let input = fs::read(folder.join("block_cumulative_events.txt")).unwrap();
    let found = printed(&input, "bpftrace", Temporality::Cumulative);
    assert_eq!(found.tally.rejected, 0);
    let expected_file = json(folder.join("block_cumulative_events.txt.expected.json"));
    let mut compared = 0;
    for tick in expected_file["per_second"].as_array().unwrap() {
        let t = tick["t"].as_i64();
        if tick["end_dump"].as_bool().unwrap() {
            continue;
        }
        for (name, map) in tick["maps"].as_object().unwrap() {
            let wanted = series(name);
            let total = found.histograms.iter().find(|(at, s, _)| Some(*at) == t && *s == wanted);
            let (_, _, total) = total.unwrap_or_else(|| panic!("{name} at {t:?}"));
            assert_eq!(counts(total, 1_000), expected(&map["buckets"]), "{name} at {t:?}");
            compared += 1;
        }
    }
    assert!(compared >= 60, "{compared} histograms compared");
    println!("{compared} totals equal, bucket for bucket");
}

#[test]
fn bpftrace_intervals_equal_what_was_printed() {
    let Some(folder) = folder("bpftrace") else { return };
    for file in ["block_delta_clear.txt", "block_delta_clear.jsonl"] {
        let input = fs::read(folder.join(file)).unwrap();
        // Left to find out itself that counts are cleared.
        let found = printed(&input, "bpftrace", Temporality::Auto);
        let mut prints: BTreeMap<i64, BTreeMap<String, Vec<Histogram>>> = BTreeMap::new();
        for (at, series, histogram) in found.histograms {
            let print = prints.entry(at).or_default();
            print.entry(series.name().to_owned()).or_default().push(histogram);
        }
        let expected_file = json(folder.join(format!("{file}.expected.json")));
        let rows = expected_file["rows"].as_array().unwrap();
        let rows: Vec<_> = rows.iter().filter(|row| row["usecs_total"] != 0).collect();
        assert_eq!(prints.len(), rows.len(), "{file}");
        for (row, print) in rows.iter().zip(prints.values()) {
            let total = |name: &str| {
                let histograms = print.get(name).into_iter().flatten();
                histograms.map(Histogram::events).sum::<u64>()
            };
            let usecs = &print["@usecs"][0];
            assert_eq!(counts(usecs, 1_000), expected(&row["usecs_buckets"]), "{file} {row}");
            assert_eq!(Some(total("@kusecs")), row["kusecs_total"].as_u64(), "{file} {row}");
            assert_eq!(Some(total("@lin")), row["lin_total"].as_u64(), "{file} {row}");
        }
        println!("{file}: {} intervals equal", rows.len());
    }
}

#[test]
fn text_and_json_of_the_same_program_agree() {
    let Some(folder) = folder("bpftrace") else { return };
    let read = |file: &str| {
        let input = fs::read(folder.join(file)).unwrap();
        printed(&input, "bpftrace", Temporality::Delta)
    };
    let (text, json) = (read("edge.txt"), read("edge.jsonl"));
    assert_eq!(text.histograms, json.histograms);
    assert!(text.histograms.len() >= 8, "{}", text.histograms.len());
    let refused = |printed: &Printed| (printed.tally.rejected, printed.tally.rejected_events);
    assert_eq!(refused(&text), refused(&json));
    // One value below zero in each of @h, @l and @neg.
    assert_eq!(refused(&text), (3, 3));
    println!("{} histograms of edge cases agree", text.histograms.len());
}

#[test]
fn lost_events_are_added_up() {
    let Some(folder) = folder("bpftrace") else { return };
    let input = fs::read(folder.join("lost_events_json_sample.jsonl")).unwrap();
    let wanted: u64 = String::from_utf8_lossy(&input)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| line["data"]["events"].as_u64())
        .sum();
    assert!(wanted > 0);
    assert_eq!(printed(&input, "bpftrace", Temporality::Auto).tally.lost, wanted);
}

/// The labels of a print as the expectations write them, sorted.
fn labels(key: &Value) -> BTreeMap<String, String> {
    match key {
        Value::String(text) => text
            .split('\t')
            .filter_map(|part| part.split_once(" = "))
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
            .collect(),
        Value::Object(pairs) => pairs
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect(),
        _ => BTreeMap::new(),
    }
}

#[test]
fn bcc_histograms_equal_what_was_printed() {
    let Some(folder) = folder("bcc") else { return };
    let expected_file = json(folder.join("expected.json"));
    let (mut files, mut compared, mut exact) = (0, 0, 0);
    for (file, prints) in expected_file.as_object().unwrap() {
        let Ok(input) = fs::read(folder.join(file)) else {
            println!("SKIPPED: {file} is not there");
            continue;
        };
        let found = printed(&input, "bcc", Temporality::Auto);
        assert_eq!(found.tally.rejected, 0, "{file}: {:?}", found.tally.rejections);
        assert_eq!(found.tally.records, prints.as_array().unwrap().len() as u64, "{file}");
        // Intervals are complete: what was not printed is there as zero.
        let mut histograms = found.histograms.into_iter().filter(|(.., h)| !h.is_empty());
        let mut by_time: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        for print in prints.as_array().unwrap() {
            let time = print["ts"].as_str().unwrap_or_default().to_owned();
            by_time.entry(time).or_default().push(print);
        }
        for (time, prints) in &by_time {
            let part: Vec<_> = histograms.by_ref().take(prints.len()).collect();
            assert_eq!(part.len(), prints.len(), "{file} {time}");
            for print in prints {
                let wanted = labels(&print["key"]);
                let same = |series: &Series| {
                    let owned = |(k, v): (&str, &str)| (k.to_owned(), v.to_owned());
                    series.attributes().map(owned).collect::<BTreeMap<_, _>>() == wanted
                };
                let (_, _, histogram) = part
                    .iter()
                    .find(|(_, series, _)| same(series))
                    .unwrap_or_else(|| panic!("{file} {time} {wanted:?}"));
                let unit = match print["unit"].as_str().unwrap() {
                    "usecs" => 1_000,
                    "msecs" => 1_000_000,
                    "50us-slots" => 50_000,
                    other => panic!("{other}"),
                };
                assert_eq!(counts(histogram, unit), expected(&print["nonzero"]), "{file} {time}");
                let ext = &print["ext"];
                let same_events = ext["count"].as_u64() == Some(histogram.events());
                let sum = ext["total"].as_u64().filter(|_| same_events).map(|us| us * 1_000);
                let found = histogram.sum().map(isotherm_frame::Nanos::as_nanos);
                assert_eq!(found, sum, "{file} {time}: exact total");
                exact += u32::from(sum.is_some());
                compared += 1;
            }
        }
        assert_eq!(histograms.count(), 0, "{file}: more than was printed");
        files += 1;
    }
    println!("{compared} histograms of {files} files equal, {exact} with an exact total");
    assert!(compared >= 50 && exact >= 1);
}

#[test]
fn scripts_for_oracle_and_perf_tools_are_read() {
    let Some(folder) = folder("linux_tracing") else { return };
    let expected_file = json(folder.join("expected_text.json"));
    for (file, unit, name) in [
        ("ora_wait_histogram_example.txt", 1_000, "wait time"),
        ("ora_logicalIO_histogram_example.txt", 1, "kcbgtcr latency"),
    ] {
        let input = fs::read(folder.join(file)).unwrap();
        let found = printed(&input, "bcc", Temporality::Auto);
        assert_eq!(found.histograms.len(), 1, "{file}");
        let (_, series, histogram) = &found.histograms[0];
        assert_eq!(series.name(), name);
        assert_eq!(counts(histogram, unit), expected(&expected_file[file]["rows"]), "{file}");
        assert_eq!(Some(histogram.events()), expected_file[file]["total"].as_u64());
    }
    let file = "ftrace_iolatency_micro_README.txt";
    let input = fs::read(folder.join(file)).unwrap();
    let found = printed(&input, "bcc", Temporality::Auto);
    let events: Vec<_> = found.histograms.iter().map(|(.., h)| Some(h.events())).collect();
    let blocks = ["block1", "block2"].map(|block| expected_file[file][block]["events"].as_u64());
    assert_eq!(events, blocks);
}

#[test]
fn what_is_no_histogram_is_not_recognised() {
    let Some(folder) = folder("bcc") else { return };
    for file in [
        "biolatency_bpfcc_fail.txt",
        "biolatency_bpfcc_help.txt",
        "biolatency_libbpf_help.txt",
        "biolatpcts_fail.txt",
        "biosnoop_libbpf.txt",
        "ext4dist.txt",
        "fsdist_ext4_libbpf.txt",
        "bcc_syscount_L.txt",
    ] {
        let input = fs::read(folder.join(file)).unwrap();
        let known = match recognise(&input) {
            Recognition::Known(source) => source.meta().name,
            _ => continue,
        };
        assert!(!["bcc", "bpftrace"].contains(&known), "{file} is taken for {known}");
    }
}
