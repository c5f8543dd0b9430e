//! Charts in characters.

use proptest::prelude::*;

use super::super::sample::{chart, charts};

#[test]
fn a_chart_in_characters() {
    insta::assert_snapshot!(chart().text(80, 24, false));
}

#[test]
fn a_chart_in_ascii() {
    let text = chart().text(80, 24, true);
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn a_chart_of_nothing_is_a_frame() {
    insta::assert_snapshot!(super::Chart::default().text(40, 10, false));
}

#[test]
fn what_controls_a_terminal_is_not_printed() {
    let mut one = chart();
    one.title = "a\u{1b}[2J\u{7}b".to_owned();
    one.curves[0].points[0].label = Some("\u{1b}[31m".to_owned());
    assert!(one.text(80, 24, false).chars().all(|letter| letter == '\n' || !letter.is_control()));
}

proptest! {
    /// Whatever is drawn, it fits: as many columns and rows as there are, or the least there must
    /// be; and every curve of dots that has a point to draw is seen.
    #[test]
    fn a_chart_stays_within_its_columns(chart in charts(), width in 40_usize..200, height in 16_usize..60, ascii: bool) {
        let text = chart.text(width, height, ascii);
        prop_assert!(!ascii || text.is_ascii());
        prop_assert!(text.lines().count() <= height.max(20), "{text}");
        prop_assert!(text.lines().skip(8).all(|line| line.chars().count() <= width + 1), "{text}");
        let fits = |log: bool, value: f64| value.is_finite() && (!log || value > 0.0);
        let any = chart.curves.iter().filter(|curve| curve.stroke.has_dots()).flat_map(|curve| &curve.points)
            .any(|point| fits(chart.x.log, point.x) && fits(chart.y.log, point.y));
        let dots = if ascii { "ABCDEFabcdef" } else { "●○■□▲△◆◇▼▽✚✛" };
        let axis = if ascii { ['|', '+'] } else { ['│', '┤'] };
        let plot = || text.lines().filter_map(|line| line.split_once(axis)).map(|(_, plot)| plot);
        prop_assert_eq!(plot().any(|plot| plot.contains(|letter| dots.contains(letter))), any, "{}", text);
    }
}
