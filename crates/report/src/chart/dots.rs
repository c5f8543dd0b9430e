//! The points of a chart: bars of their ranges, dots, and the words beside them.

use std::fmt::Write as _;

use isotherm_views::chart::{ChartPoint, Content, Curve, range};

use super::frame::{Frame, room, words_at};
use super::shape::{OUTLINES, place};
use crate::xml::attribute;

/// Half the width of the end of a bar, in pixels.
const CAP: f64 = 3.0;
/// The height of a word, in pixels.
const WORD: f64 = 13.0;

/// An upright rectangle: left, top, right, bottom.
type Area = (f64, f64, f64, f64);

/// Paints the points of every curve that has dots, then the words that find room.
pub(super) fn paint(content: &Content, frame: &Frame, svg: &mut String) {
    let curves = content.chart.curves.iter().enumerate();
    let curves: Vec<_> = curves.filter(|(_, curve)| curve.stroke.has_dots()).collect();
    let mut taken = Vec::new();
    for &(index, curve) in &curves {
        let _ = writeln!(svg, "<g class=\"c{}\">", place(index));
        for point in content.points(curve) {
            bar(content, frame, point, svg);
            dot(content, frame, (index, curve), point, svg);
            let (x, y) = frame.place(content, point.x, point.y);
            taken.push((x - 5.0, y - 5.0, x + 5.0, y + 5.0));
        }
        svg.push_str("</g>\n");
    }
    for (_, curve) in curves {
        for point in content.points(curve) {
            label(content, frame, point, &mut taken, svg);
        }
    }
}

/// A bar from where to where the point could lie.
fn bar(content: &Content, frame: &Frame, point: &ChartPoint, svg: &mut String) {
    let (lo, hi) = range(point);
    if lo >= hi {
        return;
    }
    let (x, low) = frame.place(content, point.x, lo);
    let (_, high) = frame.place(content, point.x, hi);
    let (left, wide) = (x - CAP, CAP * 2.0);
    let _ = writeln!(
        svg,
        "<path stroke=\"currentColor\" fill=\"none\" stroke-opacity=\".8\" \
         d=\"M{left:.1} {high:.1}h{wide}M{x:.1} {high:.1}V{low:.1}M{left:.1} {low:.1}h{wide}\"/>"
    );
}

fn dot(
    content: &Content,
    frame: &Frame,
    (index, curve): (usize, &Curve),
    point: &ChartPoint,
    svg: &mut String,
) {
    let (x, y) = frame.place(content, point.x, point.y);
    let path = OUTLINES[place(index)];
    let words = attribute(&content.words(curve, point));
    let look = if point.doubtful {
        "class=\"hollow\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\""
    } else {
        "class=\"dot\" fill=\"currentColor\""
    };
    let _ = writeln!(
        svg,
        "<path {look} transform=\"translate({x:.1} {y:.1})\" d=\"{path}\">\
         <title>{words}</title></path>"
    );
}

/// Writes the label of a point where nothing stands yet; it is in the point's title in any case.
fn label(
    content: &Content,
    frame: &Frame,
    point: &ChartPoint,
    taken: &mut Vec<Area>,
    svg: &mut String,
) {
    let Some(words) = point.label.as_ref().filter(|words| !words.is_empty()) else { return };
    let (x, y) = frame.place(content, point.x, point.y);
    let wide = room(words);
    let places = [
        ("start", (x + 7.0, y - 5.0), (x + 7.0, x + 7.0 + wide)),
        ("end", (x - 7.0, y - 5.0), (x - 7.0 - wide, x - 7.0)),
        ("start", (x + 7.0, y + 13.0), (x + 7.0, x + 7.0 + wide)),
        ("end", (x - 7.0, y + 13.0), (x - 7.0 - wide, x - 7.0)),
    ];
    let inside = |area: &Area| {
        area.0 >= frame.left && area.2 <= frame.right + 10.0 && area.3 <= frame.bottom - 1.0
    };
    for (anchor, at, (left, right)) in places {
        let area = (left, at.1 - WORD + 3.0, right, at.1 + 3.0);
        if inside(&area) && !taken.iter().any(|other| overlap(&area, other)) {
            words_at(svg, ("faint", anchor), at, words);
            taken.push(area);
            return;
        }
    }
}

fn overlap(one: &Area, other: &Area) -> bool {
    one.0 < other.2 && other.0 < one.2 && one.1 < other.3 && other.1 < one.3
}
