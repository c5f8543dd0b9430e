//! A fit as people and programs see it.

use isotherm_queueing::{
    Amount, Change, FitRequest, Loop, Model, Observation, Point, Points, Sample, Study, WhatIf,
    published,
};
use isotherm_views::{
    Depth, FitJson, FitLimit, FitSummary, FitText, OnePointJson, OnePointSummary, Palette,
    ServersRange, Style, Theme, fit_csv, published_json, published_text, write_json,
};
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;

const STYLE: Style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };

/// Eight points off by a per cent or two in turn, with seconds.
fn closed() -> Points {
    let truth = [1e-3, 8_000.0, 2.0];
    let point = |exponent: i32| {
        let load = 2.0_f64.powi(exponent);
        let mean = Model::SmoothBound.predict(&truth, load);
        let wave = |second: i32| 1.0 + 0.02 * f64::from((second * 7 + exponent * 3) % 5 - 2);
        let second = |at| Sample { amount: mean * wave(at), base: 1.0 };
        Point::measured(load, vec![(0..12).map(second).collect()])
    };
    Points::new(Loop::Closed, (0..8).map(point).collect()).unwrap()
}

fn open() -> Points {
    let truth = [1e-3, 4.0, 0.0];
    let point = |step: u32| {
        let load = 4_000.0 * [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95][step as usize];
        let off = if step.is_multiple_of(2) { 1.02 } else { 0.98 };
        Point::bare(load, Model::Mmc.predict(&truth, load) * off)
    };
    Points::new(Loop::Open, (0..7).map(point).collect()).unwrap()
}

fn study(points: Points, models: &[Model]) -> Study {
    Study::of(points, &FitRequest { models: models.to_vec(), ..FitRequest::default() })
}

fn summary(study: &Study, change: Option<Change>) -> FitSummary<'_> {
    let best = study.fits.best().unwrap();
    let span = study.fits.points.span().unwrap();
    FitSummary {
        source: "sweep".to_owned(),
        study,
        remarks: vec!["Not steady: 1 of 8 runs.".to_owned()],
        limit: Some(FitLimit {
            text: "p99<5ms".to_owned(),
            largest: Some(span.0),
            broken: Some(span.1),
        }),
        what_if: change.map(|change| WhatIf::of(best, span.1, change, span).unwrap()),
        seed: 1,
    }
}

fn text(summary: &FitSummary<'_>, style: Style) -> String {
    let mut out = Vec::new();
    FitText { width: Some(100) }.render(summary, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_closed_sweep_is_reported_with_its_what_if() {
    let study = study(closed(), &[]);
    let change = Change {
        service: Some(Amount::Times(0.67)),
        load: Some(Amount::Times(1.5)),
        servers: Some(Amount::Plus(2.0)),
    };
    insta::assert_snapshot!(text(&summary(&study, Some(change)), STYLE));
}

#[test]
fn an_open_sweep_is_reported_in_ascii() {
    let study = study(open(), &[Model::Mmc, Model::OrapubIo, Model::SmoothBound]);
    let change = Change { load: Some(Amount::Times(1.2)), ..Change::default() };
    let style = Style { depth: Depth::Ascii, ..STYLE };
    let text = text(&summary(&study, Some(change)), style);
    let flowing = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(flowing.contains("the queue would grow without end"), "{text}");
    assert!(flowing.contains("bound is a closed model on arrivals at a rate, as asked"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_published_example_names_its_misprint() {
    let mut out = Vec::new();
    published_text(&published(), Some(110), STYLE, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("M = 1.42348") && text.contains("0.0926363 ms"), "{text}");
    insta::assert_snapshot!(text);
    let json = published_json(&published());
    assert!((json["cases"][2]["response_ms"].as_f64().unwrap() - 0.1537978).abs() < 5e-8);
    assert!((json["cases"][1]["printed_off_by"].as_f64().unwrap() - 10.0).abs() < 1e-4);
    assert!(json["cases"][2]["printed_off_by"].is_null());
}

#[test]
fn json_is_as_the_schema_describes_it() {
    let schema = schema_of::<FitJson>("fit.schema.json");
    let keeps = |summary: &FitSummary<'_>| {
        let mut out = Vec::new();
        write_json(&FitJson::new(summary), &mut out).unwrap();
        let value: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(faults(&value, &schema), Vec::<String>::new());
    };
    for (points, models) in [(closed(), vec![]), (open(), vec![Model::Mmc, Model::Mva])] {
        let study = study(points, &models);
        let change = Change { load: Some(Amount::Times(1.5)), ..Change::default() };
        for change in [None, Some(change)] {
            keeps(&summary(&study, change));
        }
    }
    let few = Points::new(Loop::Closed, closed().points[..2].to_vec()).unwrap();
    let few = study(few, &[]);
    let empty = FitSummary { limit: None, what_if: None, ..bare(&few) };
    keeps(&empty);
    assert!(text(&empty, STYLE).contains("it needs 3 different loads and there are 2"));
}

#[test]
fn one_observation_gives_its_servers_and_what_a_change_does() {
    // OraPub's baseline, and the service time of its larger batches at the load that was reached.
    let observation =
        Observation { arrival_per_s: 10_844.5, service_s: 91.4e-6, response_s: 227e-6 };
    let solved = observation.solved().unwrap();
    let summary = OnePointSummary {
        source: "One observation".to_owned(),
        solved,
        observations: 1,
        servers: Some(ServersRange::Rounding([(1.4226, 1.4243), (1.658, 1.661)])),
        only: None,
        at_load: None,
        what_if: None,
        remarks: Vec::new(),
    };
    let change = Change {
        service: Some(Amount::To(61.3e-6)),
        load: Some(Amount::To(16_247.0)),
        servers: None,
    };
    let summary = summary.with_change(&change).unwrap();
    let mut out = Vec::new();
    summary.render(Some(110), STYLE, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("1.4235 effective servers"), "{text}");
    insta::assert_snapshot!(text);
    let value = serde_json::to_value(OnePointJson::new(&summary)).unwrap();
    let schema = schema_of::<OnePointJson>("fit-point.schema.json");
    assert_eq!(faults(&value, &schema), Vec::<String>::new());
    let after = value["forms"][0]["after"]["response_s"].as_f64().unwrap();
    assert!((after - 153.798e-6).abs() < 1e-8, "{after}");
    // Every curve that is drawn through the observation holds it.
    let chart = summary.chart();
    let seen = chart.curves.iter().find(|curve| curve.name == "observed").unwrap();
    assert!(
        (seen.points[0].x - 10_844.5).abs() < 1e-9 && (seen.points[0].y - 227e-6).abs() < 1e-12
    );
}

fn bare(study: &Study) -> FitSummary<'_> {
    let source = "few".to_owned();
    FitSummary { source, study, remarks: Vec::new(), limit: None, what_if: None, seed: 1 }
}

#[test]
fn the_table_for_spreadsheets_has_a_row_for_each_point_and_a_column_for_each_model() {
    let study = study(closed(), &[Model::SmoothBound, Model::Servers]);
    let csv = fit_csv(&summary(&study, None));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 9);
    assert!(lines.iter().all(|cells| cells.len() == 6), "{csv}");
    assert_eq!(lines[0][..2], ["in_flight", "throughput_per_s"]);
    assert_eq!(lines[0][4], "bound_throughput_per_s");
    let measured: f64 = lines[3][1].parse().unwrap();
    let by_model: f64 = lines[3][4].parse().unwrap();
    assert!((measured / by_model - 1.0).abs() < 0.05, "{csv}");
}

#[test]
fn a_report_has_the_sentences_the_tables_and_the_charts() {
    let study = study(closed(), &[]);
    let change = Change { service: Some(Amount::Times(0.5)), ..Change::default() };
    let summary = summary(&study, Some(change));
    let sections = summary.sections();
    assert_eq!(sections.len(), 3);
    assert_eq!(sections[0].sentences, summary.sentences());
    let charts: Vec<&str> =
        sections.iter().flat_map(|one| &one.charts).map(|chart| chart.title.as_str()).collect();
    assert_eq!(
        charts[..2],
        ["Throughput over operations in flight", "Response time over throughput"]
    );
    assert!(charts[2].starts_with("Response time before and after"), "{charts:?}");
    for table in sections.iter().flat_map(|one| &one.tables) {
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
    }
    let dots = &sections[0].charts[0].curves[0].points;
    assert_eq!(dots.len(), 8, "every point is drawn");
}
