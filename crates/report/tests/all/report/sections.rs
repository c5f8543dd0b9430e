//! Sections of a report: charts, tables and sentences in every form of it.

use isotherm_report::{MOST_BYTES, Report, ReportOptions, html, json, markdown};
use isotherm_views::chart::{
    Chart, ChartAxis, ChartLevel, ChartMark, ChartPoint, ChartUnit, Curve, Stroke,
};
use isotherm_views::section::{Section, Table};
use serde_json::Value;

use super::given::{given, history, second, text};
use crate::schema::faults;
use isotherm_frame::{Frame, Series};

/// A section with everything there can be in it.
fn section(word: &str) -> Section {
    let point = |(x, y): (f64, f64)| ChartPoint {
        x,
        y,
        y_range: Some((y * 0.9, y * 1.1)),
        label: Some(word.to_owned()),
        doubtful: x > 5e4,
    };
    let curve = Curve {
        name: format!("p99 {word}"),
        points: [(1e4, 1e-4), (4e4, 2e-4), (6e4, 2e-3), (f64::NAN, 1.0)].map(point).to_vec(),
        stroke: Stroke::Measured,
    };
    let chart = Chart {
        title: format!("Response time {word}"),
        x: ChartAxis { label: "operations per second".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: word.to_owned(), unit: ChartUnit::Seconds, log: true },
        curves: vec![curve],
        marks: vec![ChartMark { x: 4e4, text: word.to_owned() }],
        levels: vec![ChartLevel { y: 1e-3, text: word.to_owned() }],
    };
    let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
    let sheet = Table {
        caption: format!("Points {word}"),
        head: row(["point", "operations/s", "verdict"]),
        rows: vec![row(["in-flight 1", "10.0k", word]), row(["in-flight 8", "≈40.0k", ""])],
    };
    Section {
        title: format!("Sweep {word}"),
        sentences: vec![format!("Saturation begins {word}.")],
        charts: vec![chart.clone(), chart],
        tables: vec![sheet],
        ..Section::default()
    }
}

fn frames() -> Vec<Frame> {
    vec![second(&Series::named("read"), 0, &[100, 200])]
}

fn options(word: &str) -> ReportOptions {
    ReportOptions {
        title: Some("a sweep".to_owned()),
        command: "isotherm analyze a".to_owned(),
        compare: None,
        sections: vec![section(word)],
    }
}

#[test]
fn a_page_shows_sections_without_scripts_above_its_numbers() {
    let (frames, options) = (frames(), options("here"));
    let history = history(&frames);
    let given = [given(&history, &frames)];
    let report = Report::of(&given, &options).unwrap();
    let page = text(|out| html(&report, MOST_BYTES, out).unwrap());
    let from = page.find("<div id=\"sections\">").unwrap();
    let numbers = page.find("<section class=\"verdict\">").unwrap();
    assert!(from < numbers);
    assert!(!page[from..numbers].contains("style") && !page[from..numbers].contains("<script"));
    assert_eq!(page[from..numbers].matches("<svg class=\"chart\"").count(), 2);
    let tables = &page[page[..numbers].find("<div class=\"scroll\"").unwrap()..numbers];
    insta::assert_snapshot!(tables);
}

#[test]
fn a_report_of_sections_needs_no_recording() {
    let report = Report::of(&[], &options("here")).unwrap();
    let page = text(|out| html(&report, MOST_BYTES, out).unwrap());
    assert!(page.contains("<h1>a sweep</h1>") && page.contains("<h2>Sweep here</h2>"));
    assert!(!page.contains("<noscript>") && !page.contains("<h2>Series</h2>"));
    insta::assert_snapshot!(text(|out| markdown(&report, out).unwrap()));
}

#[test]
fn sections_are_in_the_json_form_and_keep_to_its_schema() {
    let report = Report::of(&[], &options("here")).unwrap();
    let object: Value =
        serde_json::from_str(&text(|out| json(&report, false, out).unwrap())).unwrap();
    let faults = faults(&object, super::schema());
    assert!(faults.is_empty(), "{faults:#?}");
    let points = &object["sections"][0]["charts"][0]["curves"][0]["points"];
    assert_eq!((&points[1]["x"], &points[1]["y"]), (&40_000.0.into(), &2e-4.into()));
    assert_eq!(points[3]["x"], Value::Null, "what is no number is said to be none");
    assert_eq!(object["sections"][0]["tables"][0]["rows"][1][1], "≈40.0k");
}

#[test]
fn nothing_of_a_section_is_markup() {
    let evil = "</script><img src=x onerror=alert(1)>\"'&|`*";
    let report = Report::of(&[], &options(evil)).unwrap();
    let page = text(|out| html(&report, MOST_BYTES, out).unwrap());
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</script").count(), 3, "the data and both scripts end once each");
    let note = text(|out| markdown(&report, out).unwrap());
    let prose: Vec<&str> = note.split("\n```").step_by(2).collect();
    assert!(prose.iter().all(|part| !part.contains("<img")), "{note}");
}
