//! A comparison of the scripted scene's two halves of time, as it is shown.

use std::sync::OnceLock;

use isotherm_analysis::{
    Anchored, Axes, Comparison, Difference, Grid, Maps, Request, Span, Timeline, Verdict, compare,
};
use isotherm_frame::{Clock, Frame, Histogram};
use isotherm_views::{
    Alignment, CompareJson, CompareSummary, CompareView, Depth, MapKind, PairLine, Palette,
    Presence, SideLabel, Style, Theme, compare_sentences,
};
use serde_json::Value;

use crate::scene;
use crate::schema::faults;
use crate::schema_pages::schema_of;
use crate::shown::without_colours;

struct Compared {
    comparison: &'static Comparison,
    maps: Maps,
    profile: Maps,
    frames: [Vec<Frame>; 2],
}

/// The half minute before the burst, and the burst and what follows.
fn halves(frames: Vec<Frame>) -> [Vec<Frame>; 2] {
    let (a, b): (Vec<Frame>, Vec<Frame>) =
        frames.into_iter().partition(|frame| frame.start < scene::at(30));
    [a, b]
}

/// What the halves come to; it does not depend on how they are drawn.
fn comparison(coarse: bool) -> &'static Comparison {
    static COMPARISONS: [OnceLock<Comparison>; 2] = [OnceLock::new(), OnceLock::new()];
    COMPARISONS[usize::from(coarse)].get_or_init(|| {
        let place =
            |frames: Vec<Frame>| Timeline::place(&frames, Grid::covering(&frames, 600).unwrap());
        let [a, b] = halves(frames(coarse)).map(place);
        compare(&a, &b, 1)
    })
}

fn frames(coarse: bool) -> Vec<Frame> {
    if coarse { scene::coarse() } else { scene::fine() }
}

fn compared(coarse: bool, columns: usize, rows: usize) -> Compared {
    let [a, b] = halves(frames(coarse));
    let maps = |columns: usize, rows: usize| {
        let [spans_a, spans_b] =
            [&a, &b].map(|frames| frames.iter().map(Span::of).collect::<Vec<_>>());
        let side_a = Anchored { spans: &spans_a, at: anchor(&a) };
        let side_b = Anchored { spans: &spans_b, at: anchor(&b) };
        let axes = Axes::covering(side_a, side_b, columns).unwrap();
        let request = Request::on(axes.a, rows);
        Maps::draw(&Timeline::place(&a, axes.a), &Timeline::place(&b, axes.b), &request)
    };
    let (maps, profile) = (maps(columns, rows), maps(600, CompareView::PROFILE_ROWS));
    Compared { comparison: comparison(coarse), maps, profile, frames: [a, b] }
}

fn anchor(frames: &[Frame]) -> isotherm_frame::Timestamp {
    frames.iter().map(|frame| frame.start).min().unwrap()
}

fn summary(compared: &Compared) -> CompareSummary<'_> {
    let side = |index: usize, source: &str| {
        let frames = &compared.frames[index];
        let end = frames.iter().map(|frame| frame.end).max().unwrap();
        let start = anchor(frames);
        SideLabel {
            source: source.to_owned(),
            clock: Clock::Epoch,
            span: (start, end),
            anchor: start,
        }
    };
    CompareSummary {
        label: "db file sequential read".to_owned(),
        sides: [side(0, "before.heat"), side(1, "after.heat")],
        alignment: Alignment::Start,
        comparison: compared.comparison,
        maps: Some(&compared.maps),
        profile: Some(&compared.profile),
        pairs: &[],
        failures: None,
        conditions: vec![
            ("p99>1.2x".to_owned(), Verdict::Holds),
            ("rate<0.5x".to_owned(), Verdict::DoesNotHold),
        ],
    }
}

fn style(depth: Depth, theme: Theme) -> Style {
    Style { depth, theme, palette: Palette::IceHeat }
}

fn text(coarse: bool, width: usize, style: Style) -> String {
    let rows = CompareView::rows_in(width, 45, style);
    let compared = compared(coarse, CompareView::columns_in(width), rows);
    let view = CompareView { width, kind: MapKind::Frequency };
    let mut out = Vec::new();
    view.render(&summary(&compared), style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What the documentation shows.
pub fn sample() -> String {
    text(false, 132, style(Depth::Glyphs, Theme::Dark))
}

#[test]
fn comparisons_look_as_they_did() {
    insta::assert_snapshot!("compare_132_glyphs", sample());
    insta::assert_snapshot!("compare_80_ascii", text(true, 80, style(Depth::Ascii, Theme::Dark)));
    for (name, theme) in [("dark", Theme::Dark), ("light", Theme::Light)] {
        let text = text(true, 110, style(Depth::TrueColour, theme));
        insta::assert_snapshot!(format!("compare_110_24bit_{name}"), text.escape_debug());
    }
}

#[test]
fn no_line_is_longer_than_asked_whatever_the_colours() {
    for coarse in [false, true] {
        for width in [60, 80, 109, 110, 160] {
            for depth in crate::shown::DEPTHS {
                let text = text(coarse, width, style(depth, Theme::Dark));
                for line in without_colours(&text).lines() {
                    assert!(line.chars().count() <= width, "{width} {depth:?}: {line}");
                }
            }
        }
    }
}

#[test]
fn less_and_more_can_be_distinguished_without_colour() {
    for (depth, less, more) in [(Depth::Glyphs, '▼', '▲'), (Depth::Ascii, '=', '#')] {
        let text = text(false, 132, style(depth, Theme::Dark));
        let map: String = text.lines().skip_while(|line| !line.contains("B - A")).collect();
        assert!(map.contains(less) && map.contains(more), "{text}");
    }
}

fn fine() -> &'static Compared {
    static COMPARED: OnceLock<Compared> = OnceLock::new();
    COMPARED.get_or_init(|| compared(false, 60, 24))
}

#[test]
fn json_gives_every_event_and_the_numbers_of_the_text() {
    let compared = fine();
    let value = value(&summary(compared));
    let sum = |side: &str| -> u64 {
        let rows = value["map"][side]["counts"].as_array().unwrap();
        rows.iter().flat_map(|row| row.as_array().unwrap()).map(|n| n.as_u64().unwrap()).sum()
    };
    for (side, frames) in ["a", "b"].into_iter().zip(&compared.frames) {
        let events: u64 = frames.iter().map(|frame| Histogram::events(&frame.counts)).sum();
        assert_eq!(sum(side), events);
        assert_eq!(value[side]["events"], events);
    }
    let points: f64 =
        value["shares"].as_array().unwrap().iter().map(|s| s["events_pp"].as_f64().unwrap()).sum();
    assert!(points.abs() < 1e-9);
    let sentences: Vec<Value> =
        compare_sentences(&summary(compared)).into_iter().map(Value::from).collect();
    assert_eq!(value["sentences"].as_array().unwrap(), &sentences);
    assert_eq!(value["thresholds"][0]["outcome"], "holds");
}

/// Every object is as the schema in the documentation says, which is that of its type.
#[test]
fn json_is_what_its_schema_says() {
    let schema = schema_of::<CompareJson>("compare.schema.json");
    let pair = |presence, verdict| PairLine {
        label: "a pair".to_owned(),
        presence,
        a: fine().comparison.a,
        b: fine().comparison.b,
        verdict,
        shifts: fine().comparison.shifts.clone(),
    };
    let pairs = [
        pair(Presence::Both, Some(Difference::OtherLoad)),
        pair(Presence::OnlyA, None),
        pair(Presence::OnlyB, None),
    ];
    let whole = CompareSummary { pairs: &pairs, ..summary(fine()) };
    let alone = CompareSummary { maps: None, profile: None, ..summary(fine()) };
    for summary in [whole, alone] {
        assert_eq!(faults(&value(&summary), &schema), Vec::<String>::new());
    }
}

fn value(summary: &CompareSummary<'_>) -> Value {
    serde_json::to_value(CompareJson::new(summary)).unwrap()
}
