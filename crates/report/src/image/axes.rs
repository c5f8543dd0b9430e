//! The axes: where rows lie, and what stands beside and below a map.

use isotherm_analysis::{Picture, Row, RowKind};
use isotherm_frame::Timestamp;

use isotherm_views::ranges::edge;
use isotherm_views::times::TimeFormat;

use super::geometry::{Anchor, Area, Dash, Face, Item, Words, pixels, rounded};
use super::tones::Tone;

/// The height a map has if its rows allow it.
const WANTED_HEIGHT: i32 = 288;
/// The highest and the lowest row there is.
const HIGHEST_ROW: i32 = 24;
const LOWEST_ROW: i32 = 3;
/// The least distance of two labels' lines.
const LINE: i32 = 12;
/// The pixels from one label of the time axis to the next, at least.
const TICKS_APART: i32 = 92;

/// The heights of rows, from bottom to top: even where all rows between the first and the last
/// span alike, else in proportion to the logarithm of what they span.
pub(super) fn heights(rows: &[Row]) -> Vec<i32> {
    let octaves: Vec<f64> = rows.iter().map(octaves).collect();
    let spans = || octaves.iter().copied().filter(|&span| span > 0.0);
    let (least, most) = (spans().fold(f64::INFINITY, f64::min), spans().fold(0.0, f64::max));
    let count = pixels(rows.len()).max(1);
    let even = (WANTED_HEIGHT / count).clamp(LOWEST_ROW, HIGHEST_ROW);
    // Rows a thousandfold higher than others would leave those no pixel.
    let wide = f64::from(even) * 0.25;
    let mean = spans().sum::<f64>() / spans().count().max(1) as f64;
    if most <= least * 1.02 || least / mean * f64::from(even) < wide {
        return vec![even; rows.len()];
    }
    let height = |span: &f64| {
        let rows = if *span > 0.0 { span / mean } else { 1.0 };
        rounded(rows * f64::from(even)).max(LOWEST_ROW)
    };
    octaves.iter().map(height).collect()
}

/// The octaves a row spans; nothing for one without two edges above zero.
fn octaves(row: &Row) -> f64 {
    match (row.kind, row.lo.as_nanos(), row.hi) {
        (RowKind::Body, lo @ 1.., Some(hi)) => (hi.as_nanos() as f64 / lo as f64).log2(),
        _ => 0.0,
    }
}

/// The lower edge of the first row and the upper edge of every row, for a map whose lower end is
/// at `bottom`.
pub(super) fn edges(heights: &[i32], bottom: i32) -> Vec<i32> {
    let mut edges = vec![bottom];
    let mut at = bottom;
    for height in heights {
        at -= height;
        edges.push(at);
    }
    edges
}

/// The labels of the latency axis: true edges of buckets, each at its edge; those of the rows that
/// collect what is shorter or longer beside the row.
pub(super) fn latency(rows: &[Row], area: Area, edges: &[i32]) -> Vec<Item> {
    let mut taken: Vec<i32> = Vec::new();
    let mut items = Vec::new();
    for kind in [RowKind::Underflow, RowKind::Overflow, RowKind::Body] {
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.kind == kind) {
            let (Some(&low), Some(&high)) = (edges.get(index), edges.get(index + 1)) else {
                continue;
            };
            let middle = if kind == RowKind::Body { low } else { i32::midpoint(low, high) };
            // The row that collects what is shorter says its upper edge itself.
            let said = index > 0 && rows[index - 1].kind == RowKind::Underflow;
            let free = taken.iter().all(|other| (other - middle).abs() >= LINE);
            if !row.labelled || said || !free || !on_stride(rows, edges, index) {
                continue;
            }
            taken.push(middle);
            items.push(label(edge(row), area.x - 7, middle + 4));
            if kind == RowKind::Body {
                items.push(rule((area.x - 4, low), (area.x, low)));
            }
        }
    }
    items.extend(top(rows, area, edges, &taken));
    items
}

/// The upper edge of the last row, unless that row has none.
fn top(rows: &[Row], area: Area, edges: &[i32], taken: &[i32]) -> Vec<Item> {
    let last = rows.last().filter(|row| row.kind == RowKind::Body);
    let (Some(hi), Some(&edge)) = (last.and_then(|row| row.hi), edges.last()) else {
        return Vec::new();
    };
    if taken.iter().any(|other| (other - edge).abs() < LINE) {
        return Vec::new();
    }
    vec![label(hi.to_string(), area.x - 7, edge + 4), rule((area.x - 4, edge), (area.x, edge))]
}

/// Whether a row is one of every first, second, fourth of the labelled rows: as many as have room.
fn on_stride(rows: &[Row], edges: &[i32], index: usize) -> bool {
    let body = |row: &Row| row.kind == RowKind::Body && row.labelled;
    if !rows.get(index).is_some_and(body) {
        return true;
    }
    let labelled: Vec<usize> = (0..rows.len()).filter(|&row| body(&rows[row])).collect();
    let at = |place: usize| labelled.get(place).and_then(|&row| edges.get(row)).copied();
    let apart = |stride: usize| {
        (0..labelled.len()).step_by(stride).all(|place| match (at(place), at(place + stride)) {
            (Some(low), Some(high)) => low - high >= LINE,
            _ => true,
        })
    };
    let stride = [1, 2, 4, 8].into_iter().find(|&stride| apart(stride)).unwrap_or(1);
    labelled.iter().position(|&row| row == index).is_some_and(|place| place.is_multiple_of(stride))
}

fn label(text: String, x: i32, y: i32) -> Item {
    Item::Words(Words { x, y, anchor: Anchor::End, face: Face::Plain, tone: Tone::Faint, text })
}

fn rule(from: (i32, i32), to: (i32, i32)) -> Item {
    Item::Rule { from, to, tone: Tone::Rule, dash: Dash::Solid }
}

/// The left end of a column of `area`, or of the right end when it is the number of columns.
pub(super) fn column_start(area: Area, columns: usize, column: usize) -> i32 {
    let part = column as f64 / columns.max(1) as f64;
    area.x + rounded(part * f64::from(area.width))
}

/// The line below a map with its round moments; the labels are as high as one line.
pub(super) fn time(picture: &Picture, moments: &TimeFormat, area: Area) -> Vec<Item> {
    let starts: Vec<Timestamp> = picture.columns.iter().map(|column| column.start).collect();
    let columns = starts.len();
    let apart = (f64::from(TICKS_APART) / f64::from(area.width.max(1)) * columns as f64).ceil();
    let apart = usize::try_from(rounded(apart)).unwrap_or(1);
    let mut items = vec![rule((area.x, area.bottom()), (area.right(), area.bottom()))];
    let mut free = area.x;
    for (column, text) in moments.ticks(&starts, apart) {
        let x = column_start(area, columns, column);
        let half = Face::Plain.room(&text) / 2;
        items.push(rule((x, area.bottom()), (x, area.bottom() + 4)));
        // At the left end the label of the lowest row has the room left of it.
        let at_edge = x - half < area.x;
        let left = if at_edge { x } else { x - half };
        let right = left + 2 * half;
        if left >= free && right <= area.right() + 40 {
            free = right + 10;
            let y = area.bottom() + 17;
            let anchor = if at_edge { Anchor::Start } else { Anchor::Middle };
            let (face, tone) = (Face::Plain, Tone::Faint);
            items.push(Item::Words(Words { x, y, anchor, face, tone, text }));
        }
    }
    items
}
