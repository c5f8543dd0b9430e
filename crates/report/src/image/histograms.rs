//! A single interval as histograms: how many events took how long, and how long was waited, side by
//! side; below them the same of the series that waited most. A map of one column would be two striped
//! rectangles.

use isotherm_analysis::Picture;
use isotherm_frame::whole_percent_of;

use isotherm_views::MapKind;
use isotherm_views::cells::row_sums;
use isotherm_views::numbers::{self, grouped};

use super::geometry::{Area, Dash, Face, Item, pixels, rounded};
use super::layout::{LEFT, Layout, MARGIN};
use super::lettering::wrapped;
use super::tones::Tone;
use super::{Panel, Part, axes};

/// The height of a part's bars together, and the lowest of them with a number.
const PART_HEIGHT: i32 = 108;
const NUMBERED: i32 = 11;
/// The width from which both histograms stand side by side, and two parts.
const SIDE_BY_SIDE: i32 = 620;
const TWO_PARTS: i32 = 1_000;
/// The space between two of them.
const GAP: i32 = 20;

/// Lays both histograms of a picture, and those of its parts.
pub(super) fn lay(sheet: &mut Layout, panel: &Panel) {
    let heights = axes::heights(&panel.picture.rows);
    let whole = (MARGIN, sheet.width - MARGIN);
    sheet.skip(8);
    let top = sheet.y;
    sheet.y = pair(sheet, panel.picture, &heights, whole, top);
    if panel.parts.is_empty() {
        return;
    }
    sheet.skip(14);
    if let Some(note) = &panel.parts_note {
        sheet.paragraph(note, Face::Heading, Tone::Ink);
    }
    let across = if sheet.width >= TWO_PARTS { 2 } else { 1 };
    for line in panel.parts.chunks(across) {
        sheet.skip(8);
        let (top, mut foot) = (sheet.y, sheet.y);
        let room = (sheet.width - 2 * MARGIN + GAP) / pixels(across);
        for (place, one) in line.iter().enumerate() {
            let left = MARGIN + pixels(place) * room;
            foot = foot.max(part(sheet, one, (left, left + room - GAP), top));
        }
        sheet.y = foot;
    }
}

/// One part between two places across; gives where it ends.
fn part(sheet: &mut Layout, part: &Part, (left, right): (i32, i32), top: i32) -> i32 {
    let mut at = top;
    let texts =
        [(&part.label, Face::Heading, Tone::Ink), (&part.numbers, Face::Plain, Tone::Faint)];
    for (text, face, tone) in texts {
        for line in wrapped(text, face, right - left) {
            sheet.words((left, at + 13), face, tone, line);
            at += 16;
        }
    }
    let rows = pixels(part.picture.rows.len()).max(1);
    let heights = vec![(PART_HEIGHT / rows).clamp(3, 14); part.picture.rows.len()];
    pair(sheet, part.picture, &heights, (left, right), at + 2)
}

/// Both histograms between two places across: side by side where there is room, else one below the
/// other. Gives where they end.
fn pair(
    sheet: &mut Layout,
    picture: &Picture,
    heights: &[i32],
    (left, right): (i32, i32),
    top: i32,
) -> i32 {
    let is_beside = right - left >= SIDE_BY_SIDE || sheet.width >= TWO_PARTS;
    let width = if is_beside { (right - left - GAP) / 2 } else { right - left };
    let first = (left, left + width);
    let foot = histogram(sheet, picture, MapKind::Frequency, (first, top, heights));
    let (second, top) = if is_beside { ((right - width, right), top) } else { (first, foot + 8) };
    histogram(sheet, picture, MapKind::Intensity, (second, top, heights))
}

/// One histogram: a bar for each row, with its number and its share where there is room. Gives where
/// it ends.
fn histogram(
    sheet: &mut Layout,
    picture: &Picture,
    kind: MapKind,
    ((left, right), top, heights): ((i32, i32), i32, &[i32]),
) -> i32 {
    let sums = row_sums(picture, kind);
    let (total, most) = (sums.iter().sum::<f64>(), sums.iter().copied().fold(0.0, f64::max));
    let about = if picture.headline.exact { "" } else { "≈" };
    let name = match kind {
        MapKind::Frequency => "Events by latency",
        MapKind::Intensity => "Time waited by latency",
    };
    sheet.words((left, top + 12), Face::Plain, Tone::Ink, name.to_owned());
    let indent = LEFT - MARGIN;
    let is_numbered = heights.iter().all(|&height| height >= NUMBERED);
    let beside = |sum: f64| {
        if is_numbered && sum > 0.0 {
            format!("{} · {}", number(sum, kind, about), whole_percent_of(sum, total))
        } else {
            String::new()
        }
    };
    let numbers = sums.iter().map(|&sum| Face::Plain.room(&beside(sum))).max().unwrap_or_default();
    let longest = (right - left - indent - numbers - 6).max(24);
    let height = heights.iter().sum();
    let area = Area { x: left + indent, y: top + 24, width: longest, height };
    let edges = axes::edges(heights, area.bottom());
    sheet.items.extend(axes::latency(&picture.rows, area, &edges));
    let (from, to) = ((area.x, area.y), (area.x, area.bottom()));
    let dash = Dash::Solid;
    sheet.items.push(Item::Rule { from, to, tone: Tone::Rule, dash });
    for (sum, pair) in sums.iter().zip(edges.windows(2)).filter(|(sum, _)| **sum > 0.0) {
        let (low, high) = (pair[0], pair[1]);
        let width = rounded(sum / most * f64::from(longest)).max(1);
        let height = if low - high > 3 { low - high - 1 } else { low - high };
        let bar = Area { x: area.x + 1, y: high, width, height };
        sheet.items.push(Item::Box { area: bar, tone: Tone::Shade(kind, 5) });
        if is_numbered {
            let place = (bar.right() + 5, i32::midpoint(low, high) + 4);
            sheet.words(place, Face::Plain, Tone::Faint, beside(*sum));
        }
    }
    area.bottom() + 10
}

/// Events, or a length of time.
fn number(sum: f64, kind: MapKind, about: &str) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole events")]
    match kind {
        MapKind::Frequency => grouped(sum.round() as u64),
        MapKind::Intensity => format!("{about}{}", numbers::waited(sum)),
    }
}
