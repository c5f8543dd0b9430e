//! Amounts over time as SVG, in a page.

use std::fmt::Write as _;

use isotherm_views::numbers::grouped;
use isotherm_views::{HEAT_STEPS, HeatGrid, HeatRow};

use crate::xml::{attribute, shortened};

/// The width of the picture, of a letter, and the height of a row, in pixels.
const WIDTH: f64 = 700.0;
const LETTER: f64 = 6.9;
const ROW: f64 = 18.0;
/// Where rows begin; the height of what stands below them.
const TOP: f64 = 26.0;
const FOOT: f64 = 56.0;
/// The most columns, and letters of a name.
const COLUMNS: usize = 180;
const NAME: usize = 34;
/// How dark each step is.
const SHADES: [&str; HEAT_STEPS] = [".12", ".3", ".52", ".75", "1"];

/// Paints a grid as an SVG element that takes its colours from the page.
pub fn heat_svg(grid: &HeatGrid) -> String {
    let grid = grid.narrowed(COLUMNS);
    let widest = grid.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = (widest.min(NAME) as f64).mul_add(LETTER, 12.0);
    let each = (WIDTH - left - 8.0) / grid.columns().max(1) as f64;
    let bottom = (grid.rows.len() as f64).mul_add(ROW, TOP);
    let height = bottom + FOOT;
    let title = attribute(&grid.title);
    let mut svg = format!(
        "<svg class=\"chart\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-label=\"{title}\">\n<text class=\"ink name\" x=\"6\" y=\"16\">{title}</text>\n"
    );
    let thresholds = grid.thresholds();
    for (at, row) in grid.rows.iter().enumerate() {
        let y = (at as f64).mul_add(ROW, TOP);
        let name = attribute(&shortened(&row.name, NAME));
        let _ = writeln!(
            svg,
            "<text class=\"faint\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            left - 6.0,
            y + 13.0
        );
        cells((&grid, row), &thresholds, (left, y, each), &mut svg);
    }
    foot(&grid, (left, each, bottom), &mut svg);
    svg.push_str("</svg>\n");
    svg
}

/// The cells of a row; equal ones side by side are one rectangle.
fn cells(
    (grid, row): (&HeatGrid, &HeatRow),
    thresholds: &[u64; HEAT_STEPS],
    (left, y, each): (f64, f64, f64),
    svg: &mut String,
) {
    let mut at = 0;
    for run in row.cells.chunk_by(|one, other| one == other) {
        let (from, until) = (at as f64 * grid.column_s, (at + run.len()) as f64 * grid.column_s);
        let x = (at as f64).mul_add(each, left);
        let width = run.len() as f64 * each;
        at += run.len();
        let words = match run.first().copied().flatten() {
            None => "not known".to_owned(),
            Some(amount) => format!("{} {}", grouped(amount), grid.unit),
        };
        let step = run.first().copied().flatten().map(|amount| HeatGrid::step(thresholds, amount));
        let fill = match step {
            None => "class=\"rule\" fill=\"currentColor\" fill-opacity=\".6\"".to_owned(),
            Some(0) => "fill-opacity=\"0\"".to_owned(),
            Some(step) => {
                format!("class=\"c1\" fill=\"currentColor\" fill-opacity=\"{}\"", SHADES[step - 1])
            }
        };
        let _ = writeln!(
            svg,
            "<rect {fill} x=\"{x:.2}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{:.1}\"><title>{}: \
             {words}, {from:.3}–{until:.3} s</title></rect>",
            ROW - 1.0,
            attribute(&row.name)
        );
    }
}

/// The axis of time and the legend.
fn foot(grid: &HeatGrid, (left, each, bottom): (f64, f64, f64), svg: &mut String) {
    let columns = grid.columns();
    let _ = writeln!(
        svg,
        "<path class=\"faint\" stroke=\"currentColor\" d=\"M{left:.1} {bottom:.1}H{:.1}\"/>",
        (columns as f64).mul_add(each, left)
    );
    let every = columns.div_ceil(8).max(1);
    for at in (0..columns).step_by(every) {
        let _ = writeln!(
            svg,
            "<text class=\"faint\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (at as f64).mul_add(each, left),
            bottom + 14.0,
            seconds(at as f64 * grid.column_s)
        );
    }
    let label = attribute(&grid.x_label);
    let _ = writeln!(
        svg,
        "<text class=\"faint\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
        WIDTH - 6.0,
        bottom + 30.0
    );
    let mut x = 6.0;
    for (step, range) in grid.legend() {
        let words = format!("{range} {}", grid.unit);
        let _ = writeln!(
            svg,
            "<rect class=\"c1\" fill=\"currentColor\" fill-opacity=\"{}\" x=\"{x:.1}\" y=\"{:.1}\" \
             width=\"14\" height=\"11\"/><text class=\"ink\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            SHADES[step - 1],
            bottom + 38.0,
            x + 18.0,
            bottom + 48.0,
            attribute(&words)
        );
        x += (words.chars().count() as f64).mul_add(LETTER, 30.0);
    }
}

/// Seconds without digits that say nothing.
fn seconds(seconds: f64) -> String {
    let text = format!("{seconds:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
