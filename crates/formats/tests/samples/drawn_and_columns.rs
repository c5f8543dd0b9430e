//! PyLatencyMap's collectors, SystemTap, DTrace and pgbench.

use std::collections::BTreeMap;
use std::fs;

use isotherm_formats::{
    Columns, Context, Message, Recognition, SOURCES, Sink, Source, Temporality, recognise,
};
use isotherm_frame::{Account, Assembler, BinnerLimits, Event, Frame, Histogram, Nanos, Reading};
use serde_json::Value;

use super::folder;

/// Everything an input becomes.
struct Read {
    frames: Vec<Frame>,
    anomalies: Vec<String>,
    events: Vec<u64>,
    tally: Account,
    assembler: Assembler,
}

impl Sink for Read {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        if let Reading::Event { latency, .. } = &reading {
            self.events.push(latency.as_nanos());
        }
        let (frames, anomalies) = (&mut self.frames, &mut self.anomalies);
        self.assembler.push(reading, &mut |output| match output {
            Event::Frame(frame) => frames.push(frame),
            Event::Anomaly(anomaly) => anomalies.push(anomaly.to_string()),
            other => panic!("an assembler gives no {other:?}"),
        });
    }
}

fn source(name: &str) -> &'static dyn Source {
    *SOURCES.iter().find(|source| source.meta().name == name).unwrap()
}

fn read(input: &[u8], name: &str, context: &Context) -> Read {
    let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (frames, anomalies, events) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = Read { frames, anomalies, events, tally: Account::default(), assembler };
    source(name).decode(&mut &*input, context, &mut read).unwrap();
    read
}

fn is_recognised(input: &[u8], name: &str) {
    let Recognition::Known(found) = recognise(input) else { panic!("not recognised") };
    assert_eq!(found.meta().name, name);
}

/// Counts by the number that the tool prints: the upper bound, or the lower one.
fn by_label(counts: &Histogram, unit: u64, upper: bool) -> BTreeMap<u64, u64> {
    let label = |lo: Nanos, hi: Option<Nanos>| if upper { hi.unwrap() } else { lo };
    let parts = counts.non_zero();
    parts.map(|(b, count)| (label(b.lo, b.hi).as_nanos() / unit, count)).collect()
}

fn expected(value: &Value) -> BTreeMap<u64, u64> {
    let pairs = value.as_object().unwrap().iter();
    pairs
        .map(|(label, count)| (label.parse().unwrap(), count.as_u64().unwrap()))
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn pylatencymap(name: &str, unit: u64, upper: bool) {
    let Some(folder) = folder("pylatencymap") else { return };
    let input = fs::read(folder.join(format!("{name}.txt"))).unwrap();
    let truth = fs::read(folder.join(format!("expected_{name}.json"))).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    is_recognised(&input, "pylatencymap");
    let read = read(&input, "pylatencymap", &Context::default());
    let tally = &read.tally;
    assert_eq!(tally.records, truth["records"].as_u64().unwrap());
    assert_eq!(tally.ignored_lines, truth["non_blank_lines_outside_records"].as_u64().unwrap());
    assert_eq!((tally.rejected, &read.anomalies), (0, &Vec::new()));
    let intervals = truth["interval_list"].as_array().unwrap();
    assert_eq!(read.frames.len() as u64, truth["intervals"].as_u64().unwrap());
    assert_eq!(read.frames.len(), intervals.len());
    for (frame, interval) in read.frames.iter().zip(intervals) {
        assert_eq!(by_label(&frame.counts, unit, upper), expected(&interval["delta"]));
        let seconds = interval["dt_s"].as_f64().unwrap();
        assert!((frame.length().as_secs_f64() - seconds).abs() < 1e-6);
        // The estimate of time is the ancestor's own, count x mid-point, but for the lowest
        // bucket of upper bounds: there the ancestor takes 0.75 x 1 for what is [0, 1).
        let rate = interval["est_time_per_s"].as_f64().unwrap() * unit as f64 / 1e9;
        let lowest = if upper { interval["delta"]["1"].as_f64().unwrap_or(0.0) } else { 0.0 };
        let waited = frame.counts.time_waited().seconds + 0.25 * lowest * unit as f64 / 1e9;
        let ours = waited / frame.length().as_secs_f64();
        assert!((ours - rate).abs() <= rate * 1e-6, "{ours} and {rate}");
    }
    let total = Histogram::merged(read.frames.iter().map(|frame| &frame.counts)).unwrap();
    assert_eq!(by_label(&total, unit, upper), expected(&truth["delta_total"]));
    assert_eq!(total.events(), truth["total_events_over_intervals"].as_u64().unwrap());
    let (records, events) = (tally.records, total.events());
    println!("{name}: {records} records, {} intervals, {events} events", read.frames.len());
    println!("    clock: {}; said: {:?}", tally.clock, tally.notices);
}

#[test]
fn oracle_event_histogram_records() {
    pylatencymap("example_latency_data", 1_000_000, true);
}

#[test]
fn dtrace_records() {
    pylatencymap("test_DTrace_data", 1, false);
}

#[test]
fn systemtap_records() {
    pylatencymap("test_SystemTap_data", 1_000, false);
}

#[test]
fn calibration_records() {
    pylatencymap("calibration_data", 1_000, false);
    pylatencymap("calibration_data_oracle", 1_000, true);
}

#[test]
fn pgbench_transactions() {
    let Some(folder) = folder("postgres") else { return };
    let truth = fs::read(folder.join("pgbench_log.expected.json")).unwrap();
    let truth: Value = serde_json::from_slice(&truth).unwrap();
    let names = "client,-,latency_us,-,time_s,time_us,-".split(',').map(str::to_owned).collect();
    let context = Context { columns: Some(Columns { names }), ..Context::default() };
    let (mut log2, mut records, mut frames, mut sum) = (BTreeMap::new(), 0, 0, 0);
    for part in ["pgbl_g.18137", "pgbl_g.18137.1"] {
        let read = read(&fs::read(folder.join(part)).unwrap(), "columns", &context);
        assert_eq!((read.tally.rejected, read.tally.ignored_lines), (0, 0));
        records += read.tally.records;
        let mut assembler = read.assembler;
        assembler.finish(&mut |output| {
            let Event::Frame(frame) = output else { panic!("frames only") };
            frames += frame.counts.events();
            sum += frame.counts.sum().unwrap().as_nanos();
        });
        for ns in read.events {
            *log2.entry(1 << (ns / 1_000).ilog2()).or_insert(0) += 1;
        }
    }
    assert_eq!(log2, expected(&truth["log2_us"]));
    assert_eq!(records, truth["n"].as_u64().unwrap());
    assert_eq!((frames, sum / 1_000), (records, truth["sum_us"].as_u64().unwrap()));
    println!("pgbench: {records} transactions, {} us in all", sum / 1_000);
}

#[test]
fn btt_pairs_of_time_and_latency() {
    let Some(folder) = folder("blktrace/btt") else { return };
    let input = fs::read(folder.join("d2c_7,0_d2c.dat")).unwrap();
    is_recognised(&input, "columns");
    let read = read(&input, "columns", &Context::default());
    let lines = input.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    assert_eq!((read.tally.records, read.tally.rejected), (lines as u64, 0));
    // The tool prints microseconds as seconds with six decimals.
    let micros = String::from_utf8(input).unwrap();
    let latency = |line: &str| line.split_whitespace().nth(1).unwrap().replace('.', "");
    let expected = micros.lines().map(|line| latency(line).parse::<u64>().unwrap() * 1_000);
    assert!(expected.eq(read.events));
    println!("btt: {lines} pairs");
}

/// One print of an input of which each print is an interval.
fn print_of(input: &[u8], name: &str) -> Read {
    is_recognised(input, name);
    let context = Context { temporality: Temporality::Delta, ..Context::default() };
    read(input, name, &context)
}

#[test]
fn systemtap_histograms() {
    let Some(folder) = folder("systemtap") else { return };
    let truth: Value =
        serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    for case in ["1", "2", "edge"] {
        let input = fs::read(folder.join(format!("hist_log_linear_{case}.txt"))).unwrap();
        let read = print_of(&input, "systemtap");
        let truth = &truth[case];
        let [log, linear] = &read.frames[..] else { panic!("{} frames", read.frames.len()) };
        assert_eq!(
            (log.series.name(), linear.series.name()),
            ("read latency", "read latency linear")
        );
        // The overflow row ">2000" counts from the end of the bucket of 2000 on. Negative rows
        // are not latencies: they are rejected with their counts.
        let (mut negative, mut rejections) = (0, 0);
        let mut without_negative = |value: &Value| {
            let mut counts = BTreeMap::new();
            for (label, count) in value.as_object().unwrap() {
                let count = count.as_u64().unwrap();
                if label.starts_with(['-', '<']) {
                    negative += count;
                    rejections += 1;
                } else {
                    let lo = if label == ">2000" { 2_100 } else { label.parse().unwrap() };
                    counts.insert(lo, count);
                }
            }
            counts
        };
        let counts = without_negative(&truth["log_expected"]);
        assert_eq!(by_label(&log.counts, 1_000, false), counts);
        let counts = without_negative(&truth["linear_expected"]);
        assert_eq!(by_label(&linear.counts, 1_000, false), counts);
        assert_eq!((read.tally.rejected, read.tally.rejected_events), (rejections, negative));
        let sum = (case != "edge").then(|| Nanos::from_micros(truth["sum"].as_u64().unwrap()));
        assert_eq!((log.counts.sum(), linear.counts.sum()), (sum, sum));
        let (log, linear) = (log.counts.events(), linear.counts.events());
        println!("hist_log_linear_{case}: {log} and {linear} events, {negative} negative");
    }
}

#[test]
fn dtrace_distributions() {
    let Some(folder) = folder("dtrace") else { return };
    let input = fs::read(folder.join("SYNTHESIZED_quantize_ns.txt")).unwrap();
    let read = print_of(&input, "dtrace");
    assert_eq!(read.tally.rejected, 0, "{:?}", read.tally.rejections);
    // All counts of the text, whatever the rows: the last word of each line with a bar.
    let text = String::from_utf8(input).unwrap();
    let count = |line: &str| line.split_whitespace().next_back().unwrap().parse::<u64>().unwrap();
    let written: u64 = text.lines().filter(|line| line.contains('|')).map(count).sum();
    let events: u64 = read.frames.iter().map(|frame| frame.counts.events()).sum();
    assert_eq!(events, written);
    let totals = read.frames.iter().map(|frame| (frame.series.name(), frame.counts.events()));
    let totals: Vec<_> = totals.collect();
    println!("{totals:?}; said: {:?}", read.tally.notices);
    for (key, total) in [("rr", 3_600), ("aio", 3_600), ("syncw", 960), ("lquantize_us", 960)] {
        assert!(totals.contains(&(key, total)), "{key}: {totals:?}");
    }
    let by_name = |name: &str| {
        let frame = read.frames.iter().find(|frame| frame.series.name().starts_with(name));
        &frame.unwrap().counts
    };
    assert_eq!(by_label(by_name("rr"), 1, false)[&32_768], 1_241);
    assert_eq!(by_label(by_name("lquantize_us"), 1_000, false)[&10], 395);
    assert_eq!(by_label(by_name("lquantize_us"), 1_000, false)[&100], 6);
    assert_eq!(by_label(by_name("llquantize_us"), 1_000, false)[&3_500], 1);
}

#[test]
fn dtrace_documentation_example() {
    let Some(folder) = folder("dtrace") else { return };
    let input = fs::read(folder.join("PUBLIC_oracle_docs_quantize.txt")).unwrap();
    let read = print_of(&input, "dtrace");
    let totals = read.frames.iter().map(|frame| (frame.series.name(), frame.counts.events()));
    let totals: Vec<_> = totals.collect();
    assert_eq!(totals, [("bash", 5), ("gnome-terminal", 15)]);
}
