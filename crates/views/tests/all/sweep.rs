//! The points of a sweep.

use isotherm_views::{
    Depth, Palette, Style, SweepDoubt, SweepJson, SweepPoint, SweepRange, SweepSheet, SweepStopped,
    SweepTable, Theme,
};
use serde_json::Value;

use crate::schema::faults;

const STYLE: Style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };

#[expect(clippy::unnecessary_wraps, reason = "the fields that it fills may be empty")]
fn range(low: f64, median: f64, high: f64) -> Option<SweepRange> {
    Some(SweepRange { median, low, high })
}

fn sheet() -> SweepSheet {
    let point = |point: u32, throughput: f64, mean_s: f64| SweepPoint {
        point,
        label: format!("in-flight {}", 1 << point),
        runs: 3,
        throughput: range(throughput * 0.95, throughput, throughput * 1.02),
        mean_s: range(mean_s, mean_s, mean_s),
        p50_s: range(mean_s * 0.7, mean_s * 0.7, mean_s * 0.7),
        p99_s: range(mean_s * 4.0, mean_s * 4.6, mean_s * 5.0),
        waited: range(1.0, f64::from(1 << point), 1.0),
        cpu_s: range(2e-6, 2.5e-6, 3e-6),
        failed_share: range(0.0, 0.0, 0.0),
        steady: (3, 3),
        ..SweepPoint::default()
    };
    let late = SweepPoint {
        steady: (1, 3),
        verdicts: vec![("rate-not-met".to_owned(), true), ("little".to_owned(), false)],
        p99_withheld: true,
        failed_share: range(0.0, 0.015, 0.02),
        unusable: 1,
        ..point(3, 3_990.0, 0.002)
    };
    let gone = SweepPoint { label: "in-flight 16".to_owned(), unusable: 3, ..Default::default() };
    let doubt = SweepDoubt {
        code: "rate-not-met".to_owned(),
        serious: true,
        label: "in-flight 8".to_owned(),
        runs: 2,
        words: "3.99k of 5k operations a second arrived".to_owned(),
    };
    let stopped = |load: u32| SweepStopped {
        label: format!("in-flight {load}"),
        why: "gain<5% at in-flight 16".to_owned(),
    };
    SweepSheet {
        target: "sim:servers=4,service=1ms".to_owned(),
        points: vec![point(0, 1_000.0, 0.001), point(1, 2_000.0, 0.001), late, gone],
        doubts: vec![doubt],
        stopped: [32, 64, 128, 256].map(stopped).to_vec(),
        left: 2,
    }
}

fn shown(width: Option<usize>, sheet: &SweepSheet) -> String {
    let mut out = Vec::new();
    SweepTable { width }.render(sheet, STYLE, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn points_are_a_table_with_ranges_and_doubts() {
    insta::assert_snapshot!(shown(None, &sheet()));
}

#[test]
fn a_narrow_page_keeps_what_matters() {
    insta::assert_snapshot!(shown(Some(72), &sheet()));
}

#[test]
fn nothing_is_told_as_such() {
    let empty = SweepSheet { target: "sim:".to_owned(), ..SweepSheet::default() };
    assert_eq!(shown(None, &empty), "sim:\nno run yet\n");
}

#[test]
fn programs_get_the_same_numbers() {
    let mut out = Vec::new();
    SweepJson.render(&sheet(), &mut out).unwrap();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value["points"][1]["operations_per_s"]["median"], 2_000.0);
    assert!(value["points"][2]["p99_s"].is_null());
    assert_eq!(value["points"][2]["verdicts"][0]["code"], "rate-not-met");
    assert_eq!(value["runs_left"], 2);
    assert_eq!(value["stopped"].as_array().map(Vec::len), Some(4));
}

#[test]
fn the_object_keeps_to_its_schema() {
    let schema = include_str!("../../../../docs/schema/sweep.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let object = |sheet: &SweepSheet| -> Value {
        let mut out = Vec::new();
        SweepJson.render(sheet, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    };
    for sheet in [sheet(), SweepSheet::default()] {
        assert_eq!(faults(&object(&sheet), &schema, "$"), Vec::<String>::new());
    }
    let mut wrong = object(&sheet());
    wrong["points"][0]["mean_s"]["low"] = "fast".into();
    wrong["points"][1].as_object_mut().unwrap().remove("label");
    assert_eq!(faults(&wrong, &schema, "$").len(), 2);
}
