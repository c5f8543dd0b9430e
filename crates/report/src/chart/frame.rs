//! The frame of a chart: where everything stands, its axes and its words.

use std::fmt::Write as _;

use isotherm_views::chart::{Content, Curve, Stroke};

use super::shape::{OUTLINES, place};
use crate::xml::attribute;

/// About the width of a letter, in pixels.
const LETTER: f64 = 6.9;
/// The height of a row of words, in pixels.
const ROW: f64 = 16.0;
/// The most rows for the words of marks.
const MARK_ROWS: usize = 3;

/// Where everything stands, in pixels from the top left.
pub(super) struct Frame {
    pub width: u32,
    pub height: u32,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// The legend and the notes: how far from the left, and the row.
    legend: Vec<(f64, f64, LegendItem)>,
    /// Where the words of the marks begin.
    marks_top: f64,
}

/// Something beside the title.
#[derive(Clone)]
enum LegendItem {
    Curve(usize),
    Words(String),
}

/// About the pixels that words take.
pub(super) fn room(words: &str) -> f64 {
    words.chars().count() as f64 * LETTER
}

impl Frame {
    pub fn of(content: &Content, width: u32) -> Frame {
        let wide = f64::from(width);
        let widest = content.y.ticks.iter().map(|(_, label)| room(label)).fold(20.0, f64::max);
        let left = (widest + 14.0).min(wide / 3.0);
        let (legend, rows) = legend(content, wide - 12.0);
        let marks = content.chart.marks.iter().filter(|mark| content.x.holds(mark.x)).count();
        let marks_top = 24.0 + rows * ROW + ROW;
        let top = marks_top + marks.min(MARK_ROWS) as f64 * (ROW - 2.0) + 11.0;
        let plot = (wide * 0.48).clamp(130.0, 420.0).round();
        let bottom = top + plot;
        let height = bottom + 40.0;
        // Whole pixels: every part of the sum is one.
        let height = (0..=8_192_u32).find(|&pixels| f64::from(pixels) >= height).unwrap_or(8_192);
        Frame { width, height, left, right: wide - 14.0, top, bottom, legend, marks_top }
    }

    /// Where a value stands.
    pub fn place(&self, content: &Content, x: f64, y: f64) -> (f64, f64) {
        let x = content.x.place(x).mul_add(self.right - self.left, self.left);
        (x, content.y.place(y).mul_add(self.top - self.bottom, self.bottom))
    }

    /// Paints the title, the legend, the axes and the marks.
    pub fn paint(&self, content: &Content, svg: &mut String) {
        let title = attribute(&content.chart.title);
        let _ = writeln!(svg, "<text class=\"ink name\" x=\"6\" y=\"16\">{title}</text>");
        for (x, y, item) in &self.legend {
            match item {
                LegendItem::Words(words) => words_at(svg, ("faint", "start"), (*x, *y), words),
                LegendItem::Curve(index) => {
                    if let Some(curve) = content.chart.curves.get(*index) {
                        swatch((*index, curve), (*x, *y), svg);
                    }
                }
            }
        }
        self.across(content, svg);
        self.along(content, svg);
        self.marks(content, svg);
        self.levels(content, svg);
    }

    /// The y axis: its label, a line across and a label at each tick.
    fn across(&self, content: &Content, svg: &mut String) {
        let label = &content.chart.y.label;
        words_at(svg, ("faint", "start"), (6.0, self.marks_top - 3.0), label);
        for (value, label) in &content.y.ticks {
            let (_, y) = self.place(content, 0.0, *value);
            let (left, right) = (self.left, self.right);
            let _ = writeln!(
                svg,
                "<path class=\"rule\" stroke=\"currentColor\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>"
            );
            words_at(svg, ("faint", "end"), (left - 6.0, y + 4.0), label);
        }
    }

    /// The x axis: a stroke and a label at each tick that has room, and its label.
    fn along(&self, content: &Content, svg: &mut String) {
        let (left, right, bottom) = (self.left, self.right, self.bottom);
        let _ = writeln!(
            svg,
            "<path class=\"faint\" stroke=\"currentColor\" d=\"M{left:.1} {bottom:.1}H{right:.1}\"/>"
        );
        let mut free = 0.0;
        for (value, label) in &content.x.ticks {
            let (x, _) = self.place(content, *value, 0.0);
            let half = room(label) / 2.0;
            let x_words = x.min(f64::from(self.width) - half - 2.0);
            if x_words - half < free {
                continue;
            }
            free = x_words + half + 6.0;
            let _ = writeln!(
                svg,
                "<path class=\"faint\" stroke=\"currentColor\" d=\"M{x:.1} {bottom:.1}v4\"/>"
            );
            words_at(svg, ("faint", "middle"), (x_words, bottom + 17.0), label);
        }
        words_at(svg, ("faint", "end"), (right, bottom + 34.0), &content.chart.x.label);
    }

    /// Upright lines with their words above the plot, on the side where there is room.
    fn marks(&self, content: &Content, svg: &mut String) {
        let marks = content.chart.marks.iter().filter(|mark| content.x.holds(mark.x));
        for (index, mark) in marks.enumerate() {
            let (x, _) = self.place(content, mark.x, 0.0);
            let row = (index % MARK_ROWS) as f64;
            let y = row.mul_add(ROW - 2.0, self.marks_top + 11.0);
            let bottom = self.bottom;
            let _ = writeln!(
                svg,
                "<path class=\"ink\" stroke=\"currentColor\" stroke-dasharray=\"2 3\" \
                 d=\"M{x:.1} {:.1}V{bottom:.1}\"/>",
                y - 10.0
            );
            let fits = x + 5.0 + room(&mark.text) <= f64::from(self.width);
            let (anchor, x) = if fits { ("start", x + 5.0) } else { ("end", x - 5.0) };
            words_at(svg, ("ink", anchor), (x, y), &mark.text);
        }
    }

    /// Lines across with their words above them.
    fn levels(&self, content: &Content, svg: &mut String) {
        for level in content.chart.levels.iter().filter(|level| content.y.holds(level.y)) {
            let (_, y) = self.place(content, 0.0, level.y);
            let (left, right) = (self.left, self.right);
            let _ = writeln!(
                svg,
                "<path class=\"ink\" stroke=\"currentColor\" stroke-dasharray=\"2 3\" \
                 d=\"M{left:.1} {y:.1}H{right:.1}\"/>"
            );
            words_at(svg, ("ink", "start"), (left + 5.0, y - 4.0), &level.text);
        }
    }
}

/// The items of the legend with their places, and the number of rows they take.
fn legend(content: &Content, wide: f64) -> (Vec<(f64, f64, LegendItem)>, f64) {
    let curves = content.chart.curves.iter().enumerate();
    let curves = curves.filter(|(_, curve)| !curve.name.is_empty());
    let curves = curves.map(|(index, curve)| (room(&curve.name) + 40.0, LegendItem::Curve(index)));
    let notes =
        content.notes().into_iter().map(|note| (room(&note) + 12.0, LegendItem::Words(note)));
    let (mut x, mut row, mut placed) = (6.0, 0.0, Vec::new());
    for (takes, item) in curves.chain(notes) {
        if x > 6.0 && x + takes > wide {
            (x, row) = (6.0, row + 1.0);
        }
        placed.push((x, ROW.mul_add(row, 34.0), item));
        x += takes;
    }
    let rows = if placed.is_empty() { 0.0 } else { row + 1.0 };
    (placed, rows)
}

/// How a curve looks, and its name.
fn swatch((index, curve): (usize, &Curve), (x, y): (f64, f64), svg: &mut String) {
    let (colour, middle) = (place(index), y - 4.0);
    let path = match curve.stroke {
        Stroke::Band => format!(
            "<path fill=\"currentColor\" fill-opacity=\".3\" d=\"M{x:.1} {:.1}h22v10h-22z\"/>",
            middle - 5.0
        ),
        Stroke::Dashed => swatch_line(x, middle, " stroke-dasharray=\"6 4\""),
        Stroke::Line => swatch_line(x, middle, ""),
        Stroke::Measured | Stroke::Dots => format!(
            "<path fill=\"currentColor\" transform=\"translate({:.1} {middle:.1})\" d=\"{}\"/>",
            x + 11.0,
            OUTLINES[colour]
        ),
    };
    let _ = writeln!(svg, "<g class=\"c{colour}\">{path}</g>");
    words_at(svg, ("ink", "start"), (x + 27.0, y), &curve.name);
}

fn swatch_line(x: f64, y: f64, dashes: &str) -> String {
    format!("<path stroke=\"currentColor\" stroke-width=\"1.8\"{dashes} d=\"M{x:.1} {y:.1}h22\"/>")
}

/// Words at a place, `start`, `middle` or `end` of them there.
pub(super) fn words_at(
    svg: &mut String,
    (class, anchor): (&str, &str),
    (x, y): (f64, f64),
    words: &str,
) {
    let words = attribute(words);
    let anchor = match anchor {
        "start" => String::new(),
        other => format!(" text-anchor=\"{other}\""),
    };
    let _ =
        writeln!(svg, "<text class=\"{class}\"{anchor} x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>");
}
