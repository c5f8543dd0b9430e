//! A small scene that all tests of images share, and the tests of their layout.

use isotherm_analysis::{ColourMax, Grid, Picture, Request};
use isotherm_frame::{
    Clock, Frame, Gap, Histogram, Mark, Nanos, Quality, Scheme, Series, Timestamp, Unit,
};
use proptest::prelude::*;

use super::geometry::{Anchor, Area, Dash, Item, Words};
use super::layout::{Layout, columns_in};
use super::{MOST_ROWS, Panel, Still, arrangement};
use isotherm_views::Palette;

/// 2025-11-21 14:30:00 UTC.
const START_S: i64 = 1_763_735_400;

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::new((START_S + second) * 1_000_000_000)
}

/// One second with these events: microseconds and how many.
pub(super) fn frame(second: i64, micros: &[(u64, u64)]) -> Frame {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let mut counts = vec![0; scheme.buckets()];
    for (us, count) in micros {
        counts[scheme.index_of(Nanos::from_micros(*us)).unwrap()] += count;
    }
    Frame {
        series: Series::named("read"),
        start: at(second),
        end: at(second + 1),
        counts: Histogram::new(scheme, counts, None).unwrap(),
        quality: Quality::Complete,
    }
}

/// Two bands, a burst, a reset at second 5, and nothing known of second 8.
pub(super) fn frames() -> Vec<Frame> {
    let second = |second: i64| match second {
        5 => Frame { quality: Quality::Gap(Gap::Reset), ..frame(5, &[]) },
        6 | 7 => frame(second, &[(100, 40), (200, 90), (8_000, 3_000), (70_000, 1)]),
        9 => frame(9, &[]),
        _ => frame(
            second,
            &[(100, 700), (200, 300), (4_000, 60), (8_000, 20 + second.unsigned_abs())],
        ),
    };
    (0..12).filter(|&s| s != 8).map(second).collect()
}

/// The dots along cells a part of which was waited before their column.
#[test]
fn cells_of_events_longer_than_their_column_have_dots() {
    let long = |second: i64| {
        let end: &[(u64, u64)] = if second % 5 == 4 { &[(5_000_000, 1)] } else { &[] };
        frame(second, &[&[(100, 50)], end].concat())
    };
    let drawn = picture(&(0..40).map(long).collect::<Vec<Frame>>(), 600, &[]);
    let sheet = arrangement::sheet(&still(&drawn));
    let dotted = |item: &Item| match item {
        Item::Curve(curve) if curve.dash == Dash::Sparse => Some(curve.runs.len()),
        _ => None,
    };
    assert_eq!(sheet.items.iter().filter_map(dotted).collect::<Vec<usize>>(), [8]);
    let said = |item: &Item| match item {
        Item::Words(words) => words.text.contains("dots on intensity: events longer than 1s"),
        _ => false,
    };
    assert!(sheet.items.iter().any(said));
    let quiet = picture(&frames(), 600, &[]);
    assert!(arrangement::sheet(&still(&quiet)).items.iter().all(|item| dotted(item).is_none()));
}

pub(super) fn picture(frames: &[Frame], columns: usize, marks: &[(i64, &str)]) -> Picture {
    let grid = Grid::covering(frames, columns);
    let nothing = Grid { end: at(1), column: Nanos::SECOND, columns: 1 };
    let mark = |&(second, text): &(i64, &str)| Mark { at: at(second), text: text.to_owned() };
    let request = Request {
        marks: marks.iter().map(mark).collect(),
        ..Request::on(grid.unwrap_or(nothing), MOST_ROWS)
    };
    Picture::draw(frames, &request, &mut ColourMax::default(), &mut ColourMax::default())
}

pub(super) fn still(picture: &Picture) -> Still<'_> {
    Still {
        title: "db file sequential read".to_owned(),
        theme: None,
        palette: Palette::IceHeat,
        width: 600,
        dots: 1,
        panels: vec![Panel {
            label: None,
            clock: Clock::Epoch,
            picture,
            sentences: vec!["Two bands, and a burst of 8 ms.".to_owned()],
            parts: Vec::new(),
            parts_note: None,
        }],
        provenance: vec!["trace.trc".to_owned()],
        generator: "isotherm 0.0.0".to_owned(),
    }
}

/// The room of words, with the height of their letters.
fn extent(words: &Words) -> Area {
    let width = words.face.room(&words.text);
    let x = match words.anchor {
        Anchor::Start => words.x,
        Anchor::Middle => words.x - width / 2,
        Anchor::End => words.x - width,
    };
    let unit = |rows: f64| super::geometry::rounded(rows * words.face.unit());
    Area { x, y: words.y - unit(9.0), width, height: unit(11.0) }
}

fn overlap(one: Area, two: Area) -> bool {
    one.x < two.right() && two.x < one.right() && one.y < two.bottom() && two.y < one.bottom()
}

/// Words that lie on other words or leave the sheet.
fn faults(sheet: &Layout) -> Vec<String> {
    let words: Vec<&Words> = sheet
        .items
        .iter()
        .filter_map(|item| if let Item::Words(words) = item { Some(words) } else { None })
        .collect();
    let mut faults = Vec::new();
    for (index, one) in words.iter().enumerate() {
        let area = extent(one);
        if area.x < 0 || area.y < 0 || area.right() > sheet.width || area.bottom() > sheet.y {
            faults.push(format!("{:?} leaves the sheet: {area:?}", one.text));
        }
        for two in &words[index + 1..] {
            if overlap(area, extent(two)) {
                faults.push(format!("{:?} lies on {:?}", one.text, two.text));
            }
        }
    }
    faults
}

#[test]
fn no_words_lie_on_others_at_any_width() {
    let marks = [
        (0, "deploy v2"),
        (3, "backup starts"),
        (4, "x"),
        (6, "backup ends"),
        (11, "the end of it all"),
    ];
    for frames in [frames(), frames()[..1].to_vec(), Vec::new()] {
        for width in [320, 500, 720, 1_200, 2_400] {
            let picture = picture(&frames, columns_in(width), &marks);
            let mut still = Still { width, ..still(&picture) };
            still.panels.push(Panel { label: Some("all reads".into()), ..still.panels[0].clone() });
            still.title = "a long title ".repeat(12);
            let sheet = arrangement::sheet(&still);
            assert_eq!(faults(&sheet), Vec::<String>::new(), "{width} pixels");
            assert!(i32::try_from(width).unwrap() == sheet.width);
        }
    }
}

#[test]
fn the_width_is_kept_within_what_can_be_painted() {
    let picture = picture(&frames(), 100, &[]);
    let width = |width| arrangement::sheet(&Still { width, ..still(&picture) }).width;
    assert_eq!((width(0), width(10_000)), (320, 4_096));
    assert!(columns_in(0) >= 100 && columns_in(u32::MAX) < 4_096);
}

#[test]
fn a_mark_without_room_above_is_listed_below() {
    let marks: Vec<(i64, String)> = (0..40).map(|n| (n % 12, format!("mark number {n}"))).collect();
    let marks: Vec<(i64, &str)> = marks.iter().map(|(at, text)| (*at, text.as_str())).collect();
    let picture = picture(&frames(), 100, &marks);
    let sheet = arrangement::sheet(&still(&picture));
    let said: String = sheet
        .items
        .iter()
        .filter_map(
            |item| if let Item::Words(words) = item { Some(words.text.as_str()) } else { None },
        )
        .collect::<Vec<_>>()
        .join("\n");
    let shown = said.matches("mark number").count();
    let more =
        said.lines().find_map(|line| line.strip_prefix("▲ and ")?.strip_suffix(" more marks"));
    assert_eq!(shown + more.unwrap().parse::<usize>().unwrap(), 40, "{said}");
    assert_eq!(faults(&sheet), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the marks, the width and the latencies: words never lie on words.
    #[test]
    fn words_never_lie_on_words(
        width in 320_u32..2_000,
        marks in prop::collection::vec((0_i64..30, "[a-z<& ]{1,60}"), 0..25),
        seconds in prop::collection::vec(prop::collection::vec((1_u64..1 << 34, 1_u64..1 << 20), 0..5), 1..30),
    ) {
        let frames: Vec<Frame> = (0..).zip(&seconds).map(|(at, events)| frame(at, events)).collect();
        let marks: Vec<(i64, &str)> = marks.iter().map(|(at, text)| (*at, text.as_str())).collect();
        let picture = picture(&frames, columns_in(width), &marks);
        let sheet = arrangement::sheet(&Still { width, ..still(&picture) });
        prop_assert_eq!(faults(&sheet), Vec::<String>::new());
    }
}

#[test]
fn lines_take_as_many_columns_together_as_their_percentile_needs() {
    let area = Area { x: 0, y: 0, width: 600, height: 200 };
    let steps = |events: u64, columns: i64| {
        let frames: Vec<Frame> = (0..columns).map(|s| frame(s, &[(100, events)])).collect();
        super::curves::steps(&picture(&frames, 1_000, &[]), area)
    };
    // 600 columns of one pixel: six at least. Of 100 events a second p99 needs two seconds.
    assert_eq!(steps(100, 600), [(0.5, 6), (0.99, 6), (0.999, 20)]);
    assert_eq!(steps(100, 60), [(0.5, 1), (0.99, 2)], "p99.9 would have three steps");
    assert_eq!(steps(1, 600), [(0.5, 6)]);
}

/// A bar for each row that holds anything, as long as what it holds, and nothing of a map.
#[test]
fn a_single_interval_is_histograms_of_its_counts_and_of_its_parts() {
    let alone = picture(&[frame(0, &[(100, 900), (1_500, 90), (20_000, 9)])], 600, &[]);
    let part = |label: &str| super::Part {
        label: label.to_owned(),
        numbers: "50 % of all time waited, and a line that needs more room than there is"
            .to_owned(),
        picture: &alone,
    };
    for (width, parts) in [(320, 3), (640, 2), (1_000, 3), (2_000, 0)] {
        let mut still = Still { width, ..still(&alone) };
        still.panels[0].parts = (0..parts).map(|n| part(&format!("part {n}"))).collect();
        let sheet = arrangement::sheet(&still);
        assert!(!sheet.items.iter().any(|item| matches!(item, Item::Heat(_) | Item::Curve(_))));
        let bars = |kind| {
            let of = |item: &Item| match item {
                Item::Box { area, tone: super::tones::Tone::Shade(own, _) } if *own == kind => {
                    Some(area.width)
                }
                _ => None,
            };
            sheet.items.iter().filter_map(of).collect::<Vec<i32>>()
        };
        let events = bars(isotherm_views::MapKind::Frequency);
        assert_eq!(events.len(), 3 * (parts + 1), "{width}");
        assert_eq!(bars(isotherm_views::MapKind::Intensity).len(), 3 * (parts + 1));
        let within =
            |share: f64, bar: i32| (share * f64::from(events[0]) - f64::from(bar)).abs() <= 1.0;
        assert!(within(0.1, events[1]) && within(0.01, events[2]), "{events:?}");
        let texts: Vec<&str> = sheet
            .items
            .iter()
            .filter_map(|item| {
                if let Item::Words(words) = item { Some(words.text.as_str()) } else { None }
            })
            .collect();
        assert!(texts.contains(&"900 · 90%"), "{texts:?}");
        assert_eq!(faults(&sheet), Vec::<String>::new(), "{width}");
    }
}
