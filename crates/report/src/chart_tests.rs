//! Charts as SVG: everything inside the frame, nothing lost, nothing unescaped.

use proptest::prelude::*;

use isotherm_views::chart::{ChartAxis, ChartLevel, ChartMark, ChartUnit};

use super::*;

/// What the painters of text are tried on.
#[path = "../../views/src/chart/sample.rs"]
mod sample;

use sample::{chart, charts};

/// Where the dots stand.
fn dots(svg: &str) -> Vec<(f64, f64)> {
    let places = svg
        .split("<path class=\"")
        .filter(|part| part.starts_with("dot\"") || part.starts_with("hollow\""));
    places
        .map(|part| {
            let place = part.split("translate(").nth(1).unwrap().split(')').next().unwrap();
            let (x, y) = place.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        })
        .collect()
}

#[test]
fn a_chart_in_a_page_has_no_style_of_its_own() {
    let svg = chart_svg(&chart(), 560, ChartLook::Page);
    assert!(!svg.contains("style") && !svg.contains("xmlns"), "{svg}");
    insta::assert_snapshot!(svg);
}

#[test]
fn a_chart_alone_follows_the_preference_of_its_reader_or_what_is_said() {
    let both = chart_svg(&chart(), 560, ChartLook::Alone(None));
    assert!(both.contains("prefers-color-scheme:dark") && both.contains(".c0{color:#0b57a8}"));
    let dark = chart_svg(&chart(), 560, ChartLook::Alone(Some(Theme::Dark)));
    assert!(!dark.contains("prefers-color-scheme") && dark.contains(".c0{color:#8dd3f5}"));
}

#[test]
fn nothing_of_a_chart_is_markup() {
    let evil = "<script>alert('1')</script>\"&\u{1}";
    let mut one = chart();
    one.title = evil.to_owned();
    (one.x.label, one.y.label) = (evil.to_owned(), evil.to_owned());
    one.curves[0].name = evil.to_owned();
    one.curves[0].points[0].label = Some(evil.to_owned());
    one.marks[0].text = evil.to_owned();
    one.levels[0].text = evil.to_owned();
    let svg = chart_svg(&one, 900, ChartLook::Alone(None));
    assert!(!svg.contains("<script") && !svg.contains("alert('"), "{svg}");
    assert!(!svg.contains('\u{1}'));
}

proptest! {
    /// Whatever is drawn: a dot for every point that is finite (and more than zero where the axis
    /// is logarithmic), inside the frame; the others are counted.
    #[test]
    fn every_finite_point_lies_inside_the_frame(chart in charts(), width in 100_u32..1_500) {
        let content = Content::of(&chart, ticks_in(width.max(240)));
        let frame = Frame::of(&content, width.max(240));
        let svg = chart_svg(&chart, width, ChartLook::Page);
        let points = || chart.curves.iter().filter(|curve| curve.stroke.has_dots()).flat_map(|curve| &curve.points);
        let fits = |log: bool, value: f64| value.is_finite() && (!log || value > 0.0);
        let drawn = points().filter(|point| fits(chart.x.log, point.x) && fits(chart.y.log, point.y)).count();
        let dots = dots(&svg);
        prop_assert_eq!(dots.len(), drawn);
        for (x, y) in dots {
            prop_assert!(x >= frame.left - 0.06 && x <= frame.right + 0.06, "{x} {y} {svg}");
            prop_assert!(y >= frame.top - 0.06 && y <= frame.bottom + 0.06, "{x} {y} {svg}");
        }
        let all = chart.curves.iter().map(|curve| curve.points.len()).sum::<usize>();
        let all_drawn: usize = chart.curves.iter().map(|curve| content.points(curve).count()).sum();
        prop_assert_eq!(svg.contains("not drawn: "), all_drawn < all);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
