//! The summary of made-up runs as text and as JSON.

use isotherm_frame::{Bucket, Nanos, QuantileInterval};
use isotherm_views::{
    Depth, LoadArrival, LoadCpu, LoadEnd, LoadEnded, LoadJson, LoadKind, LoadLatency, LoadLittle,
    LoadObserved, LoadRate, LoadSchedule, LoadSheet, LoadSpread, LoadSteady, LoadTable,
    LoadTouched, LoadVerdict, LoadWhat,
};
use serde_json::{Value, json};

use crate::schema::faults;
use crate::shown;

/// Percentiles in buckets of 0.8 %, the last of them unstable.
fn spread(events: u64, micros: [u64; 5]) -> LoadSpread {
    let quantile = |(index, q): (usize, f64)| {
        let lo = Nanos::new(micros[index] * 1_000);
        let hi = Nanos::new(micros[index] * 1_008);
        let bucket = Bucket { lo, hi: Some(hi) };
        (QuantileInterval { q, bucket, estimate: lo }, index == 3)
    };
    LoadSpread {
        events,
        mean_ns: Some(micros[0] as f64 * 1_100.0),
        quantiles: [0.5, 0.9, 0.99, 0.999].into_iter().enumerate().map(quantile).collect(),
        extremes: Some((Nanos::new(31_000), Nanos::new(micros[4] * 1_000))),
    }
}

/// An open loop on a file that kept its rate.
pub fn open() -> LoadSheet {
    let kind = |name: &str, events: u64, scale: u64| LoadKind {
        name: name.to_owned(),
        per_s: events as f64 / 30.0,
        bytes_per_s: Some(events as f64 / 30.0 * 8_192.0),
        failed: 0,
        response: spread(events, [98, 160, 611, 2_330, 9_120].map(|us| us * scale)),
        service: Some(spread(events, [91, 142, 402, 1_910, 8_700].map(|us| us * scale))),
    };
    LoadSheet {
        what: LoadWhat {
            target: "file:test.dat".to_owned(),
            arrival: LoadArrival::Open { rate_hz: 5_000.0, fixed: false, slots: 1_024 },
            threads: 1,
            update_pct: 30.0,
            work: vec!["random".to_owned()],
            facts: vec![("block".into(), "8 KiB".into()), ("method".into(), "io_uring".into())],
            warmup_s: 1.0,
            measured_s: 30.0,
        },
        rate: LoadRate {
            unit: "IOPS",
            per_s: 5_001.5,
            bytes_per_s: Some(40.97e6),
            blocks_per_s: None,
        },
        latency: LoadLatency {
            all: spread(150_045, [102, 201, 790, 2_800, 18_240]),
            service: Some(spread(150_045, [95, 170, 602, 2_410, 17_400])),
            kinds: vec![kind("read", 105_031, 1), kind("write", 45_014, 2)],
            waited_per_s: 0.612,
            sentences: vec!["99% of the events take ≈100µs and 1% ≈2.8ms.".to_owned()],
            withheld: None,
        },
        little: LoadLittle { computed: 0.612, in_flight: 0.614, gap: 0.612 / 0.614 - 1.0 },
        schedule: Some(LoadSchedule {
            asked_hz: 5_000.0,
            delivered_hz: 5_001.5,
            queued: 0,
            longest_lag: Nanos::new(1_204_000),
        }),
        cpu: LoadCpu {
            lanes_ns: Some(5_210.0),
            process_ns: Some(5_900.0),
            machine_ns: Some(71_000.0),
            machine_share: Some(0.178),
            processors: 2,
        },
        touched: Some(LoadTouched {
            places: 131_072,
            distinct: 72_110,
            visits: 155_012,
            first: spread(61_220, [101, 180, 700, 2_500, 8_000]),
            again: spread(43_811, [94, 150, 560, 2_100, 9_120]),
        }),
        observed: vec![
            LoadObserved {
                name: "diskstats reads".to_owned(),
                value: 105_031,
                unit: "count".to_owned(),
                per_operation: Some(0.7),
            },
            LoadObserved {
                name: "server cpu".to_owned(),
                value: 1_500_450_000,
                unit: "ns".to_owned(),
                per_operation: Some(10_000.0),
            },
        ],
        steady: LoadSteady { steady: Some(true), drift: 0.0042, deviation: 0.021 },
        verdicts: vec![LoadVerdict {
            code: "two-speeds".to_owned(),
            serious: false,
            words: "reads have two speeds".to_owned(),
        }],
        faults: Vec::new(),
        end: LoadEnd { why: LoadEnded::Time, recording: Some("run.heat".to_owned()) },
    }
}

/// A closed loop on a database that broke off, with doubts.
fn broken() -> LoadSheet {
    let all = spread(1_200, [4_100, 9_000, 31_000, 80_000, 131_000]);
    let kind = LoadKind {
        name: "select".to_owned(),
        per_s: 400.0,
        bytes_per_s: None,
        failed: 17,
        response: all.clone(),
        service: None,
    };
    LoadSheet {
        what: LoadWhat {
            target: "postgres://me:***@db1/test".to_owned(),
            arrival: LoadArrival::Closed { in_flight: 16, think: true },
            update_pct: 0.0,
            warmup_s: 0.0,
            measured_s: 3.0,
            facts: Vec::new(),
            ..open().what
        },
        rate: LoadRate {
            unit: "TPS",
            per_s: 400.0,
            bytes_per_s: None,
            blocks_per_s: Some(25_600.0),
        },
        latency: LoadLatency {
            all,
            service: None,
            kinds: vec![kind],
            waited_per_s: 1.8,
            sentences: Vec::new(),
            withheld: Some(("faults".to_owned(), "too many operations failed".to_owned())),
        },
        schedule: None,
        touched: None,
        observed: Vec::new(),
        steady: LoadSteady { steady: None, drift: 0.0, deviation: 0.0 },
        verdicts: vec![LoadVerdict {
            code: "faults".to_owned(),
            serious: true,
            words: "17 operations failed, 1.4 % of all".to_owned(),
        }],
        faults: vec![("connection reset".to_owned(), 16), ("57P01 shutdown".to_owned(), 1)],
        end: LoadEnd { why: LoadEnded::Failed("the server went away".to_owned()), recording: None },
        ..open()
    }
}

/// A run that was interrupted before anything ended.
fn nothing() -> LoadSheet {
    LoadSheet {
        latency: LoadLatency {
            all: LoadSpread::default(),
            service: None,
            kinds: Vec::new(),
            waited_per_s: 0.0,
            sentences: Vec::new(),
            withheld: None,
        },
        end: LoadEnd { why: LoadEnded::Interrupted, recording: None },
        verdicts: Vec::new(),
        touched: None,
        ..open()
    }
}

pub fn text(sheet: &LoadSheet, width: usize, depth: Depth) -> String {
    let mut out = Vec::new();
    LoadTable { width: Some(width) }.render(sheet, shown::style(depth), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn object(sheet: &LoadSheet) -> Value {
    // What a run holds is checked where there is one: in the tests of the program.
    let run = json!({
        "format": 1, "point": 0, "repeat": 0, "label": "in-flight 16", "job": {}, "facts": [],
        "outcome": {}, "steady": {}, "verdicts": [], "recording": null,
    });
    let mut out = Vec::new();
    LoadJson { run }.render(sheet, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn an_open_loop_fits_on_a_screen() {
    let text = text(&open(), 100, Depth::Glyphs);
    assert!(text.lines().count() <= 36, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_run_that_broke_off_names_no_p99_and_says_why() {
    let text = text(&broken(), 80, Depth::Ascii);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.is_ascii(), "{text}");
    // Its p99 and p99.9 stand nowhere.
    assert!(!text.contains("31.2ms") && !text.contains("80.6ms"), "{text}");
    assert!(text.contains("No p99 can be named: too many"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_measured_is_said_to_be_nothing() {
    let text = text(&nothing(), 100, Depth::Glyphs);
    assert!(text.contains("Nothing was measured") && text.contains("Interrupted"), "{text}");
    assert!(!text.contains("p50"), "{text}");
}

#[test]
fn the_object_keeps_to_its_schema_and_is_in_seconds() {
    let schema = include_str!("../../../../docs/schema/load.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    for sheet in [open(), broken(), nothing()] {
        assert_eq!(faults(&object(&sheet), &schema), Vec::<String>::new());
    }
    let summary = &object(&open())["summary"];
    assert_eq!(summary["latency"]["response"]["max_s"], json!(0.01824));
    assert_eq!(summary["latency"]["response"]["quantiles"][2]["lo_s"], json!(0.00079));
    assert_eq!(summary["observed"][1]["unit"], "s");
    assert_eq!(summary["observed"][1]["per_operation"], json!(1e-5));
    assert_eq!(object(&broken())["summary"]["latency"]["p99_withheld_for"], "faults");
    let mut wrong = object(&open());
    wrong["summary"]["little"]["gap"] = "small".into();
    wrong["summary"]["latency"]["response"].as_object_mut().unwrap().remove("events");
    assert_eq!(faults(&wrong, &schema).len(), 2);
}
