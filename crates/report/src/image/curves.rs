//! Percentiles over time as lines over a map.

use isotherm_analysis::{Picture, Row, RowKind, columns_of_step, percentile_line};
use isotherm_frame::Nanos;

use isotherm_views::headline::quantile_name;

use super::axes::column_start;
use super::geometry::{Anchor, Area, Curve, Dash, Face, Item, Words, rounded};
use super::tones::Tone;

/// The percentiles drawn, and how.
const CURVES: [(f64, Dash); 3] = [(0.5, Dash::Solid), (0.99, Dash::Dashed), (0.999, Dash::Dotted)];
/// The pixels of a step, at least.
const STEP: i32 = 6;
/// The least distance of the lines of two labels.
const LINE: i32 = 12;

/// The lines over a map whose rows have these edges, and their names right of it.
pub(super) fn curves(picture: &Picture, area: Area, edges: &[i32]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut ends = Vec::new();
    for (q, dash) in CURVES {
        let Some(step) = step(picture, q, area) else { continue };
        let runs = runs(picture, (q, step), area, edges);
        if let Some(&(_, y)) = runs.last().and_then(|run| run.last()) {
            ends.push((y, quantile_name(q)));
            items.push(Item::Curve(Curve { dash, runs }));
        }
    }
    items.extend(names(ends, area));
    items
}

/// The percentiles drawn over a map, each with the number of columns that one step of its line
/// spans: narrower steps would only be noise, or hold too few events.
pub(super) fn steps(picture: &Picture, area: Area) -> Vec<(f64, usize)> {
    CURVES.iter().filter_map(|&(q, _)| Some((q, step(picture, q, area)?))).collect()
}

/// The columns of one step; `None` if there would be too few steps to be a line over time.
fn step(picture: &Picture, q: f64, area: Area) -> Option<usize> {
    let columns = picture.columns.len();
    let wide = f64::from(STEP) * columns as f64 / f64::from(area.width.max(1));
    columns_of_step(&picture.columns, q, wide)
}

/// The steps of one percentile, in runs of neighbours.
fn runs(
    picture: &Picture,
    (q, at_once): (f64, usize),
    area: Area,
    edges: &[i32],
) -> Vec<Vec<(i32, i32)>> {
    let columns = picture.columns.len();
    let mut runs: Vec<Vec<(i32, i32)>> = Vec::new();
    let mut end = None;
    for step in percentile_line(&picture.columns, q, at_once) {
        let Some(y) = height_of(&picture.rows, edges, step.quantile.estimate) else { continue };
        let ends = [step.from, step.to].map(|column| (column_start(area, columns, column), y));
        match runs.last_mut().filter(|_| end == Some(step.from)) {
            Some(run) => extend(run, ends),
            None => runs.push(ends.to_vec()),
        }
        end = Some(step.to);
    }
    runs
}

/// Adds a step; one that goes on level becomes longer.
fn extend(run: &mut Vec<(i32, i32)>, [start, end]: [(i32, i32); 2]) {
    match run.last_mut() {
        Some(last) if last.1 == end.1 => *last = end,
        _ => run.extend([start, end]),
    }
}

/// The height at which a latency lies: between the edges of its row by the logarithm.
fn height_of(rows: &[Row], edges: &[i32], latency: Nanos) -> Option<i32> {
    let index = rows.iter().rposition(|row| row.lo <= latency)?;
    let row = rows.get(index)?;
    let (low, high) = (f64::from(*edges.get(index)?), f64::from(*edges.get(index + 1)?));
    let part = match (row.kind, row.hi) {
        (RowKind::Body, Some(hi)) if row.lo > Nanos::ZERO => {
            let ratio = |top: Nanos| (top.as_nanos() as f64 / row.lo.as_nanos() as f64).ln();
            ratio(latency) / ratio(hi)
        }
        _ => 0.5,
    };
    Some(rounded(low + (high - low) * part.clamp(0.0, 1.0)))
}

/// The names of lines that end at these heights, moved apart where they would lie on each other.
fn names(mut ends: Vec<(i32, String)>, area: Area) -> Vec<Item> {
    // Of lines that end together the higher percentile comes first.
    ends.reverse();
    ends.sort_by_key(|end| end.0);
    let mut free = area.y + 8;
    let mut items = Vec::new();
    for (index, (y, text)) in ends.iter().enumerate() {
        let below = i32::try_from(ends.len() - 1 - index).unwrap_or(0) * LINE;
        let y = (y + 4).min(area.bottom() - below).max(free);
        free = y + LINE;
        let (x, face, tone) = (area.right() + 5, Face::Plain, Tone::Faint);
        items.push(Item::Words(Words {
            x,
            y,
            anchor: Anchor::Start,
            face,
            tone,
            text: text.clone(),
        }));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lines_that_end_together_do_not_lie_on_each_other() {
        let area = Area { x: 0, y: 100, width: 50, height: 60 };
        for at in [90, 130, 161, 400] {
            let ends = ["p50", "p99", "p99.9"].map(|name| (at, name.to_owned()));
            let heights: Vec<i32> = names(ends.to_vec(), area)
                .into_iter()
                .map(|item| match item {
                    Item::Words(words) => words.y,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= LINE), "{heights:?}");
            assert!(heights.iter().all(|&y| y > area.y && y <= area.bottom()), "{heights:?}");
        }
    }

    #[test]
    fn a_level_line_is_two_points_however_long() {
        let mut run = vec![(0, 5), (1, 5)];
        extend(&mut run, [(1, 5), (2, 5)]);
        extend(&mut run, [(2, 3), (3, 3)]);
        assert_eq!(run, [(0, 5), (2, 5), (2, 3), (3, 3)]);
    }
}
