//! Glyphs over the cells of a map.

use isotherm_analysis::Shade;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;

use super::ink;
use super::view::View;
use crate::plan::MapPlan;
use crate::stack;
use isotherm_views::MapKind;

/// Puts a glyph over a cell of this shade.
pub(super) fn cell(view: View<'_>, kind: MapKind, shade: Shade, glyph: char, cell: &mut Cell) {
    let under = view.style().ink(kind, shade);
    cell.set_char(glyph).set_fg(ink::contrast(view.style(), under));
    cell.set_bg(under.map_or(Color::Reset, ink::colour));
}

/// Puts a glyph over whatever is painted at a place of a map.
pub(super) fn line(
    view: View<'_>,
    plan: &MapPlan,
    (x, y): (u16, u16),
    glyph: char,
    buffer: &mut Buffer,
) {
    let line = view.scene.lines.get(usize::from(y - plan.cells.y));
    let column = view.scene.across().column(x - plan.cells.x);
    let shades = &view.scene.map(plan.kind).shades;
    let shade = line.into_iter().flat_map(stack::Line::rows);
    let shade = shade.filter_map(|row| shades.get(view.scene.picture.cell(row, column))).max();
    let shade = shade.copied().unwrap_or_default();
    let Some(cell) = buffer.cell_mut((x, y)) else { return };
    if view.style().has_half_blocks() {
        self::cell(view, plan.kind, shade, glyph, cell);
    } else {
        cell.set_char(glyph).set_fg(Color::Reset);
    }
}
