//! The summary of made-up runs as text and as JSON.

use isotherm_experiment::{Run, Steady, Verdict};
use isotherm_frame::Nanos;
use isotherm_load::{
    Arrival, Distribution, Ended, FileOptions, Job, LatestInterval, Limit, Little, Observed,
    Outcome, RunStatus, Spacing, Unit, Work,
};
use isotherm_views::{
    Depth, Extent, LatencySummary, LoadArrival, LoadCpu, LoadFault, LoadKind, LoadLatency,
    LoadLittle, LoadObserved, LoadProgress, LoadRate, LoadResult, LoadSchedule, LoadSummary,
    LoadTable, LoadTouched, QuantileSummary, ThresholdJson, ThresholdVerdict, write_json,
};
use serde_json::{Value, json};

use crate::runs::{run, verdict};
use crate::schema::faults;
use crate::schema_pages::schema_of;
use crate::shown;

/// Percentiles in buckets of 0.8 %, the last of them unstable.
fn latency(events: u64, micros: [u64; 5]) -> LatencySummary {
    let quantile = |(index, q): (usize, f64)| {
        let lo = Nanos::new(micros[index] * 1_000);
        let hi = Some(Nanos::new(micros[index] * 1_008));
        QuantileSummary { q, lo, hi, estimate: lo, unstable: index == 3 }
    };
    LatencySummary {
        events,
        mean_ns: Some(micros[0] as f64 * 1_100.0),
        min: Some(Nanos::new(31_000)),
        max: Some(Nanos::new(micros[4] * 1_000)),
        quantiles: [0.5, 0.9, 0.99, 0.999].into_iter().enumerate().map(quantile).collect(),
    }
}

/// The run of an open loop on a file.
fn open_run() -> Run {
    let observed =
        |name: &str, value: u64, unit: Unit| Observed { name: name.to_owned(), value, unit };
    Run {
        job: Job {
            target: "file:test.dat".to_owned(),
            work: Work { update_pct: 30.0, ..Work::default() },
            file: FileOptions { size: Some(1 << 30), ..FileOptions::default() },
            ..Job::default()
        },
        facts: vec![("block".into(), "8 KiB".into()), ("method".into(), "io_uring".into())],
        outcome: Outcome {
            observed: vec![
                observed("diskstats reads", 105_031, Unit::Count),
                observed("server cpu", 1_500_450_000, Unit::Nanos),
            ],
            ..run().outcome
        },
        verdicts: vec![verdict("two-speeds", false, "reads have two speeds")],
        ..run()
    }
}

/// What came of it: it kept its rate.
fn open(run: &Run) -> LoadResult<'_> {
    let kind = |name: &'static str, events: u64, scale: u64| LoadKind {
        name,
        per_s: events as f64 / 30.0,
        bytes_per_s: Some(events as f64 / 30.0 * 8_192.0),
        failed: 0,
        response: latency(events, [98, 160, 611, 2_330, 9_120].map(|us| us * scale)),
        service: Some(latency(events, [91, 142, 402, 1_910, 8_700].map(|us| us * scale))),
    };
    let law = Little { computed: 0.612, in_flight: 0.614 };
    let result = LoadResult::new(run, Some("run.heat"));
    let summary = LoadSummary {
        arrival: LoadArrival::Open { rate_hz: 5_000.0, spacing: Spacing::Poisson, slots: 1_024 },
        rate: LoadRate {
            unit: "IOPS",
            per_s: 5_001.5,
            bytes_per_s: Some(40.97e6),
            blocks_per_s: None,
        },
        latency: LoadLatency {
            response: latency(150_045, [102, 201, 790, 2_800, 18_240]),
            service: Some(latency(150_045, [95, 170, 602, 2_410, 17_400])),
            kinds: vec![kind("read", 105_031, 1), kind("write", 45_014, 2)],
            waited_per_s: 0.612,
            sentences: vec!["99% of the events take ≈100µs and 1% ≈2.8ms.".to_owned()],
            p99_withheld_for: None,
        },
        little: LoadLittle { law, gap: 0.612 / 0.614 - 1.0 },
        schedule: Some(LoadSchedule {
            asked_hz: 5_000.0,
            delivered_hz: 5_001.5,
            queued: 0,
            longest_lag: Nanos::new(1_204_000),
        }),
        cpu: LoadCpu {
            lanes_per_operation_s: Some(5.21e-6),
            process_per_operation_s: Some(5.9e-6),
            machine_per_operation_s: Some(71e-6),
            machine_busy: Some(0.178),
            processors: 2,
        },
        touched: Some(LoadTouched {
            places: 131_072,
            distinct: 72_110,
            visits: 155_012,
            first: latency(61_220, [101, 180, 700, 2_500, 8_000]),
            again: latency(43_811, [94, 150, 560, 2_100, 9_120]),
        }),
        observed: vec![
            LoadObserved {
                name: "diskstats reads",
                value: 105_031.0,
                unit: "count",
                per_operation: Some(0.7),
            },
            LoadObserved {
                name: "server cpu",
                value: 1.50045,
                unit: "s",
                per_operation: Some(1e-5),
            },
        ],
        steady: Steady { steady: Some(true), drift: 0.0042, deviation: 0.021 },
        ..result.summary
    };
    LoadResult { summary, ..result }
}

/// The run of a closed loop on a database that broke off.
fn broken_run() -> Run {
    let mut broken = open_run();
    broken.job.target = "postgres://me:***@db1/test".to_owned();
    broken.job.work.update_pct = 0.0;
    broken.facts = Vec::new();
    broken.outcome = Outcome {
        warmup_s: 0.0,
        measured_s: 3.0,
        ended: Ended::Failed("the server went away".to_owned()),
        ..run().outcome
    };
    broken.verdicts = vec![verdict("faults", true, "17 operations failed, 1.4 % of all")];
    broken
}

/// What came of it, with doubts.
fn broken(run: &Run) -> LoadResult<'_> {
    let response = latency(1_200, [4_100, 9_000, 31_000, 80_000, 131_000]);
    let kind = LoadKind {
        name: "select",
        per_s: 400.0,
        bytes_per_s: None,
        failed: 17,
        response: response.clone(),
        service: None,
    };
    let LoadResult { summary: LoadSummary { little, cpu, .. }, .. } = open(run);
    let result = LoadResult::new(run, None);
    let summary = LoadSummary {
        arrival: LoadArrival::Closed { in_flight: 16, think: true },
        rate: LoadRate {
            unit: "TPS",
            per_s: 400.0,
            bytes_per_s: None,
            blocks_per_s: Some(25_600.0),
        },
        latency: LoadLatency {
            response,
            service: None,
            kinds: vec![kind],
            waited_per_s: 1.8,
            sentences: Vec::new(),
            p99_withheld_for: Some("faults"),
        },
        little,
        cpu,
        faults: vec![
            LoadFault { words: "connection reset", count: 16 },
            LoadFault { words: "57P01 shutdown", count: 1 },
        ],
        ..result.summary
    };
    LoadResult { summary, ..result }
}

/// A run that was interrupted before anything ended.
fn nothing_run() -> Run {
    let outcome = Outcome { ended: Ended::Interrupted, ..open_run().outcome };
    Run { outcome, verdicts: Vec::<Verdict>::new(), ..open_run() }
}

fn text(result: &LoadResult, width: usize, depth: Depth) -> String {
    with_extent(result, Extent::default(), (width, depth))
}

fn with_extent(result: &LoadResult, extent: Extent, (width, depth): (usize, Depth)) -> String {
    let mut out = Vec::new();
    let table = LoadTable { width: Some(width), extent };
    table.render(result, shown::style(depth), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// An example of the view.
pub fn sample() -> String {
    text(&open(&open_run()), 100, Depth::Glyphs)
}

fn object(result: &LoadResult) -> Value {
    let mut out = Vec::new();
    write_json(result, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn an_open_loop_fits_on_a_screen() {
    let text = sample();
    assert!(text.lines().count() <= 23, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn details_have_everything_that_is_known() {
    let details = Extent { details: true, height: Some(23) };
    let run = open_run();
    insta::assert_snapshot!(with_extent(&open(&run), details, (100, Depth::Glyphs)));
}

#[test]
fn with_many_warnings_it_still_fits_the_smallest_screen() {
    let mut run = open_run();
    let long = "a warning of many words, of which there are so many that it needs two lines here";
    let warning = |number: usize| verdict("code", number < 2, &format!("{number}: {long}"));
    run.verdicts = (0..9).map(warning).collect();
    let condition = |condition: &str, verdict, value: Option<&str>| ThresholdJson {
        condition: condition.to_owned(),
        verdict,
        of: Some("response time of all operations".to_owned()),
        value: value.map(str::to_owned),
        range: None,
    };
    let thresholds = [
        condition("p99>1s", ThresholdVerdict::Pass, Some("790–797µs")),
        condition("p50>10us", ThresholdVerdict::Fail, Some("102–103µs")),
        condition("max>1h", ThresholdVerdict::Unsure, None),
    ];
    let result = open(&run).with_thresholds(&thresholds);
    let screen = Extent { details: false, height: Some(23) };
    for depth in [Depth::Glyphs, Depth::Ascii] {
        let text = with_extent(&result, screen, (80, depth));
        assert!(text.lines().count() <= 23, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("more warnings: --details shows them"), "{text}");
        assert!(text.contains("0: a warning") && !text.contains("8: a warning"), "{text}");
        assert_eq!(text.is_ascii(), depth == Depth::Ascii);
        if depth == Depth::Ascii {
            for line in ["PASS p99>1s", "FAIL p50>10us holds", "UNSURE max>1h"] {
                assert!(text.contains(line), "{text}");
            }
        } else {
            insta::assert_snapshot!("summary_Glyphs", text);
        }
    }
}

/// A run that has been measured for 12 of 30 s: a thousand operations in its latest second, of which
/// one in a hundred took 5 ms and the others 0.2 ms.
fn status(arrival: Arrival) -> RunStatus {
    let mut fine = isotherm_frame::Histogram::empty(
        isotherm_frame::LogLinear::new(Distribution::BITS).scheme().clone(),
    );
    (0..1_000).for_each(|number| {
        fine.record(Nanos::from_micros(if number % 50 == 0 { 5_000 } else { 200 }));
    });
    let counts = fine.counts();
    let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let response = Distribution {
        events: 1_000,
        sum_ns: 980 * 200_000 + 20 * 5_000_000,
        min_ns: 200_000,
        max_ns: 5_000_000,
        buckets: filled.map(|(index, count)| (u32::try_from(index).unwrap(), *count)).collect(),
    };
    RunStatus {
        arrival,
        limit: Limit { time: Nanos::from_millis(30_000), operations: None },
        measuring: true,
        elapsed_s: 22.0,
        warmup_s: 10.0,
        warmup_may_end: false,
        operations: 12_000,
        counted_s: 12.0,
        failed: 0,
        in_flight: 7.96,
        latest: Some(LatestInterval { length_s: 1.0, bytes: 8_192_000, response }),
    }
}

#[test]
fn the_line_of_a_run_has_its_progress_and_its_numbers_now() {
    let closed = status(Arrival::Closed { in_flight: 8, think: None });
    let spacing = Spacing::Poisson;
    let open = status(Arrival::Open { rate_hz: 1_100.0, spacing, slots: 64 });
    let warming = RunStatus {
        measuring: false,
        elapsed_s: 4.2,
        warmup_may_end: true,
        failed: 17,
        latest: None,
        ..open.clone()
    };
    let mut lines = Vec::new();
    for run in [&closed, &open, &warming] {
        let progress = LoadProgress::of_run("file:test.dat", run);
        for (width, is_ascii) in [(40, false), (79, false), (79, true), (159, false)] {
            let line = progress.line(width, is_ascii);
            assert!(line.chars().count() <= width, "{line}");
            assert!(!is_ascii || line.is_ascii(), "{line}");
            lines.push(line);
        }
    }
    // 8 of 30 s of measured time are over: with the 10 s of warm-up 22 of 40.
    assert!(lines[3].contains("18s left") && lines[3].contains("1.00k IOPS"), "{}", lines[3]);
    assert!(lines[3].contains("8.19 MB/s") && lines[3].contains("7.96 in flight"), "{}", lines[3]);
    assert!(lines[9].contains("17 errors"), "{}", lines[9]);
    // Ten characters of bar: of eight cells two are the warm-up, and 22 of 40 s are over.
    assert!(lines[0].starts_with("▕▒▒██░░░░▏ · 18s left · 1.00k IOPS"), "{}", lines[0]);
    assert!(lines[2].starts_with("[--##....] . 18s left . 1.00k IOPS"), "{}", lines[2]);
    // Buckets of 0.8 %: that of 200 µs begins at 199.68 µs, that of 5 ms at 4.98 ms.
    assert!(lines[3].contains("p50 199–201µs · p99 4.98–5.02ms"), "{}", lines[3]);
    assert!(lines[7].contains("1.00k of 1.10k IOPS"), "{}", lines[7]);
    assert!(lines[9].contains("warm-up · at most 36s left"), "{}", lines[9]);
}

#[test]
fn a_run_that_broke_off_names_no_p99_and_says_why() {
    let text = text(&broken(&broken_run()), 80, Depth::Ascii);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.is_ascii(), "{text}");
    // Its p99 and p99.9 stand nowhere.
    assert!(!text.contains("31.2ms") && !text.contains("80.6ms"), "{text}");
    assert!(text.contains("No p99 can be named: too many"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_measured_is_said_to_be_nothing() {
    let text = text(&LoadResult::new(&nothing_run(), None), 100, Depth::Glyphs);
    assert!(text.contains("Nothing was measured") && text.contains("Interrupted"), "{text}");
    assert!(!text.contains("p50"), "{text}");
}

#[test]
fn the_object_keeps_to_its_schema_and_is_in_seconds() {
    let schema = schema_of::<LoadResult>("load.schema.json");
    let runs = [open_run(), broken_run(), nothing_run()];
    for result in [open(&runs[0]), broken(&runs[1]), LoadResult::new(&runs[2], None)] {
        assert_eq!(faults(&object(&result), &schema), Vec::<String>::new());
    }
    let summary = &object(&open(&runs[0]))["summary"];
    assert_eq!(summary["latency"]["response"]["max_s"], json!(0.01824));
    assert_eq!(summary["latency"]["response"]["quantiles"][2]["lo_s"], json!(0.00079));
    assert_eq!(summary["observed"][1]["unit"], "s");
    assert_eq!(summary["observed"][1]["per_operation"], json!(1e-5));
    assert_eq!(object(&broken(&runs[1]))["summary"]["latency"]["p99_withheld_for"], "faults");
    let mut wrong = object(&open(&runs[0]));
    wrong["summary"]["little"]["gap"] = "small".into();
    wrong["summary"]["latency"]["response"].as_object_mut().unwrap().remove("events");
    assert_eq!(faults(&wrong, &schema).len(), 2);
}
