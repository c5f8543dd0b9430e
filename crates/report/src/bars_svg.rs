//! Bars made of parts as SVG, in a page.

use std::fmt::Write as _;

use isotherm_views::numbers::grouped;
use isotherm_views::{StackedBar, StackedBars};

use crate::xml::{attribute, shortened};

/// The width of the picture, of a letter, and the height of a row, in pixels.
const WIDTH: f64 = 700.0;
const LETTER: f64 = 6.9;
const ROW: f64 = 26.0;
/// Where bars begin, and how high one is without its marks.
const TOP: f64 = 60.0;
const BAR: f64 = 14.0;
/// The most letters of a name.
const NAME: usize = 34;

/// Paints bars as an SVG element that takes its colours from the page.
pub fn bars_svg(bars: &StackedBars) -> String {
    let widest = bars.bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    let left = (widest.min(NAME) as f64).mul_add(LETTER, 12.0);
    let room = (grouped(bars.longest()).len() as f64).mul_add(LETTER, 14.0);
    let per_unit = (WIDTH - left - room) / bars.longest().max(1) as f64;
    let height = (bars.bars.len() as f64).mul_add(ROW, TOP + 4.0);
    let title = attribute(&bars.title);
    let mut svg = format!(
        "<svg class=\"chart\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-label=\"{title}\">\n<text class=\"ink name\" x=\"6\" y=\"16\">{title}</text>\n"
    );
    legend(bars, &mut svg);
    for (at, bar) in bars.bars.iter().enumerate() {
        let y = (at as f64).mul_add(ROW, TOP);
        let name = attribute(&shortened(&bar.name, NAME));
        let middle = y + BAR;
        let _ = writeln!(
            svg,
            "<text class=\"ink\" text-anchor=\"end\" x=\"{:.1}\" y=\"{middle:.1}\">{name}</text>",
            left - 6.0
        );
        let end = paint((bars, bar), (left, y, per_unit), &mut svg);
        let _ = writeln!(
            svg,
            "<text class=\"faint\" x=\"{:.1}\" y=\"{middle:.1}\">{}</text>",
            end + 6.0,
            grouped(bar.amount())
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// How dark a part is: the first one is the lightest.
fn shade(part: usize, parts: usize) -> f64 {
    let most = parts.saturating_sub(1).max(1) as f64;
    (part as f64 / most).mul_add(0.82, 0.18)
}

/// The parts of a bar with their marks; where it ends.
fn paint(
    (bars, bar): (&StackedBars, &StackedBar),
    (left, y, per_unit): (f64, f64, f64),
    svg: &mut String,
) -> f64 {
    let mut x = left;
    for (at, part) in bar.parts.iter().enumerate().filter(|(_, part)| part.amount > 0) {
        let width = part.amount as f64 * per_unit;
        let words = words(bars, bar, at);
        let _ = writeln!(
            svg,
            "<g><title>{words}</title><rect class=\"c0\" fill=\"currentColor\" \
             fill-opacity=\"{:.2}\" stroke=\"currentColor\" stroke-width=\".5\" x=\"{x:.2}\" \
             y=\"{:.1}\" width=\"{width:.2}\" height=\"{BAR}\"/>",
            shade(at, bars.parts.len()),
            y + 3.0
        );
        for (mark, (class, y)) in [("c1", y + BAR + 4.0), ("c2", y - 1.0)].into_iter().enumerate() {
            if part.marked[mark] > 0 {
                let width = (part.marked[mark] as f64 * per_unit).max(1.0);
                let _ = writeln!(
                    svg,
                    "<rect class=\"{class}\" fill=\"currentColor\" x=\"{x:.2}\" y=\"{y:.1}\" \
                     width=\"{width:.2}\" height=\"3\"/>"
                );
            }
        }
        svg.push_str("</g>\n");
        x += width;
    }
    x
}

/// A part in words.
fn words(bars: &StackedBars, bar: &StackedBar, at: usize) -> String {
    let Some(part) = bar.parts.get(at) else { return String::new() };
    let name = bars.parts.get(at).map_or("", String::as_str);
    let mut words =
        format!("{}, {} {name}: {} {}", bar.name, bars.parts_are, grouped(part.amount), bars.unit);
    for (mark, marked) in bars.marks.iter().zip(part.marked) {
        if !mark.is_empty() {
            let _ = write!(words, ", {} {mark}", grouped(marked));
        }
    }
    attribute(&words)
}

/// What the shades and the marks are.
fn legend(bars: &StackedBars, svg: &mut String) {
    let mut x = 6.0;
    let mut item = |class: &str, shade: f64, high: f64, words: &str| {
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" fill=\"currentColor\" fill-opacity=\"{shade:.2}\" \
             stroke=\"currentColor\" stroke-width=\".5\" x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" \
             height=\"{high}\"/><text class=\"faint\" x=\"{:.1}\" y=\"40\">{}</text>",
            40.0 - high,
            x + 16.0,
            attribute(words)
        );
        x += (words.chars().count() as f64).mul_add(LETTER, 30.0);
    };
    for (at, name) in bars.parts.iter().enumerate() {
        let words = if at == 0 { format!("{} {name}", bars.parts_are) } else { name.clone() };
        item("c0", shade(at, bars.parts.len()), 11.0, &words);
    }
    for (class, mark) in ["c1", "c2"].into_iter().zip(&bars.marks) {
        if !mark.is_empty() {
            item(class, 1.0, 3.0, mark);
        }
    }
}
