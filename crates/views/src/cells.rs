//! The cells of a map as characters: what half-blocks, glyphs and hatches stand for.

use isotherm_analysis::{ColumnState, Legend, Map, Picture, Row, RowKind, Shade, Unplaced};

use crate::ansi::{Ansi, Look};
use crate::numbers::quantity;
use crate::style::STEPS;
use crate::times::span;
use crate::{Depth, Ink, MapKind, Style};

/// What is drawn at one row and column.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// What was counted, as a shade.
    Shade(Shade),
    /// Nothing is known of the time of the column.
    NoData,
    /// Counters began anew in the column.
    Reset,
}

/// A line of text of a map: one row of the picture, or two as half-blocks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextRow {
    pub lower: usize,
    pub upper: Option<usize>,
}

/// The lines of a map, longest latencies first. With half-blocks two rows share a line, but never
/// rows of two octaves, nor an underflow or overflow row with another, nor rows with cells that carry
/// a mark.
pub(crate) fn text_rows(picture: &Picture, style: Style) -> Vec<TextRow> {
    let rows = &picture.rows;
    let pairs = |index: usize| {
        let row: Option<&Row> = rows.get(index);
        let body = row.is_some_and(|row| row.kind == RowKind::Body);
        style.has_half_blocks() && body && !picture.is_row_unplaced(index)
    };
    let mut lines = Vec::new();
    let mut next = 0;
    while next < rows.len() {
        let above = rows.get(next + 1);
        let paired = pairs(next) && pairs(next + 1) && above.is_some_and(|row| !row.labelled);
        lines.push(TextRow { lower: next, upper: paired.then_some(next + 1) });
        next += if paired { 2 } else { 1 };
    }
    lines.reverse();
    lines
}

/// Events, or seconds waited, of each row over the whole picture.
pub fn row_sums(picture: &Picture, kind: MapKind) -> Vec<f64> {
    let width = picture.columns.len().max(1);
    match kind {
        MapKind::Frequency => {
            let rows = picture.counts.chunks(width);
            rows.map(|row| row.iter().sum::<u64>() as f64).collect()
        }
        MapKind::Intensity => {
            let rows = picture.intensity.cells.chunks(width);
            let amount = |row: &[f64]| {
                row.iter().zip(&picture.columns).map(|(cell, c)| cell * c.covered_s).sum()
            };
            rows.map(amount).collect()
        }
    }
}

/// What is drawn at a row and column of a map.
pub fn cell_at(picture: &Picture, map: &Map, row: usize, column: usize) -> Cell {
    match picture.columns.get(column).map(|column| column.state) {
        None | Some(ColumnState::NoData) => Cell::NoData,
        Some(ColumnState::Reset) => Cell::Reset,
        Some(ColumnState::Data) => {
            let shade = map.shades.get(picture.cell(row, column)).copied().unwrap_or_default();
            Cell::Shade(of_ramp(shade, map.legend.steps.len()))
        }
    }
}

/// A shade of a legend with `steps` steps as one of the ramp's.
pub fn of_ramp(shade: Shade, steps: usize) -> Shade {
    let Shade::Step(step) = shade else { return shade };
    let place = usize::from(step) * usize::from(STEPS) / steps.max(1);
    Shade::Step(u8::try_from(place).unwrap_or(STEPS).clamp(1, STEPS))
}

/// Paints the cells of a line, each `wide` characters wide.
pub(crate) fn paint_line(
    ansi: &mut Ansi,
    style: Style,
    picture: &Picture,
    (map, kind): (&Map, MapKind),
    (line, wide): (TextRow, usize),
) {
    for column in 0..picture.columns.len() {
        let lower = cell_at(picture, map, line.lower, column);
        let marked = kind == MapKind::Intensity
            && style.has_half_blocks()
            && picture.is_unplaced(line.lower, column);
        for nth in 0..wide {
            match line.upper {
                Some(upper) => {
                    paint_pair(ansi, style, kind, (cell_at(picture, map, upper, column), lower));
                }
                None if marked && nth == 0 => paint_marked(ansi, style, kind, lower),
                None => paint(ansi, style, kind, lower),
            }
        }
    }
}

/// Paints a cell a part of which was waited before its column.
fn paint_marked(ansi: &mut Ansi, style: Style, kind: MapKind, cell: Cell) {
    let Cell::Shade(shade) = cell else { return paint(ansi, style, kind, cell) };
    let bg = style.ink(kind, shade);
    let look = Look { fg: style.contrast(bg), bg, ..Look::default() };
    ansi.looking(style.unplaced().encode_utf8(&mut [0; 4]), look);
}

/// What the marks of cells stand for; nothing where there are none.
pub fn unplaced_note(picture: &Picture) -> Option<String> {
    let found = Unplaced::of(&picture.columns)?;
    Some(format!("events longer than {}: partly waited earlier", span(found.column)))
}

/// Paints one cell as a whole character.
pub(crate) fn paint(ansi: &mut Ansi, style: Style, kind: MapKind, cell: Cell) {
    let mut buffer = [0; 4];
    match cell {
        Cell::NoData => ansi.faint(style.no_data().encode_utf8(&mut buffer)),
        Cell::Reset => ansi.faint(style.reset().encode_utf8(&mut buffer)),
        Cell::Shade(shade) if style.has_half_blocks() => {
            ansi.looking(" ", Look { bg: style.ink(kind, shade), ..Look::default() });
        }
        Cell::Shade(shade) => {
            let look = Look { fg: style.ink(kind, shade), ..Look::default() };
            ansi.looking(style.glyph(shade).encode_utf8(&mut buffer), look);
        }
    }
}

/// Paints two cells, `(upper, lower)`, as half-blocks.
pub(crate) fn paint_pair(ansi: &mut Ansi, style: Style, kind: MapKind, pair: (Cell, Cell)) {
    let (Cell::Shade(upper), Cell::Shade(lower)) = pair else {
        return paint(ansi, style, kind, pair.0);
    };
    let (upper, lower) = (style.ink(kind, upper), style.ink(kind, lower));
    match (upper, lower) {
        (Some(_), None) => ansi.looking("▀", Look { fg: upper, ..Look::default() }),
        (None, Some(_)) => ansi.looking("▄", Look { fg: lower, ..Look::default() }),
        (one, two) if one == two => ansi.looking(" ", Look { bg: one, ..Look::default() }),
        _ => ansi.looking("▀", Look { fg: upper, bg: lower, bold: false }),
    }
}

/// A bar of at most `width` characters for a share from 0 to 1; never empty for more than zero
/// if there is room at all.
pub(crate) fn bar(style: Style, kind: MapKind, share: f64, width: usize) -> (String, Look) {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8 width")]
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let eighths = if share > 0.0 && width > 0 { eighths.max(1) } else { 0 };
    let text = if style.depth == Depth::Ascii {
        if eighths > 0 && eighths < 4 { ".".to_owned() } else { "#".repeat((eighths + 4) / 8) }
    } else {
        format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
    };
    (text, Look { fg: style.ink(kind, Shade::Step(5)), ..Look::default() })
}

/// The shades of a legend that look different from each other here, with the value each begins
/// at; the trace first. None where there is nothing to shade.
pub fn legend_shades(style: Style, kind: MapKind, legend: &Legend) -> Vec<(Shade, f64)> {
    if legend.max <= 0.0 {
        return Vec::new();
    }
    let appearance = |shade: Shade| -> (Option<Ink>, char) {
        (style.ink(kind, shade), if style.has_half_blocks() { ' ' } else { style.glyph(shade) })
    };
    let mut shades = vec![(Shade::Trace, 0.0)];
    for (index, &from) in legend.steps.iter().enumerate() {
        let step = u8::try_from(index + 1).unwrap_or(u8::MAX);
        let shade = of_ramp(Shade::Step(step), legend.steps.len());
        match shades.last_mut() {
            Some(last) if appearance(last.0) == appearance(shade) => last.0 = shade,
            _ => shades.push((shade, from)),
        }
    }
    shades
}

/// Paints the legend in at most `room` characters: every shade, and the value that as many of
/// them begin at as fit. Gives nothing when not even the shades and the maximum fit.
pub(crate) fn paint_legend(
    ansi: &mut Ansi,
    style: Style,
    (legend, kind): (&Legend, MapKind),
    room: usize,
) {
    let shades = legend_shades(style, kind, legend);
    if shades.is_empty() {
        return;
    }
    let pinned = if legend.pinned { " pinned" } else { "" };
    let tail = format!(" max {}{pinned} {}", quantity(legend.max), legend.scale.name());
    let text = |index: usize, every: usize| match shades.get(index) {
        Some((Shade::Trace, _)) => ">0 ".to_owned(),
        Some((_, from)) if index.is_multiple_of(every) && index > 0 => {
            format!("{} ", quantity(*from))
        }
        _ => String::new(),
    };
    let width = |every: usize| -> usize {
        let texts: usize = (0..shades.len()).map(|index| text(index, every).chars().count()).sum();
        texts + shades.len() + tail.chars().count()
    };
    let Some(every) = (1..=shades.len() + 1).find(|&every| width(every) <= room) else { return };
    let end = ansi.width() + room;
    ansi.pad_to(end - width(every));
    for (index, (shade, _)) in shades.iter().enumerate() {
        paint(ansi, style, kind, Cell::Shade(*shade));
        ansi.plain(&text(index, every));
    }
    ansi.plain(&tail);
}
