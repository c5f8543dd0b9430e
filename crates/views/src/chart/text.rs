//! A chart in characters: for terminals, mails and notes.

use isotherm_frame::visible_char;

use super::braille::Field;
use super::content::{Content, range};
use super::shape::{SHAPES, place};
use super::{Chart, ChartPoint, Curve, Stroke};

/// The least there must be for the plot itself.
const LEAST: (usize, usize) = (12, 4);
/// The most that is filled.
const MOST: (usize, usize) = (400, 200);

impl Chart {
    /// Paints the chart in so many columns and rows of characters, everything included: lines in
    /// braille and dots as shapes, or all of it in ASCII. Every point that can be drawn lies inside
    /// its frame; what cannot be drawn is counted and reported. Ends with a new line.
    pub fn text(&self, width: usize, height: usize, ascii: bool) -> String {
        let (width, height) = (width.min(MOST.0), height.min(MOST.1));
        let (ticks_x, ticks_y) = (width / 12, height / 4);
        let ticks = |count: usize| u8::try_from(count).unwrap_or(12).clamp(2, 12);
        let content = Content::of(self, (ticks(ticks_x), ticks(ticks_y)));
        let labels = content.y.ticks.iter().map(|(_, label)| label.chars().count());
        let left = labels.max().unwrap_or(0) + 1;
        let columns = width.saturating_sub(left + 2).max(LEAST.0);
        let head = head(&content, left + columns + 1, ascii);
        let rows = height.saturating_sub(head.len() + 3).max(LEAST.1);
        let mut field = Field::new(columns, rows, ascii);
        fill(&content, &mut field, ascii);
        let mut lines = head;
        lines.extend(plot(&content, &field, left, ascii));
        lines.extend(foot(&content, &field, (left, columns), ascii));
        let mut text = String::new();
        for line in lines {
            let line = if ascii { in_ascii(&line) } else { line };
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// What has no place in ASCII, in other words.
fn in_ascii(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            'µ' => plain.push('u'),
            '–' | '−' => plain.push('-'),
            '≈' => plain.push('~'),
            '≤' => plain.push_str("<="),
            '≥' => plain.push_str(">="),
            '×' => plain.push('x'),
            other if other.is_ascii() => plain.push(other),
            _ => plain.push('?'),
        }
    }
    plain
}

/// The title, the legend, the notes and the label of the y axis, each in as many lines as needed.
fn head(content: &Content, width: usize, ascii: bool) -> Vec<String> {
    let chart = content.chart;
    let mut lines = Vec::new();
    if !chart.title.is_empty() {
        lines.push(printable(&chart.title));
    }
    let curves = chart.curves.iter().enumerate().filter(|(_, curve)| !curve.name.is_empty());
    let items = curves.map(|(index, curve)| {
        format!("{} {}", sample(index, curve, ascii), printable(&curve.name))
    });
    let mut row = String::new();
    for item in items.chain(content.notes().iter().map(|note| printable(note))) {
        if !row.is_empty() && row.chars().count() + 3 + item.chars().count() > width {
            lines.push(std::mem::take(&mut row));
        }
        row.push_str(if row.is_empty() { "" } else { "   " });
        row.push_str(&item);
    }
    lines.extend((!row.is_empty()).then_some(row));
    lines.push(printable(&chart.y.label));
    lines
}

/// What controls a terminal is not printed to it.
fn printable(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

/// How a curve looks.
fn sample(index: usize, curve: &Curve, ascii: bool) -> String {
    let line = |words: &str, plain: &str| if ascii { plain.to_owned() } else { words.to_owned() };
    match curve.stroke {
        Stroke::Measured | Stroke::Dots => glyph(index, false, ascii).to_string(),
        Stroke::Line => line("⠤⠤", ".."),
        Stroke::Dashed => line("⠤ ⠤", ". ."),
        Stroke::Band => line("░░", "::"),
    }
}

fn glyph(curve: usize, doubtful: bool, ascii: bool) -> char {
    let shape = SHAPES[place(curve)];
    let (filled, hollow) = if ascii { shape.letters } else { shape.glyphs };
    if doubtful { hollow } else { filled }
}

/// Draws everything into the field: dots over bars over lines, words where there is room.
fn fill(content: &Content, field: &mut Field, ascii: bool) {
    let curves = &content.chart.curves;
    let at = |x: f64, y: f64| (content.x.place(x), content.y.place(y));
    for curve in curves.iter().filter(|curve| curve.stroke.has_line()) {
        for pair in content.runs(curve).flat_map(|run| run.windows(2)) {
            field.line(at(pair[0].x, pair[0].y), at(pair[1].x, pair[1].y));
        }
    }
    for (index, curve) in curves.iter().enumerate().filter(|(_, curve)| curve.stroke.has_dots()) {
        for point in content.points(curve) {
            let cell = field.cell(at(point.x, point.y));
            field.put(cell, glyph(index, point.doubtful, ascii));
        }
    }
    words(content, field, ascii);
    for curve in curves.iter().filter(|curve| curve.stroke.has_dots()) {
        for point in content.points(curve) {
            upright(content, field, point, if ascii { '|' } else { '│' });
        }
    }
    for curve in curves.iter().filter(|curve| curve.stroke == Stroke::Band) {
        for point in content.points(curve) {
            upright(content, field, point, if ascii { ':' } else { '░' });
        }
    }
}

/// A bar from where to where a point could lie, behind everything else.
fn upright(content: &Content, field: &mut Field, point: &ChartPoint, letter: char) {
    let (lo, hi) = range(point);
    if lo >= hi {
        return;
    }
    let cell = |y: f64| field.cell((content.x.place(point.x), content.y.place(y)));
    let ((column, low), (_, high)) = (cell(lo), cell(hi));
    for row in high..=low {
        field.put_behind((column, row), letter);
    }
}

/// The words of marks, levels and points.
fn words(content: &Content, field: &mut Field, ascii: bool) {
    let (upright, across) = if ascii { ('|', '-') } else { ('┆', '┄') };
    for mark in content.chart.marks.iter().filter(|mark| content.x.holds(mark.x)) {
        let (column, top) = field.cell((content.x.place(mark.x), 1.0));
        let (_, bottom) = field.cell((0.0, 0.0));
        let text = printable(&mark.text);
        let length = text.chars().count();
        let before = column.checked_sub(length + 1);
        // Where there is no room for its words they are missing, and the line is there still.
        let _ = (top..=bottom.min(top + 3)).any(|row| {
            field.write((column + 2, row), &text)
                || before.is_some_and(|before| field.write((before, row), &text))
        });
        for row in top..=bottom {
            field.put_behind((column, row), upright);
        }
    }
    for level in content.chart.levels.iter().filter(|level| content.y.holds(level.y)) {
        let (right, row) = field.cell((1.0, content.y.place(level.y)));
        field.write((1, row), &format!(" {} ", printable(&level.text)));
        for column in 0..=right {
            field.put_behind((column, row), across);
        }
    }
    for curve in content.chart.curves.iter().filter(|curve| curve.stroke.has_dots()) {
        for point in content.points(curve) {
            let Some(label) = point.label.as_ref().filter(|label| !label.is_empty()) else {
                continue;
            };
            let (column, row) = field.cell((content.x.place(point.x), content.y.place(point.y)));
            beside(field, (column, row), &printable(label));
        }
    }
}

/// Writes a point's label to one of its sides.
fn beside(field: &mut Field, (column, row): (usize, usize), label: &str) {
    let length = label.chars().count();
    let left = column.checked_sub(length);
    let _ = field.write((column + 1, row), label)
        || left.is_some_and(|left| field.write((left, row), label))
        || row.checked_sub(1).is_some_and(|above| field.write((column, above), label))
        || field.write((column, row + 1), label);
}

/// The rows of the plot with the y axis and its labels.
fn plot(content: &Content, field: &Field, left: usize, ascii: bool) -> Vec<String> {
    let (rule, tick) = if ascii { ('|', '+') } else { ('│', '┤') };
    let label_of = |row: usize| {
        let mut ticks = content.y.ticks.iter();
        ticks.find(|(value, _)| field.cell((0.0, content.y.place(*value))).1 == row)
    };
    let lines = field.lines().enumerate();
    lines
        .map(|(row, line)| match label_of(row) {
            Some((_, label)) => format!("{label:>left$}{tick}{line}"),
            None => format!("{:left$}{rule}{line}", ""),
        })
        .collect()
}

/// The x axis with its labels.
fn foot(
    content: &Content,
    field: &Field,
    (left, columns): (usize, usize),
    ascii: bool,
) -> Vec<String> {
    let (corner, rule, tick) = if ascii { ('+', '-', '+') } else { ('└', '─', '┴') };
    let mut line = vec![rule; columns];
    let mut labels = String::new();
    for (value, label) in &content.x.ticks {
        let (column, _) = field.cell((content.x.place(*value), 0.0));
        let length = label.chars().count();
        let middle = (left + 1 + column).saturating_sub(length / 2);
        let begin = middle.min((left + columns + 2).saturating_sub(length));
        let free = if labels.is_empty() { 0 } else { labels.chars().count() + 1 };
        if begin < free {
            continue;
        }
        labels.extend(std::iter::repeat_n(' ', begin - labels.chars().count()));
        labels.push_str(label);
        if let Some(place) = line.get_mut(column) {
            *place = tick;
        }
    }
    let axis: String = line.into_iter().collect();
    let name = printable(&content.chart.x.label);
    let width = left + 1 + columns;
    vec![format!("{:left$}{corner}{axis}", ""), labels, format!("{name:>width$}")]
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
