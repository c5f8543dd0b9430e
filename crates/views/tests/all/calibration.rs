//! A made-up calibration as text and as parts of a report.

use isotherm_experiment::calibrate::{
    CacheGuess, CacheSeen, CalibrateIo, Calibration, Figure, Figures, Latency, LatencyLimit, Phase,
    Quantile, RampEnded, Step,
};
use isotherm_views::calibration::{CalibrationJson, CalibrationText, sections, sentences};
use isotherm_views::{Depth, Extent, Palette, Style, Theme, write_json};
use serde_json::Value;

use crate::runs::{run, verdict};
use crate::schema::faults;
use crate::schema_pages::schema_of;

/// A rate whose percentiles lie at so many microseconds.
fn rate(in_flight: Option<u32>, per_second: f64, micros: [u64; 4]) -> Figure {
    let quantile = |(q, us): (f64, u64)| Quantile {
        q,
        from_ns: us * 1_000,
        to_ns: us * 1_008,
        unstable: q > 0.99,
    };
    Figure {
        step: 0,
        in_flight,
        offered_per_second: in_flight.is_none().then_some(per_second),
        per_second,
        uncertainty: Some(0.012),
        megabytes_per_second: per_second * 8_192.0 / 1e6,
        busy: per_second * micros[0] as f64 * 1.1e-6,
        latency: Latency {
            events: 100_000,
            mean_ns: micros[0] as f64 * 1_100.0,
            min_ns: micros[0] * 700,
            quantiles: [0.5, 0.9, 0.99, 0.999].into_iter().zip(micros).map(quantile).collect(),
            max_ns: micros[3] * 3_000,
        },
    }
}

/// Large reads, so many a second.
fn large(streams: u32, per_second: f64) -> Figure {
    Figure {
        megabytes_per_second: per_second * 1_048_576.0 / 1e6,
        ..rate(Some(streams), per_second, [900, 1_000, 1_400, 2_000])
    }
}

/// The steps in their order, each with its number.
fn steps() -> Vec<Step> {
    let curve = [
        (1, 9_800.0, [90, 140, 300, 900]),
        (8, 61_000.0, [120, 200, 600, 2_000]),
        (32, 97_000.0, [300, 700, 1_900, 4_400]),
        (64, 98_500.0, [600, 1_500, 6_300, 9_000]),
    ]
    .map(|(held, per_s, micros)| rate(Some(held), per_s, micros));
    let arrivals = [(90_000.0, [400, 2_000, 9_000, 20_000]), (60_000.0, [110, 190, 900, 3_000])]
        .map(|(per_s, micros)| rate(None, per_s, micros));
    let all = 64 << 30;
    let part = rate(Some(8), 150_000.0, [50, 60, 90, 300]);
    let again = rate(Some(1), 30_000.0, [30, 40, 60, 200]);
    let [one, few, many, most] = curve;
    let [beyond, within] = arrivals;
    let steps = [
        (Phase::Floor, all, one),
        (Phase::Ramp, all, few.clone()),
        (Phase::Ramp, all, many),
        (Phase::Maximum, all, most),
        (Phase::Limit, all, beyond),
        (Phase::Limit, all, within),
        (Phase::Sequential, all, large(1, 1_050.0)),
        (Phase::Sequential, all, large(4, 3_300.0)),
        (Phase::WorkingSet, 2 << 30, part),
        (Phase::WorkingSet, 2 << 30, again),
        (Phase::WorkingSet, all, few),
    ];
    let numbered = |(step, (phase, working_set, figure))| {
        let figure = Some(Figure { step, ..figure });
        Step { phase, working_set, figure, run: run() }
    };
    (0..).zip(steps).map(numbered).collect()
}

/// A disk of flash with a cache.
fn calibration() -> Calibration {
    let steps = steps();
    let figure = |step: usize| steps[step].figure.clone();
    let figures = Figures {
        floor: figure(0),
        maximum: figure(3),
        ramp_ended: RampEnded::Saturated,
        limit_closed: figure(2),
        limit_open: figure(5),
        single_stream: figure(6),
        streams: figure(7),
        read_again: figure(9),
        ..Figures::default()
    };
    Calibration {
        format: 1,
        target: "/data/isotherm-calibrate.dat".to_owned(),
        bytes: 64 << 30,
        block: 8_192,
        large_block: 1 << 20,
        limit: LatencyLimit::default(),
        disks: None,
        device: None,
        budget_s: 180.0,
        spent_s: 180.0,
        incomplete: None,
        facts: vec![("device".into(), "nvme0n1".into()), ("rotational".into(), "no".into())],
        figures,
        cache: CacheGuess {
            seen: CacheSeen::Step,
            speedup: Some(2.46),
            at_least_bytes: Some(2 << 30),
            below_bytes: Some(64 << 30),
            estimate_bytes: Some(6 << 30),
            read_again_speedup: Some(3.0),
            first_touch_ratio: None,
            visits_of_smallest: Some(2.0),
        },
        knee_in_flight: Some(8),
        calibrate_io: Some(CalibrateIo {
            max_latency_ms: 20,
            max_iops: 98_500,
            max_mbps: 3_460,
            latency_ms: 1,
        }),
        verdicts: vec![
            verdict("cache", true, "a cache of some 6 GiB answers a share of every number here"),
            verdict("x", false, "a remark"),
        ],
        steps,
    }
}

fn text(calibration: &Calibration, width: usize, depth: Depth) -> String {
    with_extent(calibration, Extent { details: true, height: None }, (width, depth))
}

fn with_extent(
    calibration: &Calibration,
    extent: Extent,
    (width, depth): (usize, Depth),
) -> String {
    let style = Style { depth, theme: Theme::Light, palette: Palette::IceHeat };
    let mut out = Vec::new();
    let page = CalibrationText { width: Some(width), chart: 12, extent };
    page.render(calibration, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_calibration_on_one_screen() {
    insta::assert_snapshot!("calibration", text(&calibration(), 120, Depth::Glyphs));
    insta::assert_snapshot!("calibration_narrow", text(&calibration(), 80, Depth::Ascii));
}

#[test]
fn the_summary_fits_the_smallest_screen_and_begins_with_the_result() {
    let screen = Extent { details: false, height: Some(23) };
    let mut calibration = calibration();
    for _ in 0..9 {
        calibration.verdicts.push(verdict("y", false, "one more of many remarks"));
    }
    let text = with_extent(&calibration, screen, (80, Depth::Glyphs));
    assert!(text.lines().count() <= 23, "{text}");
    assert!(text.starts_with("Highest rate: 98.5k reads/s"), "{text}");
    assert!(text.contains("more warnings: --details shows them"), "{text}");
    insta::assert_snapshot!("calibration_summary", text);
}

#[test]
fn no_line_is_wider_than_the_page() {
    for width in [60, 80, 100, 160] {
        let shown = text(&calibration(), width, Depth::Glyphs);
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{widest} of {width}:\n{shown}");
    }
}

#[test]
fn every_rate_in_words_has_its_latency() {
    for sentence in sentences(&calibration()) {
        let rated = sentence.contains("reads/s") && !sentence.contains("CALIBRATE_IO");
        let timed = sentence.contains("µs") || sentence.contains("ms");
        assert!(!rated || timed, "{sentence}");
    }
}

#[test]
fn what_was_not_found_or_not_finished_is_said() {
    let mut calibration = calibration();
    calibration.incomplete = Some("it was asked to stop".to_owned());
    calibration.figures.limit_open = None;
    calibration.figures.limit_closed = None;
    calibration.cache.seen = CacheSeen::Unclear;
    let said = sentences(&calibration);
    assert_eq!(said[0], "Not complete: it was asked to stop.");
    assert!(said.iter().any(|one| one.contains("No rate keeps p99<5ms")), "{said:?}");
    assert!(!said.iter().any(|one| one.starts_with("Cache")), "{said:?}");
    assert!(text(&calibration, 120, Depth::Glyphs).contains("none"));
}

/// The table has the means: 33 µs for a block read again, 100 µs for one at a time. Where places read
/// before answer sooner than new ones, nothing says that there may be no cache.
#[test]
fn what_is_said_of_a_cache_fits_the_table_and_the_warnings() {
    let mut calibration = calibration();
    let mean = |step: usize| calibration.steps[step].figure.as_ref().unwrap().latency.mean_ns;
    let part = isotherm_frame::percent(mean(9) / mean(0));
    calibration.cache.seen = CacheSeen::NoStep;
    let said = |calibration: &Calibration| {
        let all = sentences(calibration);
        all.into_iter().find(|one| one.starts_with("Cache")).unwrap()
    };
    let again = format!("A repeated read of one block takes {part} of the time.");
    assert_eq!(
        said(&calibration),
        format!(
            "Cache: no step. The best part is read 2.46 times as fast as everything: either no cache \
             is in the way, or it holds everything. {again}"
        )
    );
    let words =
        "places visited again answered 1.5 times sooner than new ones: a cache holds what was read";
    calibration.steps[8].run.verdicts.push(verdict("cached-after-first-visit", true, words));
    assert_eq!(
        said(&calibration),
        format!(
            "Cache: places read before are answered sooner than new ones, however large the part: a \
             cache holds everything that was read. {again}"
        )
    );
}

#[test]
fn a_report_has_every_load_and_every_doubt() {
    let sections = sections(&calibration());
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
    let nothing = Calibration { figures: Figures::default(), steps: Vec::new(), ..calibration() };
    let nothing = isotherm_views::calibration::sections(&nothing);
    assert!(nothing.iter().all(|section| section.charts.is_empty()));
}

#[test]
fn programs_get_the_sentences_and_the_calibration() {
    let calibration = calibration();
    let mut out = Vec::new();
    write_json(&CalibrationJson::new(&calibration), &mut out).unwrap();
    let read: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(read["schema_version"], 1);
    assert_eq!(read["calibration"]["format"], 1);
    assert_eq!(read["sentences"].as_array().unwrap().len(), sentences(&calibration).len());
    let schema = schema_of::<CalibrationJson>("calibrate.schema.json");
    assert_eq!(faults(&read, &schema), Vec::<String>::new());
}
