//! A made-up calibration as text and as parts of a report.

use isotherm_frame::{Bucket, Nanos, QuantileInterval};
use isotherm_views::calibration::{
    CalibrationCache, CalibrationFigure, CalibrationOracle, CalibrationRate, CalibrationSheet,
    CalibrationText, CalibrationWhat, FigureName, json, sections, sentences,
};
use isotherm_views::{Depth, LoadSpread, LoadVerdict, Palette, Style, Theme};
use serde_json::{Value, json as object};

/// A rate whose percentiles lie at so many microseconds.
fn rate(in_flight: Option<u32>, per_s: f64, micros: [u64; 4]) -> CalibrationRate {
    let quantile = |(q, us): (f64, u64)| {
        let (lo, hi) = (Nanos::new(us * 1_000), Nanos::new(us * 1_008));
        (QuantileInterval { q, bucket: Bucket { lo, hi: Some(hi) }, estimate: lo }, q > 0.99)
    };
    let quantiles = [0.5, 0.9, 0.99, 0.999].into_iter().zip(micros).map(quantile).collect();
    let mean_ns = Some(micros[0] as f64 * 1_100.0);
    let longest = Nanos::new(micros[3] * 3_000);
    let extremes = Some((Nanos::new(micros[0] * 700), longest));
    CalibrationRate {
        step: 0,
        in_flight,
        offered_per_s: in_flight.is_none().then_some(per_s),
        per_s,
        uncertainty: Some(0.012),
        bytes_per_s: per_s * 8_192.0,
        busy: per_s * micros[0] as f64 * 1.1e-6,
        spread: LoadSpread { events: 100_000, mean_ns, quantiles, extremes },
        within_limit: micros[2] < 5_000,
        device_reads: Some(1.0),
    }
}

/// A disk of flash with a cache.
fn sheet() -> CalibrationSheet {
    let curve = [
        (1, 9_800.0, [90, 140, 300, 900]),
        (8, 61_000.0, [120, 200, 600, 2_000]),
        (32, 97_000.0, [300, 700, 1_900, 4_400]),
        (64, 98_500.0, [600, 1_500, 6_300, 9_000]),
    ]
    .map(|(held, per_s, micros)| rate(Some(held), per_s, micros));
    let arrivals = [(60_000.0, [110, 190, 900, 3_000]), (90_000.0, [400, 2_000, 9_000, 20_000])]
        .map(|(per_s, micros)| rate(None, per_s, micros));
    let large = |streams: u32, per_s: f64| CalibrationRate {
        bytes_per_s: per_s * 1_048_576.0,
        ..rate(Some(streams), per_s, [900, 1_000, 1_400, 2_000])
    };
    let figures = [
        (FigureName::Floor, Some(curve[0].clone())),
        (FigureName::Maximum, Some(curve[3].clone())),
        (FigureName::LimitClosed, Some(curve[2].clone())),
        (FigureName::LimitOpen, Some(arrivals[0].clone())),
        (FigureName::SingleStream, Some(large(1, 1_050.0))),
        (FigureName::Streams, Some(large(4, 3_300.0))),
        (FigureName::ReadAgain, Some(rate(Some(1), 30_000.0, [30, 40, 60, 200]))),
    ];
    CalibrationSheet {
        what: CalibrationWhat {
            target: "/data/isotherm-calibrate.dat".to_owned(),
            bytes: 64 << 30,
            block: 8_192,
            large_block: 1 << 20,
            facts: vec![("device".into(), "nvme0n1".into()), ("rotational".into(), "no".into())],
            limit: "p99<5ms".to_owned(),
            bound: Some(Nanos::from_millis(5)),
            spent_s: 180.0,
            steps: 31,
            incomplete: None,
        },
        figures: figures.map(|(name, rate)| CalibrationFigure { name, rate }).to_vec(),
        curve: curve.to_vec(),
        arrivals: arrivals.to_vec(),
        streams: vec![large(1, 1_050.0), large(4, 3_300.0)],
        parts: vec![
            (2 << 30, rate(Some(8), 150_000.0, [50, 60, 90, 300])),
            (64 << 30, curve[1].clone()),
        ],
        writes: Vec::new(),
        knee: Some(8),
        enough: Some(32),
        growing: false,
        cache: CalibrationCache {
            step: Some(true),
            speedup: Some(2.46),
            at_least_bytes: Some(2 << 30),
            below_bytes: Some(64 << 30),
            estimate_bytes: Some(6 << 30),
            read_again_speedup: Some(3.0),
            first_touch_ratio: None,
            visits_of_smallest: Some(2.0),
        },
        oracle: Some(CalibrationOracle {
            max_latency_ms: 20,
            max_iops: 98_500,
            max_mbps: 3_460,
            latency_ms: 1,
        }),
        verdicts: vec![
            LoadVerdict {
                code: "cache".to_owned(),
                serious: true,
                words: "a cache of some 6 GiB answers a share of every number here".to_owned(),
            },
            LoadVerdict { code: "x".to_owned(), serious: false, words: "a remark".to_owned() },
        ],
    }
}

fn text(sheet: &CalibrationSheet, width: usize, depth: Depth) -> String {
    let style = Style { depth, theme: Theme::Light, palette: Palette::IceHeat };
    let mut out = Vec::new();
    CalibrationText { width: Some(width), chart: 12 }.render(sheet, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_calibration_on_one_screen() {
    insta::assert_snapshot!("calibration", text(&sheet(), 120, Depth::Glyphs));
    insta::assert_snapshot!("calibration_narrow", text(&sheet(), 80, Depth::Ascii));
}

#[test]
fn no_line_is_wider_than_the_page() {
    for width in [60, 80, 100, 160] {
        let shown = text(&sheet(), width, Depth::Glyphs);
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{widest} of {width}:\n{shown}");
    }
}

#[test]
fn every_rate_in_words_has_its_latency() {
    for sentence in sentences(&sheet()) {
        let rated = sentence.contains("reads/s") && !sentence.contains("CALIBRATE_IO");
        let timed = sentence.contains("µs") || sentence.contains("ms");
        assert!(!rated || timed, "{sentence}");
    }
}

#[test]
fn what_was_not_found_or_not_finished_is_said() {
    let mut sheet = sheet();
    sheet.what.incomplete = Some("it was asked to stop".to_owned());
    sheet.figures.retain(|figure| figure.name != FigureName::LimitOpen);
    sheet.figures.iter_mut().filter(|one| one.name == FigureName::LimitClosed).for_each(|one| {
        one.rate = None;
    });
    sheet.cache.step = None;
    let said = sentences(&sheet);
    assert_eq!(said[0], "Not complete: it was asked to stop.");
    assert!(said.iter().any(|one| one.contains("No rate keeps p99<5ms")), "{said:?}");
    assert!(!said.iter().any(|one| one.starts_with("Cache")), "{said:?}");
    assert!(text(&sheet, 120, Depth::Glyphs).contains("none"));
}

#[test]
fn a_report_has_every_load_and_every_doubt() {
    let sections = sections(&sheet());
    assert_eq!(sections.len(), 3);
    assert_eq!(sections[1].charts.len(), 4);
    for section in &sections {
        for table in &section.tables {
            assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
        }
    }
    let rows: usize = sections[1].tables.iter().map(|table| table.rows.len()).sum();
    assert_eq!(rows, 4 + 2 + 2 + 2);
    assert_eq!(sections[2].sentences.len(), 2);
    // Only loads on the curve, one of each number in flight, are points of it.
    assert_eq!(sections[1].charts[0].curves[0].points.len(), 4);
    let nothing = isotherm_views::calibration::sections(&CalibrationSheet::default());
    assert!(nothing.iter().all(|section| section.charts.is_empty()));
}

#[test]
fn programs_get_the_sentences_and_the_calibration() {
    let mut out = Vec::new();
    json(&sheet(), &object!({ "format": 1 }), &mut out).unwrap();
    let read: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(read["schema_version"], 1);
    assert_eq!(read["calibration"]["format"], 1);
    assert_eq!(read["sentences"].as_array().unwrap().len(), sentences(&sheet()).len());
}
