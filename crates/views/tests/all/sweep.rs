//! The points of a sweep.

use isotherm_experiment::{
    PointSummary, Run, Spread, Steady, StoppedPoint, SweepSummary, VerdictSummary,
};
use isotherm_views::{Depth, Extent, Palette, Style, SweepJson, SweepTable, Theme, write_json};
use serde_json::Value;

use crate::runs::{run, verdict};
use crate::schema::faults;
use crate::schema_pages::schema_of;

const STYLE: Style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };
const LABELS: [&str; 5] =
    ["in-flight 1", "in-flight 2", "in-flight 4", "in-flight 8", "in-flight 16"];
const STOPPED: [&str; 4] = ["in-flight 32", "in-flight 64", "in-flight 128", "in-flight 256"];

/// A steady run, and one that is neither steady nor kept its rate.
fn runs() -> [Run; 2] {
    let steady = |steady| Steady { steady: Some(steady), ..Steady::default() };
    let late = vec![verdict("rate-not-met", true, ""), verdict("little", false, "")];
    [Run { steady: steady(true), ..run() }, Run { steady: steady(false), verdicts: late, ..run() }]
}

#[expect(clippy::unnecessary_wraps, reason = "the fields that it fills may be empty")]
fn spread(low: f64, median: f64, high: f64) -> Option<Spread> {
    Some(Spread { median, low, high })
}

/// A point of three repeats.
fn point(point: u32, runs: [&Run; 3], throughput: f64, mean_s: f64) -> PointSummary<'_> {
    PointSummary {
        label: LABELS[point as usize],
        throughput: spread(throughput * 0.95, throughput, throughput * 1.02),
        mean_s: spread(mean_s, mean_s, mean_s),
        p50_s: spread(mean_s * 0.7, mean_s * 0.7, mean_s * 0.7),
        p99_s: spread(mean_s * 4.0, mean_s * 4.6, mean_s * 5.0),
        waited: spread(1.0, f64::from(1 << point), 1.0),
        cpu_s: spread(2e-6, 2.5e-6, 3e-6),
        failed_share: spread(0.0, 0.0, 0.0),
        runs: runs.to_vec(),
        ..PointSummary::of(point, Vec::new())
    }
}

fn summary([good, bad]: &[Run; 2]) -> SweepSummary<'_> {
    let late = PointSummary {
        failed_share: spread(0.0, 0.015, 0.02),
        unusable: vec![bad],
        ..point(3, [good, bad, bad], 3_990.0, 0.002)
    };
    let gone = PointSummary {
        label: LABELS[4],
        unusable: vec![good; 3],
        ..PointSummary::of(4, Vec::new())
    };
    let unmet = VerdictSummary {
        code: "rate-not-met",
        serious: true,
        first_at: "in-flight 8",
        runs: 2,
        words: "3.99k of 5k operations a second arrived",
    };
    let stopped = |label| StoppedPoint { label, why: "gain<5% at in-flight 16" };
    SweepSummary {
        target: "sim:servers=4,service=1ms",
        points: vec![
            point(0, [good; 3], 1_000.0, 0.001),
            point(1, [good; 3], 2_000.0, 0.001),
            late,
            gone,
        ],
        verdicts: vec![unmet],
        stopped: STOPPED.map(stopped).to_vec(),
        runs_left: 2,
    }
}

fn shown(width: Option<usize>, summary: &SweepSummary) -> String {
    with_extent(width, Extent { details: true, height: None }, summary)
}

fn with_extent(width: Option<usize>, extent: Extent, summary: &SweepSummary) -> String {
    let mut out = Vec::new();
    SweepTable { width, extent, thresholds: &[] }.render(summary, STYLE, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn points_are_a_table_with_ranges_and_doubts() {
    insta::assert_snapshot!(shown(None, &summary(&runs())));
}

#[test]
fn a_narrow_page_keeps_what_matters() {
    insta::assert_snapshot!(shown(Some(72), &summary(&runs())));
}

#[test]
fn many_points_are_thinned_to_one_screen_with_the_best_among_them() {
    let runs = runs();
    let mut many = summary(&runs);
    let labels: Vec<String> = (0..60).map(|number| format!("rate {number}k")).collect();
    // Number 37 is the best: throughput falls from there on.
    let rates = (0..38_u32).map(|number| f64::from(number) * 100.0);
    let rates = rates.chain((38..60).map(|number| 3_000.0 - f64::from(number)));
    many.points = labels
        .iter()
        .zip(rates)
        .map(|(label, rate)| PointSummary { label, ..point(0, [&runs[0]; 3], rate, 0.001) })
        .collect();
    for width in [80, 100] {
        let screen = Extent { details: false, height: Some(23) };
        let text = with_extent(Some(width), screen, &many);
        assert!(text.lines().count() <= 23, "{text}");
        assert!(text.starts_with("Highest throughput: 3.70k IOPS at rate 37k: p50 "), "{text}");
        for label in ["rate 0k ", "rate 37k ", "rate 59k "] {
            assert!(text.lines().any(|line| line.trim_start().starts_with(label)), "{text}");
        }
        assert!(text.contains(" of 60 points: --details shows all"), "{text}");
        let all = with_extent(Some(width), Extent { details: true, ..screen }, &many);
        let points = all.lines().filter(|line| line.trim_start().starts_with("rate "));
        assert_eq!(points.count(), 60);
    }
}

#[test]
fn nothing_is_reported_as_such() {
    let empty = SweepSummary { target: "sim:", ..SweepSummary::default() };
    assert_eq!(shown(None, &empty), "No run yet.\nsim:\n");
}

fn object(summary: &SweepSummary) -> Value {
    let mut out = Vec::new();
    write_json(&SweepJson::new(summary), &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn programs_get_the_same_numbers() {
    let value = object(&summary(&runs()));
    assert_eq!(value["points"][1]["operations_per_s"]["median"], 2_000.0);
    assert!(value["points"][2]["p99_s"].is_null());
    assert_eq!(value["points"][2]["verdicts"][0]["code"], "rate-not-met");
    assert_eq!(value["points"][2]["steady_runs"], 1);
    assert_eq!(value["runs_left"], 2);
    assert_eq!(value["stopped"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_object_keeps_to_its_schema() {
    let schema = schema_of::<SweepJson>("sweep.schema.json");
    let runs = runs();
    for summary in [summary(&runs), SweepSummary::default()] {
        assert_eq!(faults(&object(&summary), &schema), Vec::<String>::new());
    }
    let mut wrong = object(&summary(&runs));
    wrong["points"][0]["mean_s"]["low"] = "fast".into();
    wrong["points"][1].as_object_mut().unwrap().remove("label");
    wrong["points"][2]["new"] = 1.into();
    assert_eq!(faults(&wrong, &schema).len(), 3);
}
